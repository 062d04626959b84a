# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Tessera is built on a "platform": "host", with a Kokkos of this machine or one that is built for it (kokkos.sh);
# "device", the same for its GPU (cuda.sh); or the name of a root of Debian's unstable suite. Roots are in
# $cache/roots/<name>-<hash of its recipe>. A root without a stamp file is incomplete, and is remade. Users of a root hold
# a shared lock on it; its maker holds an exclusive lock. The root "foreign" has compilers for AMD GPUs and for Arm. The
# root "trilinos17" also has packages of the experimental suite. The root "petsc" is "trilinos" with PETSc and SLEPc. The
# root "python" has what the Python package is built and tested with.

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache=$(realpath -m "${TESSERA_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tessera}")
builds=$(realpath -m "${TESSERA_BUILD_DIR:-$checkout/build}")
logs=$builds/logs
mkdir -p "$logs" "$cache/roots" "$cache/ccache" ||
  die 2 "cannot write to $builds or $cache" "Set TESSERA_BUILD_DIR and TESSERA_CACHE_DIR to folders that you may write."
# shellcheck source=scripts/lib/kokkos.sh
. "$checkout/scripts/lib/kokkos.sh"
# shellcheck source=scripts/lib/cuda.sh
. "$checkout/scripts/lib/cuda.sh"

tools=g++,cmake,ninja-build,ccache,zlib1g-dev,libgtest-dev,libbenchmark-dev,nlohmann-json3-dev,libcli11-dev,python3-pygal

# Makes a separate mount namespace. Inside a chroot whose folder is no mount point, mounts cannot be made private.
private_mounts=(unshare --mount --propagation private)
"${private_mounts[@]}" true 2>/dev/null || private_mounts=(unshare --mount --propagation unchanged)

root_packages() {
  case $1 in
    openmp) echo "$tools,libkokkos-dev,clang,libclang-rt-dev,libomp-dev,gcovr" ;;
    python)
      printf %s g++,cmake,ninja-build,ccache,libkokkos-dev,python3-dev,python3-pip,python3-venv,python3-nanobind,nanobind-dev
      echo ,python3-scikit-build-core,python3-scipy,python3-pytest,mypy
      ;;
    foreign)
      printf %s cmake,ninja-build,ccache,hipcc,libamdhip64-dev,librocthrust-dev,g++-aarch64-linux-gnu,qemu-user
      echo ,libkokkos-dev:arm64,zlib1g-dev:arm64,libgtest-dev:arm64
      ;;
    petsc) echo "$(root_packages trilinos),libpetsc-real-dev,libslepc-real-dev" ;;
    trilinos | trilinos17)
      # Trilinos' CMake files need the development files of PT-Scotch, but its packages do not depend on them.
      printf '%s' "$tools,libopenmpi-dev,openmpi-bin,libopenblas-dev,libptscotch-dev"
      ;;& # and the packages below
    trilinos)
      printf ',libtrilinos-%s-dev' kokkos kokkos-kernels tpetra belos anasazi ifpack2 muelu rtop thyra xpetra aztecoo triutils epetra epetraext \
        teuchos galeri amesos amesos2 ifpack intrepid2 isorropia ml sacado shards shylu stratimikos teko zoltan zoltan2
      ;;
    trilinos17)
      printf ',libtrilinos-%s-dev/experimental' kokkos kokkos-kernels tpetra belos anasazi ifpack2 muelu rtop thyra xpetra teuchos galeri \
        amesos2 intrepid2 sacado shards shylu stratimikos teko trilinosss zoltan zoltan2
      printf ,trilinos-dev/experimental
      ;;
  esac
}

