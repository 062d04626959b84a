// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <utility>

namespace Tessera::Impl {

/// The owner of an allocation. All Arrays in it share the owner, and the last of them destroys it.
class ArrayOwner {
 public:
  ArrayOwner() = default;
  virtual ~ArrayOwner() = default;
  ArrayOwner(const ArrayOwner&) = delete;
  ArrayOwner& operator=(const ArrayOwner&) = delete;

  void add() noexcept { arrays_.fetch_add(1, std::memory_order_relaxed); }
  void remove() noexcept {
    if (arrays_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<std::size_t> arrays_{1};
};

/// Owns the memory of a Kokkos::View for Arrays that share it.
template <class ViewType>
class ViewOwner final : public ArrayOwner {
 public:
  explicit ViewOwner(const ViewType& view) : view_(view) {}

 private:
  ViewType view_;
};

/// A View that shares ownership of its memory with its copies, like Kokkos::View. allocate() in Arrays.hpp makes it,
/// from Tessera's allocator. Kernels may capture it, because references are counted on the host only.
///
/// NOTE: a Kokkos::View that is made from an Array owns nothing, and must not outlive the Array.
template <class DataType, class Memory>
class Array : public Kokkos::View<DataType, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> {
 public:
  using Unowned = Kokkos::View<DataType, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FUNCTION Array() {}
  /// \param owner [in] has already counted this Array; null if another object owns the memory
  KOKKOS_FUNCTION Array(const Unowned& view, ArrayOwner* owner) : Unowned(view), owner_(owner) {}

  /// Shares the memory of a View that Kokkos allocated.
  Array(const Kokkos::View<DataType, Memory>& view)
      : Unowned(view), owner_(new ViewOwner<Kokkos::View<DataType, Memory>>(view)) {}

  KOKKOS_FUNCTION Array(const Array& other) : Unowned(other), owner_(other.owner_) {
    KOKKOS_IF_ON_HOST((if (owner_ != nullptr) owner_->add();))
  }
  KOKKOS_FUNCTION Array(Array&& other) noexcept : Unowned(other), owner_(other.owner_) { other.forget(); }
  KOKKOS_FUNCTION Array& operator=(const Array& other) { return *this = Array(other); }
  KOKKOS_FUNCTION Array& operator=(Array&& other) noexcept {
    if (this == &other) return *this;
    remove();
    Unowned::operator=(other);
    owner_ = other.owner_;
    other.forget();
    return *this;
  }
  KOKKOS_FUNCTION ~Array() { remove(); }

  /// Makes an Array of `size` elements at `data`, in the same allocation.
  template <class OtherArray = Array>
  OtherArray share(typename OtherArray::pointer_type data, std::size_t size) const {
    if (owner_ != nullptr) owner_->add();
    return {typename OtherArray::Unowned(data, size), owner_};
  }

 private:
  KOKKOS_FUNCTION void remove() { KOKKOS_IF_ON_HOST((if (owner_ != nullptr) owner_->remove();)) }
  KOKKOS_FUNCTION void forget() {
    Unowned::operator=(Unowned());
    owner_ = nullptr;
  }

  ArrayOwner* owner_ = nullptr;
};

}  // namespace Tessera::Impl
