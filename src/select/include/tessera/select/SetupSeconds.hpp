// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <tessera/select/Choose.hpp>
#include <tessera/select/GpuModel.hpp>

namespace Tessera::Impl {

/// Predicts the seconds of a step of a plan's set-up: launches and waits, and passes over the entries.
struct StepSeconds {
  double start = 0;
  double entries_a_second = 1;

  double of(double entries) const { return start + entries / entries_a_second; }
};

/// Predicts the seconds that a plan takes to replace its compressed rows. Only their ratio to the seconds of a product
/// matters: it gives the number of products that repay a step.
struct SetupSeconds {
  StepSeconds analysis;  ///< statistics of the sampled entries, and the choice of a format
  StepSeconds format;    ///< the format, its kernel and its values
  StepSeconds order;     ///< an order of rows, the permuted rows and their statistics
};

/// Returns the seconds on an NVIDIA GPU, as measured on an H200; other GPUs are assumed to take as long.
SetupSeconds set_up_seconds(const GpuModel& gpu);
/// Returns the seconds on a host. They are estimates: on hosts no format is predicted to be faster than rows.
SetupSeconds set_up_seconds(const MachineModel& machine);

/// The number of a product that is never reached.
inline constexpr std::uint64_t no_product = std::numeric_limits<std::uint64_t>::max();

/// Returns the first product, counted from 1, before which earlier products have lost `cost`, if each of them lost
/// `saving`. A plan that pays the cost then never takes more than twice as long as one that knows the number of its
/// products (rent or buy). Returns no_product if nothing can be saved.
std::uint64_t product_that_pays(double cost, double saving);

}  // namespace Tessera::Impl