# Adds two empty archives that the CMake files of the package libkokkos-dev need, but that the package lacks.
# shellcheck disable=SC2016 # expanded by the shell that mmdebstrap starts, and by the one inside the root
root_hook='chroot "$1" sh -ec '\''
  for core in /usr/lib/*/libkokkoscore.*; do
    for missing in algorithms simd; do
      archive=${core%/*}/libkokkos$missing.a
      test -e "$archive" || ar rc "$archive"
    done
  done'\'

root_architectures() {
  [[ $1 != foreign ]] || printf ,arm64
}

root_recipe() {
  printf '%s\n' sid "$(root_packages "$1")$(root_architectures "$1")" "$root_hook" "${TESSERA_DEBIAN_MIRROR:-}"
}

root_dir() { echo "$cache/roots/$1-$(root_recipe "$1" | sha256sum | cut -c 1-12)"; }

# lock FILE shared|exclusive WHAT: takes a lock that lasts as long as this process and its children. Sets lock to its
# descriptor.
lock() {
  local flag=--$2
  exec {lock}>>"$1"
  if ! flock --nonblock "$flag" "$lock"; then
    say "another run holds $3; waiting for it"
    flock "$flag" "$lock"
  fi
}

needs() {
  die 2 "$1" "Tessera needs a C++20 compiler, CMake >= 3.22 with ninja or make, Kokkos >= 4.5 (headers and CMake files)," \
    "and for its program and tests zlib, CLI11, nlohmann-json and GoogleTest. Install them and say where: CMAKE_PREFIX_PATH=/path/to/kokkos $0" \
    "(or Kokkos_ROOT). On Debian, run as root, the scripts fetch all of this by themselves into $cache; a Kokkos they build anywhere."
}

apt_install() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  step "$logs/setup.log" "apt-get update" apt-get -o DPkg::Lock::Timeout=300 update || true # the next step fails if packages are missing
  step "$logs/setup.log" "apt-get install ${missing[*]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" ||
    needs "could not install ${missing[*]}: is the network there, and the disk not full?"
}

is_debian() { [[ -r /etc/os-release ]] && (. /etc/os-release && [[ $ID == debian ]]) && command -v apt-get >/dev/null; }

can_make_roots() { is_debian && ((EUID == 0)) && "${private_mounts[@]}" true 2>/dev/null; }

# make_root NAME DIR: makes a root in separate namespaces. Their processes and mounts end when the first process dies.
make_root() {
  local name=$1 dir=$2 free mirror=${TESSERA_DEBIAN_MIRROR:-http://deb.debian.org/debian} more=()
  [[ $name != trilinos17 ]] || more=("deb $mirror experimental main")
  rm -rf --one-file-system "$dir" "$dir.part"
  is_debian || needs "no Kokkos >= 4.5 was found, and this is not Debian, where one could be fetched"
  ((EUID == 0)) || needs "no Kokkos >= 4.5 was found, and only root can make a Debian root that has one"
  "${private_mounts[@]}" true 2>/dev/null ||
    needs "no Kokkos >= 4.5 was found, and this container forbids the mounts that a Debian root needs (--privileged allows them)"
  free=$(df --output=avail -k "$cache/roots" | tail -n 1)
  ((free > 4000000)) || die 2 "less than 4 GB are free in $cache" "Free some, or set TESSERA_CACHE_DIR to another disk."
  apt_install mmdebstrap debian-archive-keyring
  step "$logs/setup.log" "making the Debian root '$name' in $dir (about a minute)" \
    "${private_mounts[@]}" --pid --fork --kill-child --mount-proc -- mmdebstrap --variant=minbase --components=main \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "3"' \
    --architectures="$(dpkg --print-architecture)$(root_architectures "$name")" \
    --include="$(root_packages "$name")" --customize-hook="$root_hook" \
    sid "$dir.part" "$mirror" "${more[@]}" ||
    needs "could not make the Debian root '$name' (log: $logs/setup.log): is the network there, and $cache on a disk that allows programs and devices?"
  root_recipe "$name" >"$dir.part/.tessera-root"
  mv -T "$dir.part" "$dir"
}

forget_old_roots() {
  local stamp dir
  find "$cache/roots" -mindepth 2 -maxdepth 2 -name .tessera-root -mtime +60 | while read -r stamp; do
    dir=${stamp%/*}
    flock --nonblock --exclusive "$dir.lock" rm -rf --one-file-system "$dir" || true
  done
}

# ensure_root NAME: makes the root if it is missing; this process then holds a lock on it.
ensure_root() {
  local dir
  dir=$(root_dir "$1")
  lock "$dir.lock" shared "the root '$1'"
  until [[ -e $dir/.tessera-root ]]; do
    exec {lock}>&-
    lock "$dir.lock" exclusive "the root '$1'"
    [[ -e $dir/.tessera-root ]] || make_root "$1" "$dir"
    flock --shared "$lock"
  done
  touch "$dir/.tessera-root"
  forget_old_roots
}

# Looks for usable Kokkos installations. Sets host_kokkos to "<version> in <folder>" of one without CUDA, cuda_kokkos to
# the same of one with CUDA, cuda_architecture to the architecture of the latter and cuda_compiler to its nvcc_wrapper,
# hip_architecture to gfx90a or another one if host_kokkos has HIP, or each to nothing. Keeps CMake's output in probe_report.
find_kokkos() {
  local dir generator=()
  command -v cmake >/dev/null || needs "there is no cmake"
  # Debian's package cmake depends on neither ninja nor make.
  if ! command -v ninja >/dev/null && ! command -v make >/dev/null && is_debian && ((EUID == 0)); then
    apt_install ninja-build
  fi
  ! command -v ninja >/dev/null || generator=(-G Ninja)
  dir=$(mktemp -d)
  probe_report=$(cmake "${generator[@]}" -S "$checkout/scripts/lib/probe" -B "$dir" 2>&1 || true)
  rm -rf "$dir"
  host_kokkos=$(probed KOKKOS) cuda_kokkos=$(probed CUDA_KOKKOS)
  cuda_compiler=$(probed CUDA_COMPILER) cuda_architecture=$(probed CUDA_ARCHITECTURE)
  hip_architecture=$(probed HIP_ARCHITECTURE) host_root="" cuda_root=""
}

probed() { sed -n "s/^-- TESSERA_$1 *//p" <<<"$probe_report"; }

