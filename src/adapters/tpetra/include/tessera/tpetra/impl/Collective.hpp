// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_Comm.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace Tessera::Impl {

/// A std::bad_alloc whose message says where memory ran out.
class BadAlloc : public std::bad_alloc {
 public:
  explicit BadAlloc(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// The failure of a rank, in a form that can be sent to other ranks.
struct Failure {
  enum Kind : int { None, InvalidArgument, LogicError, OutOfMemory, RuntimeError };
  int kind = None;
  std::string message;

  /// Calls the function, and stores the exception that it throws.
  template <class Function>
  static Failure of(Function&& function) {
    try {
      function();
      return {};
    } catch (const std::invalid_argument& e) {
      return {InvalidArgument, e.what()};
    } catch (const std::logic_error& e) {
      return {LogicError, e.what()};
    } catch (const std::bad_alloc& e) {
      return {OutOfMemory, e.what()};
    } catch (const std::exception& e) {
      return {RuntimeError, e.what()};
    } catch (...) {
      return {RuntimeError, "unknown error"};
    }
  }

  [[noreturn]] void raise() const {
    switch (kind) {
      case InvalidArgument:
        throw std::invalid_argument(message);
      case LogicError:
        throw std::logic_error(message);
      case OutOfMemory:
        throw BadAlloc(message);
      default:
        throw std::runtime_error(message);
    }
  }
};

/// Calls work() and then last(), which other ranks wait for. If work() throws, calls last() and rethrows the exception.
template <class Work, class Last>
void call_both(const Work& work, const Last& last) {
  try {
    work();
  } catch (...) {
    static_cast<void>(Failure::of(last));  // the first failure is the one to report
    throw;
  }
  last();
}

/// Calls the function on every rank. If it throws on some ranks, all ranks throw the failure of the lowest of them. The
/// function must not communicate. Cost without failures: one MPI_Allreduce of an int; nothing if there is one rank.
template <class Function>
void on_every_rank(const Teuchos::Comm<int>& comm, Function&& function) {
  if (comm.getSize() == 1) return function();
  Failure failure = Failure::of(function);
  const int mine = failure.kind == Failure::None ? 0 : comm.getSize() - comm.getRank();
  int first = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(first));
  if (first == 0) return;
  const int rank = comm.getSize() - first;
  int header[2] = {failure.kind, static_cast<int>(failure.message.size())};
  Teuchos::broadcast(comm, rank, 2, header);
  failure.kind = header[0];
  failure.message.resize(static_cast<std::size_t>(header[1]));
  Teuchos::broadcast(comm, rank, header[1], failure.message.data());
  failure.message = "rank " + std::to_string(rank) + ": " + failure.message;
  failure.raise();
}

/// Returns whether the condition is true on any rank.
inline bool on_any_rank(const Teuchos::Comm<int>& comm, bool here) {
  int any = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, here ? 1 : 0, Teuchos::outArg(any));
  return any != 0;
}

}  // namespace Tessera::Impl
