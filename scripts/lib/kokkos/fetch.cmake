# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D source=FOLDER -D build=FOLDER -D release=TAG -D commit=HASH -P fetch.cmake: puts the sources of a Kokkos
# release into `source`, with FetchContent, which works in scripts, too. Fails if the release is another commit.
include(FetchContent)
FetchContent_Populate(
  kokkos
  GIT_REPOSITORY https://github.com/kokkos/kokkos.git
  GIT_TAG ${release}
  GIT_SHALLOW TRUE
  SOURCE_DIR ${source}
  BINARY_DIR ${build}/unused
  SUBBUILD_DIR ${build}/download)
execute_process(COMMAND git -C ${source} rev-parse HEAD OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT found STREQUAL commit)
  message(FATAL_ERROR "Kokkos ${release} is commit ${commit}, and what was fetched is ${found}")
endif()
