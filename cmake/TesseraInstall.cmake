# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What find_package(Tessera) finds: the layers and the umbrella target Tessera::Tessera in one export set, each
# component in one of its own, and the package files.
include(CMakePackageConfigHelpers)

set(tessera_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
get_property(tessera_layers GLOBAL PROPERTY TESSERA_LAYERS)

install(TARGETS tessera EXPORT TesseraTargets)
set(export_sets TesseraTargets)
foreach(target IN LISTS tessera_layers)
  get_target_property(component ${target} TESSERA_COMPONENT)
  list(APPEND export_sets Tessera${component}Targets)
  install(TARGETS ${target} EXPORT Tessera${component}Targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
list(REMOVE_DUPLICATES export_sets)
foreach(export_set IN LISTS export_sets)
  install(EXPORT ${export_set} NAMESPACE Tessera:: DESTINATION ${tessera_package_dir})
endforeach()

configure_package_config_file(cmake/TesseraConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake
                              INSTALL_DESTINATION ${tessera_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake
        DESTINATION ${tessera_package_dir})
