# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Preprocesses ${source}, which includes ${header}, with the include roots ${includes}; fails unless all is found or,
# where the header is forbidden, it is the one thing that is not.
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
  set(missing FALSE) # other errors do not count: Kokkos' headers want flags (-fopenmp) that a link to it brings
endif()
if(expected STREQUAL "found" AND missing)
  message(FATAL_ERROR "<${header}> and what it includes should be found with ${flags}, but:\n${errors}")
elseif(expected STREQUAL "forbidden" AND NOT missing)
  message(FATAL_ERROR "<${header}> should not be found with ${flags}")
elseif(expected STREQUAL "forbidden" AND place EQUAL -1)
  message(FATAL_ERROR "<${header}> should be the file that is not found with ${flags}, but:\n${errors}")
endif()
