# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails unless ${readme} shows the program ${example} as it is, its licence line left out.
file(READ ${readme} shown)
file(READ ${example} program)
string(FIND "${program}" "\n" first_line_end)
math(EXPR begin "${first_line_end} + 1")
string(SUBSTRING "${program}" ${begin} -1 program)
string(FIND "${shown}" "```cpp\n${program}```" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${readme} does not show ${example} line by line")
endif()
