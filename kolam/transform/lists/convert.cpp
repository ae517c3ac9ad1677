// Walks over a program and replaces its lists.
#include "kolam/transform/lists/convert.h"

#include "kolam/ir/location.h"
#include "kolam/ir/visit.h"
#include "kolam/ir/why_lists.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/region.h"
#include "kolam/transform/lists.h"
#include "kolam/transform/lists/fuse_maps.h"
#include "kolam/transform/lists/host_calls.h"
#include "kolam/transform/lists/order_note.h"
#include "kolam/transform/lists/sweep.h"

namespace kolam::transform {
namespace lists {

FlatValues Conversion::get(mlir::ValueRange values, const Environment& environment) const {
  FlatValues flat;
  for (Value value : values)
    flat.push_back(environment.find(value)->second);
  return flat;
}

const Frame* Conversion::innermost(const FlatValues& values) const {
  const Frame* frame = frames.root();
  for (const FlatValue& value : values)
    frame = Frames::inner(frame, frame_of(value));
  return frame;
}

FlatValues Conversion::convert_block(mlir::Block& block, const FlatValues& arguments,
                                     const Frame* frame) {
  Environment values;
  for (auto [argument, given] : llvm::zip(block.getArguments(), arguments))
    values.try_emplace(argument, given);
  for (mlir::Operation& op : block.without_terminator())
    convert(&op, frame, values);
  return get(block.getTerminator()->getOperands(), values);
}

void Conversion::convert(mlir::Operation* op, const Frame* frame, Environment& values) {
  mlir::Location outer = b.getLoc();
  b.setLoc(op->getLoc());
  ir::visit<void>(
      op,
      [&](auto typed) {
        if constexpr (requires { convert_op(typed, frame, values); }) {
          if (ir::facts_of(op).runs == ir::Runs::lists || holds_lists(op))
            return convert_op(typed, frame, values);
        }
        convert_tensor_op(op, frame, values);
      },
      [&](mlir::Operation* other) { convert_tensor_op(other, frame, values); });
  b.setLoc(outer);
}

/// What is the same for all instances belongs to the single frame around them.
static const Frame* single_around(const Frame* frame) {
  while (!frame->is_single)
    frame = frame->outer;
  return frame;
}

void Conversion::convert_tensor_op(mlir::Operation* op, const Frame* frame, Environment& values) {
  FlatValues operands = get(op->getOperands(), values);
  // Where there are no instances nothing is checked.
  const Frame* at = llvm::isa<ir::CheckOp>(op) ? frame : innermost(operands);
  std::vector<Batched> given;
  for (const FlatValue& operand : operands)
    given.push_back(llvm::isa<ir::CheckOp>(op)
                        ? Batched{frames.each(std::get<FlatTensor>(operand), at), !at->is_single}
                        : frames.batched(std::get<FlatTensor>(operand), at));
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op); scan && holds_lists(op)) {
    if (!at->is_single)
      throw Refusal{"lists are used in the body of scan"};
    return convert_body(scan, given, at, values);
  }
  // It runs once, whatever its effects are.
  if (frame == frames.root() || (frame->is_single && calls_host(op))) {
    mlir::Operation* copy = b.insert(op->clone());
    for (auto [number, operand] : llvm::enumerate(given))
      copy->setOperand(static_cast<unsigned>(number), operand.value);
    for (auto [result, made] : llvm::zip(op->getResults(), copy->getResults()))
      values.insert_or_assign(result, FlatTensor{frame, made});
    return;
  }
  std::string why;
  auto results = batch_op(b, op, given, at->count, &why);
  if (!results)
    throw Refusal{why};
  for (auto [result, made] : llvm::zip(op->getResults(), *results))
    values.insert_or_assign(result, FlatTensor{made.is_each ? at : single_around(at), made.value});
}

