// What a block of queries and a block of keys add to attention's derivatives. Scores lie with
// queries side by side, [keys, rows]: letters n and r; d and e are elements of keys and of values.
#include "kolam/transform/derive/attention_blocks.h"

#include "kolam/language/contract.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/attention_walk.h"

namespace kolam::transform::derive {
namespace {

using language::Axes;
using language::Formula;

/// A block of queries, as rows and as columns.
struct Rows {
  Value q, turned_q; ///< [r, d], [d, r]
};

/// A block of keys beside a block of queries.
struct Pair {
  Value k, v;     ///< [n, d], [n, e]
  Value products; ///< k q^T, [n, r]
  Value odds;     ///< exp(s - lse); 0 where hidden
};

class Blocks {
public:
  Blocks(Builder& b, const AttentionPoint& point, const std::vector<int64_t>& numbers)
      : b_(b), f_{b}, point_(point), numbers_(numbers), walk_(b, point),
        rank_(static_cast<int64_t>(walk_.leading().size())), scale_(point.operands[kScale]),
        q_(by_rows(point.operands[kQueries])), k_(point.operands[kKeys]),
        v_(point.operands[kValues]), depth_(ir::shape_of(q_).back()),
        width_(ir::shape_of(v_).back()) {}

  Value tangent(Values tangents);
  Values cotangents(Value cotangent);

private:
  Value by_rows(Value x) { return walk_.padded(x, rank_, walk_.padded_rows); }
  bool is_asked(int64_t number) const { return llvm::is_contained(numbers_, number); }
  /// The place of an operand among those that are asked for.
  size_t place_of(int64_t number) const {
    return static_cast<size_t>(llvm::find(numbers_, number) - numbers_.begin());
  }

  Value turned(Value x) { return language::matrix_transpose(b_, x); }
  Value at_keys(Value row, Value like) {
    return language::broadcast_to(b_, row, ir::shape_of(like));
  }
  Value rows_block(Value array, const QueryBlock& at, const Extent& last) {
    return walk_.block(array, at.head, at.first, {walk_.rows, last});
  }
  Value keys_block(Value array, const QueryBlock& at, const KeyBlock& keys, const Extent& last) {
    return walk_.block(array, at.head, keys.start, {keys.count, last});
  }
  Rows rows_at(const QueryBlock& at) {
    Value q = rows_block(q_, at, depth_);
    return {q, turned(q)};
  }

  /// Of visible pairs alone where the sum goes over keys or rows.
  Value product(Value lhs, Value rhs, const std::string& factors, const std::string& result,
                const KeyBlock& keys = {}) {
    return language::contract(b_, lhs, rhs, factors + (keys.by_key ? ",nr->" : "->") + result,
                              walk_.wide, {.where = keys.by_key});
  }
  Value shown(Value x, const KeyBlock& keys) {
    return keys.by_key ? f_.choose(keys.by_key, x, f_.number(0, x)) : x;
  }
  Value sum_over(Value x, const Axes& dims) { return language::combine(b_, x, Fn::add, dims); }
  Value nothing(const Shape& shape) {
    return zeros(b_, language::tensor_type(b_, walk_.wide, shape));
  }
  Value added(Value x, Value y) { return f_.apply(Fn::add, x, y); }
  Value times(Value x, Value y) { return f_.apply(Fn::multiply, x, y); }

  Pair pair(const QueryBlock& at, const Rows& rows, const KeyBlock& keys) {
    Pair found{keys_block(k_, at, keys, depth_), keys_block(v_, at, keys, width_), {}, {}};
    found.products = product(found.k, rows.turned_q, "nd,dr", "nr");
    Value scores = times(found.products, scale_);
    if (Value bias = walk_.bias(at, keys))
      scores = added(scores, bias);
    scores = f_.apply(Fn::subtract, scores, at_keys(at.lse, scores));
    found.odds = shown(f_.apply(Fn::exp, scores), keys);
    return found;
  }
  Value score_tangent(const QueryBlock& at, const Rows& rows, const KeyBlock& keys,
                      const Pair& both, const Values& tangents);

  /// `part` added to the window of a sum at a head, and at `places` along the dims behind.
  Value with_added(Value sum, const Values& head, llvm::ArrayRef<Value> places, Value part) {
    Values starts = head;
    llvm::append_range(starts, places);
    Value before = walk_.window(sum, starts, ir::shape_of(part));
    return walk_.with_window(sum, starts, added(before, part));
  }
  Values sum_keys(const QueryBlock& at, const Rows& rows, Value cotangent, Value turned_cotangent,
                  Value shared, const KeyBlock& keys, Values sums);
  Value mask_part(Value e);
  std::vector<AttentionSum> sums();

