// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/PlanFile.hpp>
#include <tessera/Spmm.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Reference.hpp>

#include "RandomBatch.hpp"
#include "RandomMatrix.hpp"
#include "RandomOptions.hpp"
#include "TestDense.hpp"
#include "UserMatrix.hpp"

/// Random cases: make a plan of a random matrix and call some of its functions. Each product is compared with the
/// reference, entry by entry. Errors are thrown as a Finding.
namespace Tessera::Impl::Test {

/// A wrong product, or a call that broke its contract.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

/// The largest |y - value| / bound in a column of 16-bit numbers, compared with a reference in float.
template <class V>
double worst_half_error(const ReferenceColumn<float>& reference, const std::vector<float>& y) {
  constexpr bool is_bfloat = std::is_same_v<V, BFloat16>;
  constexpr double unit = is_bfloat ? 0x1p-8 : 0x1p-11, most = is_bfloat ? 0x1.fep127 : 65504;
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double value = double(reference.value[i]), bound = double(reference.bound[i]);
    const bool may_overflow =
        std::abs(value) + bound > most || reference.largest[i] + reference.bound[i] > 0x1.fffffep127L;
    if (may_overflow && std::isfinite(reference.largest[i]) && !std::isfinite(y[i])) continue;
    if (!std::isfinite(value)) {
      if (!(y[i] == value || (std::isnan(y[i]) && std::isnan(value)))) return HUGE_VAL;
      continue;
    }
    const double ratio =
        std::abs(y[i] - value) / (bound + unit * (std::abs(value) + bound) + (is_bfloat ? 0x1p-134 : 0x1p-25));
    if (!(ratio <= 1e300)) return HUGE_VAL;
    worst = std::max(worst, ratio);
  }
  return worst;
}

/// Options of a run for all of its cases.
struct CaseExtras {
  bool may_be_timed = false;  ///< whether formats may be measured, which is slow
  bool is_spoilt = false;     ///< whether each Y gets a wrong element, to test that errors are found
};

/// A case with matrices of one scalar type.
template <class Exec, class M>
class RandomProduct {
 public:
  using User = user_scalar_t<M>;
  using PlanType = Plan<User, Exec>;
  static constexpr bool is_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

  RandomProduct(Choices& choices, const CaseSizes& sizes, CaseExtras extras, Story& story)
      : choices_(choices), sizes_(sizes), extras_(extras), story_(story) {}

  void run() {
    numbers_ = static_cast<Numbers>(choices_.below(4));
    chosen_ = random_options(choices_, std::is_same_v<M, float>, extras_.may_be_timed);
    // Rounded operands have error bounds only without overflow and underflow.
    if (!is_host && chosen_.options.precision != Precision::Native && numbers_ != Numbers::Whole)
      numbers_ = Numbers::Plain;
    const HostPattern<Offset> pattern = RandomPattern<Offset>(choices_, sizes_).take();
    plain_ = turned_ = new_matrix(pattern);
    story_.tell(Exec::name(), ", values of ", sizeof(M), is_complex_v<M> ? " bytes, complex" : " bytes",
                ", offsets of ", sizeof(Offset), "\nmatrix: ", pattern.rows, " x ", pattern.columns, ", ",
                pattern.nonzeros(), " entries, numbers ", name_of(numbers_), '\n');
    tell(story_, chosen_.options);
    if (!may_reject([&] { plan_ = plain_->plan(chosen_.options); })) return;
    story_.tell("plan made: ", to_string(plan_.format()), '\n');
    for (int step = 1 + choices_.below(4); step > 0; --step) do_something();
  }

 private:
  using Matrix = UserMatrix<Exec, M, Offset>;
  using Memory = typename Exec::memory_space;

  std::shared_ptr<const Matrix> new_matrix(const HostPattern<Offset>& pattern) {
    std::vector<M> values(pattern.nonzeros());
    for (M& value : values) value = random_number<M>(choices_, numbers_);
    return std::make_shared<const Matrix>(pattern, values);
  }

  /// Returns false if the call was rejected, which some options allow.
  template <class Call>
  bool may_reject(const Call& call) {
    try {
      call();
    } catch (const std::invalid_argument& rejection) {
      if (!chosen_.may_be_rejected) throw Finding(std::string("rejected: ") + rejection.what());
      story_.tell("rejected: ", rejection.what(), '\n');
      return false;
    }
    return true;
  }

  void do_something() {
    switch (choices_.below(8)) {
      case 0:
        return update();
      case 1:
        return save_and_load();
      case 2:
        return ask();
      case 3:
        return multiply_in_batch();
      default:
        return choose_vectors();
    }
  }