/// A scan of arrays with lists in its body.
void Conversion::convert_body(ir::ScanOp op, llvm::ArrayRef<Batched> operands, const Frame* single,
                              Environment& values) {
  auto copy = llvm::cast<ir::ScanOp>(b.insert(op->cloneWithoutRegions()));
  for (auto [number, operand] : llvm::enumerate(operands))
    copy->setOperand(static_cast<unsigned>(number), operand.value);
  mlir::Block& body = op.getBody().front();
  auto region = language::make_region(b, body.getArgumentTypes(), [&](const Values& arguments) {
    auto inside = frames.inside();
    FlatValues flat;
    for (Value argument : arguments)
      flat.push_back(FlatTensor{single, argument});
    Values yields;
    for (auto [value, yield] :
         llvm::zip(body.getTerminator()->getOperands(), convert_block(body, flat, single)))
      yields.push_back(
          language::with_shape(b, std::get<FlatTensor>(yield).value, ir::shape_of(value)));
    return yields;
  });
  copy.getCapturesMutable().append(language::isolate(*region)); // structure, mostly
  copy.getBody().takeBody(*region);
  for (auto [result, made] : llvm::zip(op->getResults(), copy->getResults()))
    values.insert_or_assign(result, FlatTensor{single, made});
}

void Conversion::check_lengths(const LevelRef& a, const LevelRef& b) {
  if (frames.are_equal(a, b))
    return;
  integers.check(integers.apply(Fn::equal, a->lengths, b->lengths), "list-lengths",
                 "expected lists of one length, but some differ");
  frames.set_equal(a, b);
}

std::vector<FlatList> Conversion::zipped(mlir::ValueRange lists, const Environment& values) {
  FlatValues flat = get(lists, values);
  const Frame* frame = innermost(flat);
  std::vector<FlatList> result;
  for (const FlatValue& value : flat)
    result.push_back(frames.bring(std::get<FlatList>(value), frame));
  for (FlatList& list : result) {
    check_lengths(result[0].levels[0], list.levels[0]);
    list = frames.with_level(list, result[0].levels[0]);
  }
  return result;
}

std::vector<FlatList> Conversion::brought(std::vector<FlatList> lists, const Frame* frame) {
  for (FlatList& list : lists) {
    LevelRef first = lists[0].levels[0];
    list = frames.bring(list, frame);
    if (&list != &lists[0])
      list = frames.with_level(list, first);
  }
  return lists;
}

/// All instances at once or, where that can't be, one after the other.
FlatValues Conversion::convert_batch(mlir::Operation* op, mlir::Region& body,
                                     const FlatValues& arguments, const Frame* inner) {
  Attempt attempt(*this);
  try {
    if (calls_host(op)) // also where only a body inside does
      throw Refusal{"a function of the host is called once for each instance"};
    return convert_block(body.front(), arguments, inner);
  } catch (const Refusal& refusal) {
    attempt.undo();
    note(op, (calls_host(op) ? "one instance after the other: "
                             : "one instance at a time in each thread: ") +
                 refusal.why);
  }
  return calls_host(op) ? convert_in_one_pass(body, arguments, inner)
                        : convert_one_by_one(body, arguments, inner);
}

void Conversion::convert_op(ir::ListMapOp op, const Frame* frame, Environment& values) {
  if (llvm::StringRef why = ir::why_lists(op); !why.empty())
    note(op, "of a vmap, as a map over lists: " + why.str());
  FlatValues captures = get(op.getCaptures(), values);
  std::vector<FlatList> lists = zipped(op.getLists(), values);
  const Frame* at = Frames::inner(lists[0].frame, innermost(captures));
  lists = brought(std::move(lists), at);
  const Frame* inner = frames.elements_frame(lists[0]);
  FlatValues arguments;
  for (const FlatList& list : lists)
    arguments.push_back(frames.elements(list, inner));
  arguments.insert(arguments.end(), captures.begin(), captures.end());
  auto rows = convert_rows(op, arguments, inner);
  FlatValues yields = rows ? *rows : convert_batch(op, op.getBody(), arguments, inner);
  for (auto [result, yield] : llvm::zip(op.getResults(), yields))
    values.insert_or_assign(result, frames.list_of(lists[0].levels[0], at, yield, inner));
}

void Conversion::Attempt::undo() {
  conversion_.b.setInsertionPointToEnd(block_);
  while (!block_->empty() && &block_->back() != last_)
    block_->back().erase();
  conversion_.frames.forget_but(equal_);
  conversion_.integers.forget();
  conversion_.notes_.resize(notes_);
}

void Conversion::note(mlir::Operation* op, const std::string& order) {
  std::string text = order_note(op, order);
  if (!llvm::is_contained(notes_, text)) // a body may be converted twice
    notes_.push_back(std::move(text));
}

