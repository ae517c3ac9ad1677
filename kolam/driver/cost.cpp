// Adds up costs along the tree of steps.
#include "kolam/driver/cost.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/sorted_rows.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/evaluations.h"
#include "kolam/nest/in_place.h"
#include "kolam/nest/row_reductions.h"

namespace kolam::driver {
namespace {

using analysis::bytes_of;
using analysis::flops_of;
using ir::rough_count;

/// Whether the result starts as this operand and points change elements of it: all of it is read.
bool is_changed(mlir::OpOperand& operand) {
  space::Signature signature = llvm::cast<ir::SignedOp>(operand.getOwner()).signature();
  const space::Operand& result = analysis::first_result(signature);
  return (result.indirect || result.role == space::Role::inout) &&
         operand.getOperandNumber() < operand.getOwner()->getNumResults();
}

/// Which part of a nest's input it reads at least once, if no two reads are of one element that
/// need not be, and this share of the root's points runs.
double part_read(mlir::Value input, const nest::Nest& nest, const nest::Evaluations& evaluations,
                 double points) {
  auto changes = [&](mlir::OpOperand& operand) {
    return operand.get() == input && is_changed(operand);
  };
  if (llvm::any_of(nest.root->getOpOperands(), changes))
    return 1;
  double reads = 0;
  for (const nest::Evaluations::Request& request : evaluations.requests(input))
    reads += points * request.times;
  double elements = rough_count(ir::shape_of(input));
  return elements == 0 ? 0 : std::min(1.0, reads / elements);
}

/// Ops of which a row is kept for a second reading, and those that only they ask.
llvm::DenseSet<mlir::Operation*> computed_once(const nest::Nest& nest, const Machine& machine) {
  llvm::DenseSet<mlir::Operation*> once, others{nest.root};
  if (!nest.products.empty() || !analysis::computes_cells(nest.root))
    return once;
  analysis::Signatures signatures;
  nest::KeptRows kept =
      nest::kept_rows(nest, nest::NestRelation(nest.root, nest.fused, signatures), machine);
  for (mlir::Operation* op : nest.fused) { // consumers first
    auto is_other = [&](mlir::Operation* user) { return others.contains(user); };
    if (llvm::is_contained(kept.ops, op) ||
        (!once.empty() && llvm::none_of(op->getUsers(), is_other)))
      once.insert(op);
    else
      others.insert(op);
  }
  return once;
}

/// Of the columns that a nest packs: each element is computed and written once.
StepCost cost_of_packing(const nest::Nest& nest) {
  StepCost cost{nest.name, nest.root};
  for (mlir::Operation* op : nest.fused)
    cost.flops += flops_of(op);
  const nest::Product& product = nest.products.front();
  cost.bytes = rough_count({nest::packed_bytes(product)});
  mlir::Value rows = product.op->getOperand(product.rows_of);
  for (mlir::Value input : nest.inputs)
    if (input != rows || product.op->getOperand(product.columns_of) == rows)
      cost.bytes += bytes_of(input);
  return cost;
}

/// Whether the step's nest changes an operand in its memory.
bool is_in_place(const NestStep& step, const StepProgram& program) {
  return step.changed >= 0 && nest::memory_of(program.buffers, step.changed) ==
                                  nest::memory_of(program.buffers, step.buffers[0]);
}

class Count {
public:
  Count(const nest::NestList& nests, const Machine& machine) : nests_(nests), machine_(machine) {
    for (const nest::Nest& nest : nests.nests)
      note_constants(nest);
    for (const BufferPlan& buffer : nests.program.buffers)
      bytes_.push_back(rough_count(buffer.shape) * byte_width(buffer.dtype));
  }

  Cost count() {
    total_.arena_bytes = analysis::rough_value(nests_.program.arena_bytes);
    Sum sum = count(nests_.program.steps);
    total_.flops = sum.flops;
    total_.bytes = sum.bytes;
    for (const Step& step : nests_.preparation.steps) {
      const auto& preparing = std::get<NestStep>(step.what);
      StepCost cost = cost_of(nests_.nests[preparing.nest], machine_);
      cost.number = step.number;
      cost.nest = preparing.nest;
      total_.preparation.push_back(cost);
    }
    return std::move(total_);
  }

private:
  struct Sum {
    double flops = 0, bytes = 0;
  };

