# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packages of the files that `cmake --install` installs (docs/packaging.md). `cpack -G TGZ` makes one archive, `cpack -G
# DEB` packages for Debian: libtessera-dev, tessera-tools with the program and, for shared libraries, libtessera<SOVERSION>.
# TesseraPackageDebian.cmake describes them and their dependencies.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT EXISTS ${PROJECT_SOURCE_DIR}/README.md)
  return() # Tessera is part of another project, or only its sources are here (scripts/mutate)
endif()

# The maintainer of a package is whoever makes it. Debian's tools read the same variables.
set(contact "$ENV{DEBEMAIL}")
if(contact STREQUAL "")
  set(contact "Tessera maintainers")
elseif(NOT contact MATCHES "<" AND NOT "$ENV{DEBFULLNAME}" STREQUAL "")
  set(contact "$ENV{DEBFULLNAME} <${contact}>")
endif()
set(TESSERA_PACKAGE_CONTACT "${contact}" CACHE STRING "Who answers for packages: Name <address>")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME Tessera)
set(CPACK_PACKAGE_VENDOR "Tessera")
set(CPACK_PACKAGE_CONTACT "${TESSERA_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_IGNORE_FILES ^${PROJECT_SOURCE_DIR}/build ^${PROJECT_SOURCE_DIR}/\\.git/ \\.swp$)

set(CPACK_COMPONENTS_ALL Tessera_Development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL Tessera_Runtime)
endif()
if(TESSERA_ENABLE_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL Tessera_Program)
endif()
include(TesseraPackageDebian)
include(CPack)
