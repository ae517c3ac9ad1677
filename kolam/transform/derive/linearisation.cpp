// Goes through a program and makes its linear part.
#include "kolam/transform/derive/linearisation.h"

#include "kolam/ir/location.h"
#include "kolam/ir/op_name.h"
#include "kolam/ir/visit.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive/activity.h"
#include "kolam/transform/derive/at_zero.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/derive/hoist.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/line_marks.h"
#include "kolam/transform/lists/rename.h"
#include "kolam/transform/unread.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform {
namespace derive {

void refuse(mlir::Operation* op, const std::string& why) {
  throw Error(ErrorKind::value, "not-differentiable", ir::user_name(op) + ": " + why,
              ir::to_source_location(op->getLoc()));
}

void refuse_lists(mlir::Operation* op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<ir::ListType>))
    refuse(op, "expected arrays as states and results, but got a list; fold and scan of lists have "
               "derivatives");
}

bool is_differentiable(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return llvm::isa<mlir::RankedTensorType>(type) && is_float(ir::dtype_of(type));
}

Value added(Builder& b, Value sum, Value part) {
  return sum ? language::elementwise(b, Fn::add, {sum, part}) : part;
}

void drop_unused(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

void put_last_first(mlir::Block& block, size_t count) {
  for (size_t number = 0; number < count; ++number) {
    mlir::BlockArgument first = block.getArgument(0);
    first.replaceAllUsesWith(block.addArgument(first.getType(), first.getLoc()));
    block.eraseArgument(0);
  }
}

bool Linearisation::any_active(mlir::ValueRange values) const {
  return llvm::any_of(values, [&](Value value) { return is_active(value); });
}

Value Linearisation::tangent_or_zeros(Value value) {
  if (Value found = tangent(value))
    return found;
  return zeros_like(linear, primal(value));
}

mlir::Operation* Linearisation::copy(mlir::Operation* op) {
  mlir::Operation* copied = b.insert(op->clone());
  for (mlir::OpOperand& operand : copied->getOpOperands())
    operand.set(primal(operand.get()));
  for (auto [from, to] : llvm::zip(op->getResults(), copied->getResults()))
    set(from, to);
  return copied;
}

mlir::Operation* Linearisation::copy_linear(mlir::Operation* op, llvm::ArrayRef<unsigned> numbers) {
  Values operands = primals(op->getOperands());
  for (unsigned number : numbers)
    operands[number] = tangent_or_zeros(op->getOperand(number));
  mlir::Operation* copied = op->clone();
  drop_copies(copied); // another op than its primal one
  copied->setOperands(operands);
  copied->setLoc(in_derivative_of(op));
  return linear.insert(copied);
}

void Linearisation::set_linear(mlir::Operation* op, llvm::ArrayRef<unsigned> numbers) {
  if (llvm::none_of(numbers, [&](unsigned number) { return is_active(op->getOperand(number)); }))
    return;
  mlir::Operation* made = copy_linear(op, numbers);
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    if (is_differentiable(from.getType()))
      set_tangent(from, to);
}

void linearise(mlir::Operation* op, Linearisation& at) {
  ir::visit<void>(
      op,
      [&](auto typed) {
        if constexpr (requires { linearise_whole(typed, at); })
          linearise_whole(typed, at);
        else if constexpr (requires { linearise_rule(typed, at); }) {
          at.copy(op);
          linearise_rule(typed, at);
        } else if constexpr (requires { needs_none(typed); })
          at.copy(op);
        else {
          static_assert(requires { has_none(typed); }, "an op without a rule for derivatives");
          refuse(op,
                 "expected an op that has a derivative, as what it takes depends on an argument "
                 "that is differentiated; stop_gradient takes it as constant");
        }
      },
      [&](mlir::Operation* other) { refuse(other, "expected an op of Kolam"); });
}

void linearise_block(mlir::Block& block, Linearisation& at) {
  for_each_op(at.b, block, [&](mlir::Operation* op) {
    if (!at.any_active(op->getOperands())) {
      at.copy(op);
      return;
    }
    // What is no copy of the op is its derivative.
    AtLine line(at.b, in_derivative_of(op)), tangent_line(at.linear, in_derivative_of(op));
    linearise(op, at);
    carry_names(op, at.primals(op->getResults()));
  });
}

void linearise_as(mlir::Operation* op, Linearisation& at, bool as_primal,
                  llvm::function_ref<Values(Builder& b, const Values& operands)> make) {
  llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
  auto region = language::make_region(at.b, types,
                                      [&](const Values& operands) { return make(at.b, operands); });
  Linearisation inner(at.b, at.linear, at.new_symbol);
  for (auto [argument, operand] : llvm::zip(region->getArguments(), op->getOperands())) {
    inner.set(argument, at.primal(operand));
    inner.set_tangent(argument, at.tangent(operand));
  }
  linearise_block(region->front(), inner);
  mlir::ValueRange yielded = region->front().getTerminator()->getOperands();
  for (auto [result, value] : llvm::zip(op->getResults(), yielded)) {
    if (as_primal)
      at.set(result, inner.primal(value));
    at.set_tangent(result, inner.tangent(value));
  }
}

Value stop_gradient(Builder& b, Value value) {
  auto op = ir::CompositeOp::create(b, mlir::TypeRange{value.getType()}, "stop_gradient",
                                    mlir::ValueRange{value}, 0);
  op.getBody().takeBody(*language::make_region(b, {value.getType()},
                                               [](const Values& arguments) { return arguments; }));
  return op.getResult(0);
}

} // namespace derive

