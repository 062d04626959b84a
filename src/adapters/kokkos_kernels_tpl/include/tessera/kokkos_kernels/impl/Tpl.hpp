// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "KOKKOSKERNELS_ENABLE_TPL_TESSERA needs C++20"
#endif

#include <KokkosSparse_spmv_handle.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/PlanOptionsText.hpp>
#include <tessera/kokkos_kernels/impl/MatrixPlan.hpp>
#include <type_traits>
#include <utility>

/// @file
/// Tessera as a TPL of Kokkos Kernels. A KokkosSparse_spmv.hpp that scripts/patch_kokkos_kernels has patched includes
/// this file if KOKKOSKERNELS_ENABLE_TPL_TESSERA is defined. Users include KokkosSparse_spmv.hpp as before.
namespace Tessera::Impl {

/// The settings of the TPL, read from environment variables at first use.
struct TplSettings {
  bool is_on = true;       ///< false if TESSERA_TPL is "off"
  bool is_always = false;  ///< true if TESSERA_TPL is "always": multiplies even if another TPL may be faster
  bool has_options = false;
  PlanOptions options;  ///< parsed from TESSERA_TPL_OPTIONS

  /// \throws std::invalid_argument if a variable has any other value
  static const TplSettings& get() {
    static const TplSettings settings = read();
    return settings;
  }

 private:
  static TplSettings read() {
    TplSettings result;
    const char* const use = std::getenv("TESSERA_TPL");
    const std::string_view name = use == nullptr ? "on" : use;
    if (name != "on" && name != "off" && name != "always") {
      throw std::invalid_argument("the environment variable TESSERA_TPL is \"" + std::string(name) +
                                  "\"; expected on, off or always");
    }
    result.is_on = name != "off";
    result.is_always = name == "always";
    const char* const options = std::getenv("TESSERA_TPL_OPTIONS");
    result.has_options = options != nullptr;
    if (options != nullptr)
      result.options = parse_plan_options(options, "the environment variable TESSERA_TPL_OPTIONS");
    return result;
  }
};

/// Whether the library is compiled for products of these types.
template <class Exec, class Scalar, class Ordinal_, class Offset, class X, class Y>
constexpr bool tpl_has_types() {
  using VectorScalar = typename Y::non_const_value_type;
  if constexpr (!KernelScalar<Scalar>::supported || !KernelScalar<VectorScalar>::supported) {
    return false;
  } else {
    constexpr bool is_offset = std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8);
    if constexpr (!is_offset || !std::is_same_v<Ordinal_, int> ||
                  !std::is_same_v<typename X::non_const_value_type, VectorScalar>) {
      return false;
    } else {
      return is_compiled_v<kernel_scalar_t<Scalar>> && is_compiled_v<kernel_scalar_t<VectorScalar>> &&
             multiplies_v<kernel_scalar_t<Scalar>, kernel_scalar_t<VectorScalar>>;
    }
  }
}

/// Returns whether Kokkos threw this error because memory ran out; only its message says so. Y is then unchanged, and
/// other code can multiply. After any other error Y may have changed, and the product cannot be computed any more.
inline bool is_lack_of_memory(const std::runtime_error& error) {
  return std::string_view(error.what()).find("failed to allocate") != std::string_view::npos;
}

/// Products of a matrix that could not be prepared, due to memory or options. They are not tried again.
class Rejections {
 public:
  bool have(const MatrixIdentity& matrix, Mode mode, std::size_t columns) const {
    return matrix == matrix_ && columns >= fewest_columns_[static_cast<std::size_t>(mode)];
  }

