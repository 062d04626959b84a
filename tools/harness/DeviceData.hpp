// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <vector>

namespace Tessera::Impl::Harness {

/// The scalar type for Kokkos: std::complex does not work on devices.
template <class Scalar>
struct DeviceScalar {
  using type = Scalar;
};
template <class Real>
struct DeviceScalar<std::complex<Real>> {
  using type = Kokkos::complex<Real>;
};
template <class Scalar>
using device_scalar_t = typename DeviceScalar<Scalar>::type;

template <class Value, class ExecutionSpace>
using DeviceArray = Kokkos::View<Value*, typename ExecutionSpace::device_type>;
template <class Value, class KokkosLayout, class ExecutionSpace>
using DeviceDense = Kokkos::View<Value**, KokkosLayout, typename ExecutionSpace::device_type>;

/// Compressed rows on the device, with a type of offsets that may be narrower than the host's.
template <class Value, class Offset, class ExecutionSpace>
struct DeviceCsr {
  int rows = 0;
  int columns = 0;
  DeviceArray<Offset, ExecutionSpace> row_offsets;
  DeviceArray<int, ExecutionSpace> column_indices;
  DeviceArray<Value, ExecutionSpace> values;

  std::size_t bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + values.extent(0) * (sizeof(int) + sizeof(Value));
  }
};

template <class Value, class ExecutionSpace, class HostValue>
DeviceArray<Value, ExecutionSpace> upload(const std::string& name, const std::vector<HostValue>& host) {
  DeviceArray<Value, ExecutionSpace> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), host.size());
  const auto mirror = Kokkos::create_mirror_view(device);
  for (std::size_t k = 0; k < host.size(); ++k) mirror(k) = static_cast<Value>(host[k]);
  Kokkos::deep_copy(device, mirror);
  return device;
}

template <class Offset, class ExecutionSpace, class Scalar>
auto upload(const HostCsr<Scalar>& a) {
  using Value = device_scalar_t<Scalar>;
  return DeviceCsr<Value, Offset, ExecutionSpace>{a.rows, a.columns,
                                                  upload<Offset, ExecutionSpace>("row offsets", a.row_offsets),
                                                  upload<int, ExecutionSpace>("column indices", a.column_indices),
                                                  upload<Value, ExecutionSpace>("values", a.values)};
}

template <class KokkosLayout, class ExecutionSpace, class Scalar>
auto upload(const std::string& name, const HostDense<Scalar>& host) {
  using Dense = DeviceDense<device_scalar_t<Scalar>, KokkosLayout, ExecutionSpace>;
  Dense device(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), host.rows, host.columns);
  const auto mirror = Kokkos::create_mirror_view(device);
  for (std::size_t j = 0; j < host.columns; ++j) {
    for (std::size_t i = 0; i < host.rows; ++i) mirror(i, j) = host.values[i + j * host.rows];
  }
  Kokkos::deep_copy(device, mirror);
  return device;
}

template <class Scalar, class Dense>
HostDense<Scalar> download(const Dense& device) {
  HostDense<Scalar> host{device.extent(0), device.extent(1), {}};
  host.values.reserve(host.rows * host.columns);
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  for (std::size_t j = 0; j < host.columns; ++j) {
    for (std::size_t i = 0; i < host.rows; ++i) host.values.push_back(static_cast<Scalar>(mirror(i, j)));
  }
  return host;
}

}  // namespace Tessera::Impl::Harness
