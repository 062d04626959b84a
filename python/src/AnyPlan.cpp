// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <AnyPlan.hpp>
#include <algorithm>
#include <mutex>
#include <vector>

namespace Tessera::Python {

namespace {

/// The plans that exist. It is never destroyed, because plans may outlive static objects.
struct LivePlans {
  std::mutex mutex;
  std::vector<AnyPlan*> plans;
};

LivePlans& live_plans() {
  static auto* const live = new LivePlans;
  return *live;
}

}  // namespace

AnyPlan::AnyPlan() {
  const std::lock_guard lock(live_plans().mutex);
  live_plans().plans.push_back(this);
}

AnyPlan::~AnyPlan() = default;

void AnyPlan::forget() noexcept {
  const std::lock_guard lock(live_plans().mutex);
  std::erase(live_plans().plans, this);
}

void release_all() noexcept {
  const std::lock_guard lock(live_plans().mutex);
  for (AnyPlan* plan : live_plans().plans) plan->release();
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::Float:
      return "float32";
    case ElementType::Double:
      return "float64";
    case ElementType::ComplexFloat:
      return "complex64";
    case ElementType::ComplexDouble:
      return "complex128";
    case ElementType::Half:
      return "float16";
    case ElementType::BFloat16:
      return "bfloat16";
    case ElementType::Int32:
      return "int32";
    case ElementType::Int64:
      return "int64";
    case ElementType::Other:
      break;
  }
  return "another type";
}

std::string name_of(const Device& device) {
  return device.is_cuda ? "CUDA device " + std::to_string(device.id) : "the host";
}

}  // namespace Tessera::Python
