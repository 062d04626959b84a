// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <AnyPlan.hpp>
#include <Import.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Tessera::Python {

namespace {

using enum ElementType;

std::string class_of(nb::handle object) { return nb::type_name(object.type()).c_str(); }

/// The element type that a format of Python's module struct names, without its byte order.
ElementType type_of_format(std::string_view format, std::int64_t bytes) {
  constexpr std::pair<std::string_view, ElementType> known[] = {
      {"f", Float}, {"d", Double}, {"Zf", ComplexFloat}, {"Zd", ComplexDouble}, {"e", Half}};
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  if (!format.empty() && (format[0] == foreign || (foreign == '>' && format[0] == '!'))) return Other;
  if (!format.empty() && std::string_view("@=<>!").find(format[0]) != std::string_view::npos) format.remove_prefix(1);
  for (const auto& [name, type] : known)
    if (format == name) return type;
  if (format.size() == 1 && std::string_view("ilq").find(format[0]) != std::string_view::npos)
    return bytes == 4 ? Int32 : bytes == 8 ? Int64 : Other;
  return Other;
}

/// The element type of a typestr of the array interfaces, such as "<f8".
ElementType type_of_typestr(std::string_view typestr) {
  constexpr std::pair<std::string_view, ElementType> known[] = {
      {"f4", Float}, {"f8", Double}, {"c8", ComplexFloat}, {"c16", ComplexDouble},
      {"f2", Half},  {"i4", Int32},  {"i8", Int64}};
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  if (typestr.size() < 2 || (typestr[0] != native && typestr[0] != '|')) return Other;
  for (const auto& [name, type] : known)
    if (typestr.substr(1) == name) return type;
  return Other;
}

ElementType type_of_dlpack(const DlpackTensor& tensor) {
  using nb::dlpack::dtype_code;
  const int bits = tensor.type_bits;
  if (tensor.type_lanes != 1) return Other;
  switch (static_cast<dtype_code>(tensor.type_code)) {
    case dtype_code::Float:
      return bits == 32 ? Float : bits == 64 ? Double : bits == 16 ? Half : Other;
    case dtype_code::Complex:
      return bits == 64 ? ComplexFloat : bits == 128 ? ComplexDouble : Other;
    case dtype_code::Bfloat:
      return bits == 16 ? BFloat16 : Other;
    case dtype_code::Int:
      return bits == 32 ? Int32 : bits == 64 ? Int64 : Other;
    default:
      return Other;
  }
}

/// Returns a copy of a tensor of PyTorch that stands for the conjugate or the negative of its memory, of which DLPack
/// knows nothing; no object for all others.
nb::object resolved(nb::handle object) {
  nb::object is_negative = nb::getattr(object, "is_neg", nb::none());
  if (is_negative.is_none()) return {};
  if (!nb::cast<bool>(is_negative()) && !nb::cast<bool>(object.attr("is_conj")())) return {};
  return object.attr("resolve_conj")().attr("resolve_neg")();
}

/// The GPU that holds the memory of __cuda_array_interface__: the object's own `device`, or else GPU 0.
int gpu_of(nb::handle object) {
  nb::object device = nb::getattr(object, "device", nb::none());
  nb::object id = nb::getattr(device, "id", nb::none());
  return PyLong_Check(id.ptr()) ? nb::cast<int>(id) : 0;
}

/// Whether rows overlap columns: the larger stride is less than what the smaller one reaches.
bool repeats_elements(const Array& a) {
  if (a.rank < 2 || a.extents[0] < 2 || a.extents[1] < 2) return false;
  const int inner = a.strides[0] < a.strides[1] ? 0 : 1;
  return a.strides[1 - inner] < a.strides[inner] * (a.extents[inner] - 1) + 1;
}

/// The message of an exception of Python, without what PyTorch appends: a trace in more lines.
std::string text_of(const nb::python_error& error) {
  const std::string text = nb::str(error.value()).c_str();
  return text.substr(0, text.find('\n'));
}

}  // namespace

ImportedArray::ImportedArray(ImportedArray&& other) noexcept
    : array_(other.array_),
      is_read_only_(other.is_read_only_),
      can_be_used_(other.can_be_used_),
      type_name_(std::move(other.type_name_)),
      buffer_(std::exchange(other.buffer_, Py_buffer{})),
      dlpack_(std::move(other.dlpack_)),
      owner_(std::move(other.owner_)) {}

ImportedArray::~ImportedArray() {
  PyBuffer_Release(&buffer_);  // nothing, if there is none
}

