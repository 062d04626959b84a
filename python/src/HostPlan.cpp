// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <PlanOf.hpp>

namespace Tessera::Python {

std::unique_ptr<AnyPlan> make_host_plan(const CsrArrays& A, const PlanOptions& options) {
  return make_plan_on<Kokkos::DefaultHostExecutionSpace>(0, A, options);
}

std::unique_ptr<AnyPlan> load_host_plan(const std::string& path, ElementType type) {
  return load_plan_on<Kokkos::DefaultHostExecutionSpace>(0, path, type);
}

}  // namespace Tessera::Python
