# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks what TesseraWriteCommit.cmake in ${cmake_folder} writes for sources without a history, even inside another
# checkout, and for a checkout, which is made in ${folder}.
cmake_minimum_required(VERSION 3.22)
set(header ${folder}.hpp)

# expect_commit(<regular expression>)
function(expect_commit pattern)
  execute_process(COMMAND ${CMAKE_COMMAND} -D source=${folder} -D output=${header} -P ${cmake_folder}/TesseraWriteCommit.cmake
                  COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${header} line REGEX "commit")
  if(NOT line MATCHES " commit\\[\\] = \"${pattern}\"")
    message(FATAL_ERROR "the header has '${line}'; expected the commit ${pattern}")
  endif()
endfunction()

file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
expect_commit(unknown)

# A commit on a branch, as in a clone; read with git and without.
find_program(git git)
if(git)
  set(git ${git} -C ${folder} -c user.name=a -c user.email=a@example.org)
  execute_process(COMMAND ${git} init --quiet COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${git} commit --quiet --allow-empty -m Begin COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  expect_commit(${commit})
  file(WRITE ${folder}/file "")
  execute_process(COMMAND ${git} add file COMMAND_ERROR_IS_FATAL ANY)
  expect_commit(${commit}-dirty)
else()
  file(WRITE ${folder}/.git/HEAD "ref: refs/heads/main\n")
  file(WRITE ${folder}/.git/refs/heads/main "0123456789abcdef0123456789abcdef01234567\n")
  expect_commit(0123456789ab)
endif()
