// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tessera/cuda/HalfOperands.hpp>
#include <tuple>
#include <vector>

#include "DeviceMemory.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using Test::OnDevice;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Numbers are rounded to nearest, ties to even.
TEST(HalfOperands, RoundsValues) {
  TESSERA_SKIP_WITHOUT_GPU();
  struct Number {
    float value;
    std::uint16_t fp16, bf16;
  };
  const std::vector<Number> numbers = {
      {0.f, 0x0000, 0x0000},         {-0.f, 0x8000, 0x8000},         {1.f, 0x3c00, 0x3f80},
      {-2.5f, 0xc100, 0xc020},       {1 + 0x1p-11f, 0x3c00, 0x3f80}, {1 + 0x3p-11f, 0x3c02, 0x3f80},
      {1 + 0x1p-8f, 0x3c04, 0x3f80}, {1 + 0x3p-8f, 0x3c0c, 0x3f82},  {65504.f, 0x7bff, 0x4780},
      {65520.f, 0x7c00, 0x4780},     {-1e30f, 0xfc00, 0xf14a},       {0x1p-24f, 0x0001, 0x3380},
      {0x1p-25f, 0x0000, 0x3300},    {0x3p-25f, 0x0002, 0x33c0},     {infinity, 0x7c00, 0x7f80}};
  std::vector<float> values;
  for (const Number& number : numbers) values.push_back(number.value);
  const OnDevice<float> from(values);
  for (const auto precision : {Precision::Fp16, Precision::Bf16}) {
    const OnDevice<std::uint16_t> to(std::vector<std::uint16_t>(values.size()));
    Cuda::round_values(nullptr, precision, values.size(), from.data(), to.data());
    const std::vector<std::uint16_t> bits = to.to_host();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_EQ(bits[i], precision == Precision::Fp16 ? numbers[i].fp16 : numbers[i].bf16) << numbers[i].value;
    }
  }
}

// Small integers, which are exact in 16 bits. The sequence repeats after 256.
template <class Scalar>
std::vector<Scalar> integers(std::size_t count) {
  std::vector<Scalar> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Scalar>(i % 256);
  return values;
}

std::uint16_t bf16_of(double integer) {
  const auto value = static_cast<float>(integer);
  return static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, value) >> 16);
}

// The column that each position in a row of 16 stores (fragments/Layout.hpp).
constexpr int columns_of_products[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};

template <class Scalar>
void check_rows() {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const auto& [rows, columns] : {std::tuple{1, 1}, {3, 15}, {5, 16}, {40, 17}, {300, 33}}) {
    for (const bool left : {false, true}) {
      for (const auto order : {Cuda::HalfOrder::Columns, Cuda::HalfOrder::Products}) {
        const std::ptrdiff_t stride = Cuda::rounded_row_stride(columns);
        const OnDevice<Scalar> x(integers<Scalar>(std::size_t(rows) * columns));
        const OnDevice<std::uint16_t> to(std::vector<std::uint16_t>(std::size_t(rows) * stride, 0xffff));
        const Multivector<const Scalar> view = {x.data(), rows, columns, left ? 1 : columns, left ? rows : 1};
        Cuda::round_rows(nullptr, Precision::Bf16, order, view, to.data());
        const std::vector<Scalar> from = x.to_host();
        const std::vector<std::uint16_t> bits = to.to_host();
        int wrong = 0;
        for (int i = 0; i < rows; ++i) {
          for (int place = 0; place < stride; ++place) {
            const int j = order == Cuda::HalfOrder::Columns ? place : place / 16 * 16 + columns_of_products[place % 16];
            const double expected =
                j < columns ? from[left ? i + std::size_t(j) * rows : std::size_t(i) * columns + j] : 0;
            wrong += bits[std::size_t(i) * stride + place] != bf16_of(expected);
          }
        }
        EXPECT_EQ(wrong, 0) << rows << " x " << columns << (left ? ", left" : "");
      }
    }
  }
}

TEST(HalfOperands, RoundsRowsOfFloats) { check_rows<float>(); }
TEST(HalfOperands, RoundsRowsOfDoubles) { check_rows<double>(); }

TEST(HalfOperands, RejectsOtherPrecisions) {
  EXPECT_THROW(Cuda::round_values(nullptr, Precision::Tf32, 0, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(
      Cuda::round_rows(nullptr, Precision::Native, Cuda::HalfOrder::Columns, Multivector<const double>{}, nullptr),
      std::invalid_argument);
}

}  // namespace
