// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <DlpackExchange.hpp>
#include <cstddef>

namespace nb = nanobind;

namespace Tessera::Python {

namespace {

/// DLPackExchangeAPI of dlpack.h. Functions return 0, or else have set an exception.
struct ExchangeApi {
  struct {
    std::uint32_t major, minor;
  } version;
  const ExchangeApi* older;
  void* allocate;
  void* export_managed;
  void* import_managed;
  int (*describe)(void* object, DlpackTensor* tensor);  // may be null
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** stream);
};

static_assert(sizeof(DlpackTensor) == 48 && offsetof(DlpackTensor, extents) == 24);

const ExchangeApi* api_of(nb::handle object) {
  nb::object capsule = nb::getattr(object.type(), "__dlpack_c_exchange_api__", nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  const auto* api = static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major > 1) api = api->older;
  return api != nullptr && api->version.major == 1 && api->describe != nullptr ? api : nullptr;
}

std::optional<DlpackTensor> describe(const ExchangeApi* api, nb::handle object) {
  DlpackTensor tensor = {};
  if (api == nullptr) return {};
  if (api->describe(object.ptr(), &tensor) == 0) return tensor;
  PyErr_Clear();  // __dlpack__() tells better what is wrong
  return {};
}

}  // namespace

std::optional<DlpackTensor> exchange_tensor(nb::handle object) { return describe(api_of(object), object); }

std::optional<Stream> exchange_stream(nb::handle object) {
  const ExchangeApi* const api = api_of(object);
  const auto tensor = describe(api, object);
  void* stream = nullptr;
  if (!tensor) return {};
  if (api->current_stream(tensor->device_type, tensor->device_id, &stream) != 0) throw nb::python_error();
  return reinterpret_cast<Stream>(stream);
}

}  // namespace Tessera::Python
