// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/parallel/Arrays.hpp>

#include "bcsr/Bcsr.hpp"
#include "bcsr/warpgroup/Spmm.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaLaunches.hpp"
#include "gpu/CudaPanels.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl {

/// The steps of all panels, and their schedule.
struct PanelSteps {
  using Memory = Kokkos::Cuda::memory_space;

  Array<Cuda::BlockStep*, Memory> steps;
  DeviceSchedule<Cuda::CondensedItem, Memory> schedule;
};

/// Lists the steps of a matrix in blocks of 64 x 64. If it has few panels, they are cut into as many pieces as keep all
/// multiprocessors busy.
///
/// \param piece [in] upper bound on the steps of a piece; 0: chosen
inline PanelSteps list_steps(const Kokkos::Cuda& exec, const BcsrPattern& A, int piece) {
  PanelSteps result;
  const Ordinal panels = window_count(A.windows(), Cuda::panel_blocks);
  const auto offsets =
      allocate<Array<Offset*, PanelSteps::Memory>>(exec, "Tessera::steps", static_cast<std::size_t>(panels) + 1);
  Offset most = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_steps", WindowPolicy<Kokkos::Cuda>(exec, 0, panels),
      KOKKOS_LAMBDA(Ordinal panel, Offset & longest) {
        const auto steps = static_cast<Offset>(Cuda::for_each_step(A, panel, [](const Cuda::BlockStep&) {}));
        offsets(static_cast<std::size_t>(panel) + 1) = steps;
        longest = steps > longest ? steps : longest;
      },
      Kokkos::Max<Offset>(most));
  counts_to_offsets(exec, offsets);
  const Offset count = read_element(exec, offsets.data() + panels);
  result.steps = allocate<decltype(result.steps)>(exec, "Tessera::steps", static_cast<std::size_t>(count));
  Cuda::BlockStep* const steps = result.steps.data();
  Kokkos::parallel_for(
      "Tessera::list_steps", WindowPolicy<Kokkos::Cuda>(exec, 0, panels), KOKKOS_LAMBDA(Ordinal panel) {
        Cuda::BlockStep* to = steps + offsets(static_cast<std::size_t>(panel));
        Cuda::for_each_step(A, panel, [&](const Cuda::BlockStep& step) { *to++ = step; });
      });
  constexpr int least_piece = 8;  // steps that a thread block needs to hide the latency of the first
  const int pieces = std::max(1, exec.cuda_device_prop().multiProcessorCount / std::max(1, panels));
  if (piece == 0) piece = std::max(least_piece, (static_cast<int>(most) + pieces - 1) / pieces);
  result.schedule = schedule_windows(exec, offsets, piece);
  put_longest_first(exec, result.schedule);
  return result;
}

/// Multiplies blocks of 64 x 64 on tensor cores with the instructions of warpgroups, for floats. The plan also stores
/// the values in the precision and order in which they are multiplied.
class CudaWarpgroup {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// Whether this kernel multiplies such blocks on the current GPU.
  static bool has(BlockShape block, Precision precision) {
    return block.height == Cuda::square_side && block.width == Cuda::square_side && precision != Precision::Native &&
           Cuda::has_warpgroup_spmm();
  }

  /// \param piece [in] upper bound on the steps of a piece; 0: chosen
  /// \return false if there is no memory for the values
  bool build(const Kokkos::Cuda& exec, const Bcsr<Memory>& A, Precision precision, int piece) {
    pattern_ = A.view();
    precision_ = precision;
    blocks_ = A.tiles();
    const std::size_t bytes = Cuda::lines_bytes(precision, blocks_), ends = Cuda::lines_bytes(precision, 0);
    if (!if_there_is_room(exec, bytes, [&] { lines_ = allocate<decltype(lines_)>(exec, "Tessera::lines", bytes); }))
      return false;
    Kokkos::deep_copy(exec, Kokkos::subview(lines_, std::pair(bytes - ends, bytes)), std::byte(0));
    panels_ = list_steps(exec, pattern_, piece);
    return true;
  }

  bool is_built() const { return blocks_ > 0; }
  std::string describe() const { return "blocks of 64 x 64 on tensor cores, by warpgroups"; }
  std::size_t bytes() const {
    return panels_.schedule.bytes() + panels_.steps.extent(0) * sizeof(Cuda::BlockStep) + lines_.extent(0);
  }
  void refill(const Kokkos::Cuda& exec, const float* values, const std::uint32_t* wanted) const {
    const CudaLaunches launches("Tessera::arrange_lines", exec);
    Cuda::arrange_lines(launches.stream(), precision_, blocks_, values, lines_.data(), wanted);
  }

  /// The columns that thread blocks multiply at once: with fewer, values would be read more often.
  static constexpr PanelWidths panel_widths() { return {256, 256}; }
  Cuda::XAccess x_access() const { return Cuda::warpgroup_x_access(precision_); }
  std::size_t workspace_bytes(const Multivector<const float>& x) const {
    return Cuda::warpgroup_workspace_bytes(precision_, panels_.schedule.view(), x);
  }
  void launch(Cuda::Stream stream, const Product<float, float>& product, const Scratch& scratch) const {
    Cuda::warpgroup_spmm(stream, pattern_, precision_, panels_.steps.data(), panels_.schedule.view(), product,
                         lines_.data(), scratch);
  }

 private:
  BcsrPattern pattern_;
  Precision precision_ = Precision::Native;
  std::size_t blocks_ = 0;
  PanelSteps panels_;
  Array<std::byte*, Memory> lines_;
};

}  // namespace Tessera::Impl