using derive::Linearisation;
using language::Values;
using mlir::Value;

Value zeros(language::Builder& b, mlir::Type type) {
  Value zero = language::weak_constant(b, false, DType::boolean);
  zero = language::cast(b, zero, ir::dtype_of(type));
  return language::broadcast_to(b, zero, ir::shape_of(type));
}

Value zeros_like(language::Builder& b, Value like) {
  if (!llvm::isa<ir::ListType>(like.getType()))
    return zeros(b, like.getType());
  auto region =
      language::make_region(b, {language::element_type(like)}, [&](const Values& elements) {
        return Values{zeros_like(b, elements[0])};
      });
  return language::list_map(b, {like}, {std::move(region), {}})[0];
}

/// Erases what nothing uses: each order of derivatives would make more of it. See Note [Orders].
/// Views of what loops capture leave them.
static void make_ready(language::Builder& b, mlir::Region& body) {
  derive::link_copies(b, body);
  derive::drop_unused(body.front());
  derive::hoist_views(body);
  constexpr int64_t kMostProducts = 2000; // bound: what is made of so many compiles in seconds
  int64_t products = 0;
  body.walk([&](ir::ElementwiseOp op) {
    const auto fn = parse_fn(op.getFunction());
    products += fn == Fn::scale || fn == Fn::scale_either;
  });
  if (products > kMostProducts)
    throw Error(ErrorKind::value, "derivative-too-large",
                "expected a derivative of up to " + std::to_string(kMostProducts) +
                    " products where it is differentiated again, but got " +
                    std::to_string(products),
                ir::to_source_location(b.getLoc()));
}

/// Sets primal values and tangents of a body's arguments.
static void enter(mlir::Region& body, mlir::ValueRange arguments, Linearisation& at) {
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    at.set(argument, value);
}

Pushed push_forward(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                    llvm::ArrayRef<Value> tangents, const NewSymbol& new_symbol) {
  Linearisation at(b, b, new_symbol);
  make_ready(b, body);
  enter(body, arguments, at);
  for (auto [argument, tangent] : llvm::zip_equal(body.getArguments(), tangents))
    at.set_tangent(argument, tangent);
  derive::linearise_block(body.front(), at);
  mlir::ValueRange yielded = body.front().getTerminator()->getOperands();
  return {at.primals(yielded), at.tangents(yielded)};
}

