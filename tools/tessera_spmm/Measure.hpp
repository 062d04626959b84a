// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <harness/DeviceData.hpp>
#include <harness/Timing.hpp>
#include <stdexcept>
#include <tessera/PlanFile.hpp>
#include <tessera/Spmm.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <tessera/system/impl/Memory.hpp>
#include <vector>

#include "Backends.hpp"
#include "Formats.hpp"
#include "Kernels.hpp"
#include "Peers.hpp"
#include "Problem.hpp"
#include "Progress.hpp"
#include "Rejection.hpp"
#include "Result.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

/// Returns the default limit on a plan's bytes: half of the available memory of a host, where an excessive allocation
/// would end the process. A device needs no limit, because it rejects excessive allocations.
template <class ExecutionSpace>
std::size_t default_memory_limit() {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible) {
    return Impl::available_memory() / 2;
  } else {
    return no_memory_limit;
  }
}

/// Returns the windows of a matrix whose row i is row order(i) of A. Cost: a copy of the pattern.
template <class ExecutionSpace, class Offset, class Order>
std::array<WindowColumns, 5> windows_in_order(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                              std::size_t nonzeros, const Order& order) {
  using Memory = typename ExecutionSpace::memory_space;
  const Kokkos::View<Offset*, Memory> offsets("row offsets in order", std::size_t(A.rows) + 1);
  const Kokkos::View<Ordinal*, Memory> columns("columns in order", nonzeros);
  const auto* order_of = order.data();
  const Kokkos::RangePolicy<ExecutionSpace> rows(exec, 0, A.rows);
  Kokkos::parallel_scan(
      rows, KOKKOS_LAMBDA(const Ordinal row, Offset& sum, const bool is_final) {
        const Ordinal from = order_of[row];
        sum += A.row_offsets[from + 1] - A.row_offsets[from];
        if (is_final) offsets(row + 1) = sum;
      });
  Kokkos::parallel_for(
      rows, KOKKOS_LAMBDA(const Ordinal row) {
        const Offset from = A.row_offsets[order_of[row]], to = offsets(row), end = offsets(row + 1);
        for (Offset k = 0; k < end - to; ++k) columns(to + k) = A.column_indices[from + k];
      });
  return window_columns(exec, CsrPattern<Offset>{A.rows, A.columns, offsets.data(), columns.data()}, nonzeros);
}

/// The products that one run times, all of the same problem, each with its own Y.
template <class Scalar, class Offset, class KokkosLayout, class ExecutionSpace>
class Measure {
 public:
  using Value = device_scalar_t<Scalar>;
  using Dense = DeviceDense<Value, KokkosLayout, ExecutionSpace>;

  Measure(const Settings& settings, const Problem<Scalar>& problem)
      : settings_(settings),
        problem_(problem),
        a_(upload<Offset, ExecutionSpace>(problem.a)),
        x_(upload<KokkosLayout, ExecutionSpace>("X", problem.x)),
        y_before_(upload<KokkosLayout, ExecutionSpace>("Y before", problem.y)),
        memory_limit_(settings.memory_limit ? static_cast<std::size_t>(*settings.memory_limit * 1e9)
                                            : default_memory_limit<ExecutionSpace>()) {}

