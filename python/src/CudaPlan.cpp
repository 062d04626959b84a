// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <PlanOf.hpp>

namespace Tessera::Python {

#ifdef KOKKOS_ENABLE_CUDA
std::unique_ptr<AnyPlan> make_cuda_plan(Stream stream, const CsrArrays& A, const PlanOptions& options) {
  return make_plan_on<Kokkos::Cuda>(stream, A, options);
}

std::unique_ptr<AnyPlan> load_cuda_plan(Stream stream, const std::string& path, ElementType type) {
  return load_plan_on<Kokkos::Cuda>(stream, path, type);
}
#else
// InUse has thrown before one of these is called.
std::unique_ptr<AnyPlan> make_cuda_plan(Stream, const CsrArrays&, const PlanOptions&) { return nullptr; }
std::unique_ptr<AnyPlan> load_cuda_plan(Stream, const std::string&, ElementType) { return nullptr; }
#endif

}  // namespace Tessera::Python
