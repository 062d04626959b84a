// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that CheckSource.cmake must find.
template <class Vectors, class Product>
void bad(Vectors& y, const Product& multiply, double beta) {
  const auto view = y.getLocalViewHost(0);
  multiply(beta, view, y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
}
