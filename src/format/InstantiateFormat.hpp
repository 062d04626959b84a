// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/format/Csr.hpp>

/// Instantiates functions of every format but CSR: the conversion to CSR and the check of invariants.
#define TESSERA_INSTANTIATE_FORMAT(Pattern, Exec)                                                \
  template BuiltCsr<Exec::memory_space> to_csr(const Exec&, const Pattern<Exec::memory_space>&); \
  template std::string validate(const Exec&, const Pattern<Exec::memory_space>&);
