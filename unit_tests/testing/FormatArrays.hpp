// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <map>
#include <string>
#include <tessera/format/Csr.hpp>

#include "TestMatrix.hpp"

/// Compares formats with their serial builds. Arrays are matched by the names that a format gives them in transfer().
namespace Tessera::Impl::Test {

/// The arrays of a serial build, by name.
class NamedArrays {
 public:
  /// \param host [in] has for_each_array(visit), which calls visit(name, array)
  template <class Host>
  explicit NamedArrays(const Host& host) {
    host.for_each_array([&](const char* name, const auto& array) { arrays_[name] = array; });
  }
  /// Returns the array `name`, whose elements have the type of the View's.
  template <class View>
  const auto& of(const std::string& name, const View&) const {
    return std::any_cast<const std::vector<typename View::non_const_value_type>&>(arrays_.at(name));
  }

 private:
  std::map<std::string, std::any> arrays_;
};

/// Expects the arrays of the pattern to equal the serial build's.
template <class Pattern, class Host>
void expect_arrays(Pattern pattern, const Host& expected) {
  const NamedArrays arrays(expected);
  Impl::for_each_array(
      pattern, [&](const char* name, const auto& view) { EXPECT_EQ(to_host(view), arrays.of(name, view)) << name; });
}

/// Expects the arrays and the value map to equal the serial build's.
template <class Built, class Host>
void expect_serial_build(const Built& built, const Host& expected) {
  expect_arrays(built.pattern, expected);
  EXPECT_EQ(to_host(built.values.slots), expected.slots);
}

/// Expects a valid format that converts back to the rows of A, each value at its entry.
template <class Exec, class Offset, class Built>
void expect_lossless(const Built& built, const HostPattern<Offset>& A) {
  EXPECT_EQ((validate<Exec>(Exec(), built.pattern)), "");
  const auto back = to_csr<Exec>(Exec(), built.pattern);
  EXPECT_EQ(back.pattern.columns, A.columns);
  ASSERT_EQ(to_host(back.pattern.row_offsets), A.row_offsets);
  ASSERT_EQ(to_host(back.pattern.column_indices), A.column_indices);
  const auto there = to_host(built.values.slots), here = to_host(back.values.slots);
  for (std::size_t entry = 0; entry < here.size(); ++entry)
    ASSERT_EQ(there.at(static_cast<std::size_t>(here[entry])), static_cast<Offset>(entry));
}

/// Damages copies of a valid serial build and expects validate() to reject each and to name what is broken.
///
/// \tparam Pattern the format
template <class Exec, class Pattern, class Host>
class DamagedCopies {
 public:
  using Damage = std::function<void(Host&)>;
  /// Sets the scalar members of the pattern, such as its number of rows, from the host's.
  using SetNumbers = std::function<void(Pattern&, const Host&)>;

  DamagedCopies(const Host& valid, const SetNumbers& set_numbers) : valid_(valid), set_numbers_(set_numbers) {
    EXPECT_EQ(fault([](Host&) {}), "") << "the copy without damage";
  }

  /// Expects the message of validate() to contain `what`.
  void operator()(const std::string& what, const Damage& damage) const {
    EXPECT_NE(fault(damage).find(what), std::string::npos) << what << "; got: " << fault(damage);
  }
  /// Returns the message of validate() for a damaged copy.
  std::string fault(const Damage& damage) const {
    Host host = valid_;
    damage(host);
    Pattern pattern;
    set_numbers_(pattern, host);
    const NamedArrays arrays(host);
    Impl::for_each_array(pattern, [&](const char* name, auto& view) { view = to_device<Exec>(arrays.of(name, view)); });
    return validate(Exec(), pattern);
  }

 private:
  Host valid_;
  SetNumbers set_numbers_;
};

}  // namespace Tessera::Impl::Test
