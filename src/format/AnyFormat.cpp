// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/AnyFormat.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <type_traits>
#include <utility>

namespace Tessera {

template <class ExecutionSpace, class Offset>
BuiltFormat<Offset, typename ExecutionSpace::memory_space> build_format(
    const ExecutionSpace& exec, Format format, const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
    const FormatParameters& parameters, std::size_t value_bytes) {
  using Memory = typename ExecutionSpace::memory_space;
  return visit_type_of<AnyFormat<Offset, Memory>>(format, [&](auto type) -> BuiltFormat<Offset, Memory> {
    auto built = decltype(type)::type::build(exec, rows, parameters, value_bytes);
    return {std::move(built.pattern), std::move(built.values)};
  });
}

template <class ExecutionSpace, class Offset>
FormatMemory format_memory(const ExecutionSpace& exec, Format format,
                           const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
                           const FormatParameters& parameters, std::size_t value_bytes, double tiles) {
  return visit_type_of<AnyFormat<Offset, typename ExecutionSpace::memory_space>>(
      format, [&](auto type) { return decltype(type)::type::memory(exec, rows, parameters, value_bytes, tiles); });
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A) {
  using Memory = typename ExecutionSpace::memory_space;
  return std::visit(
      [&](const auto& format) -> BuiltCsr<Offset, Memory> {
        if constexpr (std::is_same_v<std::decay_t<decltype(format)>, Csr<Offset, Memory>>) {
          return {format, {}};
        } else {
          return to_csr<ExecutionSpace, Offset>(exec, format);
        }
      },
      A);
}

template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A) {
  return std::visit([&](const auto& format) { return validate<ExecutionSpace, Offset>(exec, format); }, A);
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                           \
  template BuiltFormat<Offset, Exec::memory_space> build_format(                                                    \
      const Exec&, Format, const Csr<Offset, Exec::memory_space>&, const FormatParameters&, std::size_t);           \
  template FormatMemory format_memory(const Exec&, Format, const Csr<Offset, Exec::memory_space>&,                  \
                                      const FormatParameters&, std::size_t, double);                                \
  template BuiltCsr<Offset, Exec::memory_space> to_csr<Exec, Offset>(const Exec&,                                   \
                                                                     const AnyFormat<Offset, Exec::memory_space>&); \
  template std::string validate<Exec, Offset>(const Exec&, const AnyFormat<Offset, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
