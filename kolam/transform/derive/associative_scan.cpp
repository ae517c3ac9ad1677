// The derivative of associative_scan: with f over single elements running results of (factor,
// value) pairs, else f's own tangents step by step.
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/named.h"
#include "kolam/transform/derive/running.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// Values that more than so many states mix are no cheaper as products of factors.
constexpr size_t kMostStates = 4; ///< assumed

/// One call of associative_scan: rows lie along the first dim.
class Call {
public:
  Call(ir::CompositeOp op, Linearisation& at)
      : op_(op), at_(at), f_(op.getRules()[0]), count_(op->getNumResults()),
        is_reverse_(op->getAttrOfType<mlir::BoolAttr>("reverse").getValue()),
        dim_(op->getAttrOfType<mlir::DenseI64ArrayAttr>("dims").asArrayRef()[0]) {}

  void set_tangents() {
    const bool captures_are_active = at_.any_active(op_.getOperands().drop_front(count_));
    const bool all_floats =
        llvm::all_of(op_.getResultTypes(), [](mlir::Type type) { return is_differentiable(type); });
    if (all_floats && !captures_are_active && count_ <= kMostStates && is_elementwise(f_))
      if (auto pairs = factors())
        return by_pairs(*pairs);
    step_by_step();
  }

private:
  Values xs() { return to_front(at_.b, at_.primals(op_.getOperands().take_front(count_))); }
  Values captures() { return at_.primals(op_.getOperands().drop_front(count_)); }
  /// What came before each row; of the first row anything.
  Values before() {
    Values outs = to_front(at_.b, at_.primals(op_.getResults())), anything;
    for (Value out : outs)
      anything.push_back(zeros(at_.b, language::slice_type(at_.b, out)));
    return moved_on(at_.b, outs, is_reverse_, anything);
  }
  Value is_first(const Shape& shape) {
    Value number = language::iota(at_.b, shape, 0, DType::i64);
    Value first =
        language::extent_scalar(at_.b, is_reverse_ ? shape[0] - 1 : Extent(0), DType::i64);
    return language::elementwise(at_.b, Fn::equal, {number, first});
  }
  Values to_front(Builder& b, const Values& values) { return moved(b, values, dim_, 0); }
  static Values moved(Builder& b, const Values& values, int64_t from, int64_t to) {
    Values results;
    for (Value value : values)
      results.push_back(value ? language::moveaxis(b, value, {from}, {to}) : value);
    return results;
  }

  struct Pairs {
    Factors of_state, of_x;
  };
  /// The derivatives of f's results to what came before and to x, at all rows; none where f does
  /// not run for all rows at once.
  std::optional<Pairs> factors() {
    Builder& b = at_.b;
    const Values rows = xs();
    Values given = before();
    llvm::append_range(given, rows);
    llvm::append_range(given, captures());
    const Extent length = ir::shape_of(rows[0])[0];
    bool fits = true;
    auto region =
        language::make_region(b, mlir::ValueRange(given).getTypes(), [&](const Values& own) {
          std::vector<Batched> arguments;
          for (auto [number, value] : llvm::enumerate(own))
            arguments.push_back({value, number < 2 * count_});
          std::string why;
          auto results = batch_body(b, f_, arguments, length, &why);
          fits = results && llvm::all_of(*results, [](const Batched& one) { return one.is_each; });
          Values values;
          for (size_t number = 0; fits && number < count_; ++number)
            values.push_back((*results)[number].value);
          return values;
        });
    if (!fits)
      return std::nullopt;
    Pairs pairs{Factors(count_, Values(count_)), Factors(count_, Values(count_))};
    for (size_t number = 0; number < 2 * count_; ++number) {
      Values tangents(given.size());
      Value one = language::weak_constant(b, 1.0, ir::dtype_of(given[number]));
      tangents[number] = language::broadcast_to(b, one, ir::shape_of(given[number]));
      Pushed pushed = push_forward(b, *region, given, tangents, at_.new_symbol);
      for (size_t result = 0; result < count_; ++result)
        (number < count_ ? pairs.of_state : pairs.of_x)[result][number % count_] =
            wide(b, pushed.tangents[result]);
    }
    // The first row is its own result.
    for (size_t result = 0; result < count_; ++result)
      for (size_t x = 0; x < count_; ++x) {
        Value& factor = pairs.of_x[result][x];
        if (!factor && result != x)
          continue;
        const DType dtype = language::wide_dtype(ir::dtype_of(rows[result]));
        if (!factor)
          factor = zeros(b, language::tensor_type(b, dtype, ir::shape_of(rows[result])));
        Value alone = language::weak_constant(b, result == x ? 1.0 : 0.0, dtype);
        factor = language::elementwise(b, Fn::where,
                                       {is_first(ir::shape_of(rows[result])), alone, factor});
      }
    return pairs;
  }
  static Value wide(Builder& b, Value value) {
    return value ? language::cast(b, value, language::wide_dtype(ir::dtype_of(value))) : value;
  }