  /// Rejects this product and those with more columns; if there is no plan, rejects all products of the matrix.
  void add(const MatrixIdentity& matrix, Mode mode, std::size_t columns, bool has_plan) {
    if (!(matrix == matrix_)) {
      matrix_ = matrix;
      fewest_columns_.fill(none);
    }
    if (!has_plan) fewest_columns_.fill(0);
    std::size_t& fewest = fewest_columns_[static_cast<std::size_t>(mode)];
    fewest = std::min(fewest, columns);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  MatrixIdentity matrix_;
  std::array<std::size_t, 4> fewest_columns_{none, none, none, none};  // by mode
};

/// Tessera's data in a handle of Kokkos Kernels. Products with vectors of rank 1 and rank 2 share the data.
template <class Exec, class Scalar, class Offset>
struct TplState {
  MatrixPlan<Exec, Scalar, Offset, int> matrix;
  Rejections rejections;

  TplState() = default;
  explicit TplState(const PlanOptions& options) : matrix(options) {}
};

/// The content of tpl_rank1 or tpl_rank2 of a handle. It also keeps the data that another TPL had stored there.
template <class Exec, class State>
struct TplData final : KokkosSparse::Impl::TPL_SpMV_Data<Exec> {
  using Base = KokkosSparse::Impl::TPL_SpMV_Data<Exec>;

  std::shared_ptr<State> state;
  Base* theirs = nullptr;

  TplData(const Exec& exec, std::shared_ptr<State> shared) : Base(exec), state(std::move(shared)) {}
  TplData(const TplData&) = delete;
  TplData& operator=(const TplData&) = delete;
  ~TplData() override { delete theirs; }
};

/// One call of KokkosSparse::spmv, which Tessera executes or declines. If it declines, other code multiplies while this
/// object exists, and the handle shows no data of Tessera until this object is destroyed.
///
/// The primary template declines every call, because only Kokkos Kernels' own handles can store a plan.
template <class Handle>
class TplCall {
 public:
  template <class... Arguments>
  explicit TplCall(const Arguments&...) {}
  static constexpr bool is_done() { return false; }
};

template <class Exec, class Memory, class Scalar, class Offset, class Ordinal_>
class TplCall<KokkosSparse::Impl::SPMVHandleImpl<Exec, Memory, Scalar, Offset, Ordinal_>> {
  using Handle = KokkosSparse::Impl::SPMVHandleImpl<Exec, Memory, Scalar, Offset, Ordinal_>;
  using State = TplState<Exec, Scalar, Offset>;
  using Data = TplData<Exec, State>;

 public:
  /// \param alpha, beta [in] of any type that converts to Y's value type
  template <class Alpha, class Matrix, class X, class Beta, class Y>
  TplCall(const Exec& exec, Handle* handle, const char mode[], const Alpha& alpha, const Matrix& A, const X& x,
          const Beta& beta, const Y& y)
      : handle_(handle) {
    if constexpr (tpl_has_types<Exec, Scalar, Ordinal_, Offset, X, Y>()) {
      if (is_wanted(exec, mode, X::rank() == 1 ? 1 : x.extent(1)))
        is_done_ = multiply(exec, mode, alpha, A, x, beta, y);
      if (!is_done_) lend();
    }
  }
  TplCall(const TplCall&) = delete;
  TplCall& operator=(const TplCall&) = delete;
  ~TplCall() {
    take_back(data_[0], handle_->tpl_rank1);
    take_back(data_[1], handle_->tpl_rank2);
  }

  /// Returns whether Tessera has computed Y.
  bool is_done() const { return is_done_; }

 private:
  /// Returns whether Tessera is to multiply. An algorithm other than the default is the user's choice, or meant for a
  /// single product; Tessera leaves it to other code. cuSPARSE is faster for the first products of
  /// a single column.
  bool is_wanted([[maybe_unused]] const Exec& exec, [[maybe_unused]] const char mode[],
                 [[maybe_unused]] std::size_t columns) const {
    if (handle_->get_algorithm() != KokkosSparse::SPMV_DEFAULT) return false;
    const TplSettings& settings = TplSettings::get();
#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) && defined(KOKKOS_ENABLE_CUDA)
    const bool is_theirs = std::is_same_v<Exec, Kokkos::Cuda> && columns == 1 && mode[0] == 'N';
    if (is_theirs && !settings.is_always) return false;
#endif
    return settings.is_on;
  }

