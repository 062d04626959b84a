// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which kernels for NVIDIA GPUs a plan chooses, and that each keeps the contract of products. Empty if Kokkos has
// no CUDA.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <set>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <vector>

#include "bcsr/BcsrView.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "CudaCheck.hpp"
#include "MemoryLimits.hpp"

namespace Tessera::Impl::Test {

/// The name of a format's kernel, on tensor cores or CUDA cores.
template <class Scalar>
std::string kernel_of(Format format) {
  switch (format) {
    case Format::Csr:
      return "compressed rows on CUDA cores";
    case Format::SortedColumns:
      return "sorted columns on CUDA cores";
    case Format::Brp:
      return "groups and residual rows of windows of 16 rows on tensor cores";
    case Format::Bmat:
      return "windows of 16 rows on tensor cores";
    case Format::Bcsr:
      return "blocks of ";
    case Format::Staged:
      return std::is_same_v<Scalar, double> ? "staged in shared memory, on tensor cores" : "for any device";
    case Format::RowGroups:
      return "groups of up to 4 rows on CUDA cores";
    case Format::CompactRows:
      return "compressed rows with columns of 16 bits on CUDA cores";
    default:
      return "on tensor cores";
  }
}

TEST_F(CudaKernels, StagedWindowsWhereWindowsShareColumns) {
  const CudaMatrix<double> A(shared_windows(300));
  auto plan = A.plan(cuda_options(Format::Auto));
  EXPECT_NE(plan.explain().find("staged in shared memory"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, Precision::Native, "staged");
  const CudaMatrix<double> other(A.host, 77);
  plan.update_values(Exec(), other.values);
  expect_products<double>(other, plan, Precision::Native, "staged, new values");
}

/// The three rows of each grid point have the same columns.
TEST_F(CudaKernels, RowGroupsWhereRowsShareColumns) {
  HostPattern<int> pattern;
  pattern.columns = 30000;
  Random random(8);
  for (int point = 0; point < 10000; ++point) {
    std::set<int> columns;
    while (columns.size() < 60)
      columns.insert(3 * std::clamp(point + random.below(400) - 200, 0, 9999) + random.below(3));
    for (int r = 0; r < 3; ++r) {
      pattern.column_indices.insert(pattern.column_indices.end(), columns.begin(), columns.end());
      pattern.end_row();
    }
  }
  const CudaMatrix<float> A(pattern), other(pattern, 77);
  auto plan = A.plan(cuda_options(Format::Auto));
  EXPECT_NE(plan.explain().find("rows on CUDA cores"), std::string::npos) << plan.explain();
  EXPECT_EQ(plan.format(), Format::RowGroups) << plan.explain();
  check_plan(A, other, plan, Precision::Native, "row groups");
}

/// Checks rows with hundreds of entries in few columns: A has two chunks, its transpose one chunk.
template <class Scalar>
void check_chunks() {
  const CudaMatrix<Scalar> A(random_pattern<int>(1200, 2500, 0.13, 5, 7)), other(A.host, 77);
  auto options = cuda_options(Format::Csr);
  options.hints.num_vectors = 512;
  auto plan = A.plan(options);
  const std::string kernel = "compressed rows against chunks of X in shared memory on CUDA cores";
  EXPECT_EQ(kernels_of(plan), kernel);
  EXPECT_GE(plan.kernel_bytes(), 2 * 1200 * 16u);
  check_plan(A, other, plan, Precision::Native, kernel);
  plan.update_values(Exec(), A.values);
  expect_repeatable<Scalar>(plan, kernel);
  expect_case<Right<Scalar>>(A, plan, {513, Mode::NoTranspose, 1.5, 0.5}, kernel);
  EXPECT_NE(plan.explain().find("kernels of the transpose: " + kernel), std::string::npos) << plan.explain();
  // Products with vectors of another type use the rows in place.
  if constexpr (std::is_same_v<Scalar, float>)
    expect_case<Right<double>>(A, plan, {33}, kernel + ", vectors of double");
  options.same_bits_alone = true;
  auto in_order = A.plan(options);
  EXPECT_EQ(kernels_of(in_order), kernel);
  expect_columns_alone<Right<Scalar>>(in_order, kernel, true);
  options.hints.num_vectors = 1;
  EXPECT_EQ(kernels_of(A.plan(options)), kernel_of<Scalar>(Format::Csr)) << "nothing is gained with one column";
}
TEST_F(CudaKernels, ChunksOfXWhereRowsAreDense) {
  check_chunks<double>();
  check_chunks<float>();
}

TEST_F(CudaKernels, ChunksOfXInAnotherOrderOfRows) {
  const CudaMatrix<float> A(random_pattern<int>(1200, 2500, 0.13, 6, 7));
  auto options = cuda_options(Format::Csr);
  options.hints.num_vectors = 512;
  options.reordering = Reordering::DegreeSort;
  options.always_reorder = true;
  auto plan = A.plan(options);
  EXPECT_NE(kernels_of(plan).find("chunks of X"), std::string::npos) << plan.explain();
  expect_plain_products<float>(A, plan, Precision::Native, "degree sort");
}

/// The predicted peak includes the lists of work items and sorting the rows.
TEST_F(CudaKernels, ChunksOfXAreWithinTheLimitOfMemory) {
  const CudaMatrix<float> A(random_pattern<int>(1200, 2500, 0.13, 6, 7));
  auto options = cuda_options(Format::Csr);
  options.hints.num_vectors = 512;
  check_limits<Exec>(A, options);
}

/// Rows with equal columns are 32 apart, among 256 neighbours. The plan clusters them by default.
TEST_F(CudaKernels, RowsAreClusteredWhereThatPays) {
  HostPattern<int> pattern;
  pattern.columns = 40000;
  Random random(9);
  for (int group = 0; group < 80; ++group) {
    std::vector<std::set<int>> kinds(32);
    for (auto& columns : kinds)
      while (columns.size() < 50) columns.insert(random.below(pattern.columns));
    for (int row = 0; row < 256; ++row) {
      const auto& columns = kinds[static_cast<std::size_t>(row % 32)];
      pattern.column_indices.insert(pattern.column_indices.end(), columns.begin(), columns.end());
      pattern.end_row();
    }
  }
  const CudaMatrix<float> A(pattern), other(pattern, 78);
  auto options = cuda_options(Format::Auto);
  options.reordering = Reordering::Auto;
  auto plan = A.plan(options);
  EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::LocalClusters) << plan.explain();
  check_plan(A, other, plan, Precision::Native, "clustered");
  options.reordering = Reordering::None;
  EXPECT_EQ(Impl::choice_of(A.plan(options)).reordering, Reordering::None);
}

TEST_F(CudaKernels, NoStagedWindowsWhereMemoryIsShort) {
  const CudaMatrix<double> A(shared_windows(300));
  auto options = cuda_options(Format::Auto);
  options.memory_limit = least_memory_limit(A, options);
  auto plan = A.plan(options);
  EXPECT_NE(plan.format(), Format::Staged) << plan.explain();
  expect_plain_products<double>(A, plan, Precision::Native, "not staged");
}

TEST_F(CudaKernels, LongWindowsInPieces) {
  HostPattern<int> pattern = random_pattern<int>(300, 2000, 0.4, 11, 7);
  for (int row = 0; row < 400; ++row) {  // and 400 rows of one entry
    pattern.column_indices.push_back(5 * row);
    pattern.end_row();
  }
  const CudaMatrix<double> A(pattern);
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr, Format::Staged}) {
    auto plan = A.plan(cuda_options(format));
    EXPECT_NE(plan.explain().find("on tensor cores"), std::string::npos) << plan.explain();
    expect_products<double>(A, plan, Precision::Native, std::string(to_string(format)));
  }
}

