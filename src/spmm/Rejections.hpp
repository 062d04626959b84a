// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/Reordering.hpp>
#include <vector>

namespace Tessera::Impl {

/// Returns the text of a rejection. It begins with `what`, the name of what could not be built.
inline std::string rejected(const std::string& what, const std::invalid_argument& rejection) {
  const std::string library = "Tessera: ", text = rejection.what();
  return library + what + " is rejected: " + (text.starts_with(library) ? text.substr(library.size()) : text);
}

/// For one matrix: the formats that did not fit, with reasons, and the orders whose values and kernels did not fit.
class Rejections {
 public:
  /// \param can_cut [in] whether rows are cut if the chosen format needs too many places. Otherwise such a format does
  ///                     not fit
  explicit Rejections(bool can_cut) : can_cut_(can_cut) {}

  bool can_cut() const { return can_cut_; }
  bool has(Format format) const { return std::find(formats_.begin(), formats_.end(), format) != formats_.end(); }
  bool has(Reordering order) const { return std::find(orders_.begin(), orders_.end(), order) != orders_.end(); }

  void add(Reordering order) { orders_.push_back(order); }

  /// \param notes [in,out] gets a note that CSR is used instead; null: no note
  void add(Format format, const FormatTooLarge& rejection, std::vector<std::string>* notes) {
    last_ = rejected("a plan with the format " + std::string(to_string(format)), rejection);
    formats_.push_back(format);
    if (notes != nullptr && format != Format::Csr) notes->push_back(last_ + "; csr is used");
  }

  /// \throws FormatTooLarge, with the text of the last rejected format
  [[noreturn]] void reject_all() const { throw FormatTooLarge(last_ + ", or another format"); }

 private:
  bool can_cut_;
  std::vector<Format> formats_;
  std::vector<Reordering> orders_;
  std::string last_ = "Tessera: no format fits memory_limit; expected a larger limit";
};

}  // namespace Tessera::Impl