  void update() {
    const auto next = new_matrix(plain_->host);
    story_.tell(has_source_ ? "update_values\n" : "update_values without source\n");
    bool is_rejected = false;
    try {
      plan_.update_values(Exec(), next->values);
    } catch (const std::logic_error&) {
      if (has_source_) throw;
      is_rejected = true;
    }
    if (!has_source_ && !is_rejected) throw Finding("update_values was not rejected after release_source");
    if (has_source_) plain_ = turned_ = next;
  }

  void save_and_load() {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("tessera-random-" + std::to_string(getpid()))).string();
    story_.tell("save and load\n");
    save_plan(Exec(), plan_, path);
    auto loaded = load_plan<User>(Exec(), path);
    std::filesystem::remove(path);
    if (loaded.format() != plan_.format() || loaded.nonzeros() != plan_.nonzeros())
      throw Finding("the loaded plan is another");
    plan_ = loaded;
  }

  void ask() {
    story_.tell("stats\n");
    if (plan_.nonzeros() != plain_->stored.nonzeros()) throw Finding("another number of nonzeros");
    static_cast<void>(plan_.explain().size() + plan_.stats().size() + plan_.bytes());
    if (!choices_.one_in(4)) return;
    story_.tell("release_source\n");
    plan_.release_source(Exec());
    has_source_ = false;
  }

  void multiply_in_batch() {
    RandomBatch<Exec, M> batch(choices_, sizes_, numbers_, plain_->host);
    story_.tell(batch.text());
    const double worst = batch.worst_error();
    if (!(worst <= 1)) throw Finding("a batch errs by " + std::to_string(worst) + " bounds");
  }

  void choose_vectors() {
    if constexpr (std::is_same_v<M, float>) {
      const int kind = choices_.below(4);
      if (kind == 1 && chosen_.options.half_vectors) return multiply<Half>();
      if (kind == 2 && chosen_.options.half_vectors) return multiply<BFloat16>();
      if constexpr (is_compiled_v<double>)
        if (kind == 3) return multiply<double>();
    }
    multiply<M>();
  }

  template <class V>
  Dense<V> multivector(int rows, int columns, bool is_filled) {
    Dense<V> result(rows, columns, choices_.of(every_layout));
    // There is no reference for numbers that overflow only in 16 bits.
    const Numbers numbers = is_half_v<V> && numbers_ == Numbers::Wide ? Numbers::Plain : numbers_;
    for (int i = 0; is_filled && i < rows; ++i)
      for (int j = 0; j < columns; ++j) result(i, j) = random_number<V>(choices_, numbers);
    return result;
  }

  /// The memory of a multivector on the device, gaps included, and a View of its elements.
  template <class V>
  struct Placed {
    using Element = user_scalar_t<V>;
    using Strided = Kokkos::View<Element**, Kokkos::LayoutStride, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using Host = Kokkos::View<Element*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::View<Element*, Memory> memory;
    Strided view;

    explicit Placed(Dense<V>& host)
        : memory(Kokkos::view_alloc("vectors", Kokkos::WithoutInitializing), host.memory().size()),
          view(memory.data(),
               Kokkos::LayoutStride(host.rows(), host.row_stride(), host.columns(), host.column_stride())) {
      Kokkos::deep_copy(memory, of(host));
    }
    static Host of(Dense<V>& host) {
      return Host(reinterpret_cast<Element*>(host.memory().data()), host.memory().size());
    }
  };

  template <class V>
  void multiply() {
    using Sum = sum_of_t<V>;
    using Factor = user_scalar_t<Sum>;
    const Exec exec;
    const Mode mode = static_cast<Mode>(choices_.below(4));
    const int most = choices_.one_in(4) ? sizes_.vectors : std::min(sizes_.vectors, 9);
    const int columns = choices_.below(most + 1);
    const Sum alpha = random_factor<Sum>(choices_), beta = random_factor<Sum>(choices_);
    const bool turned = is_transposed(mode);
    const int rows = turned ? plan_.columns() : plan_.rows(), x_rows = turned ? plan_.rows() : plan_.columns();
    auto x = multivector<V>(x_rows, columns, true), y = multivector<V>(rows, columns, beta != Sum(0));
    story_.tell("product: mode ", to_string(mode), ", ", columns, " columns of ", sizeof(V), " bytes, strides of X ",
                x.row_stride(), ' ', x.column_stride(), ", of Y ", y.row_stride(), ' ', y.column_stride(), ", beta is ",
                beta == Sum(0) ? "0" : "not 0", alpha == Sum(0) ? ", alpha is 0\n" : "\n");
    Workspace<Exec> work;
    if (!may_reject([&] { work = plan_.prepare(exec, columns + choices_.below(3), mode); })) return;
    if (turned && !has_transpose_) turned_ = plain_;
    has_transpose_ = has_transpose_ || turned;
    if (has_source_ && choices_.one_in(6)) follow(exec, mode);
    const Placed<V> x_placed(x), y_placed(y);
    spmm(exec, plan_, work, mode, std::bit_cast<Factor>(alpha), x_placed.view, std::bit_cast<Factor>(beta),
         y_placed.view);
    exec.fence();
    Dense<V> result = y;
    Kokkos::deep_copy(Placed<V>::of(result), y_placed.memory);
    if (extras_.is_spoilt && rows > 0 && columns > 0) result(rows / 2, columns / 2) = V(1e6f);
    if (!result.gaps_are_untouched()) throw Finding("Y was written to beside its elements");
    compare(mode, alpha, x, beta, y, result);
  }

  /// Makes products of this mode follow new values. The plan may read them in place.
  void follow(const Exec& exec, Mode mode) {
    story_.tell("follow_values\n");
    followed_.push_back(new_matrix(plain_->host));
    if (!may_reject([&] { plan_.follow_values(exec, followed_.back()->values, mode); })) return;
    (is_transposed(mode) ? turned_ : plain_) = followed_.back();
  }

  template <class V, class Sum>
  void compare(Mode mode, Sum alpha, Dense<V>& x, Sum beta, Dense<V>& y, Dense<V>& result) {
    const Matrix& A = is_transposed(mode) ? *turned_ : *plain_;
    // References are slow, so large products are checked in some columns only.
    const std::size_t work = (A.stored.nonzeros() + std::size_t(y.rows())) * std::size_t(y.columns());
    const int step = 1 + static_cast<int>(work / 1000000);
    for (int j = 0; j < y.columns(); ++j) {
      if (j % step != 0 && j + 1 != y.columns()) continue;
      const auto x_column = widened(x, j), y_column = widened(y, j), found = widened(result, j);
      auto reference = reference_column(A.stored.view(), A.stored_values.data(), mode, alpha, x_column.data(), 1, beta,
                                        y_column.data(), 1);
      if (!is_host) {
        widen_bound(reference, chosen_.options.precision, A.stored.view(), A.stored_values.data(), mode, alpha,
                    x_column.data(), 1);
      }
      double worst = 0;
      if constexpr (is_half_v<V>) {
        worst = worst_half_error<V>(reference, found);
      } else {
        worst = reference.worst_error(found.data(), 1);
      }
      if (!(worst <= 1)) throw Finding("column " + std::to_string(j) + " errs by " + std::to_string(worst) + " bounds");
    }
  }

  template <class V>
  static std::vector<sum_of_t<V>> widened(Dense<V>& vectors, int column) {
    std::vector<sum_of_t<V>> result;
    for (int i = 0; i < vectors.rows(); ++i) result.push_back(sum_of_t<V>(vectors(i, column)));
    return result;
  }

  Choices& choices_;
  CaseSizes sizes_;
  CaseExtras extras_;
  Story& story_;
  Numbers numbers_ = Numbers::Plain;
  RandomOptions chosen_;
  std::shared_ptr<const Matrix> plain_, turned_;         // values that A X and A^T X multiply
  std::vector<std::shared_ptr<const Matrix>> followed_;  // kept alive as long as the plan
  PlanType plan_;
  bool has_source_ = true, has_transpose_ = false;
};

/// Runs one case with a scalar type that the library is compiled for.
///
/// \throws Finding if something is wrong
template <class Exec>
void check_random_product(Choices& choices, const CaseSizes& sizes, CaseExtras extras, Story& story) {
  using Check = void (*)(Choices&, const CaseSizes&, CaseExtras, Story&);
#define TESSERA_RANDOM_PRODUCT(Space, M)                                   \
  [](Choices& some, const CaseSizes& most, CaseExtras more, Story& told) { \
    RandomProduct<Space, M>(some, most, more, told).run();                 \
  },
  constexpr Check every_type[] = {TESSERA_FOR_EACH_SCALAR(Exec, TESSERA_RANDOM_PRODUCT)};
#undef TESSERA_RANDOM_PRODUCT
  choices.of(every_type)(choices, sizes, extras, story);
}

}  // namespace Tessera::Impl::Test