TEST_F(CudaKernels, WindowsInAnotherOrder) {
  const auto pattern = shared_windows(300);
  std::vector<int> order;
  for (int i = 0; i < pattern.rows; ++i) order.push_back(static_cast<int>(i * 7919LL % pattern.rows));
  const CudaMatrix<double> A(with_rows(pattern, order));
  auto options = cuda_options(Format::Auto);
  options.reordering = Reordering::WindowGrowing;
  auto plan = A.plan(options);
  EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::WindowGrowing) << plan.explain();
  expect_products<double>(A, plan, Precision::Native, "reordered");
}

TEST_F(CudaKernels, Tf32RoundsOncePerOperandAndThreeProductsAreFp32) {
  const CudaMatrix<float> A(shared_windows(40));
  for (const Format format : {Format::BitTcf, Format::Bmat}) {
    for (const Precision precision : {Precision::Tf32x3, Precision::Tf32}) {
      auto plan = A.plan(cuda_options(format, precision));
      const std::string what = std::string(to_string(format)) + ", " + std::string(to_string(precision));
      EXPECT_NE(plan.explain().find("on tensor cores"), std::string::npos) << plan.explain();
      expect_products<float>(A, plan, precision, what);
    }
  }
}

TEST_F(CudaKernels, UnevenRows) {
  const CudaMatrix<double> A(uneven_rows());
  const CudaMatrix<float> floats(uneven_rows());
  for (const Format format : every_format) {
    auto options = cuda_options(format);
    options.hints.num_vectors = 64;
    auto plan = A.plan(options);
    expect_products<double>(A, plan, Precision::Native, std::string(to_string(format)));
    auto float_plan = floats.plan(options);
    expect_products<float>(floats, float_plan, Precision::Native, std::string(to_string(format)) + ", float");
  }
}

