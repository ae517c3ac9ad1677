/// The walk over attention's heads, blocks of queries and blocks of keys that its derivatives take.
#pragma once

#include "kolam/language/formula.h"
#include "kolam/transform/derive/attention_blocks.h"

#include <functional>
#include <optional>

namespace kolam::transform::derive {

using language::Builder;
using language::Value;
using language::Values;

/// An array that the walk adds up: leading dims of its own, which heads share as they share an
/// operand's, then others.
struct AttentionSum {
  Shape leading, rest;
  DType dtype; ///< of the array; sums are added up in f32 or f64
};

/// A head: its place along the leading dims of the result, and in the sums of the turn.
struct AttentionHead {
  Values at;
  std::vector<Values> in_sums; ///< by sum
};

/// A block of queries, rows [first, first + rows).
struct QueryBlock {
  const AttentionHead& head;
  Value first;
  Value lse; ///< [rows]; 0 for rows that see no key
};

/// A block of keys: 128, or those that are left.
struct KeyBlock {
  Value start;
  Extent count;
  Value by_key; ///< which row sees which key, [count, rows]; null: all do
};

class AttentionWalk {
public:
  AttentionWalk(Builder& b, const AttentionPoint& point);

  const DType wide;
  /// Queries of a block, and of arrays whose blocks are read and added up: a multiple of them.
  const int64_t rows;
  Extent padded_rows;

  /// There are no queries, keys or heads.
  static bool is_empty(ir::AttentionOp op);
  /// The result's leading extents.
  const Shape& leading() const { return leading_; }

  /// `body(head, sums)` for each head gives what the sums are then. Those of each turn are its own
  /// until it ends: threads share turns.
  Values
  over_heads(const std::vector<AttentionSum>& sums,
             const std::function<Values(const AttentionHead& head, const Values& sums)>& body);
  /// `body(block, states)` for each block of queries of a head.
  Values over_queries(const AttentionHead& head, const Values& states,
                      const std::function<Values(const QueryBlock&, const Values&)>& body);
  /// `body(keys, states)` for each block of keys that a row of the block sees, ascending.
  Values over_keys(const QueryBlock& block, const Values& states,
                   const std::function<Values(const KeyBlock&, const Values&)>& body);

  /// An array with zeros behind its elements along a dim: of a multiple of blocks; and without.
  Value padded(Value x, int64_t dim, const Extent& extent) const;
  Value cut(Value x, int64_t dim, const Extent& extent) const;
  /// The same along rows, unless there is one for all.
  Value padded_mask(Value x) const;
  Shape padded_mask_shape() const;
  /// The block of an array at a head and from `first` on, of `shape`, in f32 or f64.
  Value block(Value array, const AttentionHead& head, Value first, const Shape& shape) const;
  /// What the mask adds to scores [keys, rows]; null for nothing.
  Value bias(const QueryBlock& block, const KeyBlock& keys) const;
  /// Those elements of a mask, or of an array like it.
  Value mask_block(Value mask, const QueryBlock& block, const KeyBlock& keys) const;
  /// A window of a sum.
  Value window(Value sum, const Values& starts, const Shape& shape) const;
  Value with_window(Value sum, const Values& starts, Value part) const;
  Value place(int64_t number) const;

private:
  struct Bounds {
    Value start, inner, inner_stop, stop;
  };
  Value place_of(const Extent& extent) const;
  Value least(Value x, Value y);
  Value most(Value x, Value y);
  Values loop(Value lower, Value upper, const Values& states,
              const std::function<Values(Value, const Values&)>& body, bool independent = false);
  Values along(const Extent& count, const Values& states,
               const std::function<Values(Value, const Values&)>& body, bool independent = false);
  Bounds bounds(Value first);
  /// The block of keys with which row sees which of them.
  KeyBlock with_seen(const QueryBlock& block, KeyBlock keys);
  Value own_place(const Values& at, size_t dim, const Extent& own) const;

  Builder& b_;
  language::Formula f_;
  mutable ir::AttentionOp op_; ///< its own functions are not const
  Shape leading_;
  Extent query_count_, key_count_;
  int64_t keys_; ///< of a block
  std::optional<int64_t> left_, right_;
  DType places_; ///< of numbers of rows and keys
  Value lse_, mask_, q_segments_, k_segments_;
  Values captures_;
};

} // namespace kolam::transform::derive
