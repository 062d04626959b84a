// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_ArrayView.hpp>
#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Distributor.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/nccl/NcclComm.hpp>
#include <vector>

namespace Tessera::Impl {

/// The messages of an Import. Rows are in the order of the neighbours. Each neighbour is sent its rows in one message,
/// from memory of any kind that MPI can read. Only wait() blocks; Tpetra's Distributor uses MPI_Send unless it is
/// configured otherwise.
///
/// Ranks post their messages in the same order, and wait for all of them even if an error occurs in between. Hence all
/// exchanges can use one tag.
class Messages {
 public:
  Messages() = default;

  explicit Messages(const Tpetra::Distributor& distributor)
      : comm_(distributor.getPlan().getComm()),
        targets_(neighbours(distributor.getProcsTo(), distributor.getLengthsTo())),
        sources_(neighbours(distributor.getProcsFrom(), distributor.getLengthsFrom())) {}

  /// Begins to receive rows of this size, one after the other. The memory must not be used until wait().
  void receive(void* rows, std::size_t row_bytes) {
    for_each_message(sources_, static_cast<char*>(rows), row_bytes, [&](char* data, int bytes, int rank) {
      requests_.push_back(comm_->ireceive(Teuchos::ArrayView<char>(data, bytes), rank, tag));
    });
  }

  /// Begins to send rows. The memory must not change until wait().
  void send(const void* rows, std::size_t row_bytes) {
    for_each_message(targets_, static_cast<const char*>(rows), row_bytes, [&](const char* data, int bytes, int rank) {
      requests_.push_back(comm_->isend(Teuchos::ArrayView<const char>(data, bytes), rank, tag));
    });
  }

  /// Waits until all messages have been received and sent.
  void wait() {
    if (!requests_.empty()) comm_->waitAll(Teuchos::ArrayView<Request>(requests_));
    requests_.clear();
  }

  /// Sends and receives by NCCL, as work on a stream: instead of the three functions above. Returns at once.
  void exchange(NcclComm& nccl, void* sent, void* received, std::size_t row_bytes, NcclComm::Stream stream) {
    list_messages(sources_, static_cast<char*>(received), row_bytes, received_by_nccl_);
    list_messages(targets_, static_cast<char*>(sent), row_bytes, sent_by_nccl_);
    nccl.exchange(sent_by_nccl_, received_by_nccl_, stream);
  }

  /// Drops the receives that were posted by a product that failed before it sent anything.
  void give_up() { requests_.clear(); }

 private:
  using Request = Teuchos::RCP<Teuchos::CommRequest<int>>;
  struct Neighbour {
    int rank;
    std::size_t rows;
  };
  static constexpr int tag = 17191;                                // MPI allows at least 32767
  static constexpr std::size_t most_bytes = std::size_t(1) << 30;  // MPI counts in int

  static std::vector<Neighbour> neighbours(Teuchos::ArrayView<const int> ranks,
                                           Teuchos::ArrayView<const std::size_t> rows) {
    std::vector<Neighbour> result;
    for (int i = 0; i < static_cast<int>(ranks.size()); ++i) result.push_back({ranks[i], rows[i]});
    return result;
  }

  /// Calls post(data, bytes, rank) for each message. Several go to a neighbour with more bytes than MPI can count.
  template <class Char, class Post>
  static void for_each_message(const std::vector<Neighbour>& neighbours, Char* data, std::size_t row_bytes,
                               const Post& post) {
    for (const Neighbour& neighbour : neighbours) {
      for (std::size_t left = neighbour.rows * row_bytes; left > 0;) {
        const std::size_t bytes = std::min(left, most_bytes);
        post(data, static_cast<int>(bytes), neighbour.rank);
        data += bytes;
        left -= bytes;
      }
    }
  }

  static void list_messages(const std::vector<Neighbour>& neighbours, char* data, std::size_t row_bytes,
                            std::vector<NcclMessage>& messages) {
    messages.clear();
    for (const Neighbour& neighbour : neighbours) {
      messages.push_back({neighbour.rank, data, neighbour.rows * row_bytes});
      data += neighbour.rows * row_bytes;
    }
  }

  Teuchos::RCP<const Teuchos::Comm<int>> comm_;
  std::vector<Neighbour> targets_, sources_;
  std::vector<Request> requests_;
  std::vector<NcclMessage> sent_by_nccl_, received_by_nccl_;
};

}  // namespace Tessera::Impl
