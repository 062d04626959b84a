# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds code that the operator's source must not contain. On host backends, host and device memory are the same, so
# products would be right anyway. Without this check, only a GPU would show the error.
file(GLOB_RECURSE sources ${folder}/*.hpp ${folder}/*.cpp)
if(NOT sources)
  message(FATAL_ERROR "no sources in ${folder}")
endif()
set(host_views "getLocalView<|getLocalViewHost|getLocalMatrixHost|getLocalValuesHost|getLocalIndicesHost|getLocalRowPtrsHost|getData|get1dView|get2dView|get1dCopy|get2dCopy|getVectorNonConst")
set(by_hand "sync_|need_sync|modify_|clear_sync_state|sync<|modify<|getWrappedDualView|getDualView")
set(findings 0)
# NOTICE prints the text unchanged. CMake wraps the text of errors, depending on the length of the path.
macro(found text)
  message(NOTICE "${source}:${number}: ${text}")
  math(EXPR findings "${findings} + 1")
endmacro()
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines)
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "${host_views}|${by_hand}")
      found("'${CMAKE_MATCH_0}': expected getLocalViewDevice with an access tag")
    endif()
    # OverwriteAll is allowed only if the old Y is not read.
    if(line MATCHES "OverwriteAll" AND NOT line MATCHES "SC\\(0\\), ")
      found("OverwriteAll where beta is not 0")
    endif()
  endforeach()
endforeach()
if(findings GREATER 0)
  message(FATAL_ERROR "${findings} lines that only a host backend forgives")
endif()
