# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures, builds and runs the project ${source}. Its program is ${program}, run with ${argument}, or the programs of
# the folder consumer if ${program} is not set. ${rejection}, if set, is the message with which configuring must fail. The
# package ${hidden}, if set, is hidden from CMake. The program must not need the library ${absent}, if set.
if(NOT tessera_source AND NOT components AND NOT program)
  set(launcher "${CMAKE_COMMAND};-E;time") # measures how long the user's file compiles
endif()
if(hidden)
  list(APPEND flags -D CMAKE_DISABLE_FIND_PACKAGE_${hidden}=ON)
endif()
file(REMOVE ${binary}/CMakeCache.txt)
string(REPLACE "," ";" scalars "${scalars}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${source} -B ${binary} -G ${generator} -D CMAKE_BUILD_TYPE=${build_type}
          -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -D Kokkos_DIR=${kokkos}
          -D "CMAKE_PREFIX_PATH=${prefix_path}" -D COMPONENTS=${components} -D TESSERA_SOURCE=${tessera_source}
          -D "TESSERA_SCALARS=${scalars}" ${flags}
          -D TESSERA_VERSION=${version} -D TESSERA_SANITIZE=${sanitize} -D TESSERA_WARNINGS_AS_ERRORS=${warnings_as_errors}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(rejection)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${rejection}" place)
  if(status EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "configuring should fail with '${rejection}', but it gave ${status} and:\n${output}")
  endif()
  return()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "configuring failed:\n${output}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} --build ${binary} --config ${build_type} RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "building failed:\n${output}")
endif()
if(output MATCHES "Elapsed time: [^\n]*")
  message(STATUS "A user's file that calls spmm compiles. ${CMAKE_MATCH_0}") # not tested, because machines differ
endif()

set(names ${program})
if(NOT names)
  list(TRANSFORM components PREPEND consumer_ OUTPUT_VARIABLE names)
  list(APPEND names consumer)
endif()
foreach(name IN LISTS names)
  unset(found CACHE)
  find_program(found ${name} PATHS ${binary} ${binary}/${build_type} NO_DEFAULT_PATH REQUIRED)
  if(absent)
    execute_process(COMMAND ${objdump} -p ${found} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
    if(NOT needed MATCHES "NEEDED" OR needed MATCHES "NEEDED +${absent}")
      message(FATAL_ERROR "${found} should need no ${absent}:\n${needed}")
    endif()
  endif()
  execute_process(COMMAND ${found} ${argument} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${found} gave ${status}")
  endif()
endforeach()
