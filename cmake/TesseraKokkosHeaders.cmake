# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_kokkos_headers(<target> <CUDA|HIP> <macro>...): compiles a target for this backend of Kokkos where no Kokkos has
# it: against the headers of any Kokkos 5 (KOKKOS_INCLUDE), with a configuration of our own before them. The macros name
# the architecture. Nothing can be linked.
set(KOKKOS_INCLUDE "" CACHE PATH "Folder of Kokkos_Core.hpp")

function(tessera_kokkos_headers target backend)
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
  string(REPLACE CUDA Cuda setup ${backend}) # as Kokkos calls the file
  file(WRITE ${config}/KokkosCore_Config_SetupBackend.hpp "#include <setup/Kokkos_Setup_${setup}.hpp>\n")
  foreach(part Fwd Declare)
    string(TOLOWER ${part} folder)
    string(REPLACE declare decl folder ${folder})
    file(WRITE ${config}/KokkosCore_Config_${part}Backend.hpp
         "#include <${folder}/Kokkos_${part}_SERIAL.hpp>\n#include <${folder}/Kokkos_${part}_${backend}.hpp>\n")
  endforeach()
  file(WRITE ${config}/desul/atomics/Config.hpp "#pragma once\n#define DESUL_ATOMICS_ENABLE_${backend}\n")
  target_include_directories(${target} SYSTEM BEFORE PRIVATE ${config} ${KOKKOS_INCLUDE})
endfunction()
