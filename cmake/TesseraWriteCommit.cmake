# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes ${output}, a header with the current commit of ${source}, or "unknown" if ${source} is not the top of a checkout.
# An unchanged header is not rewritten. Without git, the commit is read from the repository's files, and uncommitted
# changes are not detected.
set(commit "unknown")
find_program(git git)
if(git AND EXISTS ${source}/.git)
  execute_process(COMMAND ${git} -C ${source} describe --always --dirty --abbrev=12 --match= OUTPUT_VARIABLE described
                  ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit "${described}")
  endif()
elseif(EXISTS ${source}/.git/HEAD)
  file(STRINGS ${source}/.git/HEAD head LIMIT_COUNT 1)
  if(head MATCHES "^ref: (.*)")
    set(branch ${CMAKE_MATCH_1})
    set(head)
    if(EXISTS ${source}/.git/${branch})
      file(STRINGS ${source}/.git/${branch} head LIMIT_COUNT 1)
    elseif(EXISTS ${source}/.git/packed-refs)
      file(STRINGS ${source}/.git/packed-refs head REGEX " ${branch}$" LIMIT_COUNT 1)
    endif()
  endif()
  if(head MATCHES "^[0-9a-f]+")
    string(SUBSTRING "${CMAKE_MATCH_0}" 0 12 commit)
  endif()
endif()
file(CONFIGURE OUTPUT ${output} CONTENT "#pragma once\nnamespace Tessera::Impl {\ninline constexpr char commit[] = \"${commit}\";\n}\n")
