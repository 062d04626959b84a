// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_WITHOUT_DOUBLE
#include "RunAs.inl"

template Tessera::Impl::Driver::Result Tessera::Impl::Driver::run_as<double>(const Settings&, const char*);
#endif
