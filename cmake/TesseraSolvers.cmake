# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_solvers(<package>): finds a package of Trilinos in addition to Tpetra's. Some of Debian's packages include another
# package that is not installed, or name missing headers or libraries. CMake would stop at them, so they count as not
# found. Callers look for <package>::all_libs.
include_guard(GLOBAL)

# tessera_missing_files(<file> <variable>): lists missing files that a package's configuration includes or names.
function(tessera_missing_files file variable)
  get_property(seen GLOBAL PROPERTY tessera_seen_configurations)
  if(file IN_LIST seen)
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tessera_seen_configurations ${file})
  set(missing)
  file(STRINGS ${file} named REGEX "(IMPORTED_LOCATION|INTERFACE) \"/[^\"$]+\"") # libraries and folders of headers
  foreach(line IN LISTS named)
    string(REGEX REPLACE ".* \"(/[^\"]+)\".*" "\\1" path "${line}")
    if(NOT EXISTS ${path})
      list(APPEND missing ${path})
    endif()
  endforeach()
  # Other packages of Trilinos, and libraries that they need. Some files name two places of a library, and only one exists.
  file(STRINGS ${file} included REGEX "include\\(.*/\\.\\./[^\"]+\"")
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(folder ${folder} DIRECTORY)
  list(TRANSFORM included REPLACE ".*/\\.\\./(.*)\".*" "${folder}/\\1")
  foreach(each IN LISTS included)
    if(EXISTS ${each})
      tessera_missing_files(${each} deeper)
      list(APPEND missing ${deeper})
    elseif(NOT each MATCHES "/[a-z_]*external_packages/")
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
    tessera_missing_files(${config} missing)
  endif()
  if(missing)
    message(STATUS "Programs with ${package} are left out: ${missing} is missing")
  else()
    find_package(${package} QUIET)
  endif()
endfunction()