TEST_F(CudaKernels, TallWindowsInDouble) {
  const CudaMatrix<double> A(shared_windows(20));
  auto plan = A.plan(cuda_options(Format::Bmat));
  EXPECT_NE(plan.explain().find("windows of 16 rows on tensor cores"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, Precision::Native, "bmat");
  const CudaMatrix<double> other(A.host, 78);
  plan.update_values(Exec(), other.values);
  expect_products<double>(other, plan, Precision::Native, "bmat, new values");
}

TEST_F(CudaKernels, CompactTilesWhereMemoryIsShort) {
  const CudaMatrix<double> A(shared_windows(20));
  auto options = cuda_options(Format::BitTcf);
  options.memory_limit = least_memory_limit(A, options);
  auto plan = A.plan(options);
  EXPECT_NE(plan.explain().find("for want of memory"), std::string::npos) << plan.explain();
  expect_plain_products<double>(A, plan, Precision::Native, "compact");
}

template <class Scalar>
void check_every_format(const std::vector<Precision>& precisions) {
  const CudaMatrix<Scalar> A(uneven_windows()), other(A.host, 79);
  for (const Precision asked : precisions) {
    for (const Format format : every_format) {
      PlanOptions options = cuda_options(format, asked);
      // The limit is never reached. It is set because plans with a limit do not switch to TF32.
      options.memory_limit = std::size_t(1) << 40;
      auto plan = A.plan(options);
      const Precision used = precision_of<Scalar>(format, asked);
      const std::string what =
          std::string(to_string(format)) + ", " + std::string(to_string(asked)) + ": " + kernels_of(plan) + ",";
      EXPECT_NE(what.find(kernel_of<Scalar>(format)), std::string::npos) << what;
      const std::string note =
          used == Precision::Native ? "in native precision," : "in " + std::string(to_string(used));
      EXPECT_EQ(what.find(note) != std::string::npos, asked != Precision::Native) << what << " expected " << note;
      const bool is_portable = what.find("for any device") != std::string::npos;
      if (format != Format::Csr) EXPECT_EQ(plan.kernel_bytes() > 0, !is_portable) << what;
      check_plan(A, other, plan, used, what);
    }
  }
}

TEST_F(CudaKernels, EveryFormatOfDouble) {
  check_every_format<double>({Precision::Native, Precision::Bf16, Precision::Fp16});
}

TEST_F(CudaKernels, EveryFormatOfFloat) {
  check_every_format<float>({Precision::Tf32x3, Precision::Tf32, Precision::Bf16, Precision::Fp16});
}

// Only rows, sorted columns and row groups have an FP32 kernel that keeps FP32's precision.
TEST_F(CudaKernels, FloatIsNativeUnlessAskedFor) {
  const CudaMatrix<float> A(uneven_windows());
  for (const Format format : every_format) {
    auto plan = A.plan(cuda_options(format));
    const bool has_kernel = format == Format::Csr || format == Format::SortedColumns || format == Format::RowGroups ||
                            format == Format::CompactRows;
    EXPECT_EQ(kernels_of(plan), has_kernel ? kernel_of<float>(format) : "for any device");
    expect_cases<float>(A, plan, Precision::Native, std::string(to_string(format)));
  }
}

// A float matrix times double vectors: the precision is 16 bits with condensed windows, else native.
TEST_F(CudaKernels, FloatMatrixAndVectorsOfDouble) {
  const CudaMatrix<float> A(uneven_windows());
  for (const Precision asked : {Precision::Native, Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
    const bool is_half = asked == Precision::Bf16 || asked == Precision::Fp16;
    for (const Format format : every_format) {
      auto plan = A.plan(cuda_options(format, asked));
      const bool is_condensed = format == Format::BitTcf || format == Format::Bmat;
      expect_cases<double>(A, plan, is_condensed && is_half ? asked : Precision::Native,
                           std::string(to_string(format)) + ", " + std::string(to_string(asked)));
    }
  }
}

// For a band, TF32 (which reads X in place) is faster than FP16. The plan switches, says so, and multiplies correctly.
TEST_F(CudaKernels, Fp16GivesWayToTf32) {
  const CudaMatrix<float> A(generated_pattern<int>("banded:20000,32"));
  bool is_wider_once = false;
  for (const int columns : {32, 128, 512}) {
    auto options = cuda_options(Format::BitTcf, Precision::Fp16);
    options.hints.num_vectors = columns;
    auto plan = A.plan(options);
    const bool is_wider = Impl::choice_of(plan).is_wider;
    is_wider_once = is_wider_once || is_wider;
    EXPECT_TRUE(kernels_of(plan).ends_with(is_wider ? "in tf32" : "in fp16")) << plan.explain();
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_case<Right<float>>(A, plan, {40, mode, 1, 0.5, is_wider ? Precision::Tf32 : Precision::Fp16}, "band");
    for (const bool half_vectors : {false, true}) {
      auto kept = options;
      kept.half_vectors = half_vectors;
      kept.kernel = half_vectors ? Kernel::Auto : Kernel::Published;
      kept.on_unsupported = OnUnsupported::FallBack;
      EXPECT_FALSE(Impl::choice_of(A.plan(kept)).is_wider);
    }
    options.memory_limit = std::size_t(1) << 40;
    EXPECT_FALSE(Impl::choice_of(A.plan(options)).is_wider);
  }
  EXPECT_TRUE(is_wider_once);
}

template <class Scalar>
void check_block_shapes(Precision asked, const std::vector<std::pair<BlockShape, std::string>>& shapes,
                        std::size_t memory_limit = no_memory_limit) {
  const CudaMatrix<Scalar> A(uneven_windows());
  for (const auto& [shape, kernels] : shapes) {
    auto options = cuda_options(Format::Bcsr, asked);
    options.memory_limit = memory_limit;
    options.parameters.bcsr_block_rows = shape.height;
    options.parameters.bcsr_block_columns = shape.width;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), kernels);
    const Precision used = kernels.ends_with("in tf32x3") ? Precision::Tf32x3
                           : kernels.ends_with("in tf32") ? Precision::Tf32
                           : kernels.ends_with("in fp16") ? Precision::Fp16
                                                          : Precision::Native;
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_case<Right<Scalar>>(A, plan, {40, mode, 1, 0.5, used}, kernels);
  }
}