Linearised linearise(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                     llvm::ArrayRef<bool> active, const NewSymbol& new_symbol) {
  make_ready(b, body);
  Linearised made;
  LinearProgram& program = made.linear;
  program.region = std::make_unique<mlir::Region>();
  auto* block = new mlir::Block;
  program.region->push_back(block);
  language::Builder linear(b.getLoc(), b.getContext());
  linear.setInsertionPointToEnd(block);
  Linearisation at(b, linear, new_symbol);
  enter(body, arguments, at);
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    if (active[number]) {
      program.arguments.push_back(number);
      at.set_tangent(argument, block->addArgument(argument.getType(), argument.getLoc()));
    }
  derive::linearise_block(body.front(), at);
  mlir::ValueRange yielded = body.front().getTerminator()->getOperands();
  made.results = at.primals(yielded);
  Values tangents;
  for (auto [number, value] : llvm::enumerate(yielded))
    if (Value tangent = at.tangent(value)) {
      program.results.push_back(number);
      tangents.push_back(tangent);
    }
  ir::YieldOp::create(linear, tangents);
  drop_unread(*block); // tangents of states, too, as where it is computed again
  made.residuals = language::isolate(*program.region);
  program.residuals = made.residuals.size();
  derive::put_last_first(*block, program.arguments.size());
  return made;
}

Values apply_linear(language::Builder& b, LinearProgram& program, mlir::ValueRange residuals,
                    mlir::ValueRange tangents, const NewSymbol& new_symbol) {
  lists::rename_bound(*program.region, new_symbol); // its ops may be there already
  Values arguments(residuals.begin(), residuals.end());
  llvm::append_range(arguments, tangents);
  return language::inlined(b, *program.region, arguments);
}

/// Whether more of a value is read than how long lists are.
static bool reads_elements(Value value) {
  return llvm::any_of(value.getUses(), [](mlir::OpOperand& use) {
    mlir::Operation* op = use.getOwner();
    // Of a list whose leaves an op moves the numbers of the leaves, which are a residual, too.
    if (auto moved = llvm::dyn_cast<ir::CompositeOp>(op); moved && moved.getName() == "leaves")
      return !llvm::is_contained(op->getAttrOfType<mlir::DenseI64ArrayAttr>("active").asArrayRef(),
                                 static_cast<int64_t>(use.getOperandNumber()));
    return !llvm::isa<ir::ListMapOp, ir::ListScanOp>(op) ||
           reads_elements(op->getRegion(0).getArgument(use.getOperandNumber()));
  });
}

Linearised as_linear(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                     llvm::ArrayRef<bool> active, const NewSymbol& new_symbol, size_t first) {
  derive::require_zeros_at_zero(body, arguments, active, first);
  Linearised made = linearise(b, body, arguments, active, new_symbol);
  llvm::DenseSet<Value> depends;
  for (auto [argument, is_active] : llvm::zip(arguments, active))
    if (is_active)
      depends.insert(argument);
  derive::Activity dependence(derive::Counts::all);
  depends = dependence.of_block(*b.getInsertionBlock(), std::move(depends));
  mlir::Block& block = made.linear.region->front();
  for (auto [residual, argument] : llvm::zip(made.residuals, block.getArguments()))
    if (depends.contains(residual) && reads_elements(argument))
      derive::refuse_nonlinear(*argument.user_begin(),
                               "expected a function that is linear in its arguments, but its "
                               "derivative depends on them");
  return made;
}

// Note [Orders]
// A derivative has a product for each op of what is differentiated, and the functions that are its
// factors, so that orders grow by a factor: two to four. Products of derivatives, `scale`, are no
// function of the user's: where there are many the program is a derivative itself, of an order that
// nobody asks for but by mistake, or of a program that is too long.

} // namespace kolam::transform
