// Makes the ops with bodies.
#include "kolam/language/control.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::language {
namespace {

ir::YieldOp yield_of(mlir::Region& region) {
  return llvm::cast<ir::YieldOp>(region.front().getTerminator());
}

/// True where shapes may be equal at run time.
bool may_equal(const Shape& x, const Shape& y) {
  if (x.size() != y.size())
    return false;
  for (auto [a, b] : llvm::zip(x, y))
    if (a.is_constant() && b.is_constant() && !(a == b))
      return false;
  return true;
}

/// Who yields, for errors.
struct Expectation {
  std::string_view slug, what;
};

/// Makes a body yield values of `types` first: equal dtypes, extents equal or checked by the run.
void fit_yields(Builder& b, mlir::Region& region, llvm::ArrayRef<mlir::Type> types,
                const Expectation& expectation) {
  ir::YieldOp yield = yield_of(region);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(yield);
  for (auto [number, type] : llvm::enumerate(types)) {
    Value value = yield.getOperand(static_cast<unsigned>(number));
    if (value.getType() == type)
      continue;
    std::string message = std::string(expectation.what) + " " + std::to_string(number) +
                          ": expected " + describe_type(type) + ", but got " +
                          describe_type(value.getType());
    if (llvm::isa<ir::ListType>(type) || llvm::isa<ir::ListType>(value.getType()))
      fail(ErrorKind::type, expectation.slug, message);
    Shape expected = ir::shape_of(type), actual = ir::shape_of(value);
    if (ir::dtype_of(type) != ir::dtype_of(value) || !may_equal(expected, actual))
      fail(ErrorKind::type, expectation.slug, message);
    for (auto [x, y] : llvm::zip(expected, actual))
      if (!(x == y))
        check_equal(b, x, y, expectation.slug, message);
    yield.setOperand(static_cast<unsigned>(number), with_shape(b, value, expected));
  }
}

void require_count(size_t expected, size_t actual, const Expectation& expectation) {
  if (expected != actual)
    fail(ErrorKind::type, expectation.slug,
         std::string(expectation.what) + ": expected " + std::to_string(expected) +
             " values, but got " + std::to_string(actual));
}

llvm::SmallVector<mlir::Type> types_of(const Values& values) {
  llvm::SmallVector<mlir::Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  return types;
}

void check_carry(Builder& b, mlir::Region& region, const Values& inits) {
  fit_yields(b, region, types_of(inits), {"carry-mismatch", "state"});
}

void require_scalar(Value value, std::string_view argument) {
  if (ir::rank_of(value) != 0)
    fail_argument(ErrorKind::value, "shape-mismatch", argument, "a scalar", describe(value));
}

} // namespace

Body make_body(Builder& b, mlir::TypeRange types,
               const std::function<Values(const Values&)>& body) {
  auto region = make_region(b, types, body);
  Values captures = isolate(*region);
  return {std::move(region), std::move(captures)};
}

Values share_captures(llvm::MutableArrayRef<Body> bodies) {
  llvm::SetVector<Value> all;
  for (const Body& body : bodies)
    all.insert(body.captures.begin(), body.captures.end());
  for (Body& body : bodies) {
    mlir::Block& block = body.region->front();
    unsigned first = block.getNumArguments() - static_cast<unsigned>(body.captures.size());
    unsigned count = static_cast<unsigned>(body.captures.size());
    for (Value capture : all) {
      mlir::BlockArgument shared = block.addArgument(capture.getType(), capture.getLoc());
      auto own = llvm::find(body.captures, capture);
      if (own != body.captures.end())
        block.getArgument(first + static_cast<unsigned>(own - body.captures.begin()))
            .replaceAllUsesWith(shared);
    }
    block.eraseArguments(first, count);
  }
  return Values(all.begin(), all.end());
}

std::pair<Value, Value> loop_bounds(Builder& b, Value lower, Value upper) {
  DType dtype = DType::i32;
  for (auto [value, argument] : {std::pair(lower, "lower"), std::pair(upper, "upper")}) {
    require_scalar(value, argument);
    DType own = ir::dtype_of(value);
    if (!is_integer(own) || own == DType::u64)
      fail_argument(ErrorKind::type, "dtype-mismatch", argument, "an integer that int64 holds",
                    describe(value));
    if (own == DType::i64 || own == DType::u32)
      dtype = DType::i64;
  }
  return {cast(b, lower, dtype), cast(b, upper, dtype)};
}

Values for_loop(Builder& b, Value lower, Value upper, const Values& inits, Body body) {
  require_count(inits.size(), yield_of(*body.region).getNumOperands(), {"carry-mismatch", "state"});
  check_carry(b, *body.region, inits);
  auto loop = ir::ForOp::create(b, types_of(inits), lower, upper, inits, body.captures);
  loop.getBody().takeBody(*body.region);
  return Values(loop.result_begin(), loop.result_end());
}

