// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <PlanOf.hpp>
#include <Solve.hpp>
#include <tessera/BlockCg.hpp>

namespace Tessera::Python {

namespace {

/// A plan as an operator of block_cg(). Python threads may change its values between products.
template <class Scalar, class Exec>
class LockedPlan {
 public:
  LockedPlan(const Exec& exec, const PlanOf<Scalar, Exec>& plan, Mode mode)
      : mutex_(plan.mutex()), plan_(exec, plan.plan(), mode) {}

  const Exec& instance() const { return plan_.instance(); }
  template <class X, class Y>
  void operator()(const X& x, const Y& y) const {
    const std::shared_lock lock(mutex_);
    plan_(x, y);
  }
  template <class P, class Q, class Inner>
  void multiply_with_inner_products(const P& p, const Q& q, const Inner& inner) const {
    const std::shared_lock lock(mutex_);
    plan_.multiply_with_inner_products(p, q, inner);
  }

 private:
  std::shared_mutex& mutex_;
  PlanOperator<Scalar, Exec> plan_;
};

template <class View>
Array array_of(const View& view, ElementType type, const Device& device) {
  using Element = typename View::non_const_value_type;
  Array a;
  a.data = const_cast<Element*>(view.data());
  a.type = type;
  a.device = device;
  a.rank = 2;
  a.extents = {static_cast<std::int64_t>(view.extent(0)), static_cast<std::int64_t>(view.extent(1))};
  a.strides = {a.extents[1], 1};
  return a;
}

/// Passes the right operator to `use`.
template <class Scalar, class Exec, class Use>
void with_operator(const Exec& exec, const char* name, const SolverOperator& op, ElementType type, const Use& use) {
  if (op.plan != nullptr) {
    const auto* const plan = dynamic_cast<const PlanOf<Scalar, Exec>*>(op.plan);
    if (plan == nullptr) {
      throw WrongType(std::string("tessera.block_cg: the plan of ") + name + " is of " + name_of(op.plan->type()) +
                      " on " + name_of(op.plan->device()) + "; expected one of " + name_of(type) + " on " +
                      name_of(device_of<Exec>()) + ", like B");
    }
    use(LockedPlan<Scalar, Exec>(exec, *plan, op.mode));
  } else {
    use([&](const auto& in, const auto& out) {
      op.function(array_of(in, type, device_of<Exec>()), array_of(out, type, device_of<Exec>()));
    });
  }
}

template <class Scalar, class Exec>
BlockCgResult solve_on(Stream stream, const SolverOperator& A, const SolverOperator& preconditioner, const Array& B,
                       const Array& X, const SolverOptions& asked) {
  const KeepCurrentGpu keep;
  const Exec exec = instance_of<Exec>(stream);
  BlockCgOptions<Scalar> options;
  options.tolerance = asked.tolerance;
  options.max_iterations = asked.max_iterations;
  options.max_restarts = asked.max_restarts;
  options.dependence = asked.dependence;
  BlockCgResult result;
  with_operator<Scalar>(exec, "A", A, B.type, [&](const auto& multiply) {
    if (preconditioner.plan == nullptr && !preconditioner.function) {
      result = block_cg(exec, multiply, block_of<const Scalar, Exec>(B), block_of<Scalar, Exec>(X), options);
      return;
    }
    with_operator<Scalar>(exec, "preconditioner", preconditioner, B.type, [&](const auto& precondition) {
      result =
          block_cg(exec, multiply, precondition, block_of<const Scalar, Exec>(B), block_of<Scalar, Exec>(X), options);
    });
  });
  return result;
}

}  // namespace

SolverResult solve(Stream stream, const SolverOperator& A, const SolverOperator& preconditioner, const Array& B,
                   const Array& X, const SolverOptions& options) {
  BlockCgResult found;
  const bool is_done =
      visit_type<ElementType::Float, ElementType::Double>(B.type, [&]<class Scalar>(std::type_identity<Scalar>) {
#ifdef KOKKOS_ENABLE_CUDA
        if (B.device.is_cuda) {
          found = solve_on<Scalar, Kokkos::Cuda>(stream, A, preconditioner, B, X, options);
          return;
        }
#endif
        found = solve_on<Scalar, Kokkos::DefaultHostExecutionSpace>(stream, A, preconditioner, B, X, options);
      });
  if (!is_done) {
    throw WrongType(std::string("tessera.block_cg: B is ") + name_of(B.type) +
                    "; expected float32 or float64, for which this tessera was built");
  }
  SolverResult result;
  result.stop = to_string(found.stop);
  result.advice = advice(found);
  result.has_converged = found.has_converged;
  result.iterations = found.iterations;
  result.columns_alone = found.columns_alone;
  result.lost_curvatures = found.lost_curvatures;
  result.most_dependent = found.most_dependent;
  result.restarts = found.restarts;
  result.products = found.products;
  result.residuals = found.residuals;
  return result;
}

}  // namespace Tessera::Python
