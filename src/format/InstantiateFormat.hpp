// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/format/Csr.hpp>

/// Instantiates what every format but CSR defines: the way back to CSR and the check of its invariants.
#define TESSERA_INSTANTIATE_FORMAT(Pattern, Exec)                                                \
  template BuiltCsr<Exec::memory_space> to_csr(const Exec&, const Pattern<Exec::memory_space>&); \
  template std::string validate(const Exec&, const Pattern<Exec::memory_space>&);
