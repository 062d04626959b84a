// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_WITHOUT_FLOAT
#include "RunAs.inl"

template Tessera::Impl::Driver::Result Tessera::Impl::Driver::run_as<float>(const Settings&, const char*);
#endif
