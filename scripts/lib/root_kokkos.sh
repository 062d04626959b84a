# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154 # variables of setup.sh
#
# Builds, in the Debian root "openmp", a Kokkos that no package provides: "threads" has Kokkos::Threads; "races-threads"
# and "races-openmp" have one backend each, for ThreadSanitizer. It is built once, in $cache/kokkos-<name>-<hash of what
# it depends on>. The sources are in TESSERA_KOKKOS_SOURCE or, by default, those of Kokkos 4.7.0, which a package of
# another project contains (from pip).

kokkos_package=pygenten kokkos_package_release=0.1.5 kokkos_folder=tpls/kokkos
kokkos_package_sum=e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7

# root_kokkos_options NAME: prints the options to compile this Kokkos, and Tessera with it.
root_kokkos_options() {
  [[ $1 == races-* ]] || return 0
  printf '%s\n' -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -gline-tables-only"
}

# fetch_packaged_kokkos FOLDER LOG: unpacks the sources there.
fetch_packaged_kokkos() {
  local archive=$kokkos_package-$kokkos_package_release.tar.gz
  if [[ -n ${TESSERA_KOKKOS_SOURCE:-} ]]; then
    cp -r "$TESSERA_KOKKOS_SOURCE/." "$1" && chmod -R u+w "$1"
    return
  fi
  python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
  step "$2" "fetching the sources of Kokkos" python3 -m pip download --disable-pip-version-check --no-deps --no-binary :all: \
    --dest "$1" "$kokkos_package==$kokkos_package_release" || return 1
  sha256sum --check --quiet <<<"$kokkos_package_sum  $1/$archive" || return 1
  tar -xzf "$1/$archive" -C "$1" --strip-components=3 "${archive%.tar.gz}/$kokkos_folder" && rm "$1/$archive"
}

# adapt_to_races FOLDER: adapts Kokkos to ThreadSanitizer, which understands atomic operations but not fences. Kokkos'
# barriers count with relaxed atomic operations between fences, and its atomic operations begin with a plain read.
adapt_to_races() {
  local barrier=$1/core/src/impl/Kokkos_HostBarrier.hpp operations=$1/tpls/desul/include/desul/atomics/Lock_Free_Fetch_Op.hpp
  sed -i -E 's/Kokkos::atomic_fetch_(add|sub)\((.*), (\w+)\)/__atomic_fetch_\1(\2, \3, __ATOMIC_ACQ_REL)/' "$barrier"
  sed -i 's/cas_t oldval = reinterpret_cast<cas_t&>(\*dest);/cas_t oldval; __atomic_load(reinterpret_cast<cas_t*>(dest), \&oldval, __ATOMIC_RELAXED);/' \
    "$operations"
  grep -q __atomic_fetch_ "$barrier" && grep -q __atomic_load "$operations"
}

# make_root_kokkos NAME FOLDER
make_root_kokkos() {
  local options backend=${1#races-} log=$logs/kokkos-$1.log
  rm -rf "$2"
  mkdir -p "$2/source"
  : >"$log"
  fetch_packaged_kokkos "$2/source" "$log" || die 3 "the sources of Kokkos could not be fetched" \
    "Unpack a release of Kokkos and say TESSERA_KOKKOS_SOURCE=/path/to/it. Full log: $log"
  mapfile -t options < <(root_kokkos_options "$1")
  if [[ $1 == races-* ]]; then
    adapt_to_races "$2/source" || die 2 "this Kokkos cannot be adapted to ThreadSanitizer; 4.7.0 can"
    options+=(-DCMAKE_CXX_FLAGS=-fsanitize=thread)
  fi
  platform_command openmp
  step "$log" "configuring Kokkos in $2" "${inside[@]}" cmake -G Ninja -S "$2/source" -B "$2/build" \
    -DCMAKE_BUILD_TYPE=Release "${options[@]}" -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF \
    -DKokkos_ENABLE_SERIAL=OFF "-DKokkos_ENABLE_${backend^^}=ON" -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_PREFIX=$2" ||
    die 2 "Kokkos could not be configured" "Full log: $log"
  step "$log" "building Kokkos" "${inside[@]}" cmake --build "$2/build" --parallel "$(job_count)" --target install ||
    die 2 "Kokkos could not be built" "Full log: $log"
  rm -rf "$2/source" "$2/build"
  touch "$2/.tessera-kokkos"
}

# ensure_root_kokkos NAME: builds this Kokkos if it is missing. Sets kokkos_in_root to its folder, for platform_command.
# Exits with 3 if the sources are not available, for instance without a network.
ensure_root_kokkos() {
  check_kokkos_source
  kokkos_in_root=$cache/kokkos-$1-$({
    root_dir openmp
    kokkos_source_recipe "$kokkos_package_sum"
    declare -f adapt_to_races root_kokkos_options make_root_kokkos
  } | sha256sum | cut -c 1-12)
  lock "$kokkos_in_root.lock" exclusive "$kokkos_in_root"
  [[ -e $kokkos_in_root/.tessera-kokkos ]] || make_root_kokkos "$1" "$kokkos_in_root"
  exec {lock}>&-
}