  /// Builds the plans, times the products, and fills in `result` except the errors.
  /// \return the Y of each of result.products()
  std::vector<HostDense<Scalar>> run(Result& result) {
    result.concurrency = exec_.concurrency();
    result.csr_bytes = a_.bytes();
    result.memory_limit = memory_limit_;
    describe(result.matrix);
    for (const Request& request : requests(settings_)) result.formats.push_back(add_or_reject(request, result));
    if (contenders_.empty())
      throw std::runtime_error("no format can be built; csr: " + result.formats.front().rejected);
    explain(result);
    if (!settings_.load_plan_file.empty()) result.formats.push_back(add_loaded(result));
    if (!settings_.compare.empty()) add_peers(result);
    {
      Progress progress("measuring");
      time_in_turns(contenders_, fence(), settings_.repeat, [&](double fraction) { progress.update(fraction); });
    }
    std::vector<HostDense<Scalar>> results;
    const std::vector<Measurement*> rows = result.products();
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      rows[c]->seconds = std::move(contenders_[c].seconds);
      rate(*rows[c]);
      results.push_back(download<Scalar>(y_[c]));
      y_[c] = Dense();
    }
    return results;
  }

 private:
  using PlanType = Plan<Value, ExecutionSpace>;

  std::function<void()> fence() const {
    return [exec = exec_] { exec.fence("tessera_spmm: clock"); };
  }

  PlanType build(const Request& request) const {
    return make_plan(exec_, a_.rows, a_.columns, a_.row_offsets, a_.column_indices, a_.values,
                     plan_options(settings_, request, static_cast<int>(problem_.x.columns), memory_limit_));
  }

  /// Adds a format. If several formats or orders are measured, a rejected format does not stop the others.
  FormatMeasurement add_or_reject(const Request& request, Result& result) {
    if (requests(settings_).size() == 1) return add_format(request, result);
    try {
      return add_format(request, result);
    } catch (...) {
      FormatMeasurement row;
      row.format = request.format;
      row.name = to_string(row.format);
      row.reordering = request.reordering;
      row.rejected = rejection_reason(std::current_exception());
      return row;
    }
  }

  FormatMeasurement add_format(const Request& request, Result& result) {
    const Progress progress("building " + std::string(to_string(request.format)));
    return add_plan([&] { return build(request); }, request.reordering, result);
  }

  /// Adds a row for the plan that is loaded from a file.
  FormatMeasurement add_loaded(Result& result) {
    const std::string& file = settings_.load_plan_file;
    const Progress progress("loading " + file);
    const auto load = [&] {
      auto plan = load_plan<Value>(exec_, file);
      if (plan.rows() != a_.rows || plan.columns() != a_.columns || plan.nonzeros() != a_.values.extent(0)) {
        throw std::invalid_argument(
            "--load-plan " + file + ": the plan is of another matrix: " + std::to_string(plan.rows()) + " x " +
            std::to_string(plan.columns()) + ", " + std::to_string(plan.nonzeros()) + " nonzeros");
      }
      return plan;
    };
    FormatMeasurement row = add_plan(load, Reordering::Search, result);
    row.name += ", loaded";
    result.loaded_plan = {file, std::filesystem::file_size(file), row.build_seconds};
    return row;
  }

  /// Adds a row to the table. Making the plan is timed up to three times within a second.
  template <class MakePlan>
  FormatMeasurement add_plan(const MakePlan& obtain, Reordering reordering, Result& result) {
    PlanType plan;
    Workspace<ExecutionSpace> work;
    const auto make = [&] {
      plan = obtain();
      work = plan.prepare(exec_, static_cast<int>(problem_.x.columns), settings_.mode);
    };
    double best = seconds_of(make, fence()), total = best;
    for (int i = 1; i < 3 && total < 1; ++i) {
      plan = PlanType();  // freeing the former plan is not timed
      work = Workspace<ExecutionSpace>();
      const double seconds = seconds_of(make, fence());
      total += seconds;
      best = std::min(best, seconds);
    }
    plans_.push_back(plan);
    const Dense y = new_y();
    add_contender(y, [this, plan, y, work]() mutable {
      spmm(exec_, plan, work, settings_.mode, Value(problem_.alpha), x_, Value(problem_.beta), y);
    });
    keep_order(plan, result);
    return describe(plan, reordering, best);
  }

  FormatMeasurement describe(const PlanType& plan, Reordering asked, double build_seconds) const {
    FormatMeasurement row;
    row.format = plan.format();
    row.name = to_string(row.format);
    const Kernels kernels = kernels_of(plan.stats(), settings_.mode);
    row.kernels = kernels.name;
    row.precision = kernels.precision;
    row.bytes = plan.format_bytes();
    row.bytes_over_csr = a_.bytes() == 0 ? 1 : static_cast<double>(row.bytes) / static_cast<double>(a_.bytes());
    row.tiles = Impl::tile_metrics_of(plan);
    row.build_seconds = build_seconds;
    const Reordering kept = Impl::choice_of(plan).reordering;
    row.reordering = asked == Reordering::Search ? kept : asked;
    row.finds_no_order = kept != row.reordering;
    for (const ReorderingTrial& trial : Impl::choice_of(plan).reorderings)
      if (trial.reordering == row.reordering) row.predicted_relative = trial.relative_seconds;
    if (settings_.reorder != "none") row.windows = windows_of(plan);
    return row;
  }

  CsrPattern<Offset> pattern() const { return {a_.rows, a_.columns, a_.row_offsets.data(), a_.column_indices.data()}; }

  /// Returns the windows of the rows in the order of the plan.
  std::array<WindowColumns, 5> windows_of(const PlanType& plan) const {
    const auto order = Impl::row_order_of(plan);
    if (order.is_identity()) return window_columns(exec_, pattern(), a_.values.extent(0));
    return windows_in_order(exec_, pattern(), a_.values.extent(0), order.order);
  }

  void keep_order(const PlanType& plan, Result& result) const {
    const auto order = Impl::row_order_of(plan);
    if (order.is_identity()) return;
    std::vector<int>& host = result.row_orders[Impl::choice_of(plan).reordering];
    if (!host.empty()) return;  // keeps the order that was found for the first format
    host.resize(order.order.extent(0));
    Kokkos::deep_copy(
        Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()),
        order.order);
  }

  /// Computes the statistics of the pattern, which do not depend on the format.
  void describe(MatrixSummary& matrix) const {
    matrix.row_lengths = row_lengths(exec_, pattern());
    matrix.windows = window_columns(exec_, pattern(), a_.values.extent(0));
  }

  /// Explains the choice of an automatic plan or the only requested format.
  void explain(Result& result) const {
    const Reordering order = settings_.reorder == "none"   ? Reordering::None
                             : settings_.reorder == "auto" ? Reordering::Auto
                                                           : Reordering::Search;
    PlanType plan = settings_.format == "all" ? build({Format::Auto, order}) : plans_.front();
    result.automatic = plan.format();
    result.automatic_order = Impl::choice_of(plan).reordering;
    result.explanation = plan.explain();
    if (!settings_.save_plan_file.empty()) save(plan, result);
  }

  /// Saves a plan, with the transpose if the product needs it.
  void save(PlanType& plan, Result& result) const {
    const std::string& file = settings_.save_plan_file;
    plan.prepare(exec_, 0, settings_.mode);
    const double seconds = seconds_of([&] { save_plan(exec_, plan, file); }, fence());
    result.saved_plan = {file, std::filesystem::file_size(file), seconds};
  }

  /// Adds the other library's algorithms. A rejected algorithm does not stop the others.
  void add_peers(Result& result) {
    if constexpr (std::is_same_v<ExecutionSpace, DefaultSpace> && std::is_same_v<Offset, int> &&
                  !is_std_complex<Scalar>) {
      result.peer_build = peer_build(settings_.compare);
      for (const std::string& name : peer_names(settings_.compare, problem_.x.columns)) {
        Measurement row;
        row.name = name;
        row.bytes = a_.bytes();
        try {
          const Dense y = new_y();
          add_contender(y, peer_product<Value, KokkosLayout>(name, exec_, a_, settings_.mode, Value(problem_.alpha), x_,
                                                             Value(problem_.beta), y));
        } catch (...) {
          row.rejected = rejection_reason(std::current_exception());
        }
        result.peers.push_back(row);
      }
      const auto is_rejected = [](const Measurement& row) { return !row.rejected.empty(); };
      if (std::all_of(result.peers.begin(), result.peers.end(), is_rejected))
        throw std::invalid_argument("--compare " + settings_.compare + ": " + result.peers.front().rejected);
    } else {
      throw std::invalid_argument("--compare " + settings_.compare + ": only on the backend " + default_backend() +
                                  ", for real numbers and at most 2^31 - 1 nonzeros");
    }
  }

  Dense new_y() const {
    Dense y(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Y"), y_before_.extent(0), y_before_.extent(1));
    Kokkos::deep_copy(y, y_before_);
    return y;
  }

  /// Adds a product. With beta = 0 the initial NaN of Y is not restored: an entry that no product writes keeps it.
  void add_contender(const Dense& y, std::function<void()> product) {
    const auto restore = [this, y] {
      if (problem_.beta != Scalar(0)) Kokkos::deep_copy(exec_, y, y_before_);
    };
    contenders_.push_back({restore, std::move(product), {}});
    y_.push_back(y);
  }

  /// Computes operations and compulsory traffic per second at the median time.
  void rate(Measurement& row) const {
    const double median = row.median();
    if (!(median > 0)) return;
    const double columns = static_cast<double>(problem_.x.columns);
    const double operations =
        (is_std_complex<Scalar> ? 8.0 : 2.0) * static_cast<double>(problem_.a.values.size()) * columns;
    const double x_rows = static_cast<double>(rows_of_x_touched(problem_.a, settings_.mode));
    const double y_rows = static_cast<double>(problem_.y.rows) * (problem_.beta == Scalar(0) ? 1 : 2);
    const double bytes = static_cast<double>(row.bytes) + (x_rows + y_rows) * columns * sizeof(Scalar);
    row.gigaflops = operations / median * 1e-9;
    row.gigabytes = bytes / median * 1e-9;
  }

  const Settings& settings_;
  const Problem<Scalar>& problem_;
  ExecutionSpace exec_;
  DeviceCsr<Value, Offset, ExecutionSpace> a_;
  Dense x_;
  Dense y_before_;
  std::size_t memory_limit_;
  std::vector<PlanType> plans_;
  std::vector<Dense> y_;
  std::vector<Contender> contenders_;
};

}  // namespace Tessera::Impl::Driver
