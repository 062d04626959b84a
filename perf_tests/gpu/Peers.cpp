// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peers.hpp"

#include <sstream>
#include <stdexcept>

namespace Tessera::Impl::Bench {

namespace {

const char* const table =
#include "Peers.inc"  // peers.tsv as a string
    ;

std::map<std::pair<std::string, int>, PeerPair> parse() {
  std::map<std::pair<std::string, int>, PeerPair> all;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string matrix;
    int columns = 0;
    double floor = 0, double_floor = 0;
    PeerPair pair;
    Peer &single = pair.single_precision, &twice = pair.double_precision;
    fields >> matrix >> columns >> floor >> single.cusparse_ms >> single.ms >> single.name >> double_floor >>
        twice.cusparse_ms >> twice.ms >> twice.name;
    if (!fields) throw std::runtime_error("peers.tsv: a line is not complete: " + line);
    all[{matrix, columns}] = pair;
  }
  return all;
}

}  // namespace

const std::map<std::pair<std::string, int>, PeerPair>& peers() {
  static const auto all = parse();
  return all;
}

}  // namespace Tessera::Impl::Bench
