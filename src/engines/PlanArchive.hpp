// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tessera/EnumNames.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/system/impl/SectionFile.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// Saves and loads plans. PlanFields.hpp lists the content of the file once for both directions: it passes every field
/// and array to a PlanWriter or a PlanReader.
namespace Tessera::Impl {

/// Enumerators are saved as numbers, so new ones must be added at the end of their enumeration.
template <class T>
concept Number = std::is_arithmetic_v<T> || NamedEnum<T>;

/// The 8-byte type in which a number is saved.
template <Number T>
using saved_number_t =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_unsigned_v<T> && sizeof(T) == 8, std::uint64_t, std::int64_t>>;

/// Packs fields one after another: numbers, texts, lists, and structs with a function transfer(fields, struct). Each
/// text or list follows its length.
class FieldWriter {
 public:
  template <class... T>
  void operator()(T&... fields) {
    (put(fields), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <Number T>
  void put(T number) {
    const auto saved = static_cast<saved_number_t<T>>(number);
    bytes_.append(reinterpret_cast<const char*>(&saved), sizeof saved);
  }
  void put(std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class T>
  void put(std::vector<T>& list) {
    put(list.size());
    for (T& item : list) put(item);
  }
  template <class T>
  requires(!Number<T>) void put(T& fields) { transfer(*this, fields); }

  std::string bytes_;
};

/// Unpacks the fields that a FieldWriter packed.
///
/// \throws std::runtime_error if there are too few or too many bytes, or if a number is not a value of its type
class FieldReader {
 public:
  FieldReader(const SectionReader& file, const char* section, std::string_view bytes)
      : file_(file), section_(section), bytes_(bytes) {}

  template <class... T>
  void operator()(T&... fields) {
    (get(fields), ...);
  }
  void finish() const {
    if (!bytes_.empty()) fail("is longer than its fields");
  }

 private:
  template <Number T>
  void get(T& number) {
    saved_number_t<T> saved;
    std::memcpy(&saved, take(sizeof saved).data(), sizeof saved);
    if (!is_in_range<T>(saved)) fail("holds a number that is out of range");
    number = static_cast<T>(saved);
  }
  void get(std::string& text) { text = take(length(1)); }
  template <class T>
  void get(std::vector<T>& list) {
    // An item may need nine times the memory of its 8 bytes in the file. This limit bounds the memory that a damaged
    // file can request. Lists of plans are far shorter.
    constexpr std::size_t most = 1000;
    const std::size_t items = length(8);  // no item is shorter than a number
    if (items > most)
      fail("has a list of " + std::to_string(items) + " items; expected at most " + std::to_string(most));
    list.resize(items);
    for (T& item : list) get(item);
  }
  template <class T>
  requires(!Number<T>) void get(T& fields) { transfer(*this, fields); }

  template <class T>
  static bool is_in_range(saved_number_t<T> saved) {
    if constexpr (NamedEnum<T>) return saved >= 0 && saved < static_cast<std::int64_t>(enum_names<T>.size());
    if constexpr (std::is_same_v<T, bool>) return saved == 0 || saved == 1;
    if constexpr (std::integral<T> && !std::is_same_v<T, bool>) return std::in_range<T>(saved);
    return true;
  }
  /// Reads the length of a text or list, and checks that enough bytes follow.
  std::size_t length(std::size_t item_bytes) {
    std::size_t items = 0;
    get(items);
    if (items > bytes_.size() / item_bytes) fail("is shorter than its fields");
    return items;
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > bytes_.size()) fail("is shorter than its fields");
    const std::string_view taken = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return taken;
  }
  [[noreturn]] void fail(const std::string& what) const {
    file_.fail("the section \"" + std::string(section_) + "\" " + what);
  }

  const SectionReader& file_;
  const char* section_;
  std::string_view bytes_;
};

/// Saves a plan: each call of a member writes a section of the file.
template <class ExecutionSpace>
class PlanWriter {
 public:
  static constexpr bool is_loading = false;

  PlanWriter(const ExecutionSpace& exec, SectionWriter& file) : exec_(exec), file_(file) {}

  template <class... T>
  void fields(const char* name, T&... fields) {
    FieldWriter packed;
    packed(fields...);
    file_.add(name, 1, packed.bytes().data(), packed.bytes().size());
  }
  template <class View>
  void array(const char* name, View& device) {
    const auto add = [&](const auto* elements) {
      file_.add(name, sizeof(typename View::value_type), elements, device.extent(0));
    };
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible)
      add(device.data());
    else
      add(host_copy(exec_, device).data());
  }

 private:
  const ExecutionSpace& exec_;
  SectionWriter& file_;
};

/// Loads a plan that a PlanWriter saved, with the same sequence of calls.
template <class ExecutionSpace>
class PlanReader {
 public:
  static constexpr bool is_loading = true;

  PlanReader(const ExecutionSpace& exec, SectionReader& file) : exec_(exec), file_(file) {}

  template <class... T>
  void fields(const char* name, T&... fields) {
    FieldReader packed(file_, name, file_.take(name, 1));
    packed(fields...);
    packed.finish();
  }
  /// NOTE: the bytes may have any address. They are copied as bytes.
  template <class View>
  void array(const char* name, View& device) {
    const std::string_view host = file_.take(name, sizeof(typename View::value_type));
    device = View();
    if (host.empty()) return;
    device = allocate<View>(exec_, std::string("Tessera::") + name, host.size() / sizeof(typename View::value_type));
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec_,
                      Kokkos::View<char*, typename View::memory_space, Unmanaged>(
                          reinterpret_cast<char*>(device.data()), host.size()),
                      Kokkos::View<const char*, Kokkos::HostSpace, Unmanaged>(host.data(), host.size()));
  }
  [[noreturn]] void fail(const std::string& what) const { file_.fail(what); }

 private:
  const ExecutionSpace& exec_;
  SectionReader& file_;
};

}  // namespace Tessera::Impl
