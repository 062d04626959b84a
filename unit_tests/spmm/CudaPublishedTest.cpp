// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel::Published on GPUs: each kernel of a paper keeps the contract of products, and formats without such a
// kernel are rejected. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "CudaCheck.hpp"

namespace Tessera::Impl::Test {

constexpr Format published_formats[] = {Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr, Format::SortedColumns};

PlanOptions published(Format format, Precision precision = Precision::Native) {
  auto options = cuda_options(format, precision);
  options.kernel = Kernel::Published;
  return options;
}

/// The precision of a format's published kernel. Only the kernel for square blocks has 16-bit operands.
template <class Scalar>
Precision published_precision(Format format, Precision asked) {
  const bool is_condensed = format == Format::BitTcf || format == Format::Bmat;
  return precision_of<Scalar>(is_condensed ? Format::Brp : format, asked);
}

template <class Scalar>
void check_every_published_kernel(const std::vector<Precision>& precisions) {
  const CudaMatrix<Scalar> A(uneven_windows()), other(A.host, 79);
  for (const Precision asked : precisions) {
    for (const Format format : published_formats) {
      auto plan = A.plan(published(format, asked));
      const std::string what = kernels_of(plan);
      EXPECT_EQ(plan.format(), format);
      EXPECT_TRUE(what.starts_with("as published (" + std::string(paper_of(format)) + ")")) << what;
      EXPECT_GT(plan.kernel_bytes(), 0u) << what;
      check_plan(A, other, plan, published_precision<Scalar>(format, asked), what);
    }
  }
}

TEST_F(CudaKernels, EveryPublishedKernelOfDouble) {
  check_every_published_kernel<double>({Precision::Native, Precision::Bf16});
}

TEST_F(CudaKernels, EveryPublishedKernelOfFloat) {
  check_every_published_kernel<float>({Precision::Tf32x3, Precision::Tf32, Precision::Bf16, Precision::Fp16});
}

TEST_F(CudaKernels, PublishedKernelsAreOthers) {
  const CudaMatrix<double> A(uneven_windows());
  EXPECT_NE(kernels_of(A.plan(published(Format::BitTcf))).find("a pipeline of tiles of 8 rows"), std::string::npos);
  EXPECT_NE(kernels_of(A.plan(published(Format::Bmat))).find("producer and consumer warps"), std::string::npos);
}

TEST_F(CudaKernels, PublishedKernelsOfLongWindows) {
  const CudaMatrix<double> A(uneven_rows());
  for (const Format format : published_formats) {
    auto plan = A.plan(published(format));
    expect_products<double>(A, plan, Precision::Native, kernels_of(plan));
  }
}

TEST_F(CudaKernels, PublishedKernelsWithOffsetsOf64Bits) {
  const auto narrow = uneven_windows();
  std::vector<int> order(narrow.rows);
  std::iota(order.begin(), order.end(), 0);
  const auto wide = with_rows<std::size_t>(narrow, order);
  const UserMatrix<Exec, double, std::size_t> doubles(wide);
  const UserMatrix<Exec, float, std::size_t> floats(wide);
  for (const Format format : published_formats) {
    auto plan = doubles.plan(published(format));
    expect_product<Right<double>>(doubles, plan, 33, Mode::NoTranspose, 1.5, 0.5, kernels_of(plan));
    expect_product<Left<double>>(doubles, plan, 70, Mode::Transpose, 1.5, 0.5, kernels_of(plan));
    auto other = floats.plan(published(format, Precision::Tf32x3));
    expect_product<Right<float>>(floats, other, 33, Mode::NoTranspose, 1.5, 0.5, kernels_of(other), true, 2);
  }
}

TEST_F(CudaKernels, PublishedKernelsInAnotherOrder) {
  const CudaMatrix<double> A(scattered_windows());
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr}) {
    auto options = published(format);
    options.reordering = Reordering::WindowGrowing;
    options.always_reorder = true;
    auto plan = A.plan(options);
    EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::WindowGrowing) << plan.explain();
    for (const int columns : {1, 33, 100}) {
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_case<Right<double>>(A, plan, {columns, mode, 1.5, 0.5}, kernels_of(plan));
    }
  }
}

