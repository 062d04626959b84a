# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets the architectures of kernels for NVIDIA GPUs, before the language CUDA is enabled: CMAKE_CUDA_ARCHITECTURES or the
# environment variable CUDAARCHS, if set; else Kokkos' architectures; else all that the kernels support. Kernels need
# compute capability 8.0, so older architectures, and "all", which includes them, are ignored.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}")
endif()
if(CMAKE_CUDA_ARCHITECTURES STREQUAL "")
  foreach(architecture IN LISTS Kokkos_CUDA_ARCHITECTURES)
    string(REGEX REPLACE "^90$" "90a" architecture ${architecture})
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture}-real)
  endforeach()
endif()
set(asked "${CMAKE_CUDA_ARCHITECTURES}")
list(FILTER CMAKE_CUDA_ARCHITECTURES EXCLUDE REGEX "^([1-7][0-9](-.*)?|all|all-major)$")
if(CMAKE_CUDA_ARCHITECTURES STREQUAL "")
  set(CMAKE_CUDA_ARCHITECTURES "80;90a-real")
endif()
if(asked AND NOT asked STREQUAL CMAKE_CUDA_ARCHITECTURES)
  message(STATUS "Kernels are compiled for ${CMAKE_CUDA_ARCHITECTURES}, not for ${asked}: they need compute capability 8.0")
endif()
