// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <utility>

namespace Tessera::Impl::Bench {

/// The fastest measured product of other libraries on one H200.
struct Peer {
  double cusparse_ms = 0, ms = 0;
  std::string name;
};

struct PeerPair {
  Peer single_precision;  // FP32 or TF32
  Peer double_precision;
};

/// The content of peers.tsv, which is compiled in, keyed by matrix and number of columns.
const std::map<std::pair<std::string, int>, PeerPair>& peers();

}  // namespace Tessera::Impl::Bench
