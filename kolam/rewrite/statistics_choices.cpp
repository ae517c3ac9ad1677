// Statistics in one pass: one monoid whose state has what a second pass would need.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/reduction.h"
#include "kolam/language/formula.h"
#include "kolam/language/identity.h"
#include "kolam/language/region.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/rewrite/choice_parts.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using language::Formula;
using language::Monoid;
using language::Values;
using mlir::Operation;
using mlir::Value;

/// A reduction by a named monoid of one float value.
ir::ReduceOp named_reduction(Operation* op, Fn fn) {
  auto reduce = llvm::dyn_cast_or_null<ir::ReduceOp>(op);
  const bool fits = reduce && is_plain(op) && reduce.getNumResults() == 1 &&
                    !reduce.getDims().empty() && ir::reduction_of(reduce).function == fn;
  if (!fits)
    return {};
  const DType dtype = ir::dtype_of(reduce.getResult(0));
  return dtype == DType::f32 || dtype == DType::f64 ? reduce : ir::ReduceOp();
}

/// The operand of an elementwise op that applies `fn`; null of another.
Value operand_of(Value value, Fn fn, unsigned number = 0) {
  auto op = value ? value.getDefiningOp<ir::ElementwiseOp>() : ir::ElementwiseOp();
  return op && parse_fn(op.getFunction().str()) == fn ? op.getOperands()[number] : Value();
}

/// What `value` repeats along `dims`, with the other dims as they are; null where it is none.
Value repeated(Value value, llvm::ArrayRef<int64_t> dims) {
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  if (!broadcast)
    return {};
  const Shape shape = ir::shape_of(value);
  llvm::SmallVector<int64_t> places(broadcast.getDims()); // of the operand's dims
  Value inner = broadcast.getOperand();
  while (auto expand = inner.getDefiningOp<ir::ExpandDimsOp>()) {
    for (int64_t dim : llvm::reverse(expand.getDims()))
      places.erase(places.begin() + dim);
    inner = expand.getOperand();
  }
  const Shape own = ir::shape_of(inner);
  size_t kept = 0;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    if (kept >= own.size() || places[kept] != dim ||
        !(own[kept] == shape[static_cast<size_t>(dim)]))
      return {};
    ++kept;
  }
  return kept == own.size() ? inner : Value();
}

bool is_number(Value value, double expected) {
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  auto constant = (broadcast ? broadcast.getOperand() : value).getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                           : mlir::DenseElementsAttr();
  if (!elements || !elements.isSplat() || !llvm::isa<mlir::FloatType>(elements.getElementType()))
    return false;
  const double number = elements.getSplatValue<llvm::APFloat>().convertToDouble();
  return number == expected ||
         (ir::dtype_of(value) == DType::f32 && number == static_cast<float>(expected));
}

/// What a monoid is over: states and elements of one dtype.
struct StateTypes {
  llvm::SmallVector<mlir::Type> element, state, both;
  StateTypes(Builder& b, DType dtype, size_t states) {
    element = {language::tensor_type(b, dtype, {})};
    state.assign(states, element[0]);
    both.assign(2 * states, element[0]);
  }
};

/// Two passes over x: something of each row, then a sum over functions of what x is beyond it.
struct TwoPasses {
  ir::ReduceOp sum;
  Value x, centre; ///< `centre` has one element for a row

  /// Whether `value` is the reduction of x over the same dims.
  bool reduces_x(Value value, Fn fn) {
    ir::ReduceOp first = value ? named_reduction(value.getDefiningOp(), fn) : ir::ReduceOp();
    return first && first.getInputs()[0] == x && first.getDims() == sum.getDims();
  }
  /// The reduction of x by `monoid` instead, in the order of the sum.
  Values in_one(Builder& b, Monoid monoid) {
    const language::Axes dims(sum.getDims().begin(), sum.getDims().end());
    return reduced(b, {x}, std::move(monoid), dims, sum.getAccumulateAttr());
  }
};

