# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The types that the library is compiled for (common/CompiledTypes.hpp): TESSERA_SCALARS and TESSERA_OFFSETS, all by
# default. Sets TESSERA_TYPES_LEFT_OUT, a definition for each of the others.
set(tessera_every_scalar float double complex_float complex_double)
set(tessera_every_offset int size_t)
set(TESSERA_SCALARS "${tessera_every_scalar}" CACHE STRING "Scalars of matrices: some of ${tessera_every_scalar}")
set(TESSERA_OFFSETS "${tessera_every_offset}" CACHE STRING "Offsets of rows: some of ${tessera_every_offset}")

set(TESSERA_TYPES_LEFT_OUT)
foreach(kind SCALAR OFFSET)
  string(TOLOWER ${kind} lower)
  set(every ${tessera_every_${lower}})
  foreach(type IN LISTS TESSERA_${kind}S)
    if(NOT type IN_LIST every)
      message(FATAL_ERROR "TESSERA_${kind}S: '${type}' is none of ${every}")
    endif()
  endforeach()
  if(NOT TESSERA_${kind}S)
    message(FATAL_ERROR "TESSERA_${kind}S is empty; expected one or several of ${every}")
  endif()
  foreach(type IN LISTS every)
    if(NOT type IN_LIST TESSERA_${kind}S)
      string(TOUPPER TESSERA_WITHOUT_${type} definition)
      list(APPEND TESSERA_TYPES_LEFT_OUT ${definition})
    endif()
  endforeach()
endforeach()

# tessera_has_types(<variable> <type>...): whether none of the types is left out.
function(tessera_has_types variable)
  set(${variable} TRUE PARENT_SCOPE)
  foreach(type IN LISTS ARGN)
    if(NOT type IN_LIST TESSERA_SCALARS AND NOT type IN_LIST TESSERA_OFFSETS)
      set(${variable} FALSE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# tessera_needs_types(<what> <type>...): stops where one is.
function(tessera_needs_types what)
  tessera_has_types(has_types ${ARGN})
  if(NOT has_types)
    message(FATAL_ERROR "${what} needs ${ARGN}, but TESSERA_SCALARS is '${TESSERA_SCALARS}' and TESSERA_OFFSETS is "
                        "'${TESSERA_OFFSETS}'")
  endif()
endfunction()
