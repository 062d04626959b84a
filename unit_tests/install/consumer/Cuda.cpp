// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The component has no headers of its own: plans on Kokkos::Cuda call its kernels. Linking is the test.
int main() { return 0; }
