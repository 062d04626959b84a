# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_solvers(<package>): a package of Trilinos beside Tpetra's. CMake stops at one that includes another which is not
# installed, as some of Debian's do: such a package counts as not found. Whoever calls looks for <package>::all_libs.
include_guard(GLOBAL)

# tessera_missing_includes(<file> <variable>): the files that a package's configuration includes and that are not there.
function(tessera_missing_includes file variable)
  get_property(seen GLOBAL PROPERTY tessera_seen_configurations)
  if(file IN_LIST seen)
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tessera_seen_configurations ${file})
  set(missing)
  file(STRINGS ${file} included REGEX "include\\(.*/\\.\\./[^/]+/[^/]+\"")  # other packages of Trilinos
  list(TRANSFORM included REPLACE ".*/\\.\\./(.*)\".*" "${Tpetra_DIR}/../\\1")
  foreach(each IN LISTS included)
    if(EXISTS ${each})
      tessera_missing_includes(${each} deeper)
      list(APPEND missing ${deeper})
    else()
      list(APPEND missing ${each})
    endif()
  endforeach()
  set(${variable} "${missing}" PARENT_SCOPE)
endfunction()

function(find_solvers package)
  set(config ${Tpetra_DIR}/../${package}/${package}Config.cmake)
  set(missing)
  if(EXISTS ${config})
    set_property(GLOBAL PROPERTY tessera_seen_configurations)
    tessera_missing_includes(${config} missing)
  endif()
  if(missing)
    message(STATUS "Programs with ${package} are left out: ${missing} is missing")
  else()
    find_package(${package} QUIET)
  endif()
endfunction()
