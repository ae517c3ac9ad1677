// Moves maps into the steps of scans.
#include "kolam/transform/lists/fuse_maps.h"

#include "kolam/transform/lists/host_calls.h"
#include "kolam/transform/lists/order_note.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace kolam::transform::lists {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// Whether an op of the body takes or gives lists, or has sizes of its own.
bool holds_structure(mlir::Region& body) {
  auto is_list = [](mlir::Type type) { return llvm::isa<ir::ListType>(type); };
  return llvm::any_of(body.getArgumentTypes(), is_list) ||
         body.walk([&](mlir::Operation* op) {
               return llvm::isa<ir::BindExtentOp>(op) || llvm::any_of(op->getResultTypes(), is_list)
                          ? mlir::WalkResult::interrupt()
                          : mlir::WalkResult::advance();
             })
             .wasInterrupted();
}

/// Whether a product of the body has an operand that is the same for all elements.
bool has_shared_factor(ir::ListMapOp map) {
  mlir::Block& body = map.getBody().front();
  llvm::DenseSet<Value> own(body.args_begin(), body.args_begin() + map.getLists().size());
  for (mlir::Operation& op : body.without_terminator()) {
    auto is_own = [&](Value value) { return own.contains(value); };
    if (ir::facts_of(&op).has_factors && !llvm::all_of(op.getOperands(), is_own))
      return true;
    if (llvm::any_of(op.getOperands(), is_own))
      own.insert(op.result_begin(), op.result_end());
  }
  return false;
}

/// The number of the list of states among the scan's results that a value is.
std::optional<unsigned> states_of(ir::ListScanOp scan, Value value) {
  auto result = llvm::dyn_cast<mlir::OpResult>(value);
  if (!result || result.getOwner() != scan || result.getResultNumber() < scan.getInits().size())
    return std::nullopt;
  return result.getResultNumber() - static_cast<unsigned>(scan.getInits().size());
}

bool can_fuse(ir::ListScanOp scan, ir::ListMapOp map) {
  auto is_ready = [&](Value value) {
    mlir::Operation* op = value.getDefiningOp();
    return !op || op->getBlock() != scan->getBlock() || op->isBeforeInBlock(scan);
  };
  for (Value list : map.getLists())
    if (!is_ready(list) &&
        (!states_of(scan, list) ||
         llvm::any_of(list.getUsers(), [&](mlir::Operation* user) { return user != map; })))
      return false;
  return llvm::all_of(map.getCaptures(), is_ready) && !has_shared_factor(map) &&
         !holds_structure(map.getBody()) && !holds_structure(scan.getBody()) && !calls_host(map) &&
         !calls_host(scan);
}

/// The map in the block of a scan that goes into its steps.
ir::ListMapOp map_of(ir::ListScanOp scan) {
  if (scan.getAssociative())
    return {};
  for (mlir::Operation* user : scan->getUsers())
    if (auto map = llvm::dyn_cast<ir::ListMapOp>(user);
        map && map->getBlock() == scan->getBlock() && can_fuse(scan, map))
      return map;
  return {};
}

Value zeros(Builder& b, DType dtype, const Shape& shape) {
  Value zero = language::cast(b, language::weak_constant(b, false, DType::boolean), dtype);
  return language::broadcast_to(b, zero, shape);
}

ir::ListScanOp fuse(ir::ListScanOp scan, ir::ListMapOp map) {
  Builder b(scan.getLoc(), scan);
  mlir::Block &step = scan.getBody().front(), &element = map.getBody().front();
  mlir::OperandRange given = element.getTerminator()->getOperands();
  Values inits(scan.getInits().begin(), scan.getInits().end()),
      lists(scan.getLists().begin(), scan.getLists().end()),
      captures(scan.getCaptures().begin(), scan.getCaptures().end());
  for (Value value : given)
    inits.push_back(zeros(b, ir::dtype_of(value), ir::shape_of(value)));

  // The arguments of both bodies in those of the new one.
  auto body = std::make_unique<mlir::Region>();
  auto* block = new mlir::Block;
  body->push_back(block);
  mlir::IRMapping mapping;
  auto add = [&](Value argument) {
    mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
  };
  auto arguments = step.getArguments();
  const size_t states = scan.getInits().size();
  llvm::for_each(arguments.take_front(states), add);
  for (Value value : given)
    block->addArgument(value.getType(), value.getLoc());
  llvm::for_each(arguments.slice(states, lists.size()), add);
  std::vector<std::pair<Value, unsigned>> of_states;
  for (auto [list, argument] : llvm::zip(map.getLists(), element.getArguments())) {
    if (auto state = states_of(scan, list)) {
      of_states.emplace_back(argument, *state);
      continue;
    }
    lists.push_back(list);
    add(argument);
  }
  llvm::for_each(arguments.take_back(captures.size()), add);
  llvm::append_range(captures, map.getCaptures());
  llvm::for_each(element.getArguments().take_back(map.getCaptures().size()), add);

  mlir::OpBuilder inside(b.getContext());
  inside.setInsertionPointToEnd(block);
  for (mlir::Operation& op : step.without_terminator())
    inside.clone(op, mapping);
  Values yields;
  for (Value value : step.getTerminator()->getOperands())
    yields.push_back(mapping.lookup(value));
  for (auto [argument, state] : of_states)
    mapping.map(argument, yields[state]);
  for (mlir::Operation& op : element.without_terminator())
    inside.clone(op, mapping);
  for (Value value : given)
    yields.push_back(mapping.lookup(value));
  ir::YieldOp::create(inside, step.getTerminator()->getLoc(), yields);

  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (size_t state = 0; state < inits.size(); ++state)
    types.push_back(ir::ListType::get(b.getContext(), types[state]));
  auto fused = ir::ListScanOp::create(b, types, inits, lists, captures, scan.getReverse(),
                                      /*associative=*/false);
  fused.getBody().takeBody(*body);
  for (size_t state = 0; state < states; ++state) {
    scan.getResult(state).replaceAllUsesWith(fused.getResult(state));
    scan.getResult(states + state).replaceAllUsesWith(fused.getResult(inits.size() + state));
  }
  for (auto [number, result] : llvm::enumerate(map.getResults()))
    result.replaceAllUsesWith(fused.getResult(inits.size() + states + number));
  map.erase();
  scan.erase();
  return fused;
}