  Builder& b_;
  Formula f_;
  const AttentionPoint& point_;
  const std::vector<int64_t>& numbers_;
  AttentionWalk walk_;
  int64_t rank_;
  Value scale_, q_, k_, v_;
  Extent depth_, width_;
};

/// The tangent of scores; null where it is zero.
Value Blocks::score_tangent(const QueryBlock& at, const Rows& rows, const KeyBlock& keys,
                            const Pair& both, const Values& tangents) {
  Value products, sum;
  auto add = [&](Value& to, Value part) { to = to ? added(to, part) : part; };
  if (is_asked(kQueries)) {
    Value q = rows_block(tangents[place_of(kQueries)], at, depth_);
    add(products, product(both.k, turned(q), "nd,dr", "nr"));
  }
  if (is_asked(kKeys)) {
    Value k = keys_block(tangents[place_of(kKeys)], at, keys, depth_);
    add(products, product(k, rows.turned_q, "nd,dr", "nr"));
  }
  if (products)
    add(sum, times(products, scale_));
  if (is_asked(kScale))
    add(sum, times(both.products, tangents[place_of(kScale)]));
  if (is_asked(kMask))
    add(sum, walk_.mask_block(tangents[place_of(kMask)], at, keys));
  return sum;
}

Value Blocks::tangent(Values tangents) {
  for (auto [number, tangent] : llvm::zip(numbers_, tangents)) {
    if (number == kQueries)
      tangent = by_rows(tangent);
    else if (number == kMask)
      tangent = walk_.padded_mask(tangent);
  }
  Value result = by_rows(point_.result);
  const Extent count = ir::shape_of(point_.result)[static_cast<size_t>(rank_)];
  auto of_block = [&](const QueryBlock& at, Value sum) {
    const Rows rows = rows_at(at);
    const Values none{nothing({width_, walk_.rows}), nothing({walk_.rows})};
    Values found = walk_.over_keys(at, none, [&](const KeyBlock& keys, const Values& before) {
      const Pair both = pair(at, rows, keys);
      Values after = before;
      if (Value scores = score_tangent(at, rows, keys, both, tangents)) {
        Value t = shown(times(both.odds, scores), keys);
        after[0] = added(after[0], product(both.v, t, "ne,nr", "er", keys));
        after[1] = added(after[1], sum_over(t, {0}));
      }
      if (is_asked(kValues)) {
        Value v = keys_block(tangents[place_of(kValues)], at, keys, width_);
        after[0] = added(after[0], product(v, both.odds, "ne,nr", "er", keys));
      }
      return after;
    });
    Value o = turned(rows_block(result, at, width_));
    Value shared = times(o, language::broadcast_to(b_, found[1], ir::shape_of(o)));
    Values starts = at.head.in_sums[0];
    starts.push_back(at.first);
    starts.push_back(walk_.place(0));
    return walk_.with_window(sum, starts, turned(f_.apply(Fn::subtract, found[0], shared)));
  };
  const AttentionSum sum{walk_.leading(), {walk_.padded_rows, width_}, ir::dtype_of(result)};
  Value found = walk_.over_heads({sum}, [&](const AttentionHead& head, const Values& sums) {
    return walk_.over_queries(head, sums, [&](const QueryBlock& at, const Values& inner) {
      return Values{of_block(at, inner[0])};
    });
  })[0];
  return walk_.cut(found, rank_, count);
}

std::vector<AttentionSum> Blocks::sums() {
  std::vector<AttentionSum> all;
  for (int64_t number : numbers_) {
    if (number == kScale) { // by rows, whose heads threads share
      all.push_back({walk_.leading(), {walk_.padded_rows}, walk_.wide});
      continue;
    }
    Value operand = point_.operands[static_cast<size_t>(number)];
    Shape shape = ir::shape_of(operand);
    const auto dim = static_cast<size_t>(rank_);
    if (number == kQueries)
      shape[dim] = walk_.padded_rows;
    else if (number == kMask)
      shape = walk_.padded_mask_shape();
    all.push_back({Shape(shape.begin(), shape.begin() + rank_),
                   Shape(shape.begin() + rank_, shape.end()), ir::dtype_of(operand)});
  }
  return all;
}

/// What e [n, r] adds to a mask [r, n], either of which may be one.
Value Blocks::mask_part(Value e) {
  const Shape shape = walk_.padded_mask_shape();
  const auto dim = static_cast<size_t>(rank_);
  Shape part{walk_.rows, ir::shape_of(e)[0]};
  Value sum = turned(e);
  for (int64_t own : {0, 1})
    if (shape[dim + static_cast<size_t>(own)] == Extent(1)) {
      part[static_cast<size_t>(own)] = 1;
      sum = language::spread(b_, sum_over(sum, {own}), part, {own});
    }
  return sum;
}

/// A block of keys: sums in the order of what is asked for, those of queries as [d, r], those of
/// the scale as [r].
Values Blocks::sum_keys(const QueryBlock& at, const Rows& rows, Value cotangent,
                        Value turned_cotangent, Value shared, const KeyBlock& keys, Values sums) {
  const Pair both = pair(at, rows, keys);
  const Value zero = walk_.place(0);
  auto places = [&](int64_t number) { return at.head.in_sums[place_of(number)]; };
  if (is_asked(kValues)) {
    Value& sum = sums[place_of(kValues)];
    sum = with_added(sum, places(kValues), {keys.start, zero},
                     product(both.odds, cotangent, "nr,re", "ne", keys));
  }
  if (!is_asked(kQueries) && !is_asked(kKeys) && !is_asked(kScale) && !is_asked(kMask))
    return sums;
  Value e = product(both.v, turned_cotangent, "ne,er", "nr");
  e = shown(times(both.odds, f_.apply(Fn::subtract, e, at_keys(shared, e))), keys);
  if (is_asked(kKeys)) {
    Value& sum = sums[place_of(kKeys)];
    sum = with_added(sum, places(kKeys), {keys.start, zero},
                     times(product(e, rows.q, "nr,rd", "nd", keys), scale_));
  }
  if (is_asked(kQueries)) {
    Value& sum = sums[place_of(kQueries)];
    sum = added(sum, product(both.k, e, "nd,nr", "dr", keys));
  }
  if (is_asked(kScale)) {
    Value& sum = sums[place_of(kScale)];
    sum = added(sum, sum_over(shown(times(e, both.products), keys), {0}));
  }
  if (is_asked(kMask)) {
    const Shape shape = walk_.padded_mask_shape();
    const auto dim = static_cast<size_t>(rank_);
    Value& sum = sums[place_of(kMask)];
    sum = with_added(sum, places(kMask),
                     {shape[dim] == Extent(1) ? zero : at.first,
                      shape[dim + 1] == Extent(1) ? zero : keys.start},
                     mask_part(e));
  }
  return sums;
}

Values Blocks::cotangents(Value cotangent) {
  auto wide = [&](Value x) { return language::cast(b_, x, walk_.wide); };
  Value shared = walk_.padded(sum_over(times(wide(cotangent), wide(point_.result)), {rank_ + 1}),
                              rank_, walk_.padded_rows);
  cotangent = by_rows(cotangent);
  auto of_block = [&](const QueryBlock& at, const Values& sums) {
    const Rows rows = rows_at(at);
    Value own = rows_block(cotangent, at, width_), turned_own = turned(own);
    Value own_shared = walk_.block(shared, at.head, at.first, {walk_.rows});
    Values states = sums;
    if (is_asked(kQueries))
      states[place_of(kQueries)] = nothing({depth_, walk_.rows});
    if (is_asked(kScale))
      states[place_of(kScale)] = nothing({walk_.rows});
    states = walk_.over_keys(at, states, [&](const KeyBlock& keys, const Values& before) {
      return sum_keys(at, rows, own, turned_own, own_shared, keys, before);
    });
    auto put = [&](int64_t number, llvm::ArrayRef<Value> places, Value part) {
      const size_t place = place_of(number);
      states[place] = with_added(sums[place], at.head.in_sums[place], places, part);
    };
    if (is_asked(kQueries))
      put(kQueries, {at.first, walk_.place(0)}, turned(times(states[place_of(kQueries)], scale_)));
    if (is_asked(kScale))
      put(kScale, {at.first}, states[place_of(kScale)]);
    return states;
  };
  Values found = walk_.over_heads(sums(), [&](const AttentionHead& head, const Values& inner) {
    return walk_.over_queries(head, inner, of_block);
  });
  for (auto [number, sum] : llvm::zip(numbers_, found)) {
    if (number == kScale) {
      Axes all;
      for (int64_t dim = 0; dim < ir::rank_of(sum); ++dim)
        all.push_back(dim);
      sum = sum_over(sum, all);
      continue;
    }
    const Shape shape = ir::shape_of(point_.operands[static_cast<size_t>(number)]);
    sum = walk_.cut(sum, rank_, shape[static_cast<size_t>(rank_)]);
  }
  return found;
}

} // namespace

Value attention_tangent(Builder& b, const AttentionPoint& point,
                        const std::vector<int64_t>& numbers, const Values& tangents) {
  if (AttentionWalk::is_empty(point.op))
    return zeros_like(b, point.result);
  return Blocks(b, point, numbers).tangent(tangents);
}

Values attention_cotangents(Builder& b, const AttentionPoint& point,
                            const std::vector<int64_t>& numbers, Value cotangent) {
  if (!AttentionWalk::is_empty(point.op))
    return Blocks(b, point, numbers).cotangents(cotangent);
  Values none;
  for (int64_t number : numbers)
    none.push_back(zeros_like(b, point.operands[static_cast<size_t>(number)]));
  return none;
}

} // namespace kolam::transform::derive
