// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
#include "Scalars.hpp"

namespace Tessera::Impl::Test {

INSTANTIATE_TYPED_TEST_SUITE_P(ComplexDouble, ScalarOn, std::complex<double>);

}  // namespace Tessera::Impl::Test
#endif
