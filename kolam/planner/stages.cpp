// Finds the stages of programs, and composes their signatures.
#include "kolam/planner/stages.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/space/projection.h"
#include "kolam/transform/custom_partitioning.h"

#include "llvm/ADT/MapVector.h"

namespace kolam::planner {
namespace {

using mlir::Value;
using space::AffineRow;
using space::Projection;

/// What a piece reads of a value, for each point of the root's index space.
struct Route {
  Projection projection;
  bool is_clipped = false; ///< elements outside are the op's own matter
};

/// A row that owns the whole extent.
void add_whole_row(Projection& projection, const Extent& extent) {
  projection.map.rows.push_back(
      {std::vector<int64_t>(static_cast<size_t>(projection.map.input_rank), 0), 0});
  projection.adjustment.push_back(0);
  projection.size.push_back(extent);
}

Projection empty_projection(int index_rank) {
  Projection projection;
  projection.map.input_rank = index_rank;
  return projection;
}

/// Dim `dim` of a projection alone.
Projection row_of(const Projection& projection, size_t dim) {
  Projection row = empty_projection(projection.map.input_rank);
  row.map.rows = {projection.map.rows[dim]};
  row.adjustment = {projection.adjustment[dim]};
  row.size = {projection.size[dim]};
  return row;
}

/// The index dim that each dim of a result is, where it is one element after the other; -1.
std::vector<int> walked_dims(const space::Operand& result) {
  std::vector<int> dims;
  for (auto [dim, row] : llvm::enumerate(result.projection.map.rows)) {
    const int index = analysis::copied_dim(row);
    dims.push_back(result.projection.size[dim] == Extent(1) ? index : -1);
  }
  return dims;
}

/// What an element of a result reads of an operand: the operand's projection over the result's
/// elements. Index dims that the result doesn't walk are taken whole.
Projection by_element(const space::Signature& signature, const space::Operand& read,
                      const space::Operand& result) {
  const std::vector<int> walked = walked_dims(result);
  Projection own = empty_projection(static_cast<int>(walked.size()));
  for (size_t dim = 0; dim < read.shape.size(); ++dim) {
    const AffineRow& row = read.projection.map.rows[dim];
    AffineRow over{std::vector<int64_t>(walked.size(), 0), row.offset, row.divisor, row.modulus};
    Extent size = read.projection.size[dim];
    bool is_whole =
        read.indirect && row.coefficients == std::vector<int64_t>(row.coefficients.size(), 0);
    for (size_t index = 0; index < row.coefficients.size(); ++index) {
      const int64_t step = row.coefficients[index];
      const int64_t points = *signature.dims[index].extent.constant();
      auto at = llvm::find(walked, static_cast<int>(index));
      if (step == 0 || points <= 1)
        continue;
      if (at != walked.end()) {
        over.coefficients[static_cast<size_t>(at - walked.begin())] = step;
        continue;
      }
      is_whole |= row.divisor != 1 || row.modulus != 0;
      size = size + Extent(std::abs(step) * (points - 1));
      over.offset = over.offset + Extent(std::min<int64_t>(0, step * (points - 1)));
    }
    if (is_whole) {
      add_whole_row(own, read.shape[dim]);
      continue;
    }
    own.map.rows.push_back(std::move(over));
    own.adjustment.push_back(0);
    own.size.push_back(size);
  }
  return own;
}

/// `outer` read through `inner`, a whole extent where that is no projection.
Projection stacked(const Projection& outer, const Projection& inner, const Shape& shape) {
  if (std::optional<Projection> whole = space::try_stack(outer, inner))
    return *whole;
  Projection all = empty_projection(inner.map.input_rank);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::optional<Projection> row = space::try_stack(row_of(outer, dim), inner);
    if (!row) {
      add_whole_row(all, shape[dim]);
      continue;
    }
    all.map.rows.push_back(row->map.rows[0]);
    all.adjustment.push_back(row->adjustment[0]);
    all.size.push_back(row->size[0]);
  }
  return all;
}

/// A projection that owns what either owns: of rows that walk alike the boxes around, of others
/// all.
Projection joined(const Projection& one, const Projection& other, const Shape& shape) {
  Projection all = empty_projection(one.map.input_rank);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    AffineRow x = one.map.rows[dim], y = other.map.rows[dim];
    const bool are_alike = x.coefficients == y.coefficients && x.divisor == y.divisor &&
                           x.modulus == y.modulus &&
                           (x.offset == y.offset || (x.divisor == 1 && x.modulus == 0));
    if (!are_alike) {
      add_whole_row(all, shape[dim]);
      continue;
    }
    const Extent low = min(x.offset, y.offset);
    const Extent high = max(x.offset + one.size[dim], y.offset + other.size[dim]);
    x.offset = low;
    all.map.rows.push_back(std::move(x));
    all.adjustment.push_back(0);
    all.size.push_back(high - low);
  }
  return all;
}

