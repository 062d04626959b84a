// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_WITHOUT_COMPLEX_FLOAT
#include <complex>

#include "RunAs.inl"

template Tessera::Driver::Result Tessera::Driver::run_as<std::complex<float>>(const Settings&, const char*);
#endif
