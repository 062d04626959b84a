# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what find_package(Tessera) finds: the layers and the umbrella target Tessera::Tessera in one export set, each
# component in its own, and the package files. There are three parts (install components), which packages may ship
# separately (TesseraPackage.cmake): Tessera_Runtime, shared libraries; Tessera_Development, headers, CMake files and
# documents; Tessera_Program, tessera_spmm.
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
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${tessera_documents} COMPONENT Tessera_Development)
install(DIRECTORY docs DESTINATION ${tessera_documents} COMPONENT Tessera_Development
        FILES_MATCHING PATTERN "*.md" PATTERN reference EXCLUDE)