class Composer {
public:
  Composer(transform::Cuts& cuts, const llvm::DenseSet<Value>& stored)
      : cuts_(cuts), stored_(stored) {}

  Stage compose(mlir::Operation* root) {
    const space::Signature& own = cuts_.signature(root);
    index_rank_ = static_cast<int>(own.dims.size());
    note_binders(root);
    read(root, own, [](const space::Operand& operand) { return operand.projection; }, false);
    for (mlir::Operation* op = root->getPrevNode(); op; op = op->getPrevNode())
      follow(op);
    Stage stage{.root = root, .reads = {}, .writes = {}, .signature = {}};
    stage.signature.op = own.op;
    stage.signature.dims = own.dims;
    for (auto& [value, route] : routes_)
      if (is_kept(value)) {
        stage.reads.push_back(value);
        stage.signature.operands.push_back(
            {"read" + std::to_string(stage.reads.size() - 1), space::Role::in, ir::shape_of(value),
             route.projection,
             route.is_clipped ? space::Policy::pad(int64_t{0}) : space::Policy()});
      }
    for (unsigned number : transform::written_results(root)) {
      stage.signature.operands.push_back(own.operands[root->getNumOperands() + number]);
      stage.signature.operands.back().role = space::Role::out;
      stage.writes.push_back(root->getResult(number));
    }
    set_summed_dim(stage);
    return stage;
  }

private:
  bool is_kept(Value value) const { return stored_.contains(value) || !value.getDefiningOp(); }

  template <class Read>
  void read(mlir::Operation* op, const space::Signature& signature, const Read& projection_of,
            bool is_inside) {
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      const space::Operand& read = signature.operands[number];
      Route route{projection_of(read),
                  is_inside || read.policy.kind != space::Policy::Kind::forbid};
      auto [found, is_new] = routes_.insert({operand, route});
      if (is_new)
        continue;
      found->second.projection = joined(found->second.projection, route.projection, read.shape);
      found->second.is_clipped |= route.is_clipped;
    }
  }

  /// What binds a symbol that is named runs whole.
  void note_binders(mlir::Operation* op) {
    for (mlir::Operation* binder : cuts_.binders(op))
      if (binders_.insert(binder).second)
        read(
            binder, cuts_.signature(binder),
            [&](const space::Operand& operand) {
              Projection whole = empty_projection(index_rank_);
              for (const Extent& extent : operand.shape)
                add_whole_row(whole, extent);
              return whole;
            },
            true);
  }

  /// Passes what is asked of an op's results on to its operands.
  void follow(mlir::Operation* op) {
    if (binders_.contains(op) || llvm::any_of(op->getResults(), [&](Value result) {
          return routes_.contains(result) && !is_kept(result);
        }))
      note_binders(op);
    for (mlir::OpResult result : op->getResults()) {
      auto asked = routes_.find(result);
      if (is_kept(result) || asked == routes_.end())
        continue;
      const space::Signature& own = cuts_.signature(op);
      const space::Operand& written = own.operands[op->getNumOperands() + result.getResultNumber()];
      const Projection inner = asked->second.projection;
      read(
          op, own,
          [&](const space::Operand& operand) {
            return stacked(by_element(own, operand, written), inner, operand.shape);
          },
          true);
    }
  }

  void set_summed_dim(Stage& stage) const {
    for (size_t dim = 0; dim < stage.signature.dims.size(); ++dim) {
      const space::IndexDim& index = stage.signature.dims[dim];
      if (index.kind != space::DimKind::reduce || *index.extent.constant() <= 1)
        continue;
      if (cuts_.cut_dims(stage.root)[dim]) {
        stage.summed_dim = static_cast<int>(dim);
        stage.chunk_points = cuts_.points_of_chunk(stage.root, static_cast<int>(dim));
      }
      return;
    }
  }

  transform::Cuts& cuts_;
  const llvm::DenseSet<Value>& stored_;
  int index_rank_ = 0;
  llvm::MapVector<Value, Route> routes_;
  llvm::DenseSet<mlir::Operation*> binders_; ///< that are needed
};

} // namespace

double bytes_put_together(const space::Point& shape, DType dtype, const space::Box& box) {
  size_t dim = 0;
  while (dim < shape.size() && box.extent(static_cast<int>(dim)) == 1)
    ++dim;
  for (++dim; dim < shape.size(); ++dim)
    if (box.extent(static_cast<int>(dim)) != shape[dim])
      return 2.0 * static_cast<double>(space::size(box)) * byte_width(dtype);
  return 0;
}

std::string name_of(mlir::Operation* op) {
  std::string name = ir::name_of(op);
  if (auto function = op->getAttrOfType<mlir::StringAttr>("function"))
    name = function.str();
  if (const transform::PartitionedFunction* custom = transform::partitioning_of(op))
    name = custom->name;
  const SourceLocation where = ir::to_source_location(op->getLoc());
  return where ? name + " at " + where.file + ":" + std::to_string(where.line) : name;
}

