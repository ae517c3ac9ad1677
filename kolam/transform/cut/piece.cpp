// Programs that compute boxes of values from boxes of others.
#include "kolam/ir/monoid.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/visit.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/cut/passing.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform {

using cut::Made;
using cut::Maker;
using cut::Making;
using cut::tensor_of;
using cut::Values;
using language::Builder;
using language::Value;
using space::Box;

namespace {

/// What all readers of values need of them.
class Demands {
public:
  void add(Value value, const Box& box) {
    const Box whole = tensor_of(value);
    if (space::is_empty(box) && !space::is_empty(whole))
      return;
    auto [found, is_new] = boxes_.insert({value, space::is_empty(whole) ? whole : box});
    if (!is_new)
      found->second = space::bounding({found->second, box});
  }
  const Box* find(Value value) const {
    auto found = boxes_.find(value);
    return found == boxes_.end() ? nullptr : &found->second;
  }
  const llvm::MapVector<Value, Box>& all() const { return boxes_; }

private:
  llvm::MapVector<Value, Box> boxes_;
};

/// The least part of an op that computes what is asked of its results; none where nothing is.
std::optional<OpPart> asked_part(Cuts& cuts, mlir::Operation* op, const Demands& demands,
                                 const llvm::DenseSet<Value>& stored) {
  std::vector<Box> indices;
  for (mlir::OpResult result : op->getResults())
    if (const Box* box = stored.contains(result) ? nullptr : demands.find(result))
      indices.push_back(cuts.part_for(op, result.getResultNumber(), *box).index);
  if (indices.empty())
    return std::nullopt;
  return cuts.part(op, indices.size() == 1 ? indices[0] : space::bounding(indices));
}

bool is_partial(const space::Signature& signature, const Box& index) {
  for (size_t dim = 0; dim < signature.dims.size(); ++dim)
    if (signature.dims[dim].kind == space::DimKind::reduce &&
        !(Extent(index.extent(static_cast<int>(dim))) == signature.dims[dim].extent))
      return true;
  return false;
}

/// Whether it computes nothing.
bool is_empty(const OpPart& part) {
  return !part.writes.empty() &&
         llvm::all_of(part.writes, [](const Box& box) { return space::is_empty(box); });
}

/// Results without elements, of whatever op: it may have read nothing.
Values made_empty(const Making& making) {
  Values results;
  for (mlir::OpResult result : making.op->getResults()) {
    const Value zero = language::integer_constant(making.b, 0, DType::i32);
    results.push_back(language::full(making.b, making.result_shape(result.getResultNumber()),
                                     language::cast(making.b, zero, ir::dtype_of(result))));
  }
  return results;
}

Values made_part(mlir::Operation* op, const Making& making) {
  if (making.signature.opaque)
    return cut::clone(making);
  if (is_empty(making.part))
    return made_empty(making);
  return ir::visit<Values>(
      op,
      [&](auto typed) {
        if constexpr (requires { cut::make(typed, making); })
          return cut::make(typed, making);
        else
          return cut::clone(making);
      },
      [&](mlir::Operation*) { return cut::clone(making); });
}

/// The op that gives parts of its sums: in the dtype of its accumulation.
Values partial_sums(const Making& making) {
  const DType state = partial_dtype(making.op);
  Making inner = making;
  if (llvm::isa<ir::ReduceOp>(making.op))
    for (Value& operand : inner.operands)
      operand = language::cast(making.b, operand, state);
  Values results = made_part(making.op, inner);
  Value sum = results[0];
  if (mlir::Operation* made = sum.getDefiningOp(); made->getName() == making.op->getName())
    sum.setType(language::tensor_type(making.b, state, ir::shape_of(sum)));
  else
    sum = language::cast(making.b, sum, state);
  return {language::expand_dims(making.b, sum, {0})};
}

/// A module with a function `main` without arguments.
std::pair<mlir::OwningOpRef<mlir::ModuleOp>, mlir::func::FuncOp> empty_program(mlir::Location at) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(b, at, "main", b.getFunctionType({}, {}));
  main.addEntryBlock();
  return {std::move(module), main};
}

void finish(mlir::func::FuncOp main, Builder& b, const Values& results) {
  mlir::func::ReturnOp::create(b, results);
  main.setFunctionType(b.getFunctionType(main.getBody().front().getArgumentTypes(),
                                         mlir::ValueRange(results).getTypes()));
}