# ensure_packages PACKAGE...: ensures that CMake finds these packages. On Debian, as root, installs missing packages.
ensure_packages() {
  local package missing=()
  grep -q '^-- TESSERA_COMPILES' <<<"$probe_report" ||
    needs "CMake finds no compiler that works, or neither ninja nor make: $(grep -m 1 -A 3 '^CMake Error' <<<"$probe_report" | xargs || true)"
  for package in "$@"; do
    if probed MISSING | grep -qx "$package"; then missing+=("$package"); fi
  done
  ((${#missing[@]})) || return 0
  if ! is_debian || ((EUID != 0)); then needs "CMake does not find ${missing[*]}"; fi
  # shellcheck disable=SC2046 # one word for each package
  apt_install $(printf '%s\n' "${missing[@]}" |
    sed 's/ZLIB/zlib1g-dev/; s/CLI11/libcli11-dev/; s/nlohmann_json/nlohmann-json3-dev/; s/GTest/libgtest-dev/')
}

# ensure_host PACKAGE...: ensures these packages and a Kokkos for the host, built from source if CMake finds none.
ensure_host() {
  ensure_packages "$@"
  [[ -z $host_kokkos ]] || return 0
  ensure_kokkos host
  host_kokkos="in $kokkos_dir" host_root=$kokkos_dir
}

# platform_command NAME: sets the array "inside" to the prefix of commands that run on this platform. In a root, CMake
# finds the Kokkos in $kokkos_in_root if the variable is set.
platform_command() {
  local dir base=${source:-$checkout}
  [[ $base != "$checkout/cmake/"* ]] || base=$checkout # the CMake projects there compile the checkout's sources
  local ccache=("CCACHE_DIR=$cache/ccache" "CCACHE_BASEDIR=$base" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=3G)
  if [[ $1 == host || $1 == device ]]; then
    dir=$host_root
    [[ $1 == host ]] || dir=$cuda_root
    inside=(env "TESSERA_DATA_DIR=${TESSERA_DATA_DIR:-}" "${ccache[@]}" ${dir:+"Kokkos_ROOT=$dir"})
    return
  fi
  dir=$(root_dir "$1")
  inside=("${private_mounts[@]}" -- "$checkout/scripts/lib/enter" "$dir" "$checkout" "$builds" "$cache/ccache")
  [[ -z ${TESSERA_DATA_DIR:-} ]] || inside+=("$TESSERA_DATA_DIR")
  [[ -z ${kokkos_in_root:-} ]] || inside+=("$kokkos_in_root")
  inside+=(-- env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "TERM=${TERM:-dumb}"
    "TESSERA_DATA_DIR=${TESSERA_DATA_DIR:-}" OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CMAKE_GENERATOR=Ninja "${ccache[@]}") # a root has no make
  [[ -z ${kokkos_in_root:-} ]] || inside+=("Kokkos_ROOT=$kokkos_in_root")
}

# job_count: the number of processors, or fewer if there is less than 1.5 GB of memory for each.
job_count() {
  local memory
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < $(nproc) ? memory : $(nproc)))
}

# release_options ROOT: prints CMake's options for Release. With Trilinos' headers, the optimizer takes minutes and tests
# are short, hence -O1. With -O1, GCC warns that variables set in loops are uninitialized.
release_options() {
  echo -DCMAKE_BUILD_TYPE=Release
  [[ $1 != trilinos ]] || echo "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -Wno-maybe-uninitialized"
}

# platform_recipe NAME: prints a text that changes with the platform's compiler or libraries.
platform_recipe() {
  case $1 in
    host) echo "host $host_kokkos" ;;
    device) echo "device $cuda_kokkos, $("$nvcc" --version | tail -n 1)" ;;
    *) echo "$(root_dir "$1")${kokkos_in_root:+, $kokkos_in_root}" ;;
  esac
}

