# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Settings of `cpack -G DEB`. The program and shared libraries depend on the packages that dpkg-shlibdeps finds.
# libtessera-dev depends on the packages of Tessera's dependencies, as far as they are installed from packages, and on one
# upstream version of Kokkos, because an installed Tessera works with no other version.
find_program(TESSERA_DPKG_QUERY dpkg-query)
find_program(TESSERA_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(TESSERA_FILE file)
mark_as_advanced(TESSERA_DPKG_QUERY TESSERA_DPKG_SHLIBDEPS TESSERA_FILE)

# tessera_package_of(<variable> <file>): sets the variable to the Debian package of the file, or to nothing.
function(tessera_package_of variable file)
  set(package)
  if(TESSERA_DPKG_QUERY AND EXISTS "${file}")
    file(REAL_PATH "${file}" file)
    execute_process(COMMAND ${TESSERA_DPKG_QUERY} --search ${file} OUTPUT_VARIABLE found ERROR_QUIET)
    if(found MATCHES "^([a-z0-9][a-z0-9.+-]+)(:[a-z0-9]+)?: ")
      set(package ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${variable} "${package}" PARENT_SCOPE)
endfunction()

# tessera_one_version_of(<variable> <package>): returns a dependency on any revision of the installed upstream version.
function(tessera_one_version_of variable package)
  execute_process(COMMAND ${TESSERA_DPKG_QUERY} --show --showformat=\${Version} ${package} OUTPUT_VARIABLE version)
  string(REGEX REPLACE "-[^-]*$" "" version "${version}")
  set(${variable} "${package} (>= ${version}), ${package} (<< ${version}.0~)" PARENT_SCOPE)
endfunction()

# tessera_development_packages(<depends> <recommends>): returns packages that all programs need, and those of components.
function(tessera_development_packages depends recommends)
  set(needed)
  tessera_package_of(kokkos "${Kokkos_DIR}/KokkosConfig.cmake")
  if(kokkos)
    tessera_one_version_of(needed ${kokkos})
  endif()
  find_file(TESSERA_ZLIB_HEADER zlib.h HINTS ${ZLIB_INCLUDE_DIRS})
  mark_as_advanced(TESSERA_ZLIB_HEADER)
  set(useful)
  foreach(component IN LISTS TESSERA_COMPONENTS)
    if(component STREQUAL Io)
      tessera_package_of(package "${TESSERA_ZLIB_HEADER}")
    else()
      tessera_package_of(package "${${component}_DIR}/${component}Config.cmake")
    endif()
    list(APPEND useful ${package})
  endforeach()
  list(JOIN needed ", " needed)
  list(JOIN useful ", " useful)
  set(${depends} "${needed}" PARENT_SCOPE)
  set(${recommends} "${useful}" PARENT_SCOPE)
endfunction()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/TesseraDebianFiles.cmake)
if(TESSERA_DPKG_SHLIBDEPS AND TESSERA_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ${BUILD_SHARED_LIBS})
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=") # patches are compatible: docs/releases.md
  # Libraries in these folders add no dependency: our own, and a CUDA toolkit that is not a package.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CUDAToolkit_LIBRARY_DIR} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  foreach(layer IN LISTS tessera_layers)
    get_target_property(folder ${layer} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
  endforeach()
endif()

tessera_development_packages(depends recommends)
set(same_version "(= ${PROJECT_VERSION})")
set(libraries libtessera${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  string(PREPEND depends "${libraries} ${same_version}, ")
  set(CPACK_DEBIAN_TESSERA_PROGRAM_PACKAGE_DEPENDS "${libraries} ${same_version}")
endif()
string(REGEX REPLACE ", $" "" depends "${depends}")

# CPack puts the project's summary before this text, and indents it.
set(about "Tessera multiplies sparse matrices by tall blocks of vectors, in formats
that suit the matrix, on the backends of Kokkos.
")
set(CPACK_DEBIAN_TESSERA_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_TESSERA_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TESSERA_DEVELOPMENT_PACKAGE_DEPENDS "${depends}")
set(CPACK_DEBIAN_TESSERA_DEVELOPMENT_PACKAGE_RECOMMENDS "${recommends}")
set(CPACK_DEBIAN_TESSERA_DEVELOPMENT_DESCRIPTION "${about}
This package has the libraries to link, headers, CMake files and documents.")
set(CPACK_DEBIAN_TESSERA_RUNTIME_PACKAGE_NAME ${libraries})
set(CPACK_DEBIAN_TESSERA_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_TESSERA_RUNTIME_DESCRIPTION "${about}
This package has the shared libraries.")
set(CPACK_DEBIAN_TESSERA_PROGRAM_PACKAGE_NAME tessera-tools)
set(CPACK_DEBIAN_TESSERA_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_TESSERA_PROGRAM_DESCRIPTION "${about}
This package has tessera_spmm, which measures and verifies products with a
matrix of a file or a generator, and tessera_smoke, which checks an
installation.")
