// Runs sums and products again in wider numbers, and compares.
#include "kolam/transform/overflow_checks.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/scatter.h"
#include "kolam/transform/cell_overflow.h"
#include "kolam/transform/interpret.h"

#include <cmath>

namespace kolam::transform {
namespace {

using language::Builder;
using language::elementwise;
using language::Values;
using mlir::Value;

Value both(Builder& b, Value x, Value y) { return elementwise(b, Fn::logical_and, {x, y}); }

Value less_than_power(Builder& b, Value x, int exponent) {
  Value limit = language::weak_constant(b, std::ldexp(1.0, exponent), DType::f64);
  return elementwise(b, Fn::less, {x, limit});
}

/// Runs an op on operands of one wide dtype; gives its result in that dtype.
using Again = std::function<Value(const Values& operands, DType dtype)>;

Values all_as(Builder& b, const Values& operands, DType dtype) {
  Values wide;
  for (Value operand : operands)
    wide.push_back(language::cast(b, operand, dtype));
  return wide;
}

/// Where a sum or product of integers is what the integers give (Note [Exact sums]).
Value total_fits(Builder& b, const Values& operands, Value result, const Again& again) {
  DType dtype = ir::dtype_of(result), wide = dtype == DType::u64 ? DType::u64 : DType::i64;
  Value near = again(all_as(b, operands, DType::f64), DType::f64);
  Value modular = dtype == wide ? result : again(all_as(b, operands, wide), wide);
  Value distance = elementwise(
      b, Fn::abs, {elementwise(b, Fn::subtract, {near, language::cast(b, modular, DType::f64)})});
  // NaN is infinity times 0: the product is 0.
  Value fits = elementwise(b, Fn::logical_or,
                           {less_than_power(b, distance, 62), elementwise(b, Fn::isnan, {near})});
  if (dtype == wide)
    return fits;
  return both(b, fits, elementwise(b, Fn::equal, {modular, language::cast(b, result, wide)}));
}

/// A clone of `op` on other operands, with a result of `dtype`.
Value run_again(Builder& b, mlir::Operation* op, const Values& operands, DType dtype) {
  mlir::Operation* clone = b.clone(*op);
  clone->setLoc(b.getLoc());
  clone->setOperands(0, static_cast<unsigned>(operands.size()), operands);
  Value result = clone->getResult(0);
  result.setType(language::tensor_type(b, dtype, ir::shape_of(result)));
  return result;
}

/// Contractions and convolutions. Of 64-bit integers a product can be beyond what f64 tells apart;
/// then it is out of range itself.
Value contraction_fits(Builder& b, mlir::Operation* op) {
  Values operands{op->getOperand(0), op->getOperand(1)};
  auto again = [&](const Values& wide, DType dtype) { return run_again(b, op, wide, dtype); };
  Value fits = total_fits(b, operands, op->getResult(0), again);
  if (byte_width(ir::dtype_of(operands[0])) < 8)
    return fits;
  Values magnitudes;
  for (Value operand : all_as(b, operands, DType::f64))
    magnitudes.push_back(elementwise(b, Fn::abs, {operand}));
  return both(b, fits, less_than_power(b, again(magnitudes, DType::f64), 88));
}

bool is_total(llvm::StringRef function) { return function == "add" || function == "multiply"; }

/// What users call a reduction or running combination by add or multiply.
std::string name_of_total(llvm::StringRef function) { return function == "add" ? "sum" : "prod"; }

Value reduced(Builder& b, Value x, llvm::StringRef function, llvm::ArrayRef<int64_t> dims,
              ir::AccumulateAttr accumulate, mlir::Type type) {
  if (dims.empty())
    return x;
  return ir::ReduceOp::create(b, mlir::TypeRange{type}, mlir::ValueRange{x},
                              b.getStringAttr(function), b.getBoolAttr(true),
                              b.getDenseI64ArrayAttr(dims), accumulate)
      .getResult(0);
}

void require_range(Builder& b, Value fits, const std::string& what, DType dtype) {
  language::check(b, fits, "integer-overflow",
                  what + ": expected a result in the range of " + std::string(name(dtype)) +
                      ", but got one outside");
}

/// Every element on its own, reduced over `dims` into the result of the same number.
void check_reduction(Builder& b, mlir::ValueRange elements, llvm::StringRef function,
                     llvm::ArrayRef<int64_t> dims, ir::AccumulateAttr accumulate,
                     mlir::ValueRange results) {
  if (!is_total(function))
    return;
  for (auto [element, result] : llvm::zip(elements, results)) {
    if (!is_integer(ir::dtype_of(result)))
      continue;
    auto again = [&, result = result](const Values& wide, DType dtype) {
      auto type = language::tensor_type(b, dtype, ir::shape_of(result));
      return reduced(b, wide[0], function, dims, accumulate, type);
    };
    require_range(b, total_fits(b, {element}, result, again), name_of_total(function),
                  ir::dtype_of(result));
  }
}

void check_cumulative(Builder& b, ir::CumulativeOp op) {
  if (!is_integer(ir::dtype_of(op.getResult())) || !is_total(op.getFunction()))
    return;
  auto again = [&](const Values& wide, DType dtype) { return run_again(b, op, wide, dtype); };
  require_range(b, total_fits(b, {op.getOperand()}, op.getResult(), again),
                "cumulative_" + name_of_total(op.getFunction()), ir::dtype_of(op.getResult()));
}

void check_scatter(Builder& b, ir::ScatterOp op) {
  if (op.getCombiner() != "kAdd" && op.getCombiner() != "kMul")
    return;
  language::ScatterSpec spec{.dims = {op.getDims().begin(), op.getDims().end()},
                             .combiner = op.getCombiner(),
                             .batched_dims = static_cast<int64_t>(op.getBatchedDims()),
                             .mode = op.getMode()};
  for (auto [destination, update, result] :
       llvm::zip(op.getDestinations(), op.getUpdates(), op.getResults())) {
    if (!is_integer(ir::dtype_of(result)))
      continue;
    auto again = [&](const Values& wide, DType) {
      return language::scatter(b, {wide[0]}, {wide[1]}, op.getIndices(), spec)[0];
    };
    require_range(b, total_fits(b, {destination, update}, result, again), "scatter",
                  ir::dtype_of(result));
  }
}

/// The pattern without its reduction: what the body yields, and before it whether each point's
/// integers stay in range.
mlir::ResultRange run_body(Builder& b, ir::ZipMapReduceOp op) {
  mlir::Region body;
  mlir::IRMapping mapping;
  op.getBody().cloneInto(&body, mapping);
  llvm::SmallVector<mlir::Operation*> ops;
  for (mlir::Operation& inner : body.front().without_terminator())
    ops.push_back(&inner);
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Operation* yield = body.front().getTerminator();
  b.setInsertionPoint(yield);
  Value fits = language::weak_constant(b, true, DType::boolean);
  for (mlir::Operation* inner : ops)
    if (Value cell = cell_fits(b, inner))
      fits = both(b, fits, language::with_shape(b, cell, {}));
  Values yielded{fits};
  yielded.insert(yielded.end(), yield->operand_begin(), yield->operand_end());
  yield->setOperands(yielded);
  Shape space = op.getSpace().shape();
  llvm::SmallVector<mlir::Type> types;
  for (Value value : yielded)
    types.push_back(language::tensor_type(b, ir::dtype_of(value), space));
  b.setInsertionPointAfter(op);
  auto map = ir::ZipMapReduceOp::create(b, types, op.getInputs(), op.getCaptures(),
                                        mlir::StringAttr(), b.getBoolAttr(true), op.getSpaceAttr(),
                                        b.getDenseI64ArrayAttr({}), op.getAccumulateAttr());
  map.getBody().takeBody(body);
  return map.getResults();
}

bool has_integers(mlir::Block& body) {
  return llvm::any_of(body, [](mlir::Operation& op) {
    return llvm::any_of(op.getResults(),
                        [](Value value) { return is_integer(ir::dtype_of(value)); });
  });
}

void check_pattern(Builder& b, ir::ZipMapReduceOp op) {
  bool sums_integers =
      op.getMonoid() && is_total(*op.getMonoid()) &&
      llvm::any_of(op.getResults(), [](Value result) { return is_integer(ir::dtype_of(result)); });
  if (!has_integers(op.getBody().front()) && !sums_integers)
    return;
  mlir::ResultRange values = run_body(b, op);
  b.setInsertionPointAfter(values[0].getDefiningOp());
  language::check(
      b, values[0], "integer-overflow",
      "zip_map_reduce: expected integers of the body in the ranges of their dtypes, but "
      "got one outside");
  if (sums_integers)
    check_reduction(b, values.drop_front(), *op.getMonoid(), op.getDims(), op.getAccumulateAttr(),
                    op.getResults());
}

void check_contraction(Builder& b, mlir::Operation* op) {
  DType dtype = ir::dtype_of(op->getResult(0));
  if (is_integer(dtype))
    require_range(b, contraction_fits(b, op), op->getName().stripDialect().str(), dtype);
}

void check(Builder& b, ir::ElementwiseOp op) {
  if (Value fits = cell_fits(b, op))
    require_range(b, fits, op.getFunction().str(), ir::dtype_of(op.getResult()));
}

void check(Builder& b, ir::CastOp op) {
  if (Value fits = cell_fits(b, op))
    require_range(b, fits, "astype", ir::dtype_of(op.getResult()));
}

void check(Builder& b, ir::ReduceOp op) {
  check_reduction(b, op.getInputs(), op.getMonoid(), op.getDims(), op.getAccumulateAttr(),
                  op.getResults());
}

void check(Builder& b, ir::CumulativeOp op) { check_cumulative(b, op); }
void check(Builder& b, ir::ContractOp op) { check_contraction(b, op); }
void check(Builder& b, ir::ConvolutionOp op) { check_contraction(b, op); }
void check(Builder& b, ir::ScatterOp op) { check_scatter(b, op); }
void check(Builder& b, ir::ZipMapReduceOp op) { check_pattern(b, op); }

} // namespace

void check_overflow(Builder& b, mlir::Operation* op) {
  if (!ir::facts_of(op).checks(ir::Checked::overflow))
    return;
  auto without_rule = [](mlir::Operation* other) {
    fail(ErrorKind::internal, "internal",
         "no check of overflow for " + other->getName().getStringRef().str());
  };
  by_rule<void>(
      op, [&](auto typed) -> decltype(check(b, typed)) { return check(b, typed); }, without_rule);
}

// Note [Exact sums]
// A total S of integers (a sum, a product, a sum of products) is computed twice: as W in 64 bits,
// which is S modulo 2^64, and as F in f64, which is S with a small relative error. S = W exactly
// where |F - W| < 2^62: S and W differ by a multiple of 2^64, and F is nearer to S than 2^62. For n
// terms the error is at most n 2^-53 times the sum of their magnitudes: below 2^62 for 2^25 terms
// of 64 bits or of products of 32 bits. Then W fits a narrower dtype where converting it there and
// back gives W.

} // namespace kolam::transform
