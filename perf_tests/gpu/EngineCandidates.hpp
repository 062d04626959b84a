// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Candidate.hpp"

/// The library's engines as candidates, with the code that plans run.
namespace Tessera::Impl::Bench {

/// The names of all engines: their formats', with "-published" for engines that only Kernel::Published selects.
std::vector<std::string> engine_names();

/// Returns an engine in each precision: with the policy that it chooses, and with each of `policies`, such as
/// "piece=32,width=64". Names that the kernel does not have are parameters of formats (README.md).
/// Throws std::invalid_argument for an invalid policy.
template <class Scalar>
Candidates<Scalar> make_engine_candidates(const std::string& name, const std::vector<std::string>& policies);

}  // namespace Tessera::Impl::Bench
