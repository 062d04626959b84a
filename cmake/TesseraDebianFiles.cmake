# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CPack runs this when files are staged, before packages are made. Debian expects the documents of a package in a folder
# with the package's name, including files "copyright" and "changelog.gz".
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
if(NOT CPACK_DEBIAN_PACKAGE_SHLIBDEPS)
  message(WARNING "Packages of programs and shared libraries will not name the libraries that they need: "
                  "dpkg-shlibdeps (package dpkg-dev) or file was missing when the build was configured.")
endif()

file(READ "${CPACK_RESOURCE_FILE_LICENSE}" licence)
string(REGEX REPLACE ".*\n(---- LLVM Exceptions)" "\\1" exceptions "${licence}")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

# write_documents(<package> <folder>): writes Debian's changelog, and the licence without the part that Debian ships.
function(write_documents package folder)
  file(WRITE "${folder}/changelog" "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packaged by CPack. CHANGELOG.md in libtessera-dev tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
  file(ARCHIVE_CREATE OUTPUT "${folder}/changelog.gz" PATHS "${folder}/changelog" FORMAT raw
       COMPRESSION GZip COMPRESSION_LEVEL 9)
  file(REMOVE "${folder}/changelog")
  file(WRITE "${folder}/copyright" "Tessera ${CPACK_PACKAGE_VERSION}, packaged by CPack from Tessera's own sources.

Copyright (C) 2026 the authors of Tessera

Licence: the Apache License 2.0, which is in /usr/share/common-licenses/Apache-2.0,
with these exceptions:

${exceptions}")
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(documents "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc")
  if(EXISTS "${documents}/Tessera")
    file(RENAME "${documents}/Tessera" "${documents}/${package}")
    file(REMOVE "${documents}/${package}/LICENSE") # it is in "copyright"
  endif()
  write_documents(${package} "${documents}/${package}")
endforeach()
