# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Toolchain file: compiles for 64-bit Arm on a Debian of another architecture, with packages such as libkokkos-dev:arm64.
# Programs run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