Values while_loop(Builder& b, const Values& inits, Body condition, Body body) {
  ir::YieldOp holds = yield_of(*condition.region);
  KOLAM_CHECK(holds.getNumOperands() == 1);
  require_scalar(holds.getOperand(0), "condition");
  if (ir::dtype_of(holds.getOperand(0)) != DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "condition", "a bool scalar",
                  describe(holds.getOperand(0)));
  require_count(inits.size(), yield_of(*body.region).getNumOperands(), {"carry-mismatch", "state"});
  check_carry(b, *body.region, inits);
  Body bodies[] = {std::move(condition), std::move(body)};
  Values captures = share_captures(bodies);
  auto loop = ir::WhileOp::create(b, types_of(inits), inits, captures);
  loop.getCondition().takeBody(*bodies[0].region);
  loop.getBody().takeBody(*bodies[1].region);
  return Values(loop.result_begin(), loop.result_end());
}

std::string branch_name(size_t number, DType selector) {
  if (selector != DType::boolean)
    return "branch " + std::to_string(number);
  return number == 0 ? "the false branch" : "the true branch";
}

Values cond(Builder& b, Value selector, std::vector<Body> branches) {
  require_scalar(selector, "selector");
  DType dtype = ir::dtype_of(selector);
  if (is_float(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "selector", "a bool or an integer",
                  describe(selector));
  if (dtype == DType::u64) {
    // Beyond int64 the last branch is meant.
    Value last = weak_constant(b, static_cast<int64_t>(branches.size()) - 1, dtype);
    selector = ir::ElementwiseOp::create(b, selector.getType(), b.getStringAttr("minimum"),
                                         mlir::ValueRange{selector, last});
  }
  // Types, not values: sharing captures replaces those that a branch yields as they are.
  llvm::SmallVector<mlir::Type> types(yield_of(*branches[0].region).getOperandTypes());
  for (auto [number, branch] : llvm::enumerate(branches)) {
    std::string what = branch_name(number, dtype) + ", result";
    require_count(types.size(), yield_of(*branch.region).getNumOperands(),
                  {"branch-mismatch", what});
    fit_yields(b, *branch.region, types, {"branch-mismatch", what});
  }
  Values captures = share_captures(branches);
  auto op =
      ir::CondOp::create(b, types, selector, captures, static_cast<unsigned>(branches.size()));
  for (auto [region, branch] : llvm::zip(op.getBranches(), branches))
    region.takeBody(*branch.region);
  return Values(op.result_begin(), op.result_end());
}

void when(Builder& b, Value condition, const std::function<void()>& body) {
  std::vector<Body> branches;
  branches.push_back(make_body(b, {}, [](const Values&) { return Values(); }));
  branches.push_back(make_body(b, {}, [&](const Values&) {
    body();
    return Values();
  }));
  cond(b, condition, std::move(branches));
}

Values scan(Builder& b, const Values& inits, const Values& xs, const Extent& length,
            Direction direction, Body body) {
  mlir::ValueRange yields = yield_of(*body.region).getValues();
  KOLAM_CHECK(yields.size() >= inits.size());
  check_carry(b, *body.region, inits);
  llvm::SmallVector<mlir::Type> types = types_of(inits);
  for (Value y : yield_of(*body.region).getValues().drop_front(inits.size())) {
    Shape shape = ir::shape_of(y);
    shape.insert(shape.begin(), length);
    types.push_back(tensor_type(b, ir::dtype_of(y), shape));
  }
  auto op = ir::ScanOp::create(b, types, inits, xs, body.captures,
                               ir::ExtentsAttr::of(b.getContext(), {length}),
                               direction == Direction::reverse);
  op.getBody().takeBody(*body.region);
  return Values(op.result_begin(), op.result_end());
}

Extent scan_length(Builder& b, Values& xs, std::optional<Extent> length) {
  for (auto [number, x] : llvm::enumerate(xs)) {
    std::string what = "x " + std::to_string(number);
    if (ir::rank_of(x) == 0)
      fail(ErrorKind::value, "shape-mismatch",
           what + ": expected a leading dim to scan over, but got " + describe(x));
    Extent own = ir::shape_of(x)[0];
    length = length ? unify(b, *length, own, what + ", leading dim") : own;
  }
  if (!length)
    fail(ErrorKind::value, "scan-length",
         "expected a length where there are no xs, but got neither");
  require_at_most(b, 0, *length, "scan-length",
                  "expected a length >= 0, but got " + length->to_string());
  for (Value& x : xs) {
    Shape shape = ir::shape_of(x);
    shape[0] = *length;
    x = with_shape(b, x, shape);
  }
  return *length;
}

mlir::RankedTensorType slice_type(Builder& b, Value x) {
  Shape shape = ir::shape_of(x);
  return tensor_type(b, ir::dtype_of(x), Shape(shape.begin() + 1, shape.end()));
}

} // namespace kolam::language
