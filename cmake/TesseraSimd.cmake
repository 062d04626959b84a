# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Host kernels that are compiled once per instruction set, and chosen at run time (tessera/parallel/SimdTarget.hpp).
include_guard(GLOBAL)

set(TESSERA_SIMD_X86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TESSERA_SIMD_X86 ON)
endif()

# tessera_add_simd_kernels(<layer> <file>): adds simd/KernelsBaseline.cpp and, if the processor may support them,
# simd/KernelsAvx2.cpp and KernelsAvx512.cpp to a layer. Then TESSERA_SIMD_X86 is defined for <file>, which chooses among
# them. GCC's warning that passing vectors by value depends on the instruction set is off: these functions are inlined.
function(tessera_add_simd_kernels layer choice)
  set(sources simd/KernelsBaseline.cpp)
  if(TESSERA_SIMD_X86)
    list(APPEND sources simd/KernelsAvx2.cpp simd/KernelsAvx512.cpp)
    set_source_files_properties(simd/KernelsAvx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
    set_source_files_properties(simd/KernelsAvx512.cpp PROPERTIES COMPILE_OPTIONS
                                                       "-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw")
    set_source_files_properties(${choice} PROPERTIES COMPILE_DEFINITIONS TESSERA_SIMD_X86)
  endif()
  target_sources(tessera_${layer} PRIVATE ${choice} ${sources})
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -Wno-psabi -ffp-contract=off)
  # Not for GPUs. nvcc may be the compiler itself, or called by Kokkos' launcher.
  get_property(launcher GLOBAL PROPERTY RULE_LAUNCH_COMPILE)
  if("${CMAKE_CXX_COMPILER} ${launcher}" MATCHES "nvcc_wrapper")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS --host-only)
  elseif(Kokkos_ENABLE_HIP)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS --offload-host-only)
  endif()
endfunction()