  Sum count(const Steps& steps) {
    Sum sum;
    for (const Step& step : steps) {
      number_ = step.number;
      Sum one = std::visit([&](const auto& what) { return count(what); }, step.what);
      sum = {sum.flops + one.flops, sum.bytes + one.bytes};
    }
    return sum;
  }

  Sum add(StepCost cost) {
    cost.times = times_;
    cost.number = number_;
    total_.steps.push_back(cost);
    return {cost.times * cost.flops, cost.times * cost.bytes};
  }

  Sum count(const NestStep& step) {
    const nest::Nest& nest = nests_.nests[step.nest];
    for (size_t i = 0; i < nest.outputs.size(); ++i)
      if (auto found = constants_.find(nest.outputs[i]); found != constants_.end())
        integers_[step.buffers[i]] = found->second;
    StepCost cost = cost_of(nest, machine_);
    if (is_in_place(step, nests_.program)) {
      cost = in_place(cost, nest);
      cost.is_in_place = true;
    }
    cost.nest = step.nest;
    return add(cost);
  }
  Sum count(const CopyStep& step) { return add({"copy", nullptr, 0, 2 * bytes_[step.to]}); }
  Sum count(const SwapStep&) { return {}; }
  Sum count(const RowStep& step) {
    double bytes = bytes_[step.input];
    for (int output : {step.values, step.places})
      if (output >= 0)
        bytes += bytes_[output];
    return add({step.function == RowFunction::sort ? "sort" : "top_k", nullptr,
                rough_count({step.rows}) * ir::sort_flops(step.length), bytes});
  }
  Sum count(const CallStep& step) {
    StepCost cost{"call " + step.callee};
    for (int buffer : step.inputs)
      cost.bytes += bytes_[buffer];
    for (int buffer : step.outputs)
      cost.bytes += bytes_[buffer];
    return add(cost);
  }

  Sum count(const LoopStep& step) {
    return repeat(turns(step), [&] { return count(step.body); });
  }
  Sum count(const BindStep& step) {
    return step.grown < 0 ? Sum() : add({"append", nullptr, 0, 2 * bytes_[step.behind]});
  }
  Sum count(const WhileStep& step) {
    return repeat(kUnknownTurns, [&] {
      Sum condition = count(step.condition), body = count(step.body);
      return Sum{condition.flops + body.flops, condition.bytes + body.bytes};
    });
  }
  Sum count(const BranchStep& step) {
    Sum most;
    for (const Steps& branch : step.branches) {
      Sum sum = count(branch);
      most = {std::max(most.flops, sum.flops), std::max(most.bytes, sum.bytes)};
    }
    return most;
  }

  Sum repeat(double turns, auto&& body) {
    double before = times_;
    times_ *= turns;
    Sum sum = body();
    times_ = before;
    return sum;
  }

  double turns(const LoopStep& step) const {
    if (step.upper < 0)
      return rough_count({step.length});
    auto lower = integers_.find(step.lower), upper = integers_.find(step.upper);
    if (lower == integers_.end() || upper == integers_.end())
      return kUnknownTurns;
    return std::max(0.0, upper->second - lower->second);
  }

  void note_constants(const nest::Nest& nest) {
    auto constant = llvm::dyn_cast<ir::ConstantOp>(nest.root);
    if (!constant)
      return;
    auto literal = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
    if (!literal || !literal.isSplat())
      return;
    llvm::APInt value = literal.getSplatValue<llvm::APInt>();
    bool is_signed = !is_unsigned_integer(ir::dtype_of(constant.getResult()));
    constants_[constant.getResult()] = value.roundToDouble(is_signed);
  }

