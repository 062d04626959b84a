// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Result.hpp"

#include <algorithm>

namespace Tessera::Impl::Driver {

std::vector<Measurement*> Result::products() {
  std::vector<Measurement*> rows;
  for (FormatMeasurement& format : formats) {
    if (format.rejected.empty()) rows.push_back(&format);
  }
  for (Measurement& peer : peers) {
    if (peer.rejected.empty()) rows.push_back(&peer);
  }
  return rows;
}

bool Result::verified() const {
  const auto holds = [](const Measurement& row) { return !row.rejected.empty() || row.verified(); };
  return std::all_of(formats.begin(), formats.end(), holds) && std::all_of(peers.begin(), peers.end(), holds);
}

double Result::peer_seconds() const {
  double fastest = 0;
  for (const Measurement& peer : peers) {
    const double seconds = peer.median();
    if (seconds > 0 && (fastest == 0 || seconds < fastest)) fastest = seconds;
  }
  return fastest;
}

}  // namespace Tessera::Impl::Driver