/// Calls `f` with the parts of the ops in the bodies of a loop or branch, in program order.
template <class F>
void for_each_part(Cuts& cuts, mlir::Operation* op, const OpPart& part, const F& f) {
  const cut::Passing* passing = cuts.passing(op);
  for (mlir::Region& body : op->getRegions())
    for (mlir::Operation& inner : body.front().without_terminator())
      f(&inner, passing->part(cuts, &inner, part.index));
}

} // namespace

namespace cut {

Value Maker::get(Value value, const Box& box) {
  const Made& made = made_.find(value)->second;
  if (made.box == box)
    return made.value;
  Shape starts;
  for (int dim = 0; dim < box.rank(); ++dim)
    starts.push_back(box.start()[dim] - made.box.start()[dim]);
  std::vector<int64_t> steps(static_cast<size_t>(box.rank()), 1);
  return ir::SliceOp::create(b_,
                             language::tensor_type(b_, ir::dtype_of(made.value), extents_of(box)),
                             made.value, ir::ExtentsAttr::of(b_.getContext(), starts), steps);
}

Values Maker::made(mlir::Operation* op, const OpPart& part, bool gives_parts) {
  Values operands;
  for (auto [operand, box] : llvm::zip(op->getOperands(), part.reads)) {
    const bool is_read = !space::is_empty(box) || space::is_empty(tensor_of(operand));
    operands.push_back(is_read ? get(operand, box) : Value());
  }
  const Making making{.cuts = cuts_,
                      .b = b_,
                      .op = op,
                      .part = part,
                      .signature = cuts_.signature(op),
                      .operands = std::move(operands),
                      .offset = offset_};
  return gives_parts ? partial_sums(making) : made_part(op, making);
}

void Maker::make(mlir::Operation* op, const OpPart& part) {
  for (auto [result, value, box] : llvm::zip(op->getResults(), made(op, part, false), part.writes))
    set(result, {value, box});
}

void add_borders(Cuts& cuts, mlir::Operation* op, const OpPart& part, std::vector<int64_t>& all) {
  const space::Signature& signature = cuts.signature(op);
  if (signature.opaque)
    return;
  ir::visit<int>(
      op,
      [&](auto typed) {
        if constexpr (requires { takes_bodies(typed); })
          for_each_part(cuts, op, part, [&](mlir::Operation* inner, const OpPart& own) {
            add_borders(cuts, inner, own, all);
          });
        if constexpr (requires { borders(typed, part, signature); })
          llvm::append_range(all, borders(typed, part, signature));
        return 0;
      },
      [](mlir::Operation*) { return 0; });
}

void add_offsets(Cuts& cuts, mlir::Operation* op, const OpPart& part, std::vector<int64_t>& all) {
  const space::Signature& signature = cuts.signature(op);
  if (signature.opaque || is_empty(part))
    return;
  ir::visit<int>(
      op,
      [&](auto typed) {
        if constexpr (requires { takes_bodies(typed); })
          for_each_part(cuts, op, part, [&](mlir::Operation* inner, const OpPart& own) {
            add_offsets(cuts, inner, own, all);
          });
        if constexpr (requires { offsets(typed, part); })
          llvm::append_range(all, offsets(typed, part));
        if constexpr (requires { offsets(typed, part, signature); })
          llvm::append_range(all, offsets(typed, part, signature));
        return 0;
      },
      [](mlir::Operation*) { return 0; });
}

} // namespace cut

std::string why_not_cut(mlir::func::FuncOp main) {
  std::string why;
  auto look = [&](Value value) {
    if (!llvm::isa<mlir::RankedTensorType>(value.getType()))
      why = "it takes or gives lists";
    else if (!has_numbers(value))
      why = "extents of its arguments and results are symbols; extents of plans are numbers";
  };
  llvm::for_each(main.getArguments(), look);
  llvm::for_each(main.getBody().front().getTerminator()->getOperands(), look);
  for (mlir::Operation& op : main.getBody().front())
    if (calls_host(&op) && !llvm::all_of(op.getResults(), has_numbers))
      why = "a function of the host gives it extents that only the run knows";
  return why;
}

