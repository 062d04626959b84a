// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/select/TuningRecords.hpp>

#include "FuzzCheck.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_rejection([&] {
    // Seconds are written with six digits: writing again changes nothing.
    const auto records = Tessera::Impl::TuningRecords::parse(text, "input");
    const std::string written = records.text();
    const auto again = Tessera::Impl::TuningRecords::parse(written, "written");
    require(again.size() == records.size(), "no record is lost");
    require(again.text() == written, "what was written is read the same");
  });
  return 0;
}
