// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
#include <complex>

#include "RunAs.inl"

template Tessera::Impl::Driver::Result Tessera::Impl::Driver::run_as<std::complex<double>>(const Settings&,
                                                                                           const char*);
#endif
