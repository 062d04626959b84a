// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/metrics/Fingerprint.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/SetupSeconds.hpp>
#include <tessera/select/TuningRecords.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "BuildReport.hpp"
#include "Contest.hpp"
#include "StoredMatrix.hpp"

/// Chooses formats by measured times.
namespace Tessera::Impl {

/// Returns the seconds of a product in the fastest sample.
template <class ExecutionSpace, class Multiply>
double least_seconds(const ExecutionSpace& exec, const Sampling& sampling, const Multiply& multiply) {
  const auto time = [&](int products) {
    exec.fence("Tessera::tune");
    const Kokkos::Timer timer;
    for (int i = 0; i < products; ++i) multiply();
    exec.fence("Tessera::tune");
    return timer.seconds() / products;
  };
  time(1);  // warms up; Sampling::first_products counts this product and the next
  const int batch = static_cast<int>(std::clamp(std::ceil(sampling.seconds / std::max(time(1), 1e-9)), 1.0, 100.0));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < sampling.samples; ++i) least = std::min(least, time(batch));
  return least;
}

/// Returns the measured seconds of a product with an engine, whose values are zeros. Returns infinity if the requested
/// published kernel cannot be built.
///
/// \param stored [in,out] has the engine of a candidate; gets its kernel, and values
/// \throws FormatTooLarge if the values, the kernel, X and Y need too much memory
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
double measured_seconds(const ExecutionSpace& exec, const PlanOptions& options, const Csr<Memory>& A,
                        StoredMatrix<Scalar, ExecutionSpace>& stored) {
  const auto zeros = [&]<class T>(T, std::size_t size) {
    return allocate_zeros<Array<T*, Memory>>(exec, "Tessera::tune", size);
  };
  const Ordinal columns = options.hints.num_vectors;
  const auto elements = [&](Ordinal rows) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  // Without a memory limit, only this check keeps memory from running out if X and Y have many columns. It compares
  // numbers of elements, because the number of bytes may overflow.
  const std::size_t numbers = stored.places() + elements(A.columns) + elements(A.rows);
  if (numbers > Device<Scalar, ExecutionSpace>::free_bytes(exec) / sizeof(Scalar))
    throw FormatTooLarge("Tessera: X and Y take more memory than is free");
  stored.values = zeros(Scalar(), stored.places());
  stored.engine->build_kernel(exec, options);
  if (stored.engine->is_published() != (options.kernel == Kernel::Published))
    return std::numeric_limits<double>::infinity();
  const std::size_t scratch_bytes = stored.scratch_bytes(A.columns, columns, options.half_vectors);
  stored.engine->refill(exec, stored.values.data(), nullptr);
  const auto scratch = zeros(std::byte(), scratch_bytes);
  const auto seconds_of = [&]<class VectorScalar>() {
    const auto X = zeros(VectorScalar(), elements(A.columns)), Y = zeros(VectorScalar(), elements(A.rows));
    Product<Scalar, VectorScalar> product{
        nullptr, false, 1, {X.data(), A.columns, columns, columns, 1}, 0, {Y.data(), A.rows, columns, columns, 1}};
    if (options.hints.layout_left) {
      product.x = {X.data(), A.columns, columns, 1, A.columns};
      product.y = {Y.data(), A.rows, columns, 1, A.rows};
    }
    return least_seconds(exec, sampling_of(options.tuning), [&] {
      stored.multiply(exec, product, {scratch.data(), scratch.extent(0)});
    });
  };
  if constexpr (std::is_same_v<Scalar, float>) {
    if (options.half_vectors && options.precision == Precision::Bf16) return seconds_of.template operator()<BFloat16>();
    if (options.half_vectors) return seconds_of.template operator()<Half>();
  }
  return seconds_of.template operator()<Scalar>();
}

/// A candidate that was measured.
template <class Scalar, class ExecutionSpace>
struct MeasuredCandidate {
  /// The engine, to build it only once. With a memory limit it is null: the next candidate has all memory.
  BuiltEngine<Scalar, ExecutionSpace> built = {};
  double seconds = std::numeric_limits<double>::infinity();  ///< of a product; infinity if it was not measured
  bool lacks_memory = false;                                 ///< why it was not measured
};

/// Builds a candidate, and measures a product.
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
MeasuredCandidate<Scalar, ExecutionSpace> measure(const ExecutionSpace& exec, const PlanOptions& options,
                                                  const Csr<Memory>& A, Format format) {
  const bool keeps = options.memory_limit == no_memory_limit;
  MeasuredCandidate<Scalar, ExecutionSpace> result;
  try {
    auto built = with_engine_of<Scalar, ExecutionSpace>(
        format, options.kernel, [&](auto engines) { return engines.build(exec, A, options.parameters); });
    if (!keeps) built.values = {};
    StoredMatrix<Scalar, ExecutionSpace> stored;
    stored.engine = std::move(built.engine);
    result.seconds = measured_seconds(exec, options, A, stored);
    if (keeps) result.built = {std::move(stored.engine), std::move(built.values)};
  } catch (const FormatTooLarge&) {
    result.lacks_memory = true;
  }
  return result;
}

