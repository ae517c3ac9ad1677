// Loops over what attention's derivatives visit.
#include "kolam/transform/derive/attention_walk.h"

#include "kolam/ir/attention.h"
#include "kolam/ir/independent.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/attention_plain.h"
#include "kolam/transform/derive/placing.h"

#include <numeric>

namespace kolam::transform::derive {
namespace {

/// Meaning: queries add up to k~ and v~ in blocks of so many from 0. With 128 dense products are no
/// faster, and more is computed at the edges of windows and behind the last query.
constexpr int64_t kRows = 64;

/// The extent of a block, or all there is.
int64_t block_of(Value array, int64_t most) {
  return std::clamp<int64_t>(ir::shape_of(array).end()[-2].constant().value_or(most), 1, most);
}
int64_t rows_of(ir::AttentionOp op) { return block_of(op.getQ(), kRows); }
int64_t keys_of(ir::AttentionOp op) { return block_of(op.getK(), ir::kAttentionKeys); }

std::optional<int64_t> reach(std::optional<uint64_t> keys) {
  constexpr uint64_t kFar = uint64_t{1} << 62; // bound
  return keys ? std::optional(static_cast<int64_t>(std::min(*keys, kFar))) : std::nullopt;
}

/// How many turns, of which each has sums of its own, go over a leading dim of the result.
Extent turns_along(const Extent& result, size_t dim, const std::vector<AttentionSum>& sums) {
  bool all_own = true;
  for (const AttentionSum& sum : sums)
    all_own &= sum.leading[dim] == result;
  if (all_own)
    return result;
  if (!result.is_constant())
    return 1;
  int64_t turns = *result.constant();
  for (const AttentionSum& sum : sums)
    turns = std::gcd(turns, sum.leading[dim].constant().value_or(1));
  return turns;
}

/// The part of an operand's extent that belongs to one of `turns`.
Extent part_of(const Extent& own, const Extent& turns) {
  return own == turns ? Extent(1) : floordiv(own, turns);
}

} // namespace

AttentionWalk::AttentionWalk(Builder& b, const AttentionPoint& point)
    : wide(language::wide_dtype(ir::dtype_of(point.result))), rows(rows_of(point.op)), b_(b), f_{b},
      op_(point.op), leading_(ir::shape_of(op_.getResult())),
      query_count_(ir::shape_of(op_.getQ()).end()[-2]),
      key_count_(ir::shape_of(op_.getK()).end()[-2]), keys_(keys_of(op_)),
      left_(reach(op_.getLeft())), right_(reach(op_.getRight())) {
  leading_.resize(leading_.size() - 2);
  padded_rows = ceildiv(query_count_, rows) * Extent(rows);
  constexpr int64_t kNear = int64_t{1} << 30; // bound: sums of two are int32
  auto is_near = [=](const Extent& extent) { return extent.constant().value_or(kNear) < kNear; };
  places_ =
      is_near(padded_rows + key_count_) && left_.value_or(0) < kNear && right_.value_or(0) < kNear
          ? DType::i32
          : DType::i64;
  auto take = [&](Value of) -> Value {
    for (auto [own, given] : llvm::zip(op_->getOperands(), point.operands))
      if (of && own == of)
        return given;
    return {};
  };
  const auto rank = static_cast<int64_t>(leading_.size());
  const double lowest = -std::numeric_limits<double>::infinity();
  Value is_none = f_.apply(Fn::equal, point.lse, lowest);
  lse_ = padded(f_.choose(is_none, f_.number(0, point.lse), point.lse), rank, padded_rows);
  if (op_.getMask())
    mask_ = padded_mask(take(op_.getMask()));
  if (op_.getQSegments()) {
    q_segments_ = padded(take(op_.getQSegments()), rank, padded_rows);
    k_segments_ = take(op_.getKSegments());
  }
  for (Value capture : op_.getCaptures())
    captures_.push_back(take(capture));
}

bool AttentionWalk::is_empty(ir::AttentionOp op) {
  Shape all = ir::shape_of(op.getResult());
  all.back() = ir::shape_of(op.getK()).end()[-2];
  return llvm::any_of(all, [](const Extent& extent) { return extent == Extent(0); });
}

Value AttentionWalk::place(int64_t number) const {
  return language::integer_constant(b_, number, places_);
}
Value AttentionWalk::place_of(const Extent& extent) const {
  if (auto known = extent.constant())
    return place(*known);
  return language::cast(b_, language::extent_scalar(b_, extent, DType::i64), places_);
}
Value AttentionWalk::least(Value x, Value y) { return f_.apply(Fn::minimum, x, y); }
Value AttentionWalk::most(Value x, Value y) { return f_.apply(Fn::maximum, x, y); }

Values AttentionWalk::loop(Value lower, Value upper, const Values& states,
                           const std::function<Values(Value, const Values&)>& body,
                           bool independent) {
  llvm::SmallVector<mlir::Type> types{lower.getType()};
  llvm::append_range(types, mlir::ValueRange(states).getTypes());
  language::Body made = language::make_body(b_, types, [&](const Values& arguments) {
    return body(arguments[0], Values(arguments.begin() + 1, arguments.end()));
  });
  Values results = language::for_loop(b_, lower, upper, states, std::move(made));
  if (independent && !results.empty())
    ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
  return results;
}

Values AttentionWalk::along(const Extent& count, const Values& states,
                            const std::function<Values(Value, const Values&)>& body,
                            bool independent) {
  if (count == Extent(1))
    return body(place(0), states);
  return loop(place(0), place_of(count), states, body, independent);
}

/// Along a leading dim head p (r / turns) + g reads element floordiv of it by r / own: of the part
/// of turn p that of g.
Values
AttentionWalk::over_heads(const std::vector<AttentionSum>& sums,
                          const std::function<Values(const AttentionHead&, const Values&)>& body) {
  Shape turns;
  for (size_t dim = 0; dim < leading_.size(); ++dim)
    turns.push_back(turns_along(leading_[dim], dim, sums));
  Values whole;
  std::vector<Shape> parts;
  for (const AttentionSum& sum : sums) {
    Shape all = sum.leading, part;
    for (size_t dim = 0; dim < turns.size(); ++dim)
      part.push_back(part_of(all[dim], turns[dim]));
    llvm::append_range(all, sum.rest);
    llvm::append_range(part, sum.rest);
    parts.push_back(part);
    whole.push_back(zeros(b_, language::tensor_type(b_, sum.dtype, all)));
  }
  Values turn, group;
  std::function<Values(const Values&)> over_group = [&](const Values& states) {
    const size_t dim = group.size();
    if (dim < leading_.size())
      return along(part_of(leading_[dim], turns[dim]), states,
                   [&](Value place, const Values& inner) {
                     group.push_back(place);
                     Values found = over_group(inner);
                     group.pop_back();
                     return found;
                   });
    AttentionHead head;
    head.in_sums.resize(sums.size());
    for (size_t own = 0; own < leading_.size(); ++own) {
      const Extent each = part_of(leading_[own], turns[own]);
      Value at = f_.apply(Fn::multiply, turn[own], place_of(each));
      head.at.push_back(f_.apply(Fn::add, at, group[own]));
      for (auto [sum, places] : llvm::zip(sums, head.in_sums)) {
        const Extent part = part_of(sum.leading[own], turns[own]);
        places.push_back(part == Extent(1) ? place(0)
                         : part == each    ? group[own]
                                           : f_.apply(Fn::floor_divide, group[own],
                                                      place_of(floordiv(each, part))));
      }
    }
    return body(head, states);
  };
  std::function<Values(const Values&)> over_turns = [&](const Values& states) {
    const size_t dim = turn.size();
    if (dim < leading_.size())
      return along(
          turns[dim], states,
          [&](Value place, const Values& inner) {
            turn.push_back(place);
            Values found = over_turns(inner);
            turn.pop_back();
            return found;
          },
          true);
    Values own;
    for (const Shape& part : parts)
      own.push_back(zeros(b_, language::tensor_type(b_, wide, part)));
    own = over_group(own);
    Values found;
    for (size_t number = 0; number < sums.size(); ++number) {
      const AttentionSum& sum = sums[number];
      Value part = language::cast(b_, own[number], sum.dtype);
      Values starts;
      for (size_t at = 0; at < turns.size(); ++at)
        starts.push_back(
            f_.apply(Fn::multiply, turn[at], place_of(part_of(sum.leading[at], turns[at]))));
      starts.resize(parts[number].size(), place(0));
      found.push_back(ir::shape_of(part) == ir::shape_of(states[number])
                          ? part
                          : with_window(states[number], starts, part));
    }
    return found;
  };
  return over_turns(whole);
}

Values
AttentionWalk::over_queries(const AttentionHead& head, const Values& states,
                            const std::function<Values(const QueryBlock&, const Values&)>& body) {
  return along(floordiv(padded_rows, rows), states, [&](Value number, const Values& inner) {
    Value first = f_.apply(Fn::multiply, number, place(rows));
    return body({head, first, block(lse_, head, first, {rows})}, inner);
  });
}

/// Blocks [inner, inner_stop) are seen whole by all rows, those before start and from stop on by
/// none.
AttentionWalk::Bounds AttentionWalk::bounds(Value first) {
  auto add = [&](Value x, int64_t y) { return f_.apply(Fn::add, x, place(y)); };
  auto divide = [&](Value x) { return f_.apply(Fn::floor_divide, x, place(keys_)); };
  Value last = add(first, rows - 1), stop = place_of(ceildiv(key_count_, keys_));
  Bounds at{place(0), place(0), place_of(floordiv(key_count_, keys_)), stop};
  if (right_) {
    at.stop = most(least(divide(add(last, *right_ + keys_)), stop), place(0));
    at.inner_stop = least(divide(add(first, *right_ + 1)), at.inner_stop);
  }
  if (left_) {
    at.start = least(divide(most(add(first, -*left_), place(0))), at.stop);
    at.inner = most(divide(add(last, keys_ - 1 - *left_)), at.start);
    at.inner = least(at.inner, at.stop);
    at.inner_stop = most(at.inner_stop, at.inner);
  }
  return at;
}

Values AttentionWalk::over_keys(const QueryBlock& block, const Values& states,
                                const std::function<Values(const KeyBlock&, const Values&)>& body) {
  using Step = std::function<Values(const KeyBlock&, const Values&)>;
  const Bounds at = bounds(block.first);
  const Extent whole = floordiv(key_count_, keys_), rest = key_count_ - whole * Extent(keys_);
  Values found = states;
  auto over = [&](Value from, Value to, const Extent& count, const Step& step) {
    found = loop(from, to, found, [&](Value number, const Values& inner) {
      return step({f_.apply(Fn::multiply, number, place(keys_)), count, {}}, inner);
    });
  };
  const Step partly = [&](const KeyBlock& keys, const Values& inner) {
    return body(with_seen(block, keys), inner);
  };
  const Step chosen = [&](const KeyBlock& keys, const Values& inner) {
    const KeyBlock seen = with_seen(block, keys);
    auto any = [&](Fn fn) {
      return language::cast(b_, language::truth(b_, seen.by_key, fn, {0, 1}), DType::i32);
    };
    Value which = f_.apply(Fn::add, any(Fn::logical_or), any(Fn::logical_and));
    std::vector<language::Body> branches;
    for (int branch = 0; branch < 3; ++branch) // of no key, some, all
      branches.push_back(language::make_body(b_, {}, [&](const Values&) {
        return branch == 0 ? inner : body(branch == 1 ? seen : keys, inner);
      }));
    return language::cond(b_, which, std::move(branches));
  };
  // What no whole block holds is a block of its own.
  const bool has_rest = !(rest == Extent(0));
  auto within = [&](Value stop) { return has_rest ? least(stop, place_of(whole)) : stop; };
  auto over_rest = [&](const Step& step) {
    if (has_rest)
      over(most(place_of(whole), at.start), at.stop, rest, step);
  };
  if (mask_ || q_segments_ || !op_.getVisible().empty()) {
    over(at.start, within(at.stop), keys_, chosen);
    over_rest(chosen);
    return found;
  }
  if (left_)
    over(at.start, within(at.inner), keys_, partly);
  over(at.inner, at.inner_stop, keys_, body);
  if (right_)
    over(at.inner_stop, within(at.stop), keys_, partly);
  over_rest(left_ || right_ ? partly : body);
  return found;
}

Value AttentionWalk::padded(Value x, int64_t dim, const Extent& extent) const {
  Shape shape = ir::shape_of(x);
  if (shape[dim] == extent)
    return x;
  shape[dim] = extent;
  Value around = zeros(b_, language::tensor_type(b_, ir::dtype_of(x), shape));
  return with_window(around, Values(shape.size(), place(0)), x);
}

Value AttentionWalk::cut(Value x, int64_t dim, const Extent& extent) const {
  return ir::shape_of(x)[static_cast<size_t>(dim)] == extent
             ? x
             : language::slice_dim(b_, x, dim, 0, extent);
}

Shape AttentionWalk::padded_mask_shape() const {
  Shape shape = ir::shape_of(op_.getMask());
  if (Extent& own = shape[leading_.size()]; !(own == Extent(1)))
    own = padded_rows;
  return shape;
}

Value AttentionWalk::padded_mask(Value x) const {
  const size_t dim = leading_.size();
  return padded(x, static_cast<int64_t>(dim), padded_mask_shape()[dim]);
}

Value AttentionWalk::own_place(const Values& at, size_t dim, const Extent& own) const {
  const int64_t shared = ir::shared_by(leading_[dim], own);
  if (shared == 0)
    return place(0);
  return shared == 1 ? at[dim]
                     : language::elementwise(b_, Fn::floor_divide, {at[dim], place(shared)});
}

Value AttentionWalk::block(Value array, const AttentionHead& head, Value first,
                           const Shape& shape) const {
  const Shape whole = ir::shape_of(array);
  Values starts;
  for (size_t dim = 0; dim < leading_.size(); ++dim)
    starts.push_back(own_place(head.at, dim, whole[dim]));
  starts.push_back(first);
  starts.resize(whole.size(), place(0));
  return window(array, starts, shape);
}

Value AttentionWalk::window(Value sum, const Values& starts, const Shape& shape) const {
  Shape sizes(starts.size() - shape.size(), Extent(1));
  llvm::append_range(sizes, shape);
  const DType dtype = ir::dtype_of(sum);
  // Made as it is: it lies inside.
  Value found =
      ir::DynamicSliceOp::create(b_, language::tensor_type(b_, dtype, sizes), sum, starts);
  found = reshaped(b_, found, shape);
  return is_float(dtype) ? language::cast(b_, found, wide) : found;
}

Value AttentionWalk::with_window(Value sum, const Values& starts, Value part) const {
  Shape sizes(starts.size() - ir::shape_of(part).size(), Extent(1));
  llvm::append_range(sizes, ir::shape_of(part));
  return ir::DynamicUpdateSliceOp::create(b_, sum.getType(), sum, reshaped(b_, part, sizes),
                                          starts);
}

Value AttentionWalk::mask_block(Value mask, const QueryBlock& block, const KeyBlock& keys) const {
  const Shape shape = ir::shape_of(mask);
  const size_t rank = leading_.size();
  const bool one_row = shape[rank] == Extent(1), one_key = shape[rank + 1] == Extent(1);
  Values starts;
  for (size_t dim = 0; dim < rank; ++dim)
    starts.push_back(own_place(block.head.at, dim, shape[dim]));
  starts.push_back(one_row ? place(0) : block.first);
  starts.push_back(one_key ? place(0) : keys.start);
  Value own =
      window(mask, starts, {one_row ? Extent(1) : Extent(rows), one_key ? Extent(1) : keys.count});
  return language::broadcast_to(b_, language::matrix_transpose(b_, own), {keys.count, rows});
}

Value AttentionWalk::bias(const QueryBlock& block, const KeyBlock& keys) const {
  return mask_ && ir::dtype_of(mask_) != DType::boolean ? mask_block(mask_, block, keys) : Value();
}

KeyBlock AttentionWalk::with_seen(const QueryBlock& block, KeyBlock keys) {
  const Shape all{keys.count, rows};
  auto number = [&](Value from, int64_t dim) {
    return f_.apply(Fn::add, language::iota(b_, all, dim, places_), from);
  };
  Value key = number(keys.start, 0), row = number(block.first, 1);
  Value& seen = keys.by_key;
  auto take = [&](Value condition) {
    seen = seen ? f_.apply(Fn::logical_and, seen, condition) : condition;
  };
  if (left_)
    take(f_.apply(Fn::less_equal, f_.apply(Fn::subtract, row, key), place(*left_)));
  if (right_)
    take(f_.apply(Fn::less_equal, f_.apply(Fn::subtract, key, row), place(*right_)));

  if (!(padded_rows == query_count_))
    take(f_.apply(Fn::less, row, place_of(query_count_)));
  if (mask_) {
    Value own = mask_block(mask_, block, keys);
    take(ir::dtype_of(own) == DType::boolean
             ? own
             : f_.apply(Fn::not_equal, own, -std::numeric_limits<double>::infinity()));
  }
  if (q_segments_) {
    Value own = this->block(q_segments_, block.head, block.first, {rows});
    Value other = this->block(k_segments_, block.head, keys.start, {keys.count});
    take(f_.apply(Fn::equal, language::broadcast_to(b_, own, all),
                  language::broadcast_to(b_, reshaped(b_, other, {keys.count, 1}), all)));
  }
  if (!op_.getVisible().empty()) {
    Value batch = place(0), head = place(0);
    for (size_t dim = 0; dim < leading_.size(); ++dim)
      if (dim + 1 == leading_.size())
        head = block.head.at[dim];
      else
        batch = f_.apply(Fn::add, f_.apply(Fn::multiply, batch, place_of(leading_[dim])),
                         block.head.at[dim]);
    take(seen_by_function(
        b_, op_,
        {language::broadcast_to(b_, batch, all), language::broadcast_to(b_, head, all), row, key},
        captures_, all));
  }
  return keys;
}

} // namespace kolam::transform::derive
