// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnyPlan.hpp>
#include <Runtime.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <tessera/Tessera.hpp>
#include <type_traits>
#include <utility>

namespace Tessera::Python {

/// Whether the library is compiled for vectors of this type.
template <class Scalar>
inline constexpr bool has_vectors_v = Impl::is_compiled_v<Impl::sum_of_t<Impl::kernel_scalar_t<Scalar>>>;

/// The type of an element in C++.
template <ElementType>
struct CppTypeOf;
template <>
struct CppTypeOf<ElementType::Float> : std::type_identity<float> {};
template <>
struct CppTypeOf<ElementType::Double> : std::type_identity<double> {};
template <>
struct CppTypeOf<ElementType::ComplexFloat> : std::type_identity<std::complex<float>> {};
template <>
struct CppTypeOf<ElementType::ComplexDouble> : std::type_identity<std::complex<double>> {};
template <>
struct CppTypeOf<ElementType::Half> : std::type_identity<Half> {};
template <>
struct CppTypeOf<ElementType::BFloat16> : std::type_identity<BFloat16> {};

/// Calls visit(std::type_identity<T>()) for the type of vectors, if the library is compiled for it.
/// \return whether it is
template <ElementType... types, class Visit>
bool visit_type(ElementType type, const Visit& visit) {
  const auto try_one = [&]<ElementType one>(std::integral_constant<ElementType, one>) {
    using T = typename CppTypeOf<one>::type;
    if constexpr (has_vectors_v<T>) {
      if (type == one) visit(std::type_identity<T>());
      return type == one;
    }
    return false;
  };
  return (try_one(std::integral_constant<ElementType, types>()) || ...);
}

/// Calls visit() for the type of a matrix; throws if the library is not compiled for it.
template <class Visit>
void visit_matrix_type(const std::string& who, ElementType type, const Visit& visit) {
  using enum ElementType;
  if (visit_type<Float, Double, ComplexFloat, ComplexDouble>(type, visit)) return;
  throw WrongType(who + ": the values of A are " + name_of(type) +
                  ", of which this tessera has no plans; expected a type of tessera.version()[\"scalars\"]");
}

template <class Element, class Exec>
using BlockOf =
    Kokkos::View<Element**, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Element, class Exec>
using VectorOf = Kokkos::View<Element*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Element, class Exec>
BlockOf<Element, Exec> block_of(const Array& a) {
  const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
  return BlockOf<Element, Exec>(
      static_cast<Element*>(a.data),
      Kokkos::LayoutStride(size(a.extents[0]), size(a.strides[0]), size(a.extents[1]), size(a.strides[1])));
}

template <class Element, class Exec>
VectorOf<Element, Exec> vector_of(const Array& a) {
  return VectorOf<Element, Exec>(static_cast<Element*>(a.data), static_cast<std::size_t>(a.extents[0]));
}

/// Copies column indices of 8 bytes to 4 bytes, and counts those that do not fit.
struct NarrowIndices {
  const std::int64_t* from;
  int* to;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& wrong) const {
    const std::int64_t index = from[i];
    const bool fits = index >= 0 && index <= 0x7fffffff;
    to[i] = fits ? static_cast<int>(index) : -1;
    wrong += fits ? 0 : 1;
  }
};

