// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Python.h>
#include <unistd.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace Tessera::Python {

/// Calls f, which waits for Python's lock (GIL), and returns its result. If Python ends meanwhile, the thread stays
/// here: before Python 3.14, pthread_exit() would unwind it, and the process abort in the first function that is
/// noexcept.
template <class Function>
auto stay_if_python_ends(const Function& f) {
#ifdef __GLIBCXX__
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    while (true) ::pause();
  }
#else
  return f();
#endif
}

/// Work without Python's lock, in a thread that holds it.
class WithoutLock {
 public:
  WithoutLock() noexcept : state_(PyEval_SaveThread()) {}
  ~WithoutLock() {
    stay_if_python_ends([this] { PyEval_RestoreThread(state_); });
  }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

/// Work with Python's lock, in any thread.
class WithLock {
 public:
  WithLock() noexcept : state_(stay_if_python_ends([] { return PyGILState_Ensure(); })) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace Tessera::Python