  template <class Alpha, class Matrix, class X, class Beta, class Y>
  bool multiply(const Exec& exec, const char mode[], const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta,
                const Y& y) {
    using Value = typename Y::non_const_value_type;
    State* state = nullptr;
    Workspace<Exec>* work = nullptr;
    const Mode op = mode_of(mode);
    const std::size_t columns = X::rank() == 1 ? 1 : x.extent(1);
    try {
      state = find_state(exec);
      if (state->rejections.have(MatrixIdentity::of(A), op, columns)) return false;
      static const std::string name = label<Matrix, X>();
      const Kokkos::Profiling::ScopedRegion region(name);
      if (!state->matrix.is_for(A)) state->matrix.reset();
      work = &state->matrix.prepare_for(exec, A, op, static_cast<int>(columns), is_layout_left(x));
      state->matrix.multiply_prepared(exec, *work, op, Value(alpha), x, Value(beta), y);
      return true;
    } catch (const std::invalid_argument&) {  // A cannot be stored within the options, or X and Y overlap
    } catch (const std::bad_alloc&) {
    } catch (const std::runtime_error& error) {
      if (!is_lack_of_memory(error)) throw;
    }
    if (state != nullptr && work == nullptr) {  // the plan or the workspace could not be made
      state->rejections.add(MatrixIdentity::of(A), op, columns, state->matrix.is_for(A));
    }
    return false;
  }

  /// Returns the state of the handle. Makes it if there is none.
  State* find_state(const Exec& exec) {
    auto* const one = dynamic_cast<Data*>(handle_->tpl_rank1);
    if (one != nullptr) return one->state.get();
    const TplSettings& settings = TplSettings::get();
    const auto state = settings.has_options ? std::make_shared<State>(settings.options) : std::make_shared<State>();
    auto first = std::make_unique<Data>(exec, state), second = std::make_unique<Data>(exec, state);
    take_back(first.release(), handle_->tpl_rank1);  // nothing after this line can fail
    take_back(second.release(), handle_->tpl_rank2);
    return state.get();
  }

  /// Puts the data of other TPLs back into the handle, in place of Tessera's.
  void lend() {
    data_[0] = dynamic_cast<Data*>(handle_->tpl_rank1);
    data_[1] = dynamic_cast<Data*>(handle_->tpl_rank2);
    if (data_[0] != nullptr) handle_->tpl_rank1 = std::exchange(data_[0]->theirs, nullptr);
    if (data_[1] != nullptr) handle_->tpl_rank2 = std::exchange(data_[1]->theirs, nullptr);
  }
  /// Replaces the data of other TPLs in the handle by Tessera's data.
  static void take_back(Data* data, typename Data::Base*& place) {
    if (data == nullptr) return;
    data->theirs = place;
    place = data;
  }

  /// Returns the name of the profiling region, in the style of Kokkos Kernels' names for its TPLs.
  template <class Matrix, class X>
  static std::string label() {
    std::string name = "KokkosSparse::spmv";
    if (X::rank() == 2) name += "_mv";
    if (requires(const Matrix& A) { A.blockDim(); }) name += "_bsrmatrix";
    std::string type = std::is_same_v<real_of_t<kernel_scalar_t<Scalar>>, float> ? "float" : "double";
    if (is_complex_v<kernel_scalar_t<Scalar>>) type = "complex<" + type + ">";
    return name + "[TPL_TESSERA," + type + "]";
  }

  Handle* handle_;
  bool is_done_ = false;
  Data* data_[2] = {nullptr, nullptr};  // Tessera's data for tpl_rank1 and tpl_rank2, while other TPLs use the handle
};

}  // namespace Tessera::Impl
