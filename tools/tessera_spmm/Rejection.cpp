// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rejection.hpp"

#include <new>
#include <stdexcept>

namespace Tessera::Impl::Driver {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string rejection_reason(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::invalid_argument& rejection) {
    return first_line(rejection.what());
  } catch (const std::runtime_error& rejection) {  // Kokkos throws it if an allocation fails
    return first_line(rejection.what());
  }
}

}  // namespace Tessera::Impl::Driver
