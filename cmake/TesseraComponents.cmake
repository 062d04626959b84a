# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The parts of Tessera that need optional libraries. Each is a component of the package if its library is found:
#   Io              TESSERA_ENABLE_IO             = AUTO, ON (zlib must be found) or OFF
#   KokkosKernels   TESSERA_ENABLE_KOKKOS_KERNELS = AUTO, ON (must be found) or OFF
#   Tpetra          TESSERA_ENABLE_TPETRA         = AUTO, ON (must be found) or OFF
#   Cuda            TESSERA_ENABLE_CUDA           = ON or OFF; the default is ON if Kokkos has CUDA. Needs CUDA >= 12.4;
#                   its kernels run on GPUs of compute capability 8.0 and newer
#   Nccl            TESSERA_ENABLE_NCCL           = AUTO, ON (NCCL must be found) or OFF; a part of Tpetra on Kokkos::Cuda
# Sets TESSERA_COMPONENTS, and the targets to link, TESSERA_KOKKOS_KERNELS_TARGET and TESSERA_TPETRA_TARGETS.
set(TESSERA_COMPONENTS)

# tessera_find_component(<component> <option> <package>): enables a component if its package is found.
macro(tessera_find_component component option package)
  set(${option} AUTO CACHE STRING "Build the component ${component}: AUTO (where ${package} is found), ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(${option} STREQUAL AUTO)
    find_package(${package} QUIET)
  elseif(${option})
    find_package(${package} REQUIRED)
  endif()
  if(${package}_FOUND AND ${option})
    # Trilinos' packages are next to the Kokkos that they were built with.
    get_filename_component(tessera_their_kokkos "${${package}_DIR}/../Kokkos" REALPATH)
    get_filename_component(tessera_our_kokkos "${Kokkos_DIR}" REALPATH)
    if(EXISTS ${tessera_their_kokkos}/KokkosConfig.cmake AND NOT tessera_their_kokkos STREQUAL tessera_our_kokkos)
      message(STATUS "Component ${component} is left out: ${${package}_DIR} fits the Kokkos in ${tessera_their_kokkos}")
    else()
      list(APPEND TESSERA_COMPONENTS ${component})
    endif()
  endif()
endmacro()

tessera_find_component(Io TESSERA_ENABLE_IO ZLIB)
tessera_find_component(KokkosKernels TESSERA_ENABLE_KOKKOS_KERNELS KokkosKernels)
tessera_find_component(Tpetra TESSERA_ENABLE_TPETRA Tpetra)
tessera_has_types(has_types double)
if(Tpetra IN_LIST TESSERA_COMPONENTS AND TESSERA_ENABLE_TPETRA STREQUAL AUTO AND NOT has_types)
  list(REMOVE_ITEM TESSERA_COMPONENTS Tpetra)
  message(STATUS "Component Tpetra is left out: it needs double")
endif()

option(TESSERA_ENABLE_CUDA "Build the component Cuda: kernels for NVIDIA GPUs, compiled by nvcc" "${Kokkos_ENABLE_CUDA}")
if(TESSERA_ENABLE_CUDA)
  find_package(CUDAToolkit 12.4 REQUIRED)
  list(APPEND TESSERA_COMPONENTS Cuda)
endif()

set(TESSERA_ENABLE_NCCL AUTO CACHE STRING "Build the component Nccl: AUTO (where NCCL is found), ON or OFF")
set_property(CACHE TESSERA_ENABLE_NCCL PROPERTY STRINGS AUTO ON OFF)
if(Kokkos_ENABLE_CUDA AND Tpetra IN_LIST TESSERA_COMPONENTS AND TESSERA_ENABLE_NCCL)
  if(TESSERA_ENABLE_NCCL STREQUAL AUTO)
    find_package(NCCL 2.13 QUIET)
  else()
    find_package(NCCL 2.13 REQUIRED)
  endif()
  if(NCCL_FOUND)
    find_package(CUDAToolkit REQUIRED)
    list(APPEND TESSERA_COMPONENTS Nccl)
  endif()
elseif(TESSERA_ENABLE_NCCL AND NOT TESSERA_ENABLE_NCCL STREQUAL AUTO)
  message(FATAL_ERROR "TESSERA_ENABLE_NCCL: expected a Kokkos with CUDA and the component Tpetra")
endif()

# The name of the library in the package itself, and in Trilinos.
foreach(target Kokkos::kokkoskernels KokkosKernels::all_libs)
  if(TARGET ${target} AND NOT TESSERA_KOKKOS_KERNELS_TARGET)
    set(TESSERA_KOKKOS_KERNELS_TARGET ${target})
  endif()
endforeach()

if(Tpetra IN_LIST TESSERA_COMPONENTS)
  set(TESSERA_TPETRA_TARGETS Tpetra::all_libs)
  if(Tpetra_MPI_EXEC)
    # Trilinos' targets do not say where mpi.h is.
    find_package(MPI REQUIRED COMPONENTS CXX)
    list(APPEND TESSERA_TPETRA_TARGETS MPI::MPI_CXX)
  endif()
endif()
