// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Lets benchmarks run a kernel with other numbers than those that it chooses.
namespace Tessera::Impl {

/// Thrown if a KernelPolicy is not a list of numbers, or a kernel cannot run with it.
struct PolicyError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A number that a kernel chose, the name under which a policy replaces it, and its range.
struct PolicyNumber {
  std::string_view name;
  int& value;
  int least = 1, most = 1 << 30;
};

/// Numbers that replace those that a kernel chooses, such as the number of tiles of a piece. Plans replace none.
/// Numbers may change a product within rounding errors only. A kernel throws if it cannot run with them.
class KernelPolicy {
 public:
  KernelPolicy() = default;
  /// \param text [in] for example "piece=32,width=64"
  /// \throws PolicyError, whose message names the invalid word
  explicit KernelPolicy(std::string_view text) {
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(','));
      numbers_.push_back(number_of(word));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
  }

  /// Replaces the numbers that the policy names, and removes them from the policy.
  ///
  /// \throws PolicyError for a number out of range
  void take(std::initializer_list<PolicyNumber> known) {
    for (const PolicyNumber& number : known) {
      std::erase_if(numbers_, [&](const auto& given) {
        if (given.first != number.name) return false;
        if (given.second < number.least || given.second > number.most)
          throw PolicyError("policy " + given.first + "=" + std::to_string(given.second) + ": expected " +
                            std::to_string(number.least) + " to " + std::to_string(number.most));
        number.value = given.second;
        return true;
      });
    }
  }

  /// Replaces the numbers that the policy names.
  ///
  /// \throws PolicyError for a number that is out of range, or that is not in `known`
  void replace(std::initializer_list<PolicyNumber> known) const {
    KernelPolicy rest = *this;
    rest.take(known);
    if (rest.numbers_.empty()) return;
    std::string names;
    for (const PolicyNumber& number : known) names += (names.empty() ? "" : ", ") + std::string(number.name);
    throw PolicyError("policy " + rest.numbers_[0].first + ": the kernel has no such number; expected " +
                      (names.empty() ? "none" : names));
  }

 private:
  static std::pair<std::string, int> number_of(std::string_view word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    int number = 0;
    const char *const end = word.data() + word.size(), *const begin = std::min(word.data() + equals + 1, end);
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (equals == 0 || error != std::errc() || stop != end)
      throw PolicyError("policy '" + std::string(word) + "': expected NAME=NUMBER, several with commas between them");
    return {std::string(word.substr(0, equals)), number};
  }

  std::vector<std::pair<std::string, int>> numbers_;
};

}  // namespace Tessera::Impl