TEST_F(CudaKernels, BlocksOfAnyShape) {
  check_block_shapes<double>(Precision::Native, {{{16, 8}, "blocks of 16 x 8 on tensor cores"},
                                                 {{8, 8}, "blocks of 8 x 8 on tensor cores"},
                                                 {{8, 4}, "blocks of 8 x 4 on tensor cores"},
                                                 {{16, 16}, "for any device"},
                                                 {{5, 7}, "for any device"}});
  check_block_shapes<float>(Precision::Tf32, {{{16, 8}, "blocks of 16 x 8 on tensor cores, in tf32"},
                                              {{8, 8}, "blocks of 8 x 8 on tensor cores, in tf32"},
                                              {{8, 4}, "for any device, in native precision"},
                                              {{16, 16}, "for any device, in native precision"}});
  check_block_shapes<float>(Precision::Fp16, {{{16, 16}, "blocks of 16 x 16 on tensor cores, in fp16"},
                                              {{16, 8}, "blocks of 16 x 8 on tensor cores, in tf32"},
                                              {{3, 16}, "for any device, in native precision"}});
  check_block_shapes<double>(Precision::Fp16, {{{8, 8}, "blocks of 8 x 8 on tensor cores, in native precision"},
                                               {{16, 16}, "for any device, in native precision"}});
}

