# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# tessera_patched_kokkos_kernels(<variable>): once per build, makes a folder of Kokkos Kernels' headers with Tessera as a TPL
# (scripts/patch_kokkos_kernels). Sets the variable to this folder; on failure, prints a message and sets it to nothing.
find_program(TESSERA_PYTHON python3)
set(TESSERA_PATCH_KOKKOS_KERNELS ${CMAKE_CURRENT_LIST_DIR}/../scripts/patch_kokkos_kernels)

function(tessera_patched_kokkos_kernels variable)
  get_property(is_made GLOBAL PROPERTY tessera_patched_kokkos_kernels SET)
  if(NOT is_made)
    get_target_property(folders ${TESSERA_KOKKOS_KERNELS_TARGET} INTERFACE_INCLUDE_DIRECTORIES)
    find_path(TESSERA_KOKKOS_KERNELS_HEADERS KokkosSparse_spmv.hpp HINTS ${folders} PATH_SUFFIXES trilinos kokkos)
    set(overlay ${PROJECT_BINARY_DIR}/patched_kokkos_kernels)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TESSERA_PATCH_KOKKOS_KERNELS})
    file(REMOVE_RECURSE ${overlay})
    if(TESSERA_PYTHON AND TESSERA_KOKKOS_KERNELS_HEADERS)
      execute_process(COMMAND ${TESSERA_PYTHON} ${TESSERA_PATCH_KOKKOS_KERNELS} ${TESSERA_KOKKOS_KERNELS_HEADERS} --overlay
                              ${overlay} RESULT_VARIABLE status ERROR_VARIABLE error OUTPUT_QUIET)
    else()
      set(status 1)
      set(error "it takes python3 and the folder of Kokkos Kernels' headers")
    endif()
    if(status)
      message(STATUS "Tessera as a TPL of Kokkos Kernels is not tested: ${error}")
      set(overlay "")
    endif()
    set_property(GLOBAL PROPERTY tessera_patched_kokkos_kernels "${overlay}")
  endif()
  get_property(folder GLOBAL PROPERTY tessera_patched_kokkos_kernels)
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()
