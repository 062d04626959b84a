# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Preprocesses ${source}, which includes ${header}, with the include folders ${includes}. Fails unless every include is
# found or, if the header is forbidden, the header itself is missing.
set(flags)
foreach(include IN LISTS includes)
  if(include)
    list(APPEND flags -I${include})
  endif()
endforeach()
execute_process(COMMAND ${compiler} -std=c++20 -E ${flags} ${source}
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
string(FIND "${errors}" "${header}" place)
if(errors MATCHES "(No such file|file not found)")
  set(missing TRUE)
else()
  set(missing FALSE) # other errors are ignored: Kokkos' headers need flags (-fopenmp) from its target
endif()
if(expected STREQUAL "found" AND missing)
  message(FATAL_ERROR "<${header}> and what it includes should be found with ${flags}, but:\n${errors}")
elseif(expected STREQUAL "forbidden" AND NOT missing)
  message(FATAL_ERROR "<${header}> should not be found with ${flags}")
elseif(expected STREQUAL "forbidden" AND place EQUAL -1)
  message(FATAL_ERROR "<${header}> should be the file that is not found with ${flags}, but:\n${errors}")
endif()
