// Programs that compute boxes of values from boxes of others.
#include "kolam/ir/monoid.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/visit.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform {

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
    if (space::is_empty(box) && !space::is_empty(tensor_of(value)))
      return;
    auto [found, is_new] = boxes_.insert({value, box});
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
std::optional<OpPart> asked_part(Cuts& cuts, mlir::Operation* op, const Demands& demands) {
  std::vector<Box> indices;
  for (mlir::OpResult result : op->getResults())
    if (const Box* box = demands.find(result))
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

std::vector<int64_t> borders_of(mlir::Operation* op, const OpPart& part,
                                const space::Signature& signature) {
  return ir::visit<std::vector<int64_t>>(
      op,
      [&](auto typed) -> std::vector<int64_t> {
        if constexpr (requires { cut::borders(typed, part, signature); })
          return cut::borders(typed, part, signature);
        else
          return {};
      },
      [](mlir::Operation*) { return std::vector<int64_t>(); });
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
  if (!making.part.writes.empty() && llvm::all_of(making.part.writes, space::is_empty))
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

/// A value of the piece and the box of the whole program's value that it is.
struct Made {
  Value value;
  Box box;
};

Value box_of(Builder& b, const Made& made, const Box& box) {
  if (made.box == box)
    return made.value;
  Shape starts;
  for (int dim = 0; dim < box.rank(); ++dim)
    starts.push_back(box.start()[dim] - made.box.start()[dim]);
  std::vector<int64_t> steps(static_cast<size_t>(box.rank()), 1);
  return ir::SliceOp::create(
      b, language::tensor_type(b, ir::dtype_of(made.value), cut::extents_of(box)), made.value,
      ir::ExtentsAttr::of(b.getContext(), starts), steps);
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

} // namespace

std::string why_not_cut(mlir::func::FuncOp main) {
  std::string why;
  main.walk([&](mlir::Operation* op) {
    const ir::Facts facts = ir::facts_of(op);
    if (facts.runs == ir::Runs::lists)
      why = "it holds lists";
    else if (facts.effect == ir::Effect::check)
      why = "it holds checks";
    else if (facts.effect == ir::Effect::host)
      why = "it calls functions of the host";
    else if (facts.effect == ir::Effect::symbol)
      why = "it holds sizes that only the run knows";
  });
  auto look = [&](Value value) {
    if (!llvm::isa<mlir::RankedTensorType>(value.getType()))
      why = "it holds lists";
    else if (llvm::any_of(ir::shape_of(value), [](const Extent& e) { return !e.is_constant(); }))
      why = "it holds extents that are symbols";
  };
  llvm::for_each(main.getArguments(), look);
  for (mlir::Operation& op : main.getBody().front())
    llvm::for_each(op.getResults(), look);
  return why;
}

DType partial_dtype(mlir::Operation* op) {
  const DType result = ir::dtype_of(op->getResult(0));
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return ir::reduction_of(reduce).states[0];
  return result == DType::bf16 || result == DType::f16 ? DType::f32 : result;
}

Piece piece_of(Cuts& cuts, mlir::Operation* op, OpPart root, const llvm::DenseSet<Value>& stored) {
  Piece piece;
  piece.is_partial = is_partial(cuts.signature(op), root.index);
  Demands demands;
  auto ask = [&](mlir::Operation* reader, const OpPart& part) {
    for (auto [operand, box] : llvm::zip(reader->getOperands(), part.reads))
      demands.add(operand, box);
  };
  ask(op, root);
  piece.steps.push_back({op, std::move(root)});
  for (mlir::Operation* earlier = op->getPrevNode(); earlier; earlier = earlier->getPrevNode()) {
    if (llvm::any_of(earlier->getResults(), [&](Value v) { return stored.contains(v); }))
      continue;
    if (std::optional<OpPart> part = asked_part(cuts, earlier, demands)) {
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
    for (int64_t border : borders_of(step.op, step.part, cuts.signature(step.op)))
      put(border);
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
  llvm::DenseMap<Value, Made> made;
  for (const ValueBox& read : piece.reads) {
    mlir::Type type = language::tensor_type(b, ir::dtype_of(read.value), cut::extents_of(read.box));
    made[read.value] = {block.addArgument(type, root->getLoc()), read.box};
  }
  auto offset = [&](int64_t) -> Value {
    return block.addArgument(language::tensor_type(b, DType::i64, {}), root->getLoc());
  };
  for (const Piece::Step& step : piece.steps) {
    b.setLoc(step.op->getLoc());
    Values operands;
    for (auto [operand, box] : llvm::zip(step.op->getOperands(), step.part.reads)) {
      auto found = made.find(operand);
      const bool is_read = !space::is_empty(box) || space::is_empty(tensor_of(operand));
      operands.push_back(is_read ? box_of(b, found->second, box) : Value());
    }
    Making making{.b = b,
                  .op = step.op,
                  .part = step.part,
                  .signature = cuts.signature(step.op),
                  .operands = std::move(operands),
                  .offset = offset};
    const bool gives_parts = step.op == root && piece.is_partial;
    Values results = gives_parts ? partial_sums(making) : made_part(step.op, making);
    if (step.op == root) {
      finish(main, b, results);
      break;
    }
    for (auto [result, value, box] : llvm::zip(step.op->getResults(), results, step.part.writes))
      made[result] = {value, box};
  }
  return std::move(module);
}

Values values_of(Builder& b, Cuts& cuts, mlir::Operation* op, const OpPart& part) {
  Values operands;
  for (auto [operand, box] : llvm::zip(op->getOperands(), part.reads)) {
    const Made whole{operand, tensor_of(operand)};
    const bool is_read = !space::is_empty(box) || space::is_empty(whole.box);
    operands.push_back(is_read ? box_of(b, whole, box) : Value());
  }
  auto number = [&](int64_t offset) -> Value {
    return language::integer_constant(b, offset, DType::i64);
  };
  const Making making{.b = b,
                      .op = op,
                      .part = part,
                      .signature = cuts.signature(op),
                      .operands = std::move(operands),
                      .offset = number};
  return is_partial(making.signature, part.index) ? partial_sums(making) : made_part(op, making);
}

space::Point offsets_of(Cuts&, const Piece& piece) {
  space::Point all;
  for (const Piece::Step& step : piece.steps) {
    std::vector<int64_t> own = ir::visit<std::vector<int64_t>>(
        step.op,
        [&](auto typed) -> std::vector<int64_t> {
          if constexpr (requires { cut::offsets(typed, step.part); })
            return cut::offsets(typed, step.part);
          else
            return {};
        },
        [](mlir::Operation*) { return std::vector<int64_t>(); });
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

namespace {

Fn merging_function(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce ? *ir::reduction_of(reduce).function : Fn::add;
}

} // namespace

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
