# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds Tessera alone from ${source} in the folder ${binary}, with the package ${hidden} hidden from CMake, and
# installs it in ${binary}/prefix.
file(REMOVE ${binary}/CMakeCache.txt)
file(REMOVE_RECURSE ${binary}/prefix)
string(REPLACE "," ";" scalars "${scalars}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${source} -B ${binary} -G ${generator} -D CMAKE_BUILD_TYPE=${build_type}
          -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
          -D TESSERA_WARNINGS_AS_ERRORS=${warnings_as_errors} -D "TESSERA_SCALARS=${scalars}" -D TESSERA_ENABLE_TESTS=OFF
          -D TESSERA_ENABLE_TOOLS=OFF -D TESSERA_ENABLE_EXAMPLES=OFF -D TESSERA_ENABLE_KOKKOS_KERNELS=OFF
          -D TESSERA_ENABLE_TPETRA=OFF -D Kokkos_DIR=${kokkos} -D CMAKE_DISABLE_FIND_PACKAGE_${hidden}=ON ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${binary} --config ${build_type} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${binary} --config ${build_type} --prefix ${binary}/prefix
                COMMAND_ERROR_IS_FATAL ANY)
