# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_add_kokkos_check(<target> <CUDA|HIP> <macro>...): compiles Tessera's Kokkos sources, and a small program, for a
# backend of Kokkos that need not be installed: against the headers of any Kokkos 5 (KOKKOS_INCLUDE), preceded by our own
# configuration. The macros name the architecture. Nothing can be linked.
set(KOKKOS_INCLUDE "" CACHE PATH "Folder of Kokkos_Core.hpp")

function(tessera_add_kokkos_check target backend)
  get_filename_component(src ../src ABSOLUTE BASE_DIR ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(GLOB sources CONFIGURE_DEPENDS ${src}/parallel/*.cpp ${src}/format/*.cpp ${src}/reorder/*.cpp ${src}/metrics/*.cpp
       ${src}/portable/*.cpp ${src}/dense/*.cpp ${src}/krylov/*.cpp ${src}/spmm/*.cpp ${src}/engines/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "Test\\.cpp$")
  file(GLOB include_roots CONFIGURE_DEPENDS ${src}/*/include)
  add_library(${target} OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/LaunchOnDevice.cpp ${sources})
  target_include_directories(${target} PRIVATE ${src}/include ${include_roots} ${src}/format ${src}/portable ${src}/dense ${src}/spmm ${src}/engines)

  file(STRINGS ${KOKKOS_INCLUDE}/KokkosCore_config.h version_line REGEX "#define KOKKOS_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" kokkos_version "${version_line}")
  math(EXPR kokkos_major "${kokkos_version} / 10000")
  math(EXPR kokkos_minor "${kokkos_version} / 100 % 100")
  math(EXPR kokkos_patch "${kokkos_version} % 100")
  if(NOT kokkos_major EQUAL 5)
    message(FATAL_ERROR "The configuration here fits Kokkos 5, and ${KOKKOS_INCLUDE} has ${kokkos_version}")
  endif()

  set(config ${CMAKE_CURRENT_BINARY_DIR}/config)
  list(TRANSFORM ARGN PREPEND "#define " OUTPUT_VARIABLE macros)
  list(PREPEND macros "#define KOKKOS_ENABLE_${backend}")
  string(JOIN "\n" kokkos_backend ${macros})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KokkosCore_config.h.in ${config}/KokkosCore_config.h @ONLY)
  string(REPLACE CUDA Cuda setup ${backend}) # Kokkos' name for the file
  file(CONFIGURE OUTPUT ${config}/KokkosCore_Config_SetupBackend.hpp CONTENT
       "#include <setup/Kokkos_Setup_${setup}.hpp>\n")
  foreach(part Fwd Declare)
    string(TOLOWER ${part} folder)
    string(REPLACE declare decl folder ${folder})
    file(CONFIGURE OUTPUT ${config}/KokkosCore_Config_${part}Backend.hpp CONTENT
         "#include <${folder}/Kokkos_${part}_SERIAL.hpp>\n#include <${folder}/Kokkos_${part}_${backend}.hpp>\n")
  endforeach()
  file(CONFIGURE OUTPUT ${config}/desul/atomics/Config.hpp CONTENT
       "#pragma once\n#define DESUL_ATOMICS_ENABLE_${backend}\n")
  # Not SYSTEM: ccache does not make nvcc's -isystem=FOLDER relative, and this folder differs in each checkout.
  target_include_directories(${target} BEFORE PRIVATE ${config})
  target_include_directories(${target} SYSTEM PRIVATE ${KOKKOS_INCLUDE})
endfunction()