# build PLATFORM FOLDER LOG TARGET CMAKE-OPTION...: configures, if something changed, and builds the target in FOLDER.
# $source, if set, is the copy of the checkout to build.
build() {
  local platform=$1 dir=$2 log=$3 target=$4 recipe types generator=()
  shift 4
  platform_command "$platform"
  recipe=$(platform_recipe "$platform")
  ! "${inside[@]}" sh -c 'command -v ninja' >/dev/null || generator=(-G Ninja)
  if [[ $platform == device ]]; then # no ccache: nvcc -E prints the input of only one of nvcc's two compilers
    set -- "-DCMAKE_CXX_COMPILER=$cuda_compiler" "-DCMAKE_CUDA_COMPILER=$nvcc" \
      ${NVCC_WRAPPER_DEFAULT_COMPILER:+"-DCMAKE_CUDA_HOST_COMPILER=$NVCC_WRAPPER_DEFAULT_COMPILER"} "$@"
  elif "${inside[@]}" sh -c 'command -v ccache' >/dev/null; then
    set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache "$@"
  fi
  # -U also removes the option from the cache of an older run.
  if [[ -n ${TESSERA_SCALARS:-} ]]; then
    set -- "$@" "-DTESSERA_SCALARS=$TESSERA_SCALARS"
  else
    set -- -UTESSERA_SCALARS "$@"
  fi
  # If a path now has another compiler or library, the whole folder is useless.
  [[ $(cat "$dir/.tessera-platform" 2>/dev/null) == "$recipe" ]] || rm -rf "$dir"
  mkdir -p "$dir"
  echo "$recipe" >"$dir/.tessera-platform"
  if [[ $(cat "$dir/.tessera-configured" 2>/dev/null) != "$*" ]]; then
    rm -f "$dir/.tessera-configured"
    step "$log" "configuring $dir" "${inside[@]}" cmake -S "${source:-$checkout}" -B "$dir" "${generator[@]}" "$@" ||
      return 1
    echo "$*" >"$dir/.tessera-configured"
  fi
  step "$log" "building $dir" "${inside[@]}" cmake --build "$dir" --parallel "$(job_count)" --target "$target"
}
