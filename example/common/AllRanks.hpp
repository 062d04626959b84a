// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_Comm.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <Teuchos_GlobalMPISession.hpp>
#include <charconv>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

/// Errors in programs with several ranks: no rank may wait for another that has failed.
namespace Example {

using Communicator = Teuchos::Comm<int>;

/// An error that all ranks throw.
class ErrorOnAllRanks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the result of work(), which every rank runs separately. If it throws on some ranks, all ranks throw the
/// message of the first of them.
template <class Work>
auto on_all_ranks(const Communicator& comm, const Work& work) {
  std::optional<std::invoke_result_t<Work>> result;
  std::string message;
  try {
    result = work();
  } catch (const std::exception& error) {
    message = error.what();
  }
  const int here = result ? comm.getSize() : comm.getRank();
  int first = here;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MIN, here, Teuchos::outArg(first));
  if (first == comm.getSize()) return *std::move(result);
  int length = static_cast<int>(message.size());
  Teuchos::broadcast(comm, first, Teuchos::outArg(length));
  message.resize(static_cast<std::size_t>(length));
  Teuchos::broadcast(comm, first, length, message.data());
  throw ErrorOnAllRanks(message);
}

/// Returns the result of work() that all ranks run together, such as a solver. Its exceptions depend on sums over all
/// ranks: a rank throws alone only if its memory runs out.
template <class Work>
auto together(const std::string& what, const Work& work) {
  try {
    return work();
  } catch (const std::logic_error& error) {
    throw ErrorOnAllRanks(what + ": " + error.what());
  }
}

/// Parses a positive number in the program's arguments, which are the same on all ranks.
inline int positive_number(const char* what, const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    throw ErrorOnAllRanks(std::string(what) + ": " + text + ", expected a positive number");
  }
  return number;
}

/// Reports an exception and returns the exit status; for catch (...) in main. Rank 0 reports an error of all ranks. An
/// error of a single rank also ends the other ranks.
inline int report_error(const std::string& program, const Communicator& comm) {
  try {
    throw;
  } catch (const ErrorOnAllRanks& error) {
    if (comm.getRank() == 0) std::cerr << program << ": " << error.what() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << program << ", rank " << comm.getRank() << ": " << error.what() << std::endl;
    if (comm.getSize() > 1) Teuchos::GlobalMPISession::abort();
  }
  return 2;
}

}  // namespace Example
