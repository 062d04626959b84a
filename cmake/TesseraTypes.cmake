# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# TESSERA_SCALARS lists the types of matrices that the library is compiled for, by default all (common/CompiledTypes.hpp).
# Sets TESSERA_TYPES_LEFT_OUT, a definition for each other type.
set(tessera_every_scalar float double complex_float complex_double)
set(TESSERA_SCALARS "${tessera_every_scalar}" CACHE STRING "Scalars of matrices: some of ${tessera_every_scalar}")

if(DEFINED TESSERA_OFFSETS)
  message(WARNING "TESSERA_OFFSETS is ignored: plans read offsets of 4 and of 8 bytes, and store offsets of 4 bytes")
  unset(TESSERA_OFFSETS CACHE)
endif()

set(TESSERA_TYPES_LEFT_OUT)
foreach(type IN LISTS TESSERA_SCALARS)
  if(NOT type IN_LIST tessera_every_scalar)
    message(FATAL_ERROR "TESSERA_SCALARS: '${type}' is none of ${tessera_every_scalar}")
  endif()
endforeach()
if(NOT TESSERA_SCALARS)
  message(FATAL_ERROR "TESSERA_SCALARS is empty; expected one or several of ${tessera_every_scalar}")
endif()
foreach(type IN LISTS tessera_every_scalar)
  if(NOT type IN_LIST TESSERA_SCALARS)
    string(TOUPPER TESSERA_WITHOUT_${type} definition)
    list(APPEND TESSERA_TYPES_LEFT_OUT ${definition})
  endif()
endforeach()

# tessera_has_types(<variable> <type>...): whether all these types are compiled.
function(tessera_has_types variable)
  set(${variable} TRUE PARENT_SCOPE)
  foreach(type IN LISTS ARGN)
    if(NOT type IN_LIST TESSERA_SCALARS)
      set(${variable} FALSE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# tessera_needs_types(<what> <type>...): stops CMake if one of these types is not compiled.
function(tessera_needs_types what)
  tessera_has_types(has_types ${ARGN})
  if(NOT has_types)
    message(FATAL_ERROR "${what} needs ${ARGN}, but TESSERA_SCALARS is '${TESSERA_SCALARS}'")
  endif()
endfunction()
