# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034,SC2154 # variables of setup.sh and kokkos.sh
#
# The NVIDIA GPU of this machine, its compiler, and a Kokkos with CUDA.

if [[ -n ${CUDA_HOME:-} ]]; then PATH=$CUDA_HOME/bin:$PATH; else PATH=$PATH:/usr/local/cuda/bin; fi
[[ -z ${NVCC_WRAPPER_DEFAULT_COMPILER:-} ]] || export CUDAHOSTCXX=$NVCC_WRAPPER_DEFAULT_COMPILER

# at_least VERSION OTHER: whether OTHER is VERSION or newer.
at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | sed -n 1p) == "$1" ]]; }

# Sets gpu to the name of the first GPU, or to nothing, and gpu_architecture to its compute capability (90 for 9.0) or to
# TESSERA_CUDA_ARCH, if set. CUDA_VISIBLE_DEVICES may hide all GPUs.
find_gpu() {
  local line
  gpu="" gpu_architecture=""
  if [[ ! ${CUDA_VISIBLE_DEVICES-0} =~ ^(-1.*|)$ ]]; then
    line=$(nvidia-smi --query-gpu=compute_cap,name --format=csv,noheader 2>/dev/null | sed -n 1p || true)
    if [[ $line =~ ^([0-9]+)\.([0-9]+),\ (.*)$ ]]; then
      gpu=${BASH_REMATCH[3]} gpu_architecture=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
    elif [[ -e /dev/nvidia0 ]]; then
      gpu="an NVIDIA GPU" gpu_architecture=$(__nvcc_device_query 2>/dev/null | grep -o -m 1 '^[0-9]*' || true)
    fi
  fi
  line=${TESSERA_CUDA_ARCH:-$gpu_architecture}
  line=${line//./}
  gpu_architecture=${line%a}
}

# Sets nvcc and nvcc_version. Dies unless there is an nvcc that compiles for $gpu_architecture.
check_nvcc() {
  local why="for ${gpu:-the GPU to compile for}" host="or run with --cpu, on the host" folder output compiler
  nvcc=$(command -v nvcc) ||
    die 2 "there is no nvcc $why: install the CUDA toolkit (12.4 or newer), name its folder in CUDA_HOME, $host"
  nvcc_version=$("$nvcc" --version | sed -n 's/^Cuda.*release \([0-9.]*\).*/\1/p')
  at_least 12.4 "$nvcc_version" ||
    die 2 "$nvcc is of CUDA ${nvcc_version:-(unknown)}: install the CUDA toolkit 12.4 or newer, name its folder in CUDA_HOME, $host"
  [[ $gpu_architecture =~ ^[1-9][0-9]+$ ]] ||
    die 2 "the compute capability $why is unknown: name it, TESSERA_CUDA_ARCH=90 for 9.0, $host"
  ((gpu_architecture >= 80)) ||
    die 2 "compute capability ${gpu_architecture:0:-1}.${gpu_architecture: -1} ($why) is older than 8.0, which Tessera needs on GPUs: run with --cpu, on the host"
  kokkos_options "$gpu_architecture" >/dev/null ||
    die 2 "no Kokkos is known for compute capability ${gpu_architecture:0:-1}.${gpu_architecture: -1}: $host"
  compiler=${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}
  folder=$(mktemp -d)
  echo '#include <vector>' >"$folder/probe.cu"
  output=$("$nvcc" -std=c++20 "-ccbin=$compiler" "-arch=sm_$gpu_architecture" -c "$folder/probe.cu" -o "$folder/probe.o" 2>&1) &&
    rm -r "$folder" && return
  rm -r "$folder"
  case ${output,,} in
    *"unsupported gnu version"* | *"unsupported clang version"*)
      die 2 "nvcc $nvcc_version takes no compiler as new as $compiler ($("$compiler" -dumpversion)): install an older one, name it (NVCC_WRAPPER_DEFAULT_COMPILER=g++-13), $host"
      ;;
    *"unsupported gpu architecture"* | *"is not defined for option 'gpu-architecture'"*)
      die 2 "nvcc $nvcc_version does not compile for compute capability ${gpu_architecture:0:-1}.${gpu_architecture: -1} ($why): install a newer CUDA toolkit, $host"
      ;;
    *) die 2 "nvcc $nvcc_version with $compiler compiles nothing: mend that, $host" "${output%%$'\n'*}" ;;
  esac
}

# ensure_device PACKAGE...: ensures these packages, nvcc, and a Kokkos for $gpu_architecture, built from source if CMake
# finds none that fits. Code for a compute capability also runs on newer ones with the same first digit.
ensure_device() {
  check_nvcc
  ensure_packages "$@"
  if [[ -n $cuda_kokkos && -n $cuda_compiler && ${cuda_architecture:-0} -le $gpu_architecture &&
    ${cuda_architecture%?} == "${gpu_architecture%?}" ]]; then
    say "using Kokkos $cuda_kokkos for ${gpu:-compute capability $gpu_architecture}"
    return
  fi
  [[ -z $cuda_kokkos ]] || say "Kokkos $cuda_kokkos does not do: it is for compute capability $cuda_architecture or lacks nvcc_wrapper"
  ensure_kokkos "$gpu_architecture"
  cuda_kokkos="in $kokkos_dir" cuda_root=$kokkos_dir cuda_compiler=$kokkos_dir/bin/nvcc_wrapper
}