  /// t[i] = of_state[i] t[i - 1] + of_x[i] x'[i]. Transposed it runs from the other end:
  /// L[i] = v[i] + of_state[i + 1]^T L[i + 1].
  void by_pairs(const Pairs& pairs) {
    Builder& b = at_.linear;
    Values tangents = to_front(b, at_.tangents(op_.getOperands().take_front(count_))), u(count_);
    for (size_t result = 0; result < count_; ++result) {
      for (size_t x = 0; x < count_; ++x)
        if (tangents[x] && pairs.of_x[result][x])
          u[result] = added(
              b, u[result],
              language::elementwise(b, Fn::scale, {wide(b, tangents[x]), pairs.of_x[result][x]}));
      if (!u[result]) {
        Value like = to_front(b, {at_.primal(op_.getResult(static_cast<unsigned>(result)))})[0];
        u[result] = zeros(b, wide(b, like).getType());
      }
    }
    Values given;
    for (const Values& row : pairs.of_state)
      for (Value factor : row)
        if (factor)
          given.push_back(factor);
    const size_t residuals = given.size();
    auto factors_among = [&](const Values& own, size_t from) {
      Factors found(count_, Values(count_));
      for (size_t i = 0; i < count_; ++i)
        for (size_t j = 0; j < count_; ++j)
          if (pairs.of_state[i][j])
            found[i][j] = own[from++];
      return found;
    };
    llvm::append_range(given, u);
    const Types own_types(mlir::ValueRange(given).getTypes()),
        types(mlir::ValueRange(u).getTypes());
    auto linear = ir::CompositeOp::create(b, types, "recurrence", given, 1);
    linear->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(residuals)));
    linear.getBody().takeBody(*language::make_region(b, own_types, [&](const Values& own) {
      return recurrence(b, factors_among(own, 0),
                        Values(own.begin() + static_cast<int64_t>(residuals), own.end()),
                        is_reverse_);
    }));
    Types rule_types = types;
    llvm::append_range(rule_types, own_types);
    linear.getRules()[0].takeBody(*language::make_region(b, rule_types, [&](const Values& own) {
      Factors factors = factors_among(own, count_), transposed(count_, Values(count_));
      for (size_t i = 0; i < count_; ++i)
        for (size_t j = 0; j < count_; ++j)
          if (Value factor = factors[i][j])
            transposed[j][i] =
                moved_on(b, {factor}, !is_reverse_, {zeros(b, language::slice_type(b, factor))})[0];
      return recurrence(b, transposed,
                        Values(own.begin(), own.begin() + static_cast<int64_t>(count_)),
                        !is_reverse_);
    }));
    for (auto [result, tangent] :
         llvm::zip(op_.getResults(),
                   moved(b, Values(linear.result_begin(), linear.result_end()), 0, dim_)))
      at_.set_tangent(result, language::cast(b, tangent, ir::dtype_of(result)));
  }

  /// t[i] = f's tangent at (out[i - 1], x[i]) along (t[i - 1], x'[i]), which is computed again
  /// where its transpose is asked for.
  void step_by_step() {
    Builder& b = at_.linear;
    Values primal = before(), own_xs = xs(), tangents;
    std::vector<size_t> floats;
    for (auto [number, operand] : llvm::enumerate(op_.getOperands().take_front(count_)))
      if (is_differentiable(operand.getType())) {
        floats.push_back(number);
        tangents.push_back(to_front(b, {at_.tangent_or_zeros(operand)})[0]);
      }
    Values rows = primal;
    llvm::append_range(rows, own_xs);
    rows.push_back(is_first({ir::shape_of(own_xs[0])[0]}));
    llvm::append_range(rows, tangents);
    Values inits;
    Types types;
    for (Value tangent : tangents) {
      types.push_back(language::slice_type(b, tangent));
      inits.push_back(zeros(b, types.back()));
    }
    for (Value row : rows)
      types.push_back(language::slice_type(b, row));
    const Values captured = captures();
    const size_t states = inits.size();
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      auto row = arguments.begin() + static_cast<int64_t>(states);
      Values given(row, row + static_cast<int64_t>(2 * count_)), along(2 * count_);
      Value first = arguments[states + 2 * count_];
      llvm::append_range(given, captured);
      for (auto [place, number] : llvm::enumerate(floats)) {
        along[number] = arguments[place];
        along[count_ + number] = arguments[states + 2 * count_ + 1 + place];
      }
      for (Value capture : op_.getOperands().drop_front(count_))
        along.push_back(at_.tangent(capture));
      Pushed pushed = push_forward(b, f_, given, along, at_.new_symbol);
      Values results;
      for (size_t number : floats) {
        Value next = pushed.tangents[number];
        if (!next)
          next = zeros(b, pushed.results[number].getType());
        results.push_back(
            language::elementwise(b, Fn::where, {first, along[count_ + number], next}));
      }
      llvm::append_range(results, Values(results));
      return results;
    });
    Values made = language::scan(
        b, inits, rows, ir::shape_of(rows[0])[0],
        is_reverse_ ? language::Direction::reverse : language::Direction::forward, std::move(body));
    for (auto [place, number] : llvm::enumerate(floats))
      at_.set_tangent(op_->getResult(static_cast<unsigned>(number)),
                      moved(b, {made[states + place]}, 0, dim_)[0]);
  }

  ir::CompositeOp op_;
  Linearisation& at_;
  mlir::Region& f_;
  size_t count_;
  bool is_reverse_;
  int64_t dim_;
};

} // namespace

void associative_scan_rule(ir::CompositeOp op, Linearisation& at) { Call(op, at).set_tangents(); }

} // namespace kolam::transform::derive