std::string why_no_choices(mlir::func::FuncOp main) {
  for (mlir::Operation& op : main.getBody().front())
    if (!llvm::all_of(op.getResults(), has_numbers))
      return "it holds lists, or extents that are symbols";
  return why_not_cut(main);
}

llvm::SmallVector<unsigned> written_results(mlir::Operation* op) {
  llvm::SmallVector<unsigned> numbers;
  for (mlir::OpResult result : op->getResults())
    if (!result.use_empty() && has_numbers(result))
      numbers.push_back(result.getResultNumber());
  return numbers;
}

bool has_numbers(Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType()) &&
         llvm::all_of(ir::shape_of(value), [](const Extent& e) { return e.is_constant(); });
}

namespace {

template <class Is> bool holds(mlir::Operation* op, const Is& is) {
  return op
      ->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* inner) {
        if (partitioning_of(inner)) // its parts are called as if they did nothing else
          return mlir::WalkResult::skip();
        return is(ir::facts_of(inner).effect) ? mlir::WalkResult::interrupt()
                                              : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool calls_host(mlir::Operation* op) {
  return holds(op, [](ir::Effect effect) { return effect == ir::Effect::host; });
}

bool must_run(mlir::Operation* op) {
  return holds(op, [](ir::Effect effect) {
    return effect == ir::Effect::host || effect == ir::Effect::check;
  });
}

DType partial_dtype(mlir::Operation* op) {
  const DType result = ir::dtype_of(op->getResult(0));
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return ir::reduction_of(reduce).states[0];
  if (partitioning_of(op))
    return result;
  return result == DType::bf16 || result == DType::f16 ? DType::f32 : result;
}

std::vector<mlir::Operation*> ops_of(Cuts& cuts, mlir::Operation* root,
                                     const llvm::DenseSet<Value>& stored) {
  llvm::DenseSet<mlir::Operation*> needed{root};
  std::vector<mlir::Operation*> ops;
  for (mlir::Operation* op = root; op && ops.size() < needed.size(); op = op->getPrevNode()) {
    if (!needed.contains(op))
      continue;
    ops.push_back(op);
    needed.insert(cuts.binders(op).begin(), cuts.binders(op).end());
    for (Value operand : op->getOperands())
      if (mlir::Operation* before = operand.getDefiningOp(); before && !stored.contains(operand))
        needed.insert(before);
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

Piece piece_of(Cuts& cuts, mlir::Operation* op, OpPart root, const llvm::DenseSet<Value>& stored) {
  Piece piece;
  piece.is_partial = is_partial(cuts.signature(op), root.index);
  Demands demands;
  llvm::DenseSet<mlir::Operation*> asked;   // and not looked at yet
  llvm::DenseSet<mlir::Operation*> binders; // of symbols that are named
  auto ask = [&](mlir::Operation* reader, const OpPart& part) {
    for (auto [operand, box] : llvm::zip(reader->getOperands(), part.reads)) {
      demands.add(operand, box);
      if (mlir::Operation* maker = operand.getDefiningOp(); maker && !stored.contains(operand))
        asked.insert(maker);
    }
    for (mlir::Operation* binder : cuts.binders(reader)) {
      asked.insert(binder);
      binders.insert(binder);
    }
  };
  ask(op, root);
  piece.steps.push_back({op, std::move(root)});
  for (mlir::Operation* earlier = op->getPrevNode(); !asked.empty();
       earlier = earlier->getPrevNode()) {
    if (!asked.erase(earlier))
      continue;
    std::optional<OpPart> part = asked_part(cuts, earlier, demands, stored);
    if (!part && binders.contains(earlier))
      part = cuts.part(earlier, space::index_box(cuts.signature(earlier)));
    if (part) {
      ask(earlier, *part);
      piece.steps.push_back({earlier, std::move(*part)});
    }
  }
  std::reverse(piece.steps.begin(), piece.steps.end());
  for (const auto& [value, box] : demands.all())
    if (stored.contains(value) || !value.getDefiningOp())
      piece.reads.push_back({value, box});
  return piece;
}

std::string shape_of(Cuts& cuts, const Piece& piece) {
  std::string text;
  auto put = [&](int64_t number) { text += std::to_string(number) + ' '; };
  llvm::DenseMap<Value, const Box*> made;
  for (const ValueBox& read : piece.reads) {
    made[read.value] = &read.box;
    for (int64_t extent : space::shape(read.box))
      put(extent);
  }
  for (const Piece::Step& step : piece.steps) {
    text += '|';
    for (int64_t extent : space::shape(step.part.index))
      put(extent);
    for (auto [operand, box] : llvm::zip(step.op->getOperands(), step.part.reads)) {
      const Box* from = made.lookup(operand);
      for (int dim = 0; dim < box.rank(); ++dim) {
        put(box.extent(dim));
        if (from)
          put(box.start()[dim] - from->start()[dim]);
      }
    }
    std::vector<int64_t> borders;
    cut::add_borders(cuts, step.op, step.part, borders);
    llvm::for_each(borders, put);
    for (auto [result, box] : llvm::zip(step.op->getResults(), step.part.writes))
      made[result] = &box;
  }
  return text;
}

mlir::OwningOpRef<mlir::ModuleOp> program_of(Cuts& cuts, const Piece& piece) {
  mlir::Operation* root = piece.steps.back().op;
  auto [module, main] = empty_program(root->getLoc());
  mlir::Block& block = main.getBody().front();
  Builder b(root->getLoc(), mlir::OpBuilder::atBlockEnd(&block));
  auto offset = [&](int64_t) -> Value {
    return block.addArgument(language::tensor_type(b, DType::i64, {}), root->getLoc());
  };
  Maker maker(cuts, b, offset);
  for (const ValueBox& read : piece.reads) {
    mlir::Type type = language::tensor_type(b, ir::dtype_of(read.value), cut::extents_of(read.box));
    maker.set(read.value, {block.addArgument(type, root->getLoc()), read.box});
  }
  for (const Piece::Step& step : llvm::ArrayRef(piece.steps).drop_back()) {
    b.setLoc(step.op->getLoc());
    maker.make(step.op, step.part);
  }
  b.setLoc(root->getLoc());
  const Values results = maker.made(root, piece.steps.back().part, piece.is_partial);
  Values written;
  for (unsigned number : written_results(root))
    written.push_back(results[number]);
  finish(main, b, written);
  return std::move(module);
}

Values values_of(Builder& b, Cuts& cuts, mlir::Operation* op, const OpPart& part) {
  auto number = [&](int64_t offset) -> Value {
    return language::integer_constant(b, offset, DType::i64);
  };
  Maker maker(cuts, b, number);
  for (Value operand : op->getOperands())
    maker.set(operand, {operand, cut::tensor_of(operand)});
  return maker.made(op, part, is_partial(cuts.signature(op), part.index));
}

space::Point offsets_of(Cuts& cuts, const Piece& piece) {
  space::Point all;
  for (const Piece::Step& step : piece.steps)
    cut::add_offsets(cuts, step.op, step.part, all);
  return all;
}

Fn merging_function(mlir::Operation* op) {
  if (const PartitionedFunction* custom = partitioning_of(op))
    for (const space::IndexDim& dim : custom->signature->dims)
      if (dim.monoid)
        return *ir::parse_monoid(dim.monoid->id);
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce ? *ir::reduction_of(reduce).function : Fn::add;
}

mlir::OwningOpRef<mlir::ModuleOp> merge_of(mlir::Operation* op, int64_t count, const Shape& shape,
                                           bool is_last) {
  auto [module, main] = empty_program(op->getLoc());
  mlir::Block& block = main.getBody().front();
  Builder b(op->getLoc(), mlir::OpBuilder::atBlockEnd(&block));
  Values parts;
  for (int64_t number = 0; number < count; ++number)
    parts.push_back(
        block.addArgument(language::tensor_type(b, partial_dtype(op), shape), op->getLoc()));
  for (const space::Merge& step : space::pairwise_tree(count))
    parts[static_cast<size_t>(step.left)] = language::elementwise(
        b, merging_function(op),
        {parts[static_cast<size_t>(step.left)], parts[static_cast<size_t>(step.right)]});
  Value result = parts[0];
  if (is_last)
    result = language::cast(b, language::squeeze(b, result, language::Axes{0}),
                            ir::dtype_of(op->getResult(0)));
  finish(main, b, {result});
  return std::move(module);
}

} // namespace kolam::transform
