// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#ifndef TESSERA_WITHOUT_COMPLEX_FLOAT
#include "Scalars.hpp"

namespace Tessera::Impl::Test {

INSTANTIATE_TYPED_TEST_SUITE_P(ComplexFloat, ScalarOn, std::complex<float>);

}  // namespace Tessera::Impl::Test
#endif
