// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <Array.hpp>
#include <cstdint>
#include <optional>

namespace Tessera::Python {

/// An array as DLPack describes it: DLTensor of dlpack.h.
struct DlpackTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t rank;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  const std::int64_t* extents;
  const std::int64_t* strides;  ///< in elements
  std::uint64_t byte_offset;
};

/// Describes an array by a C function of its library, which takes a tenth of the time of __dlpack__(): the type's
/// __dlpack_c_exchange_api__ (DLPack 1.3; PyTorch from 2.10 on). The description holds as long as the object.
///
/// \return nothing if the type has none, or DLPack cannot describe the array
std::optional<DlpackTensor> exchange_tensor(nanobind::handle object);

/// Returns the stream on which the array's library queues work for the array's GPU, in the same way.
std::optional<Stream> exchange_stream(nanobind::handle object);

}  // namespace Tessera::Python