  const nest::NestList& nests_;
  const Machine& machine_;
  Cost total_;
  double times_ = 1;
  int number_ = -1;                               // of the step that is counted
  std::vector<double> bytes_;                     // by buffer number
  llvm::DenseMap<mlir::Value, double> constants_; // integers
  std::map<int, double> integers_;                // by the buffer that holds them
};

/// What may be done yet, and what elements have been moved by ops that compute nothing of them.
struct Left {
  double flops, bytes, moved = 0;
};

} // namespace

/// Takes what the block's ops do `times` times from `left`; false where that is not enough.
static bool spend(mlir::Block& block, double times, Left& left) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (llvm::isa<ir::ForOp, ir::WhileOp>(op) || ir::facts_of(&op).runs == ir::Runs::kernels)
      return false; // how often is not looked for
    if (!llvm::all_of(op.getOperandTypes(), llvm::IsaPred<mlir::RankedTensorType>) ||
        !llvm::all_of(op.getResultTypes(), llvm::IsaPred<mlir::RankedTensorType>))
      return false; // of a list only the run knows how much it holds
    auto scan = llvm::dyn_cast<ir::ScanOp>(op);
    double turns = times * (scan ? rough_count(scan.getLength().shape()) : 1);
    if (scan || llvm::isa<ir::CondOp>(op))
      for (mlir::Region& region : op.getRegions())
        if (!spend(region.front(), turns, left))
          return false;
    const double flops = flops_of(&op);
    left.flops -= times * flops;
    for (mlir::Value operand : op.getOperands())
      left.bytes -= times * bytes_of(operand);
    for (mlir::Value result : op.getResults()) {
      left.bytes -= times * bytes_of(result);
      if (flops == 0 && op.getNumOperands() > 0)
        left.moved += times * rough_count(ir::shape_of(result));
    }
    if (left.flops < 0 || left.bytes < 0)
      return false;
  }
  return true;
}

std::optional<double> small_flops(mlir::func::FuncOp function, double flops, double bytes) {
  constexpr double kMove = 0.5; // probe: operations whose interpretation takes as long
  Left left{flops, bytes};
  if (!spend(function.getBody().front(), 1, left))
    return std::nullopt;
  return flops - left.flops + kMove * left.moved;
}

StepCost cost_of(const nest::Nest& nest, const Machine& machine) {
  if (nest.packs)
    return cost_of_packing(nest);
  StepCost cost{nest.name, nest.root};
  for (mlir::Value output : nest.outputs)
    cost.bytes += bytes_of(output);
  analysis::Signatures signatures;
  nest::Evaluations evaluations(signatures);
  llvm::DenseSet<mlir::Operation*> once = computed_once(nest, machine);
  cost.flops = flops_of(nest.root);
  evaluations.add_root(nest.root);
  for (mlir::Operation* op : nest.fused) { // consumers first
    double times = evaluations.per_cell(op);
    cost.flops += (once.contains(op) ? std::min(1.0, times) : times) * flops_of(op);
    evaluations.add_inside(op);
  }
  for (mlir::Value input : nest.inputs)
    cost.bytes += part_read(input, nest, evaluations, 1) * bytes_of(input);
  return cost;
}

StepCost in_place(StepCost cost, const nest::Nest& nest) {
  mlir::Value changed = nest::changed_input(nest, 0);
  if (!changed)
    return cost;
  mlir::Value written = nest::written_by(nest.root);
  cost.bytes += bytes_of(written) - bytes_of(nest.outputs[0]) - bytes_of(changed);
  const double points = rough_count(ir::shape_of(nest.outputs[0]));
  if (llvm::isa<ir::DynamicUpdateSliceOp>(nest.root) && points > 0) { // others do not run
    analysis::Signatures signatures;
    nest::Evaluations evaluations(signatures);
    evaluations.add_root(nest.root);
    for (mlir::Operation* op : nest.fused)
      evaluations.add_inside(op);
    const double share = std::min(1.0, rough_count(ir::shape_of(written)) / points);
    for (mlir::Value input : nest.inputs)
      if (input != changed)
        cost.bytes += bytes_of(input) * (part_read(input, nest, evaluations, share) -
                                         part_read(input, nest, evaluations, 1));
  }
  return cost;
}

Cost cost_of(const nest::NestList& nests, const Machine& machine) {
  return Count(nests, machine).count();
}

} // namespace kolam::driver