TEST_F(CudaKernels, BlocksForWarpgroups) {
  if (Exec().cuda_device_prop().major != 9) GTEST_SKIP() << "needs compute capability 9.0";
  const std::string kernel = "blocks of 64 x 64 on tensor cores, by warpgroups, in ";
  check_block_shapes<float>(Precision::Tf32, {{{64, 64}, kernel + "tf32"}});
  check_block_shapes<float>(Precision::Tf32x3, {{{64, 64}, kernel + "tf32x3"}});
  // A small product takes less time in TF32, which reads X in place. With a memory limit, plans take no wider
  // precision.
  check_block_shapes<float>(Precision::Fp16, {{{64, 64}, kernel + "tf32"}});
  check_block_shapes<float>(Precision::Fp16, {{{64, 64}, kernel + "fp16"}}, std::size_t(1) << 40);
  check_block_shapes<float>(Precision::Native, {{{64, 64}, "for any device"}});
  check_block_shapes<double>(Precision::Native, {{{64, 64}, "for any device"}});
}

/// A wide band is stored in these blocks without being asked, in any precision of tensor cores.
TEST_F(CudaKernels, ChooseBlocksForWarpgroups) {
  if (Exec().cuda_device_prop().major != 9) GTEST_SKIP() << "needs compute capability 9.0";
  HostPattern<int> band;
  band.columns = 8192;
  for (int i = 0; i < band.columns; ++i) {
    for (int j = std::max(0, i - 256); j <= std::min(band.columns - 1, i + 256); ++j) band.column_indices.push_back(j);
    band.end_row();
  }
  const CudaMatrix<float> A(band);
  for (const Precision precision : {Precision::Tf32, Precision::Tf32x3, Precision::Fp16}) {
    auto options = cuda_options(Format::Auto, precision);
    options.hints.num_vectors = 512;
    const auto plan = A.plan(options);
    EXPECT_TRUE(kernels_of(plan).starts_with("blocks of 64 x 64")) << plan.explain();
    options.parameters.bcsr_block_rows = 16;
    options.parameters.bcsr_block_columns = 8;
    EXPECT_FALSE(kernels_of(A.plan(options)).starts_with("blocks of 64 x 64"));
  }
}

TEST_F(CudaKernels, GroupsOfAnySize) {
  const CudaMatrix<double> A(uneven_windows());
  for (const auto& [f, g] : {std::pair(1, 4), std::pair(2, 1), std::pair(4, 1), std::pair(8, 1), std::pair(3, 2)}) {
    auto options = cuda_options(Format::Brp);
    options.parameters.brp_nonzeros_per_column = f;
    options.parameters.brp_tiles_per_group = g;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), f == 8 || f == 3 ? "for any device" : kernel_of<double>(Format::Brp)) << f;
    expect_cases<double>(A, plan, Precision::Native, "f = " + std::to_string(f));
  }
}

TEST_F(CudaKernels, StagedWindowsInPiecesOfAnyLength) {
  const CudaMatrix<double> A(uneven_windows());
  for (const auto& [values, chunks] : {std::pair(0, 1), std::pair(100, 3), std::pair(4096, 1000)}) {
    auto options = cuda_options(Format::Staged);
    options.parameters.staged_chunk_values = values;
    options.parameters.staged_piece_chunks = chunks;
    auto plan = A.plan(options);
    EXPECT_NE(kernels_of(plan).find(kernel_of<double>(Format::Staged)), std::string::npos) << kernels_of(plan);
    expect_cases<double>(A, plan, Precision::Native, "pieces of " + std::to_string(chunks));
  }
}

