// Attention over all scores at once.
#include "kolam/transform/derive/attention_plain.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/contract.h"
#include "kolam/language/creation.h"
#include "kolam/language/formula.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/linearisation.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/derive/placing.h"

namespace kolam::transform::derive {
namespace {

using language::Axes;
using language::Formula;

/// The plain form over scores of shape [b..., i, j].
class Plain {
public:
  Plain(Builder& b, ir::AttentionOp op, const Values& operands) : b_(b), f_{b}, op_(op) {
    auto take = [&](Value of) -> Value {
      if (!of)
        return {};
      for (auto [own, given] : llvm::zip(op->getOperands(), operands))
        if (own == of)
          return given;
      return {};
    };
    q_ = take(op.getQ()), k_ = take(op.getK()), v_ = take(op.getV()), scale_ = take(op.getScale());
    mask_ = take(op.getMask()), q_segments_ = take(op.getQSegments());
    k_segments_ = take(op.getKSegments());
    for (Value capture : op.getCaptures())
      captures_.push_back(take(capture));
    wide_ = language::wide_dtype(ir::dtype_of(op.getResult()));
    const Shape result = ir::shape_of(op.getResult());
    leading_ = Shape(result.begin(), result.end() - 2);
    scores_ = leading_;
    scores_.push_back(ir::shape_of(op.getQ()).end()[-2]);
    scores_.push_back(ir::shape_of(op.getK()).end()[-2]);
  }

  Value result() {
    const std::string batch = std::string("abcdefgh").substr(0, leading_.size());
    Value q = led(language::cast(b_, q_, wide_)), k = led(language::cast(b_, k_, wide_)),
          v = led(language::cast(b_, v_, wide_));
    Value s = language::contract(b_, q, k, batch + "id," + batch + "jd->" + batch + "ij", wide_);
    note_derivative(s.getDefiningOp(), "attention: the derivative of its derivative goes through "
                                       "its plain form, which holds all scores, " +
                                           language::describe(s));
    s = f_.apply(Fn::multiply, s, language::cast(b_, scale_, wide_));
    Value seen = visible();
    if (mask_ && ir::dtype_of(mask_) != DType::boolean)
      s = f_.apply(Fn::add, s, at_scores(led(mask_)));
    const double lowest = -std::numeric_limits<double>::infinity();
    Value shown = seen ? f_.choose(seen, s, f_.number(lowest, s)) : s;
    const Axes last{static_cast<int64_t>(scores_.size()) - 1};
    // The maximum only keeps exp in range: no derivative goes through it.
    Value top = language::finite_or_zero(
        b_, language::combine(b_, stop_gradient(b_, shown), Fn::maximum, last));
    Value p =
        f_.apply(Fn::exp, f_.apply(Fn::subtract, s, language::spread(b_, top, scores_, last)));
    if (seen)
      p = f_.choose(seen, p, f_.number(0, p));
    Value sum = language::combine(b_, p, Fn::add, last);
    const std::string terms = batch + "ij," + batch + "je";
    Value o = language::contract(
        b_, p, v, seen ? terms + "," + batch + "ij->" + batch + "ie" : terms + "->" + batch + "ie",
        wide_, {.where = seen});
    Shape shape = ir::shape_of(o);
    Value divisor = language::spread(b_, sum, shape, {static_cast<int64_t>(shape.size()) - 1});
    Value none = f_.apply(Fn::equal, divisor, 0.0);
    o = f_.choose(none, f_.number(0, o), f_.apply(Fn::divide, o, divisor));
    return language::cast(b_, o, ir::dtype_of(op_.getResult()));
  }

private:
  /// An operand under the result's leading dims: index x reads x floordiv (r / extent).
  Value led(Value x) {
    for (size_t dim = 0; dim < leading_.size(); ++dim) {
      Shape shape = ir::shape_of(x);
      if (shape[dim] == leading_[dim])
        continue;
      Shape apart = shape, repeated = shape;
      apart.insert(apart.begin() + static_cast<int64_t>(dim) + 1, 1);
      repeated.insert(repeated.begin() + static_cast<int64_t>(dim) + 1,
                      floordiv(leading_[dim], shape[dim]));
      x = language::broadcast_to(b_, reshaped(b_, x, apart), repeated);
      shape[dim] = leading_[dim];
      x = reshaped(b_, x, shape);
    }
    return x;
  }
  Value at_scores(Value x) { return language::broadcast_to(b_, x, scores_); }

  Value places(int64_t dim) { return language::iota(b_, scores_, dim, DType::i64); }

  void take(Value condition) {
    seen_ = seen_ ? f_.apply(Fn::logical_and, seen_, condition) : condition;
  }

  /// Which keys take part; null: all.
  Value visible() {
    const auto rank = static_cast<int64_t>(scores_.size());
    auto number = [&](uint64_t value) {
      return language::integer_constant(
          b_, static_cast<int64_t>(std::min<uint64_t>(value, INT32_MAX)), DType::i64);
    };
    if (op_.getLeft())
      take(f_.apply(Fn::greater_equal, places(rank - 1),
                    f_.apply(Fn::subtract, places(rank - 2), number(*op_.getLeft()))));
    if (op_.getRight())
      take(f_.apply(Fn::less_equal, places(rank - 1),
                    f_.apply(Fn::add, places(rank - 2), number(*op_.getRight()))));
    if (mask_) {
      Value mask = at_scores(led(mask_));
      take(ir::dtype_of(mask) == DType::boolean
               ? mask
               : f_.apply(Fn::not_equal, mask, -std::numeric_limits<double>::infinity()));
    }
    if (q_segments_) {
      Value own = led(q_segments_), other = led(k_segments_);
      const int64_t dims = ir::rank_of(own);
      take(f_.apply(Fn::equal, at_scores(language::expand_dims(b_, own, {dims})),
                    at_scores(language::expand_dims(b_, other, {dims - 1}))));
    }
    if (!op_.getVisible().empty())
      take(by_function());
    return seen_;
  }

  /// The user's function of batch, head, query and key, for all of them at once.
  Value by_function() {
    const auto rank = static_cast<int64_t>(scores_.size());
    Value zero = language::broadcast_to(b_, language::integer_constant(b_, 0, DType::i64), scores_);
    Value batch = zero;
    for (int64_t dim = 0; dim + 3 < rank; ++dim) { // row-major over the dims before the heads
      Value extent = language::extent_scalar(b_, scores_[dim], DType::i64);
      batch = f_.apply(Fn::add, f_.apply(Fn::multiply, batch, extent), places(dim));
    }
    Value head = rank > 2 ? places(rank - 3) : zero;
    return seen_by_function(b_, op_, {batch, head, places(rank - 2), places(rank - 1)}, captures_,
                            scores_);
  }

  Builder& b_;
  Formula f_;
  ir::AttentionOp op_;
  Value q_, k_, v_, scale_, mask_, q_segments_, k_segments_, seen_;
  Values captures_;
  DType wide_;
  Shape leading_, scores_;
};

} // namespace

Value plain_attention(Builder& b, ir::AttentionOp op, const Values& operands) {
  return Plain(b, op, operands).result();
}

Value seen_by_function(Builder& b, ir::AttentionOp op, const Values& places, const Values& captures,
                       const Shape& space) {
  const DType dtype = ir::dtype_of(op.getVisible().getArgument(0));
  Values arguments;
  for (Value place : places)
    arguments.push_back(language::cast(b, place, dtype));
  return over_space(op, b, op.getVisible(), arguments, captures, space,
                    "a mask function that runs for all keys at once")[0];
}

} // namespace kolam::transform::derive