std::vector<Stage> stages_of(mlir::func::FuncOp main, const llvm::DenseSet<Value>& stored,
                             transform::Cuts& cuts) {
  std::vector<Stage> stages;
  llvm::DenseSet<Value> needed;
  const bool calls_host = transform::calls_host(main);
  mlir::Block& block = main.getBody().front();
  for (Value result : block.getTerminator()->getOperands())
    needed.insert(result);
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    auto is_root = [&](Value value) { return stored.contains(value) && needed.contains(value); };
    if (!transform::must_run(&op) && llvm::none_of(op.getResults(), is_root))
      continue;
    stages.push_back(Composer(cuts, stored).compose(&op));
    stages.back().keeps_order = calls_host && transform::must_run(&op);
    needed.insert(stages.back().reads.begin(), stages.back().reads.end());
  }
  std::reverse(stages.begin(), stages.end());
  return stages;
}

namespace {

/// Whether an element of the operand is read for several elements of the result.
bool is_reread(const space::Signature& signature, size_t operand) {
  const Projection& read = signature.operands[operand].projection;
  for (size_t dim = 0; dim < signature.dims.size(); ++dim) {
    const bool is_walked = llvm::any_of(
        read.map.rows, [&](const AffineRow& row) { return row.coefficients[dim] != 0; });
    if (!is_walked && !(signature.dims[dim].extent == Extent(1)))
      return true;
  }
  return signature.opaque;
}

/// Keeps the value, or what it is a view of.
void keep(Value value, llvm::DenseSet<Value>& stored) {
  mlir::Operation* op = value.getDefiningOp();
  while (op && ir::facts_of(op).keeps_order && ir::facts_of(op).view == ir::View::by_map) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  if (!op)
    return;
  for (Value result : op->getResults())
    if (transform::has_numbers(result))
      stored.insert(result);
}

/// What computing an element of a value anew means.
enum class Effort : uint8_t { little, sum, products };

Effort effort_of(mlir::Operation* op, const space::Signature& signature) {
  const ir::Facts facts = ir::facts_of(op);
  if (facts.has_factors || signature.opaque || analysis::has_programs(op))
    return Effort::products;
  return facts.again == ir::Again::dear ? Effort::sum : Effort::little;
}

} // namespace

llvm::DenseSet<Value> usual_stored(mlir::func::FuncOp main, transform::Cuts& cuts) {
  llvm::DenseSet<Value> stored;
  mlir::Block& block = main.getBody().front();
  for (Value result : block.getTerminator()->getOperands())
    if (result.getDefiningOp())
      stored.insert(result);
  llvm::DenseMap<Value, Effort> efforts;
  for (mlir::Operation& op : block.without_terminator()) {
    Effort effort = effort_of(&op, cuts.signature(&op));
    for (Value operand : op.getOperands())
      if (!stored.contains(operand))
        effort = std::max(effort, efforts.lookup(operand));
    for (mlir::OpResult result : op.getResults()) {
      efforts[result] = effort;
      bool is_often = false, by_products = false;
      llvm::SmallPtrSet<mlir::Operation*, 4> readers;
      for (mlir::OpOperand& use : result.getUses()) {
        mlir::Operation* reader = use.getOwner();
        readers.insert(reader);
        if (reader == block.getTerminator() ||
            !is_reread(cuts.signature(reader), use.getOperandNumber()))
          continue;
        is_often = true;
        by_products |= effort_of(reader, cuts.signature(reader)) == Effort::products;
      }
      is_often |= readers.size() > 1;
      const bool runs_whole =
          cuts.signature(&op).opaque || op.getNumResults() > 1 || transform::must_run(&op);
      if (runs_whole || (effort == Effort::products && is_often) ||
          (effort == Effort::sum && by_products))
        keep(result, stored);
    }
  }
  return stored;
}

std::vector<Value> waists_of(mlir::func::FuncOp main, const llvm::DenseSet<Value>& stored,
                             transform::Cuts& cuts) {
  std::vector<Value> waists;
  llvm::DenseMap<Value, size_t> left; // uses to come, of values that are needed
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    for (Value operand : op.getOperands())
      if (auto found = left.find(operand); found != left.end() && --found->second == 0)
        left.erase(found);
    for (Value result : op.getResults()) {
      const auto uses = static_cast<size_t>(std::distance(result.use_begin(), result.use_end()));
      if (uses > 0 && !stored.contains(result) && ir::facts_of(&op).again != ir::Again::free)
        left[result] = uses;
    }
    if (left.size() != 1 || op.getNumResults() != 1 || !left.contains(op.getResult(0)))
      continue;
    const Value value = op.getResult(0);
    const bool is_reread =
        !value.hasOneUse() || planner::is_reread(cuts.signature(*value.user_begin()),
                                                 value.use_begin()->getOperandNumber());
    if (is_reread && transform::has_numbers(value))
      waists.push_back(value);
  }
  return waists;
}

} // namespace kolam::planner