/// A reduce whose state is of another type than its elements is a fold, and says so.
static std::string fold_note(ir::ListScanOp op) {
  auto describe = [](mlir::TypeRange types) {
    std::string text;
    for (mlir::Type type : types)
      text += (text.empty() ? "" : ", ") + language::describe_type(type);
    return types.size() == 1 ? text : "(" + text + ")";
  };
  mlir::TypeRange arguments = op.getBody().getArgumentTypes();
  size_t states = op.getInits().size();
  std::string state = describe(arguments.take_front(states));
  std::string element = describe(arguments.slice(states, op.getLists().size()));
  return order_note(op,
                    "a reduce that is a fold, left to right, as its state " +
                        (state == element ? "has not the structure of its elements"
                                          : state + " is not of its elements' type " + element));
}

static std::vector<std::string> fold_notes(mlir::func::FuncOp function) {
  std::vector<std::string> notes;
  function.walk<mlir::WalkOrder::PreOrder>([&](ir::ListScanOp scan) {
    if (scan.getIsReduce())
      notes.push_back(fold_note(scan));
  });
  return notes;
}

static std::set<std::string> symbols_of(mlir::func::FuncOp function) {
  std::set<std::string> symbols;
  auto add = [&](mlir::Type type) {
    auto list = llvm::dyn_cast<ir::ListType>(type);
    for (const Extent& extent : ir::shape_of(list ? mlir::Type(list.leaf()) : type))
      symbols.merge(extent.symbols());
  };
  for (mlir::Type type : function.getArgumentTypes())
    add(type);
  function.walk([&](mlir::Operation* op) {
    for (mlir::Type type : op->getResultTypes())
      add(type);
  });
  return symbols;
}

static std::vector<std::string> convert_function(mlir::func::FuncOp function) {
  std::vector<std::string> notes = fold_notes(function); // as they were written
  drop_unread(function);
  auto attribute = function->getAttrOfType<mlir::StringAttr>(kOrder);
  const llvm::StringRef order = attribute ? attribute.getValue() : "";
  llvm::append_range(notes, fuse_maps(function, order == "waves"));
  llvm::SmallVector<ir::ListScanOp> associative; // inner ones first
  function.walk([&](ir::ListScanOp scan) {
    if (scan.getAssociative())
      associative.push_back(scan);
  });
  mlir::Block& old = function.getBody().front();
  auto* block = new mlir::Block;
  Builder b(function.getLoc(), function.getContext());
  for (mlir::BlockArgument argument : old.getArguments())
    block->addArgument(argument.getType(), argument.getLoc());
  function.getBody().push_back(block);
  b.setInsertionPointToStart(block);
  Conversion conversion(b, symbols_of(function), order);
  for (ir::ListScanOp scan : associative)
    conversion.expand(scan);
  FlatValues arguments;
  for (mlir::BlockArgument argument : block->getArguments())
    arguments.push_back(FlatTensor{conversion.root(), argument});
  FlatValues results;
  try {
    results = conversion.convert_block(old, arguments, conversion.root());
  } catch (const Refusal& refusal) {
    fail(ErrorKind::value, "interpret-only",
         "expected lists that native code can hold, but got a program where " + refusal.why +
             "; backend 'interpret' runs it");
  }
  Values returned;
  for (auto [value, flat] : llvm::zip(old.getTerminator()->getOperands(), results))
    returned.push_back(
        language::with_shape(b, std::get<FlatTensor>(flat).value, ir::shape_of(value)));
  mlir::func::ReturnOp::create(b, function.getLoc(), returned);
  old.dropAllReferences();
  old.erase();
  sweep(function);
  llvm::append_range(notes, conversion.take_notes());
  return notes;
}

bool holds_lists(mlir::Operation* op) {
  auto is_list = [](mlir::Type type) { return llvm::isa<ir::ListType>(type); };
  return op
      ->walk([&](mlir::Operation* inner) {
        return llvm::any_of(inner->getOperandTypes(), is_list) ||
                       llvm::any_of(inner->getResultTypes(), is_list)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace lists

bool has_lists(mlir::ModuleOp module) { return lists::holds_lists(module); }

std::vector<std::string> lists_to_tensors(mlir::ModuleOp module) {
  std::vector<std::string> notes;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (lists::holds_lists(function))
      llvm::append_range(notes, lists::convert_function(function));
  return notes;
}

} // namespace kolam::transform
