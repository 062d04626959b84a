// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "Candidate.hpp"
#include "Multivector.hpp"

namespace Tessera::Impl::Bench {

/// Upper bound on the rounding error of an entry of Y in a row with n nonzeros:
/// constant (n + 2) (unit (|alpha| |A| |X| + |beta| |Y|) + smallest max(1, |A|)), where elements of X are at most 1.
struct Tolerance {
  double constant = 2;
  double unit = 0;
  double smallest = 0;  // the loss from an operand that is too small for its type
};

/// The tolerance of "fp64", "fp32", "tf32x3", "tf32", "fp16" or "bf16". Throws std::invalid_argument for other names.
Tolerance tolerance_of(const std::string& precision);

/// The outcome of a comparison.
struct Verdict {
  unsigned long long wrong = 0;    // entries outside their error bounds
  unsigned long long touched = 0;  // overwritten elements around the rows of Y
  std::uint64_t checksum = 0;      // checksum of the bits of Y, equal for equal bits
  std::string first;               // the first wrong entry: row, column, result, expected value, bound

  bool good() const { return wrong == 0 && touched == 0; }
  std::string text() const;
};

/// The counts of a comparison on the device. `first` is the first wrong entry.
struct ComparisonCounts {
  unsigned long long wrong, touched, first, checksum;
};

/// The reference for each entry of products: A X and |A| |X| for one A and X, computed on the GPU in doubled double
/// precision. Values of A are rounded to Scalar first. Needs 12 bytes per entry of Y.
///
/// An entry whose reference is Inf or NaN must be the same Inf or NaN.
template <class Scalar>
class Reference {
 public:
  Reference(cudaStream_t stream, const HostMatrix& A, const Multivector<Scalar>& X);

  /// Compares Y with alpha A X + beta Y0, where `initial` is the seed of Y0 (not read if beta = 0). One pass over Y.
  Verdict compare(cudaStream_t stream, const Multivector<Scalar>& Y, double alpha, double beta, std::uint64_t initial,
                  const Tolerance& tolerance) const;

 private:
  int rows_;
  double largest_operand_;
  int columns_;
  DeviceArray<int> row_offsets_;
  DeviceArray<double> sums_;   // rows x columns
  DeviceArray<float> scales_;  // rows x columns, rounded upwards
  DeviceArray<ComparisonCounts> counts_;
};

}  // namespace Tessera::Impl::Bench
