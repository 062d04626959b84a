# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tessera_add_layer(<name> [COMPONENT <component>] [DEPENDS <layer or target>...] [PRIVATE <target>...]
#                   [SOURCES <file>...])
#
# Adds a layer of the architecture (src/README.md): the target tessera_<name>, alias Tessera::<name>, whose only include
# root is src/<name>/include. A layer sees only the headers of the layers in DEPENDS: an include against the direction of
# the architecture does not compile. A layer that needs an optional library is a component of the package, with its own
# alias and export set: Tessera::<component>.
function(tessera_add_layer name)
  cmake_parse_arguments(layer "" "COMPONENT" "DEPENDS;PRIVATE;SOURCES" ${ARGN})
  set(target tessera_${name})
  if(layer_SOURCES)
    add_library(${target} ${layer_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${layer_PRIVATE})
    tessera_compiled_library(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(Tessera::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(layer_COMPONENT)
    add_library(Tessera::${layer_COMPONENT} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer_COMPONENT})
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${layer_DEPENDS})
  set_target_properties(${target} PROPERTIES TESSERA_COMPONENT "${layer_COMPONENT}"
                                             TESSERA_INCLUDE_ROOT ${CMAKE_CURRENT_SOURCE_DIR}/include)
  set_property(GLOBAL APPEND PROPERTY TESSERA_LAYERS ${target})
endfunction()

# tessera_compiled_library(<target>): a library with sources.
function(tessera_compiled_library target)
  tessera_compile_options(${target})
  # Nothing reads DEFINE_SYMBOL. Without it, shared and static libraries have equal objects for ccache.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  tessera_find_libraries_from(${target} "$ORIGIN")
endfunction()

# tessera_find_libraries_from(<target> <folder>): makes an installed target find Tessera's shared libraries in this folder,
# even if the installation is moved. Debian's packages do not need this (preset "package").
function(tessera_find_libraries_from target folder)
  if(BUILD_SHARED_LIBS)
    set_property(TARGET ${target} PROPERTY INSTALL_RPATH "${folder};${CMAKE_INSTALL_RPATH}")
  endif()
endfunction()

# Sets warnings and sanitizers for one of our targets; users' targets inherit neither. nvcc's output is not pedantic.
function(tessera_compile_options target)
  set(cxx -Wall -Wextra -Wshadow -Wpedantic)
  set(cuda -Xcompiler=-Wall)
  if(TESSERA_WARNINGS_AS_ERRORS)
    list(APPEND cxx -Werror)
    list(APPEND cuda -Xcompiler=-Werror)
  endif()
  if(TESSERA_SANITIZE)
    list(APPEND cxx -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${cxx}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda}>")
endfunction()