void ImportedArray::set_shape(const std::string& name, int rank, const std::int64_t* extents,
                              const std::int64_t* byte_strides, std::int64_t element_bytes) {
  if (rank < 1 || rank > 2) {
    throw std::invalid_argument(name + " has " + std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") +
                                "; expected 1 or 2");
  }
  array_.rank = rank;
  for (int i = 0; i < rank; ++i) array_.extents[i] = extents[i];
  const bool is_empty = array_.extents[0] == 0 || array_.extents[1] == 0;
  // The stride of a dimension with one element is arbitrary. These are the strides of row-major order.
  array_.strides = {std::max<std::int64_t>(array_.extents[1], 1), rank == 1 ? 0 : 1};
  for (int i = 0; i < rank; ++i) {
    if (is_empty || array_.extents[i] == 1) continue;
    can_be_used_ = can_be_used_ && byte_strides[i] > 0 && byte_strides[i] % element_bytes == 0;
    array_.strides[i] = byte_strides[i] / element_bytes;
  }
  can_be_used_ = can_be_used_ && (is_empty || reinterpret_cast<std::uintptr_t>(array_.data) % element_bytes == 0);
}

bool ImportedArray::import_buffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();  // NumPy has types that the protocol cannot describe
    return false;
  }
  const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
  array_.data = buffer_.buf;
  array_.type = type_of_format(format, buffer_.itemsize);
  is_read_only_ = buffer_.readonly != 0;
  if (array_.type == Other) {
    if (!nb::hasattr(object, "dtype")) type_name_ = "of the format \"" + std::string(format) + '"';
  }
  return true;
}

void ImportedArray::import_dlpack(nb::handle object, const std::string& name) {
  try {
    if (const auto tensor = exchange_tensor(object); tensor && tensor->strides != nullptr) {
      if (nb::cast<bool>(nb::getattr(object, "requires_grad", nb::bool_(false))))
        throw std::invalid_argument(name + " requires a gradient; expected a tensor that does not: its detach()");
      set_dlpack(*tensor, name);
      return;
    }
    const auto device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
    // Work is queued on the stream that the caller names: the producer need not wait for another one.
    nb::object capsule = nb::cast<int>(device[0]) == nb::device::cuda::value
                             ? object.attr("__dlpack__")(nb::arg("stream") = -1)
                             : object.attr("__dlpack__")();
    dlpack_ = nb::cast<nb::ndarray<nb::ro>>(capsule);
  } catch (const nb::python_error& error) {
    throw std::invalid_argument(name + " cannot be read through DLPack: " + text_of(error));
  }
  const auto& a = dlpack_;
  const auto type = a.dtype();
  set_dlpack({const_cast<void*>(a.data()), a.device_type(), a.device_id(), static_cast<std::int32_t>(a.ndim()),
              static_cast<std::uint8_t>(type.code), type.bits, type.lanes, a.shape_ptr(), a.stride_ptr(), 0},
             name);
}

void ImportedArray::set_dlpack(const DlpackTensor& tensor, const std::string& name) {
  const int device = tensor.device_type;
  array_.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  array_.type = type_of_dlpack(tensor);
  array_.device.is_cuda = device == nb::device::cuda::value || device == nb::device::cuda_managed::value;
  array_.device.id = array_.device.is_cuda ? tensor.device_id : 0;
  if (!array_.device.is_cuda && device != nb::device::cpu::value && device != nb::device::cuda_host::value) {
    throw std::invalid_argument(name + " is on a device of DLPack's type " + std::to_string(device) +
                                "; expected a host or a CUDA device");
  }
  const std::int64_t bytes = std::max((tensor.type_bits + 7) / 8, 1);
  std::array<std::int64_t, 2> strides{};
  for (int i = 0; i < std::min(tensor.rank, 2); ++i) strides[i] = tensor.strides[i] * bytes;
  set_shape(name, tensor.rank, tensor.extents, strides.data(), bytes);
}