template <class Scalar>
void check_automatic_orders(bool expects_order) {
  const CudaMatrix<Scalar> A(uneven_windows());
  for (const Reordering reordering : {Reordering::DegreeSort, Reordering::JaccardRows, Reordering::Search}) {
    auto options = published(Format::Auto);
    options.reordering = reordering;
    options.always_reorder = true;
    auto plan = A.plan(options);
    EXPECT_EQ(plan.format() != Format::SortedColumns, expects_order) << plan.explain();
    EXPECT_EQ(Impl::choice_of(plan).reordering != Reordering::None, expects_order) << plan.explain();
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_case<Right<Scalar>>(A, plan, {33, mode, 1.5, 0.5}, kernels_of(plan));
  }
}

/// SortedColumns orders itself, so Auto does not take it for another order. No other format multiplies floats in float.
TEST_F(CudaKernels, AutomaticFormatsOfPublishedKernelsInAnotherOrder) {
  check_automatic_orders<double>(true);
  check_automatic_orders<float>(false);
}

/// Portable code multiplies double vectors, in double.
TEST_F(CudaKernels, PublishedKernelsAndVectorsOfDouble) {
  const CudaMatrix<float> A(uneven_windows());
  for (const Format format : published_formats) {
    auto plan = A.plan(published(format, Precision::Tf32));
    EXPECT_NE(kernels_of(plan).find("vectors of double for any device"), std::string::npos) << kernels_of(plan);
    expect_cases<double>(A, plan, Precision::Native, kernels_of(plan));
  }
}

TEST_F(CudaKernels, AnAutomaticFormatOfPublishedKernelsIsOneOfFive) {
  const CudaMatrix<double> A(uneven_windows());
  auto plan = A.plan(published(Format::Auto));
  EXPECT_EQ(Impl::choice_of(plan).candidates.size(), std::size(published_formats)) << plan.explain();
  EXPECT_TRUE(kernels_of(plan).starts_with("as published (")) << plan.explain();
  auto options = published(Format::Auto);
  options.tuning = Tuning::Measure;
  const auto measured = A.plan(options);  // a loop would not keep a temporary
  for (const Candidate& candidate : Impl::choice_of(measured).candidates)
    EXPECT_GT(candidate.measured_seconds, 0) << to_string(candidate.format);
}

TEST_F(CudaKernels, WhatHasNoPublishedKernelIsRejectedOrFallsBack) {
  const auto message = [](const auto& A, const PlanOptions& options) {
    return message_of<std::invalid_argument>([&] { A.plan(options); });
  };
  const CudaMatrix<double> doubles(uneven_windows());
  EXPECT_NE(message(doubles, published(Format::Csr)).find("csr is from no paper"), std::string::npos);
  auto blocks = published(Format::Bcsr);
  blocks.parameters.bcsr_block_rows = 5;
  blocks.parameters.bcsr_block_columns = 7;
  EXPECT_NE(message(doubles, blocks).find("blocks of 5 x 7"), std::string::npos);
  auto groups = published(Format::Brp);
  groups.parameters.brp_nonzeros_per_column = 8;
  EXPECT_NE(message(doubles, groups).find("brp has 8 nonzeros a local column"), std::string::npos);
  const CudaMatrix<float> floats(uneven_windows());
  EXPECT_NE(message(floats, published(Format::Bmat)).find("floats in native precision"), std::string::npos);
  EXPECT_EQ(floats.plan(published(Format::Auto)).format(), Format::SortedColumns);
  blocks.on_unsupported = OnUnsupported::FallBack;
  const auto plan = doubles.plan(blocks);
  EXPECT_EQ(kernels_of(plan), "for any device");
  EXPECT_NE(plan.explain().find("note: a published kernel was asked for"), std::string::npos) << plan.explain();
}

/// The transpose of 16 x 8 blocks has 8 x 16 blocks, which have no kernel.
TEST_F(CudaKernels, ATransposeWithoutPublishedKernelIsRejected) {
  const CudaMatrix<double> A(uneven_windows());
  auto options = published(Format::Bcsr);
  options.parameters.bcsr_block_rows = 16;
  options.parameters.bcsr_block_columns = 8;
  auto plan = A.plan(options);
  EXPECT_NE(message_of<std::invalid_argument>([&] { plan.prepare(Exec(), 3, Mode::Transpose); }).find("8 x 16"),
            std::string::npos);
}

}  // namespace Tessera::Impl::Test

#endif
