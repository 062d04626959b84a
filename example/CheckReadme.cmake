# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails unless the first C++ of ${readme} is a part of the program ${example}, line by line, with two more spaces of indent.
file(READ ${readme} shown)
file(READ ${example} program)
string(REGEX REPLACE "^.*\n## Use it\n\n```cpp\n" "" lines "${shown}")
string(FIND "${lines}" "```" end)
string(SUBSTRING "${lines}" 0 ${end} lines)
string(REGEX REPLACE "\n([^\n])" "\n  \\1" lines "\n${lines}")
string(FIND "${program}" "${lines}" place)
string(FIND "${lines}" "Tessera::spmm(" product)
if(place EQUAL -1 OR product EQUAL -1)
  message(FATAL_ERROR "The lines under \"Use it\" in ${readme} are not those of ${example}")
endif()