void ImportedArray::import_interface(nb::handle dictionary, bool is_cuda, const std::string& name) {
  const auto typestr = nb::cast<std::string>(dictionary["typestr"]);
  const auto data = nb::cast<nb::tuple>(dictionary["data"]);
  const auto shape = nb::cast<std::vector<std::int64_t>>(dictionary["shape"]);
  std::int64_t bytes = 0;
  for (std::size_t i = 2; i < typestr.size() && bytes < 1000; ++i)
    bytes = typestr[i] >= '0' && typestr[i] <= '9' ? 10 * bytes + (typestr[i] - '0') : 1000;
  if (bytes < 1 || bytes >= 1000)
    throw WrongType(name + " has the typestr \"" + typestr + "\"; expected one such as \"<f8\"");
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = bytes;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  nb::object given = dictionary.attr("get")("strides");
  if (!given.is_none()) strides = nb::cast<std::vector<std::int64_t>>(given);
  if (strides.size() != shape.size()) {
    throw std::invalid_argument(name + " has " + std::to_string(shape.size()) + " extents and " +
                                std::to_string(strides.size()) + " strides; expected the same number");
  }
  array_.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  array_.type = type_of_typestr(typestr);
  array_.device.is_cuda = is_cuda;
  is_read_only_ = nb::cast<bool>(data[1]);
  type_name_ = typestr;
  set_shape(name, static_cast<int>(shape.size()), shape.data(), strides.data(), bytes);
}

ImportedArray ImportedArray::any(nb::handle object, const std::string& name) {
  ImportedArray result;
  if (result.import_buffer(object)) {
    const Py_buffer& b = result.buffer_;
    std::array<std::int64_t, 2> extents{}, strides{};
    for (int i = 0; i < std::min(b.ndim, 2); ++i) {
      extents[i] = b.shape[i];
      strides[i] = b.strides[i];
    }
    result.set_shape(name, b.ndim, extents.data(), strides.data(), std::max<std::int64_t>(b.itemsize, 1));
  } else if (nb::hasattr(object, "__dlpack__")) {
    result.owner_ = resolved(object);
    result.import_dlpack(result.is_copy() ? nb::handle(result.owner_) : object, name);
  } else if (nb::hasattr(object, "__cuda_array_interface__")) {
    result.import_interface(object.attr("__cuda_array_interface__"), true, name);
    result.array_.device.id = gpu_of(object);
  } else if (nb::hasattr(object, "__array_interface__")) {
    result.import_interface(object.attr("__array_interface__"), false, name);
  } else {
    throw WrongType(
        name + " is of the type " + class_of(object) +
        "; expected an array: of NumPy, CuPy or PyTorch, or one that DLPack or an array interface describes");
  }
  if (result.array_.type != Other) return result;
  if (result.type_name_.empty()) result.type_name_ = nb::str(nb::getattr(object, "dtype", nb::str("unknown"))).c_str();
  throw WrongType(name + " is " + result.type_name_ +
                  "; expected float32, float64, complex64 or complex128 (for indices int32 or int64), in the machine's "
                  "byte order");
}

ImportedArray ImportedArray::to_read(nb::handle object, const std::string& name) {
  ImportedArray result = any(object, name);
  if (result.can_be_used_) return result;
  for (const char* copy : {"contiguous", "clone", "copy"}) {
    if (!nb::hasattr(object, copy)) continue;
    nb::object copied = object.attr(copy)();
    ImportedArray imported = any(copied, name);
    if (!imported.can_be_used_) continue;
    if (!imported.is_copy()) imported.owner_ = std::move(copied);
    return imported;
  }
  throw std::invalid_argument(name +
                              " has negative strides, repeated elements or elements that are not aligned; expected "
                              "an array without, or one with a method copy()");
}

ImportedArray ImportedArray::to_write(nb::handle object, const std::string& name) {
  ImportedArray result = any(object, name);
  if (result.is_read_only_) throw std::invalid_argument(name + " is read-only; expected an array that can be written");
  if (result.is_copy()) {
    throw std::invalid_argument(name +
                                " is a lazy conjugate or negative; expected an array that can be written in place");
  }
  if (!result.can_be_used_ || repeats_elements(result.array_)) {
    throw std::invalid_argument(name +
                                " has negative strides, repeated elements or elements that are not aligned; "
                                "expected an array that can be written in place");
  }
  return result;
}

ImportedArray ImportedArray::vector(nb::handle object, const std::string& name) {
  ImportedArray result = to_read(object, name);
  if (result.array_.rank != 1) throw std::invalid_argument(name + " has 2 dimensions; expected 1");
  if (result.array_.strides[0] == 1 || result.array_.extents[0] < 2) return result;
  for (const char* copy : {"contiguous", "copy"}) {
    if (!nb::hasattr(object, copy)) continue;
    nb::object copied = object.attr(copy)();
    ImportedArray imported = to_read(copied, name);
    if (!imported.is_copy()) imported.owner_ = std::move(copied);
    return imported;
  }
  throw std::invalid_argument(name + " has gaps between its elements; expected none");
}

}  // namespace Tessera::Python