/// sum(fn(x - centre)); the centre is null where the op is something else.
TwoPasses two_passes(Operation* op, Fn fn) {
  TwoPasses two{.sum = named_reduction(op, Fn::add), .x = {}, .centre = {}};
  const Value centred = two.sum ? operand_of(two.sum.getInputs()[0], fn) : Value();
  two.x = operand_of(centred, Fn::subtract, 0);
  if (const Value centre = operand_of(centred, Fn::subtract, 1))
    two.centre = repeated(centre, two.sum.getDims());
  return two;
}

// --- variance_in_one_pass

std::optional<TwoPasses> deviation_of(Operation* op) {
  TwoPasses two = two_passes(op, Fn::square);
  if (!two.reduces_x(operand_of(two.centre, Fn::divide, 0), Fn::add))
    return std::nullopt;
  double count = 1;
  for (int64_t dim : two.sum.getDims())
    count *= static_cast<double>(extent_of(two.x, dim));
  return count != 0 && is_number(operand_of(two.centre, Fn::divide, 1), count) ? std::optional(two)
                                                                               : std::nullopt;
}

/// Count, mean and sum of squares of deviations. Source: Chan, Golub and LeVeque, "Updating
/// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
Monoid moments(Builder& b, DType dtype) {
  const StateTypes types(b, dtype, 3);
  Formula f{b};
  auto number = [&, dtype](double value) { return language::weak_constant(b, value, dtype); };
  Monoid monoid;
  monoid.name = "moments";
  monoid.zero = language::make_region(
      b, {}, [&](const Values&) { return Values{number(0), number(0), number(0)}; });
  monoid.wrap = language::make_region(
      b, types.element, [&](const Values& x) { return Values{number(1), x[0], number(0)}; });
  monoid.merge = language::make_region(b, types.both, [&](const Values& s) {
    const Value n = f.apply(Fn::add, s[0], s[3]);
    const Value share = f.apply(Fn::divide, s[3], f.apply(Fn::maximum, n, 1.0));
    const Value apart = f.apply(Fn::subtract, s[4], s[1]);
    // An empty side counts for nothing, however far the other one is.
    const Value between = f.apply(Fn::multiply, apart,
                                  f.apply(Fn::multiply, apart, f.apply(Fn::multiply, s[0], share)));
    const Value mean = f.apply(Fn::add, s[1], f.apply(Fn::multiply, apart, share));
    return Values{n, mean, f.apply(Fn::add, f.apply(Fn::add, s[2], s[5]), between)};
  });
  monoid.unwrap =
      language::make_region(b, types.state, [&](const Values& s) { return Values{s[1], s[2]}; });
  return monoid;
}

std::vector<Parameters> ways_to_deviate(Operation* op, int64_t) {
  return once_if(deviation_of(op).has_value());
}

std::vector<Replacement> variance_in_one_pass(Operation* op, const Parameters&, Builder& b) {
  std::optional<TwoPasses> two = deviation_of(op);
  if (!two)
    return {};
  const Values results = two->in_one(b, moments(b, ir::dtype_of(two->x)));
  return {{two->centre, results[0]}, {op->getResult(0), results[1]}};
}

// --- logsumexp_in_one_pass

/// The centre is the maximum, or 0 where that is not finite.
std::optional<TwoPasses> exponents_of(Operation* op) {
  TwoPasses two = two_passes(op, Fn::exp);
  const Value top = operand_of(two.centre, Fn::where, 1);
  const bool is_guarded = top &&
                          operand_of(operand_of(two.centre, Fn::where, 0), Fn::isfinite) == top &&
                          is_number(operand_of(two.centre, Fn::where, 2), 0);
  return is_guarded && two.reduces_x(top, Fn::maximum) ? std::optional(two) : std::nullopt;
}