/// Returns the part of a key of the tuning file that describes the arithmetic. Tuning::Adaptive has keys of its own,
/// because it may leave out candidates and takes fewer samples.
inline std::string arithmetic_of(const PlanOptions& options, Tuning tuning) {
  // Keys contain the shape of blocks, because some shapes have no kernel for a precision and are slow. A plan that uses
  // TF32 instead of FP16 has the shape for FP16.
  const auto& [rows, columns] = std::pair(options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns);
  const std::string blocks = rows == 0 ? "" : ", blocks of " + std::to_string(rows) + " x " + std::to_string(columns);
  return std::string(to_string(options.precision)) + (options.kernel == Kernel::Published ? ", published" : "") +
         (options.hints.layout_left ? ", LayoutLeft" : "") + (options.half_vectors ? ", vectors of 16 bits" : "") +
         (options.same_bits_alone ? ", same bits alone" : "") + blocks +
         (tuning == Tuning::Adaptive ? ", automatic" : "");
}

/// Returns the key for this matrix in the tuning file. Cost: reads the pattern.
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
TuningKey tuning_key(const ExecutionSpace& exec, const PlanOptions& options, const Csr<Memory>& A,
                     const std::string& device) {
  const std::string types = std::string(is_complex_v<Scalar> ? "complex " : "real ") + std::to_string(sizeof(Scalar)) +
                            ", offsets " + std::to_string(sizeof(Offset));
  return {fingerprint(exec, A.view(), A.nonzeros), device, types, arithmetic_of(options, options.tuning),
          options.hints.num_vectors};
}

inline void choose_tuned(Choice& choice, const TunedCandidate& tuned, const std::string& why) {
  choice.format = tuned.format;
  choice.reason = std::string(to_string(tuned.format)) + why;
}

/// Returns the choice that the tuning file has; Tuning::Adaptive prefers a choice of Tuning::Measure. Returns nothing
/// if the chosen format is not one of the remaining candidates.
///
/// \param key [in] the key for measurements with options.tuning
inline std::optional<TunedCandidate> remembered(const TuningRecords& records, TuningKey key, const PlanOptions& options,
                                                const std::vector<Candidate>& left) {
  for (const Tuning tuning : {Tuning::Measure, options.tuning}) {
    key.precision = arithmetic_of(options, tuning);
    const auto known = records.find(key);
    const auto is_known = [&](const Candidate& candidate) { return candidate.format == known->format; };
    if (known && std::any_of(left.begin(), left.end(), is_known)) return known;
  }
  return std::nullopt;
}

/// Measures the promising candidates that are not rejected, chooses the fastest, and adds it to the tuning file. The
/// predicted choice remains if there is too little memory to measure any. With Tuning::Adaptive, it also remains if no
/// two are ambiguous or there is too little time for two, and published kernels are measured all or not at all.
///
/// \param A      [in]     canonical
/// \param spent  [in]     seconds that measurements for other orders have taken
/// \param choice [in,out] the choice by predictions
/// \return the fastest engine that was measured, even if it is not the choice; null if none was, or none is kept
/// \throws std::runtime_error if the tuning file is invalid or cannot be read or written
template <class Scalar, class ExecutionSpace, class Model, class Memory = typename ExecutionSpace::memory_space>
BuiltEngine<Scalar, ExecutionSpace> tune(const ExecutionSpace& exec, const PlanOptions& options, const Csr<Memory>& A,
                                         const Model& model, double spent, Choice& choice) {
  std::vector<Candidate> left = choice.candidates;
  std::erase_if(left, [](const Candidate& candidate) { return candidate.is_rejected; });
  if (left.empty() || A.nonzeros == 0 || options.hints.num_vectors == 0) return {};
  const bool remembers = !options.tuning_file.empty();
  TuningKey key;
  if (remembers) {
    key = tuning_key<Scalar>(exec, options, A, choice.device);
    if (const auto known = remembered(TuningRecords::read(options.tuning_file), key, options, left)) {
      choose_tuned(choice, *known, " was the fastest when it was measured before");
      return {};
    }
  }
  MeasuredCandidate<Scalar, ExecutionSpace> first;
  const auto measure_one = [&](const Candidate& candidate) {
    const SteadyTimer timer;
    auto other = measure<Scalar>(exec, options, A, candidate.format);
    if (other.lacks_memory && first.built.engine) {  // perhaps the kept one has it
      first.built = {};
      other = measure<Scalar>(exec, options, A, candidate.format);
    }
    const double seconds = other.seconds;
    if (seconds < first.seconds) first = std::move(other);
    return Measurement{timer.seconds(), seconds};
  };
  const std::vector<Candidate> contestants = promising(left, options, Model::ambiguity_ratio);
  const double building = set_up_seconds(model).format.of(static_cast<double>(A.nonzeros));
  const TuningBudget time(options, spent, building, contestants.front().predicted_seconds);
  const auto fastest = fastest_of(contestants, fewest_measured(options, contestants), time, measure_one, choice);
  if (!fastest) return std::move(first.built);
  choose_tuned(choice, *fastest, " was measured to be the fastest");
  if (remembers) {
    TuningRecords records = TuningRecords::read(options.tuning_file);  // others may have written it since
    records.add(key, *fastest);
    records.write(options.tuning_file);
  }
  return std::move(first.built);
}

}  // namespace Tessera::Impl
