# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154 # variables of setup.sh and cuda.sh
#
# Builds a Kokkos if the machine has none that fits: for a GPU, or for the host if no Debian root can be made. It is
# built once, from the sources in TESSERA_KOKKOS_SOURCE or from a release that FetchContent gets, and installed in
# $cache/kokkos-<hash of what it depends on>. A Kokkos without a stamp file is incomplete, and is rebuilt.

kokkos_release=4.6.01 kokkos_commit=1b1383c6001f3bfe9fe309ca923c2d786600cc79

# kokkos_options host|ARCHITECTURE: prints options for CMake. ARCHITECTURE is a number, 90 for compute capability 9.0.
# For a GPU, the host backend is Serial: other stages test threads, and a second backend would take a third more time to
# compile.
kokkos_options() {
  case $1 in
    host) echo -DKokkos_ENABLE_OPENMP=ON && return ;;
    80) echo -DKokkos_ARCH_AMPERE80=ON ;;
    8[678]) echo -DKokkos_ARCH_AMPERE86=ON ;;
    89) echo -DKokkos_ARCH_ADA89=ON ;;
    90) echo -DKokkos_ARCH_HOPPER90=ON ;;
    10?) echo -DKokkos_ARCH_BLACKWELL100=ON ;;
    12?) echo -DKokkos_ARCH_BLACKWELL120=ON ;;
    *) return 1 ;;
  esac
  echo -DKokkos_ENABLE_CUDA=ON
}

# check_kokkos_source: checks that TESSERA_KOKKOS_SOURCE, if set, is a Kokkos source tree.
check_kokkos_source() {
  [[ -n ${TESSERA_KOKKOS_SOURCE:-} ]] || return 0
  [[ -e $TESSERA_KOKKOS_SOURCE/bin/nvcc_wrapper && -e $TESSERA_KOKKOS_SOURCE/core/src/Kokkos_Core.hpp ]] ||
    die 2 "TESSERA_KOKKOS_SOURCE=$TESSERA_KOKKOS_SOURCE is no folder of Kokkos' sources: it has no bin/nvcc_wrapper or no core/src/Kokkos_Core.hpp"
  TESSERA_KOKKOS_SOURCE=$(realpath "$TESSERA_KOKKOS_SOURCE")
}

# kokkos_source_recipe RELEASE: prints the identity of the sources: those in TESSERA_KOKKOS_SOURCE, or this release.
kokkos_source_recipe() {
  if [[ -n ${TESSERA_KOKKOS_SOURCE:-} ]]; then
    (cd "$TESSERA_KOKKOS_SOURCE" && find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
  else
    echo "$1"
  fi
}

# Prints what a build depends on: sources, adaptations, options and compilers.
kokkos_recipe() {
  kokkos_source_recipe "$kokkos_release $kokkos_commit"
  kokkos_options "$1"
  declare -f adapt_kokkos make_kokkos
  if [[ $1 == host ]]; then
    ${CXX:-c++} --version 2>/dev/null || true
  else
    "$nvcc" --version
    "${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}" --version
  fi
}

# kokkos_sources FOLDER LOG: copies the sources to FOLDER.
kokkos_sources() {
  local log=$2 generator=()
  command -v make >/dev/null || generator=(CMAKE_GENERATOR=Ninja)
  if [[ -n ${TESSERA_KOKKOS_SOURCE:-} ]]; then
    cp -r "$TESSERA_KOKKOS_SOURCE/." "$1"
    chmod -R u+w "$1"
  else
    step "$log" "fetching Kokkos $kokkos_release" env "${generator[@]}" cmake -D "source=$1" -D "build=${1%/*}" -D release=$kokkos_release \
      -D commit=$kokkos_commit -P "$checkout/scripts/lib/kokkos/fetch.cmake" ||
      die 2 "could not fetch Kokkos $kokkos_release: is there a network, and git? Without: unpack a release of Kokkos and say TESSERA_KOKKOS_SOURCE=/path/to/it" \
        "Full log: $log"
  fi
}

# adapt_kokkos FOLDER ARCHITECTURE: adapts sources that are older than the CUDA toolkit. By default nvcc_wrapper compiles
# for 7.0, which nvcc 13 rejects in CMake's first test. CUDA 13 changed the arguments of three functions, and only
# Kokkos >= 4.7 handles this.
adapt_kokkos() {
  local version calls=$1/core/src/Cuda/Kokkos_Cuda_Instance.hpp
  version=$(sed -n 's/^set(Kokkos_VERSION_\(MAJOR\|MINOR\) \([0-9]*\))/\2/p' "$1/CMakeLists.txt" | paste -s -d .)
  chmod +x "$1/bin/nvcc_wrapper"
  sed -i "s/^default_arch=.*/default_arch=\"sm_$2\"/" "$1/bin/nvcc_wrapper"
  if ! at_least 13 "$nvcc_version" || at_least 4.7 "$version"; then return; fi
  sed -i 's/cudaGraphAddDependencies(graph, from, to, numDependencies)/cudaGraphAddDependencies(graph, from, to, nullptr, numDependencies)/
    s/cudaMemAdvise(devPtr, count, advice, device)/cudaMemAdvise(devPtr, count, advice, cudaMemLocation{cudaMemLocationTypeDevice, device})/
    s/cudaMemPrefetchAsync(devPtr, count, dstDevice,$/cudaMemPrefetchAsync(devPtr, count, cudaMemLocation{cudaMemLocationTypeDevice, dstDevice}, 0,/' "$calls"
}

# make_kokkos host|ARCHITECTURE FOLDER
make_kokkos() {
  local tree=$2.part/source options=() log=$logs/kokkos-$1.log generator=()
  rm -rf "$2" "$2.part"
  mkdir -p "$tree"
  : >"$log"
  kokkos_sources "$tree" "$log"
  mapfile -t options < <(kokkos_options "$1")
  if [[ $1 != host ]]; then
    adapt_kokkos "$tree" "$1"
    install -D "$tree/bin/nvcc_wrapper" "$2/bin/nvcc_wrapper" # the installed CMake files name this path
    options+=("-DCMAKE_CXX_COMPILER=$2/bin/nvcc_wrapper")
  fi
  ! command -v ninja >/dev/null || generator=(-G Ninja)
  step "$log" "configuring Kokkos in $2" cmake "${generator[@]}" -S "$tree" -B "$2.part/build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DKokkos_ENABLE_SERIAL=ON "-DCMAKE_INSTALL_PREFIX=$2" "${options[@]}" ||
    die 2 "Kokkos could not be configured" "Full log: $log"
  step "$log" "building Kokkos (some minutes, this once)" cmake --build "$2.part/build" --parallel "$(job_count)" --target install ||
    die 2 "Kokkos could not be built" "Full log: $log"
  rm -rf "$2.part"
  touch "$2/.tessera-kokkos"
}

# ensure_kokkos host|ARCHITECTURE: builds this Kokkos if it is missing. Sets kokkos_dir to its folder.
ensure_kokkos() {
  check_kokkos_source
  kokkos_dir=$cache/kokkos-$(kokkos_recipe "$1" | sha256sum | cut -c 1-12)
  lock "$kokkos_dir.lock" exclusive "$kokkos_dir"
  [[ -e $kokkos_dir/.tessera-kokkos ]] || make_kokkos "$1" "$kokkos_dir"
  exec {lock}>&-
}
