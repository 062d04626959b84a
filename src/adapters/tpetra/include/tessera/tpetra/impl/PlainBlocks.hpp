// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_DataAccess.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/dense/TallBlock.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <utility>

namespace Tessera::Impl {

/// Calls function(X, Y), which computes Y = something of X + beta Y row by row, with copies of blocks that are lists of
/// columns, or that overlap in part.
template <class Block, class Scalar, class Function>
void call_with_plain_blocks(const Block& X, Block& Y, Scalar beta, const Function& function) {
  const bool overlap = X.aliases(Y) && !are_same(X.block(), std::as_const(Y).block());
  std::optional<Block> x, y;
  if (overlap || !X.isConstantStride()) x.emplace(X, Teuchos::Copy);
  if (Y.isConstantStride()) return function(x ? *x : X, Y);
  y.emplace(Y.getMap(), Y.getNumVectors(), false);
  if (beta != Scalar(0)) y->assign(Y);
  function(x ? *x : X, *y);
  Y.assign(*y);
}

/// Throws std::invalid_argument unless X and Y have `rows` rows on this rank and as many columns.
template <class Vectors>
void require_shapes(const std::string& name, const Vectors& X, const Vectors& Y, std::size_t rows) {
  if (X.getLocalLength() == rows && Y.getLocalLength() == rows && X.getNumVectors() == Y.getNumVectors()) return;
  const auto shape = [](const Vectors& vectors) {
    return std::to_string(vectors.getLocalLength()) + " local rows and " + std::to_string(vectors.getNumVectors()) +
           " columns";
  };
  throw std::invalid_argument(name + "::apply: X has " + shape(X) + ", Y has " + shape(Y) + "; expected " +
                              std::to_string(rows) + " local rows, and as many columns in both");
}

}  // namespace Tessera::Impl