/// The scan whose body has a value as an argument, and the number of that; or null.
std::pair<ir::ListScanOp, size_t> argument_of_scan(Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  if (!argument)
    return {};
  return {llvm::dyn_cast<ir::ListScanOp>(argument.getOwner()->getParentOp()),
          argument.getArgNumber()};
}

/// Whether a list is a state of a scan whose body it is in.
bool is_state(Value list) {
  auto [scan, number] = argument_of_scan(list);
  return scan && !scan.getAssociative() && number < scan.getInits().size();
}

/// Whether a map computes products with what each step of the scan around brings: steps then go one
/// after the other, and of all elements at once they are one large product.
bool has_weights_of_step(ir::ListMapOp map) {
  auto is_same_for_all = [](Value value) {
    auto [scan, number] = argument_of_scan(value);
    return scan && number >= scan.getInits().size() + scan.getLists().size();
  };
  return has_shared_factor(map) && !llvm::all_of(map.getCaptures(), is_same_for_all);
}

/// The map of states around whose elements a scan alone takes.
ir::ListMapOp map_before(ir::ListScanOp scan, bool in_waves) {
  if (scan.getAssociative())
    return {};
  for (Value list : scan.getLists()) {
    auto map = list.getDefiningOp<ir::ListMapOp>();
    if (map && map->getBlock() == scan->getBlock() && llvm::any_of(map.getLists(), is_state) &&
        llvm::all_of(map->getUses(),
                     [&](mlir::OpOperand& use) {
                       unsigned first = scan.getLists().getBeginOperandIndex();
                       return use.getOwner() == scan && use.getOperandNumber() >= first &&
                              use.getOperandNumber() < first + scan.getLists().size();
                     }) &&
        !holds_structure(map.getBody()) && !calls_host(map) &&
        (in_waves || !has_weights_of_step(map)))
      return map;
  }
  return {};
}

/// scan(f, map(g, xs)) = scan((s, x) -> f(s, g(x)), xs)
void fuse_before(ir::ListScanOp scan, ir::ListMapOp map) {
  mlir::Block &step = scan.getBody().front(), &element = map.getBody().front();
  const size_t states = scan.getInits().size();
  mlir::IRMapping mapping;
  Values lists, captures(scan.getCaptures().begin(), scan.getCaptures().end());
  unsigned place = static_cast<unsigned>(states);
  for (auto [list, argument] : llvm::zip(map.getLists(), element.getArguments())) {
    mapping.map(argument, step.insertArgument(place++, argument.getType(), argument.getLoc()));
    lists.push_back(list);
  }
  const auto own = element.getArguments().take_back(map.getCaptures().size());
  for (auto [capture, argument] : llvm::zip(map.getCaptures(), own)) {
    mapping.map(argument, step.addArgument(argument.getType(), argument.getLoc()));
    captures.push_back(capture);
  }
  mlir::OpBuilder inside = mlir::OpBuilder::atBlockBegin(&step);
  for (mlir::Operation& op : element.without_terminator())
    inside.clone(op, mapping);
  for (Value list : scan.getLists()) {
    if (list.getDefiningOp() != map) {
      lists.push_back(list);
      ++place;
      continue;
    }
    unsigned result = llvm::cast<mlir::OpResult>(list).getResultNumber();
    step.getArgument(place).replaceAllUsesWith(
        mapping.lookupOrDefault(element.getTerminator()->getOperand(result)));
    step.eraseArgument(place);
  }
  scan.getListsMutable().assign(lists);
  scan.getCapturesMutable().assign(captures);
  map.erase();
}

} // namespace

static llvm::SmallVector<ir::ListScanOp> scans_of(mlir::func::FuncOp function) {
  llvm::SmallVector<ir::ListScanOp> scans;
  function.walk([&](ir::ListScanOp scan) { scans.push_back(scan); });
  return scans;
}

std::vector<std::string> fuse_maps(mlir::func::FuncOp function, bool in_waves) {
  std::vector<std::string> notes;
  for (ir::ListScanOp scan : scans_of(function)) // inner ones first: what is erased is met no more
    while (ir::ListMapOp map = map_of(scan)) {
      notes.push_back(order_note(map, "in the steps of the scan whose states it reads"));
      scan = fuse(scan, map);
    }
  for (ir::ListScanOp scan : scans_of(function))
    while (ir::ListMapOp map = map_before(scan, in_waves)) {
      notes.push_back(order_note(map, "in the steps of the scan that takes its elements"));
      fuse_before(scan, map);
    }
  return notes;
}

} // namespace kolam::transform::lists