template <class Exec>
Kokkos::View<int*, typename Exec::memory_space> narrow_indices(const Exec& exec, const Array& indices) {
  const auto size = static_cast<std::size_t>(indices.extents[0]);
  Kokkos::View<int*, typename Exec::memory_space> narrow(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Tessera::Python::column_indices"), size);
  std::size_t wrong = 0;
  Kokkos::parallel_reduce("Tessera::Python::narrow_indices", Kokkos::RangePolicy<Exec>(exec, 0, size),
                          NarrowIndices{static_cast<const std::int64_t*>(indices.data), narrow.data()}, wrong);
  if (wrong == 0) return narrow;
  throw std::invalid_argument("tessera.make_plan: " + std::to_string(wrong) +
                              " column indices of A are negative or above 2^31 - 1; expected columns of A");
}

/// A plan of one type of matrix on one backend.
template <class Scalar, class Exec>
class PlanOf final : public AnyPlan {
 public:
  PlanOf(Plan<Scalar, Exec> plan, ElementType type) : plan_(std::move(plan)), type_(type) {}
  ~PlanOf() override { forget(); }

  /// The plan, for products.
  const Plan<Scalar, Exec>& plan() const { return plan_; }
  /// Held by products. Changes of the plan hold it alone.
  std::shared_mutex& mutex() const { return mutex_; }

  ElementType type() const override { return type_; }
  Device device() const override { return device_; }
  int rows() const override { return plan_.rows(); }
  int columns() const override { return plan_.columns(); }
  std::size_t nonzeros() const override { return plan_.nonzeros(); }
  std::size_t bytes() const override {
    return read([&] { return plan_.bytes(); });
  }
  std::string explain() const override {
    return read([&] { return plan_.explain(); });
  }
  std::string stats() const override {
    return read([&] { return plan_.stats(); });
  }

  void multiply(Stream stream, Mode mode, std::complex<double> alpha, const Array& X, std::complex<double> beta,
                const Array& Y) const override {
    using enum ElementType;
    bool is_done = false;
    visit_type<Float, Double, ComplexFloat, ComplexDouble, Half, BFloat16>(
        X.type, [&]<class Value>(std::type_identity<Value>) {
          if constexpr (Impl::multiplies_v<Impl::kernel_scalar_t<Scalar>, Impl::kernel_scalar_t<Value>>) {
            using Sum = std::conditional_t<Impl::is_half_v<Impl::kernel_scalar_t<Value>>, float, Value>;
            read([&] {
              spmm(instance_of<Exec>(stream), plan_, mode, factor<Sum>("alpha", alpha), block_of<const Value, Exec>(X),
                   factor<Sum>("beta", beta), block_of<Value, Exec>(Y));
              wait_on_host(stream);
            });
            is_done = true;
          }
        });
    if (is_done) return;
    throw WrongType(std::string("tessera.spmm: X is ") + name_of(X.type) + "; expected " + name_of(type_) +
                    ", the type of the plan" + (type_ == Float ? ", or float64" : ""));
  }
  void prepare(Stream stream, int num_vectors, Mode mode) override {
    change([&] { static_cast<void>(plan_.prepare(instance_of<Exec>(stream), num_vectors, mode)); });
  }
  void update_values(Stream stream, const Array& values) override {
    change([&] {
      plan_.update_values(instance_of<Exec>(stream), vector_of<const Scalar, Exec>(values));
      wait_on_host(stream);
    });
  }
  void settle(Stream stream) override {
    change([&] { plan_.settle(instance_of<Exec>(stream)); });
  }
  void release_source(Stream stream) override {
    change([&] { plan_.release_source(instance_of<Exec>(stream)); });
  }
  void save(Stream stream, const std::string& path) override {
    change([&] { save_plan(instance_of<Exec>(stream), plan_, path); });
  }
  void release() noexcept override {
    const std::unique_lock lock(mutex_);
    plan_ = {};
  }

 private:
  template <class Function>
  auto read(const Function& function) const {
    const KeepCurrentGpu keep;
    const std::shared_lock lock(mutex_);
    return function();
  }
  template <class Function>
  void change(const Function& function) {
    const KeepCurrentGpu keep;
    const std::unique_lock lock(mutex_);
    function();
  }

  /// Host products are finished when Python goes on: some backends of hosts may have asynchronous instances.
  static void wait_on_host(Stream stream) {
    if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>) instance_of<Exec>(stream).fence();
  }

  template <class Sum>
  static Sum factor(const char* name, std::complex<double> number) {
    if constexpr (std::is_floating_point_v<Sum>) {
      if (number.imag() != 0) {
        throw std::invalid_argument("tessera.spmm: " + std::string(name) +
                                    " has an imaginary part; expected a real number for a real plan");
      }
      return static_cast<Sum>(number.real());
    } else {
      return Sum(number);
    }
  }

  Plan<Scalar, Exec> plan_;
  ElementType type_;
  Device device_ = device_of<Exec>();
  mutable std::shared_mutex mutex_;
};

template <class Exec>
std::unique_ptr<AnyPlan> make_plan_on(Stream stream, const CsrArrays& A, const PlanOptions& options) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (A.rows > most || A.columns > most) {
    throw std::invalid_argument("tessera.make_plan: A is " + std::to_string(A.rows) + " x " +
                                std::to_string(A.columns) + "; expected at most 2^31 - 1 rows and columns");
  }
  const KeepCurrentGpu keep;
  const Exec exec = instance_of<Exec>(stream);
  std::unique_ptr<AnyPlan> made;
  visit_matrix_type("tessera.make_plan", A.values.type, [&]<class Scalar>(std::type_identity<Scalar>) {
    const auto with = [&](const auto& offsets, const auto& columns) {
      made = std::make_unique<PlanOf<Scalar, Exec>>(
          make_plan(exec, static_cast<int>(A.rows), static_cast<int>(A.columns), offsets, columns,
                    vector_of<const Scalar, Exec>(A.values), options),
          A.values.type);
    };
    const auto with_offsets = [&](const auto& offsets) {
      if (A.column_indices.type == ElementType::Int64) {
        with(offsets, narrow_indices(exec, A.column_indices));
      } else {
        with(offsets, vector_of<const int, Exec>(A.column_indices));
      }
    };
    if (A.row_offsets.type == ElementType::Int64) {
      with_offsets(vector_of<const std::int64_t, Exec>(A.row_offsets));
    } else {
      with_offsets(vector_of<const int, Exec>(A.row_offsets));
    }
  });
  return made;
}

template <class Exec>
std::unique_ptr<AnyPlan> load_plan_on(Stream stream, const std::string& path, ElementType type) {
  const KeepCurrentGpu keep;
  std::unique_ptr<AnyPlan> loaded;
  visit_matrix_type("tessera.load_plan", type, [&]<class Scalar>(std::type_identity<Scalar>) {
    loaded = std::make_unique<PlanOf<Scalar, Exec>>(load_plan<Scalar>(instance_of<Exec>(stream), path), type);
  });
  return loaded;
}

}  // namespace Tessera::Python
