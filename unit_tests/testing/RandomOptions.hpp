// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/PlanOptions.hpp>

#include "Choices.hpp"

/// Random options for make_plan. Options that a device does not support fall back.
namespace Tessera::Impl::Test {

struct RandomOptions {
  PlanOptions options;
  bool may_be_rejected = false;  ///< whether a parameter may not suit the matrix, or the plan may not fit
};

/// Chooses parameters of one format. Some of them are out of range.
inline void choose_parameters(Choices& choices, RandomOptions& result) {
  FormatParameters& p = result.options.parameters;
  result.may_be_rejected = true;
  switch (choices.below(6)) {
    case 0:
      p.brp_nonzeros_per_column = choices.below(18);
      p.brp_tiles_per_group = choices.below(66);
      break;
    case 1:
      p.bcsr_block_rows = choices.below(66);
      p.bcsr_block_columns = choices.below(66);
      break;
    case 2:
      p.sorted_columns_width = choices.below(1026);
      p.sorted_columns_height = choices.below(40) - 1;
      break;
    case 3:
      p.staged_chunk_values = choices.below(300) - 1;
      p.staged_piece_chunks = choices.below(10) - 1;
      break;
    default:
      p.group_rows = choices.below(7) - 1;
  }
}

/// \param is_float      whether X and Y may have 16 bits
/// \param may_be_timed  whether formats may be measured, which is slow
inline RandomOptions random_options(Choices& choices, bool is_float, bool may_be_timed) {
  RandomOptions result;
  PlanOptions& options = result.options;
  options.on_unsupported = OnUnsupported::FallBack;
  options.format = static_cast<Format>(choices.below(int(every_format.size()) + 1));
  if (choices.one_in(2)) options.hints.num_vectors = choices.below(70);
  options.hints.layout_left = choices.one_in(2);
  options.hints.follow_values = choices.one_in(4);
  options.half_vectors = is_float && choices.one_in(2);
  options.same_bits_alone = choices.one_in(2);
  if (choices.one_in(2))
    options.reordering = static_cast<Reordering>(choices.below(int(enum_names<Reordering>.size())));
  options.always_reorder = choices.one_in(2);
  if (choices.one_in(2)) options.precision = static_cast<Precision>(choices.below(int(every_precision.size())));
  if (choices.one_in(6)) options.kernel = Kernel::Published;
  if (choices.one_in(4)) choose_parameters(choices, result);
  if (choices.one_in(8)) {
    options.memory_limit = std::size_t(1) << choices.below(24);
    result.may_be_rejected = true;
  }
  if (may_be_timed && choices.one_in(8)) options.tuning = choices.one_in(2) ? Tuning::Measure : Tuning::Adaptive;
  return result;
}

inline void tell(Story& story, const PlanOptions& o) {
  const FormatParameters& p = o.parameters;
  story.tell("plan: format ", to_string(o.format), ", columns ", o.hints.num_vectors, ", reordering ",
             to_string(o.reordering), o.always_reorder ? " (always)" : "", ", precision ", to_string(o.precision),
             ", kernel ", to_string(o.kernel), ", tuning ", to_string(o.tuning),
             o.hints.layout_left ? ", LayoutLeft" : "", o.hints.follow_values ? ", follows values" : "",
             o.half_vectors ? ", vectors of 16 bits" : "", o.same_bits_alone ? ", same bits alone" : "", ", limit ",
             o.memory_limit, "\nparameters: ", p.brp_nonzeros_per_column, ' ', p.brp_tiles_per_group, ' ',
             p.bcsr_block_rows, ' ', p.bcsr_block_columns, ' ', p.sorted_columns_width, ' ', p.sorted_columns_height,
             ' ', p.staged_chunk_values, ' ', p.staged_piece_chunks, ' ', p.group_rows, '\n');
}

}  // namespace Tessera::Impl::Test