/// The maximum m, and the sum of exp(x - m), or of exp(x) where m is not finite. Source: Milakov
/// and Gimelshein, "Online normalizer calculation for softmax", 2018.
Monoid exponents(Builder& b, DType dtype) {
  const StateTypes types(b, dtype, 2);
  Formula f{b};
  auto shift = [&](Value top) { return language::finite_or_zero(b, top); };
  Monoid monoid;
  monoid.name = "logsumexp";
  monoid.zero = language::make_region(b, {}, [&](const Values&) {
    return Values{language::identity(b, Fn::maximum, dtype),
                  language::weak_constant(b, 0.0, dtype)};
  });
  monoid.wrap = language::make_region(b, types.element, [&](const Values& x) {
    return Values{x[0], f.apply(Fn::exp, f.apply(Fn::subtract, x[0], shift(x[0])))};
  });
  monoid.merge = language::make_region(b, types.both, [&](const Values& s) {
    const Value top = f.apply(Fn::maximum, s[0], s[2]);
    auto moved = [&](Value own, Value sum) { // of an infinite maximum the sum is 0, or infinite
      const Value scale = f.apply(Fn::exp, f.apply(Fn::subtract, own, shift(top)));
      return f.apply(Fn::multiply, sum,
                     f.choose(f.apply(Fn::isfinite, own), scale, f.number(1, scale)));
    };
    return Values{top, f.apply(Fn::add, moved(s[0], s[1]), moved(s[2], s[3]))};
  });
  monoid.unwrap =
      language::make_region(b, types.state, [](const Values& s) { return Values{s[0], s[1]}; });
  return monoid;
}

std::vector<Parameters> ways_to_exponents(Operation* op, int64_t) {
  return once_if(exponents_of(op).has_value());
}

std::vector<Replacement> logsumexp_in_one_pass(Operation* op, const Parameters&, Builder& b) {
  std::optional<TwoPasses> two = exponents_of(op);
  if (!two)
    return {};
  const Value top = operand_of(two->centre, Fn::where, 1);
  const Values results = two->in_one(b, exponents(b, ir::dtype_of(two->x)));
  return {{top, results[0]}, {op->getResult(0), results[1]}};
}

// --- programs

/// A float value, and dims of it.
std::pair<Value, language::Axes> statistics_sample(Sample& s) {
  constexpr DType kDtypes[] = {DType::f32, DType::f64, DType::bf16};
  const Value x =
      s.argument(kDtypes[s.number(0, 2)], {s.number(1, 5), s.number(2, 200), s.number(1, 3)});
  const language::Axes all[] = {{1}, {1, 2}, {0, 1}, {0, 1, 2}};
  return {x, all[s.number(0, 3)]};
}

Value deviation_sample(Sample& s) {
  const auto [x, dims] = statistics_sample(s);
  if (s.number(0, 1))
    return language::variance(s.b, x, dims, 0);
  return language::elementwise(
      s.b, Fn::add, {language::mean(s.b, x, dims), language::standard_deviation(s.b, x, dims, 0)});
}

Value exponents_sample(Sample& s) {
  const auto [x, dims] = statistics_sample(s);
  return language::logsumexp(s.b, x, dims);
}

constexpr Choice kChoices[] = {
    {.name = "variance_in_one_pass",
     .equation = "mean(x), sum((x - mean(x))^2) = one reduction whose state is count, mean and sum "
                 "of squares",
     .condition = "a sum of squares of f32 or f64 without their mean, as var and std have it",
     .parameters = "none",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_deviate,
     .apply = variance_in_one_pass,
     .sample = deviation_sample},
    {.name = "logsumexp_in_one_pass",
     .equation = "max(x), sum(exp(x - max(x))) = one reduction whose state is both",
     .condition = "a sum of exponents of f32 or f64 without their maximum, as logsumexp has it",
     .parameters = "none",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_exponents,
     .apply = logsumexp_in_one_pass,
     .sample = exponents_sample},
};

} // namespace

std::span<const Choice> statistics_choices() { return kChoices; }

} // namespace kolam::rewrite
