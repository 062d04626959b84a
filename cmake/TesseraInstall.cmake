# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what find_package(Tessera) finds: the layers and the umbrella target Tessera::Tessera in one export set, each
# component in its own, and the package files. There are three parts (install components), which packages may ship
# separately (TesseraPackage.cmake): Tessera_Runtime, shared libraries; Tessera_Development, headers, CMake files and
# documents; Tessera_Program, the programs.
include(CMakePackageConfigHelpers)

set(tessera_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
get_property(tessera_layers GLOBAL PROPERTY TESSERA_LAYERS)

set(export_sets)
foreach(target IN LISTS tessera_layers ITEMS tessera)
  get_target_property(component ${target} TESSERA_COMPONENT)
  list(APPEND export_sets Tessera${component}Targets)
  install(TARGETS ${target} EXPORT Tessera${component}Targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Tessera_Development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Tessera_Runtime NAMELINK_COMPONENT Tessera_Development
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Tessera_Runtime
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
list(REMOVE_DUPLICATES export_sets)
foreach(export_set IN LISTS export_sets)
  install(EXPORT ${export_set} NAMESPACE Tessera:: DESTINATION ${tessera_package_dir} COMPONENT Tessera_Development)
endforeach()

configure_package_config_file(cmake/TesseraConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake
                              INSTALL_DESTINATION ${tessera_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake
        DESTINATION ${tessera_package_dir} COMPONENT Tessera_Development)

# Documents keep their folders, and links between them stay valid. CMAKE_INSTALL_DOCDIR may belong to a project that
# contains Tessera.
set(tessera_documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/Tessera)
install(FILES LICENSE CHANGELOG.md README.md SECURITY.md SUPPORT.md DESTINATION ${tessera_documents} COMPONENT Tessera_Development)
install(DIRECTORY docs DESTINATION ${tessera_documents} COMPONENT Tessera_Development
        FILES_MATCHING PATTERN "*.md" PATTERN reference EXCLUDE)

# Installs the API of this build (src/include), and the headers of layers that it includes, directly or indirectly.
function(tessera_install_headers)
  set(api ${PROJECT_SOURCE_DIR}/src/include)
  file(GLOB waiting RELATIVE ${api} CONFIGURE_DEPENDS ${api}/tessera/*.hpp)
  set(roots ${api})
  foreach(target IN LISTS tessera_layers)
    string(REPLACE "tessera_" "" layer ${target})
    file(GLOB headers RELATIVE ${api} CONFIGURE_DEPENDS ${api}/tessera/${layer}/*.hpp)
    list(APPEND waiting ${headers})
    get_target_property(root ${target} TESSERA_INCLUDE_ROOT)
    list(APPEND roots ${root})
  endforeach()
  if(TARGET tessera_kokkos_kernels_tpl)
    list(APPEND waiting tessera/kokkos_kernels/impl/Tpl.hpp) # included by a patched Kokkos Kernels
  endif()
  set(seen)
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    foreach(root IN LISTS roots)
      if(EXISTS ${root}/${header})
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${root}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT Tessera_Development)
        file(STRINGS ${root}/${header} includes REGEX "^#include <tessera/")
        list(TRANSFORM includes REPLACE "^#include <([^>]*)>.*" "\\1")
        list(APPEND waiting ${includes})
      endif()
    endforeach()
  endwhile()
endfunction()
tessera_install_headers()
