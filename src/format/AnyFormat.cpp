// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <type_traits>

namespace Tessera {

namespace Impl {

template <class Pattern, class Offset, class Memory>
BuiltFormat<Offset, Memory> any_format(const Built<Pattern, Offset, Memory>& built) {
  return {built.pattern, built.values};
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
BuiltFormat<Offset, typename ExecutionSpace::memory_space> build_format(
    const ExecutionSpace& exec, Format format, const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
    const FormatParameters& parameters, std::size_t value_bytes) {
  const CsrPattern<Offset> A = rows.view();
  switch (format) {
    case Format::Csr:
      return {rows, {}};
    case Format::BitTcf:
      return Impl::any_format(build_bittcf(exec, A, rows.nonzeros));
    case Format::Bmat:
      return Impl::any_format(build_bmat(exec, A, rows.nonzeros));
    case Format::BlockRowPartition:
      return Impl::any_format(build_brp(exec, A, rows.nonzeros, parameters, value_bytes));
    case Format::Bcsr:
      return Impl::any_format(build_bcsr(exec, A, rows.nonzeros, parameters, value_bytes));
    case Format::SortedColumns:
      return Impl::any_format(build_sorted_columns(exec, A, rows.nonzeros, parameters.sorted_columns_width,
                                                   parameters.sorted_columns_height));
    case Format::Automatic:
      break;
  }
  throw std::invalid_argument("Tessera::build_format: expected the name of a format");
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
  template BuiltCsr<Offset, Exec::memory_space> to_csr<Exec, Offset>(const Exec&,                                   \
                                                                     const AnyFormat<Offset, Exec::memory_space>&); \
  template std::string validate<Exec, Offset>(const Exec&, const AnyFormat<Offset, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