TEST_F(CudaKernels, SortedColumnsOfAnyWidth) {
  const CudaMatrix<double> A(uneven_rows());
  for (const int width : {1, 32, 256, 300, 1024}) {  // with 256, the kernel's groups are the format's sets
    auto options = cuda_options(Format::SortedColumns);
    options.parameters.sorted_columns_width = width;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), kernel_of<double>(Format::SortedColumns));
    expect_product<Right<double>>(A, plan, 40, Mode::NoTranspose, 1.5, 0.5, "width " + std::to_string(width), false);
    expect_columns_alone<Left<double>>(plan, "width " + std::to_string(width), true);
  }
}

template <class Scalar>
void check_orders(Precision asked) {
  const CudaMatrix<Scalar> A(scattered_windows());
  for (const Format format : {Format::Csr, Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr}) {
    for (const Reordering reordering : {Reordering::DataAffinity, Reordering::WindowGrowing, Reordering::JaccardRows,
                                        Reordering::LocalClusters, Reordering::ColumnSort}) {
      if (reordering == Reordering::ColumnSort && format != Format::Bcsr) continue;
      auto options = cuda_options(format, asked);
      options.reordering = reordering;
      options.always_reorder = true;
      auto plan = A.plan(options);
      EXPECT_EQ(Impl::choice_of(plan).reordering, reordering) << plan.explain();
      const std::string what = kernels_of(plan) + ", " + std::string(to_string(reordering));
      EXPECT_EQ(what.find("any device"), std::string::npos) << what;
      for (const int columns : {1, 33, 100}) {
        for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
          const SpmmCase c{columns, mode, 1.5, 0.5, precision_of<Scalar>(format, asked)};
          expect_case<Right<Scalar>>(A, plan, c, what);
          expect_case<Left<Scalar>>(A, plan, c, what);
        }
      }
    }
  }
}

TEST_F(CudaKernels, EveryOrderOfDouble) { check_orders<double>(Precision::Native); }
TEST_F(CudaKernels, EveryOrderOfFloat) { check_orders<float>(Precision::Tf32x3); }
TEST_F(CudaKernels, EveryOrderInHalf) { check_orders<float>(Precision::Fp16); }

// Sums of 65520 and more are infinite in FP16. They must equal the sums in FP32.
TEST_F(CudaKernels, WhatOverflowsFp16) {
  std::vector<float> values = random_values<float>(uneven_windows().nonzeros(), 1);
  for (std::size_t k = 0; k < values.size(); k += 501) values[k] = 1e5f;
  const CudaMatrix<float> A(uneven_windows(), values);
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Bcsr}) {
    auto plan = A.plan(cuda_options(format, Precision::Fp16));
    const SpmmCase c{33, Mode::NoTranspose, 1, 0, Precision::Fp16, {{7, 1e6}}};
    expect_case<Right<float>>(A, plan, c, std::string(to_string(format)));
  }
}

TEST_F(CudaKernels, NoEntries) {
  HostPattern<int> empty;
  empty.columns = 30;
  for (int row = 0; row < 20; ++row) empty.end_row();
  const CudaMatrix<float> A(empty);
  for (const Precision asked : {Precision::Native, Precision::Tf32, Precision::Fp16}) {
    for (const Format format : every_format) {
      auto plan = A.plan(cuda_options(format, asked));
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_case<Right<float>>(A, plan, {33, mode, 1, 0.5, Precision::Native}, std::string(to_string(format)));
    }
  }
}

TEST_F(CudaKernels, RejectedPrecisionsNameThoseThatThereAre) {
  const auto message = [](const auto& A, Precision precision) {
    return message_of<std::invalid_argument>([&] { A.plan(cuda_options(Format::Auto, precision)); });
  };
  const CudaMatrix<double> doubles(uneven_windows());
  EXPECT_NE(message(doubles, Precision::Tf32).find("expected native, bf16, fp16, or on_unsupported"),
            std::string::npos);
}

}  // namespace Tessera::Impl::Test

#endif
