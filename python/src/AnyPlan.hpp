// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Array.hpp>
#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/Mode.hpp>
#include <tessera/PlanOptions.hpp>

namespace Tessera::Python {

/// A plan of any type of matrix and any device. Its functions may run in several threads at once: products side by
/// side, changes of the plan alone. They need no lock of Python's. A plan that release_all() has freed throws
/// std::logic_error.
class AnyPlan {
 public:
  AnyPlan();
  virtual ~AnyPlan();
  AnyPlan(const AnyPlan&) = delete;
  AnyPlan& operator=(const AnyPlan&) = delete;

  virtual ElementType type() const = 0;
  virtual Device device() const = 0;
  virtual int rows() const = 0;
  virtual int columns() const = 0;
  virtual std::size_t nonzeros() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::string explain() const = 0;
  virtual std::string stats() const = 0;

  /// Computes Y = alpha op(A) X + beta Y: at once on hosts, in the order of the stream on GPUs.
  virtual void multiply(Stream stream, Mode mode, std::complex<double> alpha, const Array& X, std::complex<double> beta,
                        const Array& Y) const = 0;
  virtual void prepare(Stream stream, int num_vectors, Mode mode) = 0;
  virtual void update_values(Stream stream, const Array& values) = 0;
  virtual void settle(Stream stream) = 0;
  virtual void release_source(Stream stream) = 0;
  virtual void save(Stream stream, const std::string& path) = 0;

  /// Frees the plan's memory.
  virtual void release() noexcept = 0;

 protected:
  /// Removes the plan from those that release_all() frees. Destructors call it first.
  void forget() noexcept;
};

/// Frees the memory of all plans.
void release_all() noexcept;

/// Makes a plan where the arrays of A are. Indices are of int32 or int64.
std::unique_ptr<AnyPlan> make_host_plan(const CsrArrays& A, const PlanOptions& options);
std::unique_ptr<AnyPlan> make_cuda_plan(Stream stream, const CsrArrays& A, const PlanOptions& options);

/// Restores a plan from a file.
std::unique_ptr<AnyPlan> load_host_plan(const std::string& path, ElementType type);
std::unique_ptr<AnyPlan> load_cuda_plan(Stream stream, const std::string& path, ElementType type);

/// Returns the name of a type as NumPy has it, such as "float64".
const char* name_of(ElementType type);

/// Returns "the host" or "CUDA device 0".
std::string name_of(const Device& device);

}  // namespace Tessera::Python
