// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl::Cuda {

/// While the object lives, the layer takes this number for that of the calling thread's current GPU, instead of asking
/// CUDA at each launch.
class KnownDevice {
 public:
  static constexpr int unknown = -1;

  explicit KnownDevice(int device) : before_(number()) { number() = device; }
  ~KnownDevice() { number() = before_; }
  KnownDevice(const KnownDevice&) = delete;
  KnownDevice& operator=(const KnownDevice&) = delete;

  /// Returns the number, or `unknown`.
  static int& number() {
    static thread_local constinit int device = unknown;
    return device;
  }

 private:
  int before_;
};

}  // namespace Tessera::Impl::Cuda
