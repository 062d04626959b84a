# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the operator's source must not say. On a host backend device and host memory are one, so that a product would come
# out right all the same: only a GPU would show it, and this does.
file(GLOB_RECURSE sources ${folder}/*.hpp ${folder}/*.cpp)
if(NOT sources)
  message(FATAL_ERROR "no sources in ${folder}")
endif()
set(host_views "getLocalView<|getLocalViewHost|getLocalMatrixHost|getLocalValuesHost|getLocalIndicesHost|getLocalRowPtrsHost|getData|get1dView|get2dView|get1dCopy|get2dCopy|getVectorNonConst")
set(by_hand "sync_|need_sync|modify_|clear_sync_state|sync<|modify<|getWrappedDualView|getDualView")
set(findings 0)
# A NOTICE is printed as it is; the text of an error is broken into lines, where depends on the length of the path.
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
    # All of Y is written only if nothing of it is read.
    if(line MATCHES "OverwriteAll" AND NOT line MATCHES "SC\\(0\\), ")
      found("OverwriteAll where beta is not 0")
    endif()
  endforeach()
endforeach()
if(findings GREATER 0)
  message(FATAL_ERROR "${findings} lines that only a host backend forgives")
endif()
