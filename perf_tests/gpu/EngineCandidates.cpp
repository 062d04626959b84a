// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineCandidates.hpp"

#include <Kokkos_Core.hpp>
#include <array>
#include <engines/Device.hpp>
#include <engines/Engines.hpp>
#include <optional>
#include <spmm/MatrixCounts.hpp>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/parallel/Arrays.hpp>

namespace Tessera::Impl::Bench {

namespace {

using Space = Kokkos::Cuda;
using Memory = Space::memory_space;
template <class T>
using Array = Impl::Array<T*, Memory>;

/// The precisions in which GPUs multiply matrices of this type.
template <class Scalar>
constexpr std::array precisions = {Precision::Native, Precision::Tf32x3, Precision::Tf32, Precision::Bf16,
                                   Precision::Fp16};
template <>
constexpr std::array precisions<double> = {Precision::Native};

template <class Kind>
std::string name_of() {
  return std::string(to_string(Kind::format)) + (Kind::is_paper_alone ? "-published" : "");
}

template <class Kind, class Scalar>
class EngineCandidate : public Candidate<Scalar> {
 public:
  EngineCandidate(Precision precision, const std::string& policy)
      : Candidate<Scalar>(name_of<Kind>() + (policy.empty() ? "" : "<" + policy + ">"), precision), policy_(policy) {}

  bool prepare(cudaStream_t stream, const HostMatrix& A, int columns, Layout layout) override {
    exec_.emplace(stream);
    const Csr<Memory> rows{A.rows, A.columns, A.values.size(), copy(A.row_offsets), copy(A.column_indices)};
    PlanOptions options;
    options.hints.num_vectors = columns;
    options.hints.layout_left = layout == Layout::Left;
    options.precision = this->asked_precision();
    if (Kind::is_paper_alone) options.kernel = Kernel::Published;
    Impl::KernelPolicy policy(policy_);
    options.parameters = parameters_of(options, rows, policy);
    try {
      auto built = Factory::build(*exec_, rows, options.parameters);
      const auto precision = built.engine->build_kernel(*exec_, options, policy);
      if (precision != this->asked_precision()) return false;  // unsupported, or equal to another candidate
      engine_ = std::move(built.engine);
      values_ = allocate<Scalar>(engine_->places());
      const auto values = copy(std::vector<Scalar>(A.values.begin(), A.values.end()));
      gather_values<Space, Scalar>(*exec_, {}, built.values, values.data(), values_.data(), engine_->places());
      engine_->refill(*exec_, values_.data(), nullptr);
      scratch_ = allocate<std::byte>(engine_->scratch_bytes(A.columns, columns));
      exec_->fence();
    } catch (const FormatTooLarge&) {
      return false;
    }
    return true;
  }

  void run(cudaStream_t, Product<Scalar, Scalar> product) override {
    product.values = values_.data();
    engine_->multiply(*exec_, product, {scratch_.data(), scratch_.extent(0)});
  }

  std::size_t bytes() const override {
    return engine_->bytes() + engine_->kernel_bytes() + values_.extent(0) * sizeof(Scalar);
  }

 private:
  using Factory = Impl::EngineFactory<Kind, Scalar, Space>;
  using Device = Impl::Device<Scalar, Space>;

  template <class T>
  Array<T> allocate(std::size_t size) const {
    return Impl::allocate<Array<T>>(*exec_, "gpu_spmm", size);
  }
  template <class T>
  Array<T> copy(const std::vector<T>& host) const {
    return Impl::device_copy(*exec_, "gpu_spmm", host);
  }

  /// Returns the policy's parameters; plans' defaults for all others.
  FormatParameters parameters_of(const PlanOptions& options, const Csr<Memory>& rows,
                                 Impl::KernelPolicy& policy) const {
    PlanOptions asked = options;
    FormatParameters& own = asked.parameters;
    policy.take({{"f", own.brp_nonzeros_per_column, 1, 16},
                 {"g", own.brp_tiles_per_group, 1, 64},
                 {"block_rows", own.bcsr_block_rows, 1, 64},
                 {"block_columns", own.bcsr_block_columns, 1, 64},
                 {"sorted_width", own.sorted_columns_width, 1, 1024},
                 {"sorted_height", own.sorted_columns_height},
                 {"chunk_values", own.staged_chunk_values},
                 {"piece_chunks", own.staged_piece_chunks},
                 {"group_rows", own.group_rows, 1, 4}});
    if ((own.bcsr_block_rows == 0) != (own.bcsr_block_columns == 0))
      throw Impl::PolicyError("policy " + policy_ + ": expected both block_rows and block_columns, or neither");
    own = Device::parameters(asked);
    const auto statistics =
        Impl::statistics_of<Scalar>(*exec_, asked, Format::Auto, Device::model(*exec_, asked), rows);
    return Device::parameters(*exec_, asked, statistics);
  }

  std::string policy_;
  std::optional<Space> exec_;
  std::unique_ptr<Impl::Engine<Scalar, Space>> engine_;
  Array<Scalar> values_;
  Array<std::byte> scratch_;
};

template <class Visit, class... Kinds>
void for_each_kind(const Visit& visit, Impl::EngineList<Kinds...>) {
  (visit.template operator()<Kinds>(), ...);
}

}  // namespace

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for_each_kind([&]<class Kind>() { names.push_back(name_of<Kind>()); }, Impl::Engines());
  return names;
}

template <class Scalar>
Candidates<Scalar> make_engine_candidates(const std::string& name, const std::vector<std::string>& policies) {
  Candidates<Scalar> candidates;
  const auto add = [&]<class Kind>(const std::string& policy) {
    static_cast<void>(Impl::KernelPolicy(policy));  // throws if invalid
    for (const Precision precision : precisions<Scalar>)
      candidates.push_back(std::make_unique<EngineCandidate<Kind, Scalar>>(precision, policy));
  };
  for_each_kind(
      [&]<class Kind>() {
        if (name != name_of<Kind>()) return;
        add.template operator()<Kind>("");
        for (const std::string& policy : policies) add.template operator()<Kind>(policy);
      },
      Impl::Engines());
  return candidates;
}

template Candidates<float> make_engine_candidates(const std::string&, const std::vector<std::string>&);
template Candidates<double> make_engine_candidates(const std::string&, const std::vector<std::string>&);

}  // namespace Tessera::Impl::Bench
