// Adds up costs along the tree of steps.
#include "kolam/driver/cost.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/sorted_rows.h"

#include <cmath>

namespace kolam::driver {
namespace {

using ir::rough_count;

double bytes_of(DType dtype, const Shape& shape) { return rough_count(shape) * byte_width(dtype); }
double bytes_of(mlir::Value value) { return bytes_of(ir::dtype_of(value), ir::shape_of(value)); }

double flops_of(mlir::Operation* op) {
  return op->getNumResults() == 0
             ? 0
             : analysis::flops_per_cell(op) * rough_count(ir::shape_of(op->getResult(0)));
}

/// How often a nest computes each element of a value, on average, and which part of the elements it
/// touches at all.
struct Demand {
  double own = 0;   ///< for the element of its own place, which is kept for all that ask for it
  double other = 0; ///< for elements elsewhere
  double part = 0;
  double times() const { return own + other; }
};

/// Whether the result starts as this operand and points change elements of it: all of it is read.
bool is_changed(mlir::OpOperand& operand) {
  space::Signature signature = llvm::cast<ir::SignedOp>(operand.getOwner()).signature();
  const space::Operand& result = analysis::first_result(signature);
  return (result.indirect || result.role == space::Role::inout) &&
         operand.getOperandNumber() < operand.getOwner()->getNumResults();
}

StepCost cost_of(const nest::Nest& nest) {
  StepCost cost{nest.name, nest.root};
  llvm::DenseMap<mlir::Value, Demand> demands;
  for (mlir::Value output : nest.outputs) {
    demands[output] = {1, 0, 1};
    cost.bytes += bytes_of(output);
  }
  std::vector<mlir::Operation*> ops{nest.root};
  llvm::append_range(ops, nest.fused); // consumers first
  for (mlir::Operation* op : ops) {
    Demand asked = op == nest.root ? Demand{1, 0, 1} : Demand{};
    for (mlir::Value result : op->getResults())
      asked = std::max(asked, demands.lookup(result),
                       [](const Demand& a, const Demand& b) { return a.times() < b.times(); });
    cost.flops += asked.times() * flops_of(op);
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      double reads = analysis::reads_per_cell(op, operand.getOperandNumber());
      Demand& demand = demands[operand.get()];
      if (analysis::reads_own_cell(op, operand.getOperandNumber()))
        demand.own = std::max(demand.own, asked.times() * reads);
      else
        demand.other += asked.times() * reads;
      demand.part = is_changed(operand) ? 1 : std::min(1.0, demand.part + asked.part * reads);
    }
  }
  for (mlir::Value input : nest.inputs)
    cost.bytes += demands.lookup(input).part * bytes_of(input);
  return cost;
}

class Count {
public:
  explicit Count(const nest::NestList& nests) : nests_(nests) {
    for (const nest::Nest& nest : nests.nests)
      note_constants(nest);
    for (const BufferPlan& buffer : nests.program.buffers)
      bytes_.push_back(bytes_of(buffer.dtype, buffer.shape));
  }

  Cost count() {
    total_.arena_bytes = arena_bytes();
    Sum sum = count(nests_.program.steps);
    total_.flops = sum.flops;
    total_.bytes = sum.bytes;
    return std::move(total_);
  }

private:
  struct Sum {
    double flops = 0, bytes = 0;
  };

  Sum count(const Steps& steps) {
    Sum sum;
    for (const Step& step : steps) {
      Sum one = std::visit([&](const auto& what) { return count(what); }, step.what);
      sum = {sum.flops + one.flops, sum.bytes + one.bytes};
    }
    return sum;
  }

  Sum add(StepCost cost) {
    cost.times = times_;
    total_.steps.push_back(cost);
    return {cost.times * cost.flops, cost.times * cost.bytes};
  }

  Sum count(const NestStep& step) {
    const nest::Nest& nest = nests_.nests[step.nest];
    for (size_t i = 0; i < nest.outputs.size(); ++i)
      if (auto found = constants_.find(nest.outputs[i]); found != constants_.end())
        integers_[step.buffers[i]] = found->second;
    return add(cost_of(nest));
  }
  Sum count(const CopyStep& step) { return add({"copy", nullptr, 0, 2 * bytes_[step.to]}); }
  Sum count(const SwapStep&) { return {}; }
  Sum count(const RowStep& step) {
    return add({step.function == RowFunction::sort ? "sort" : "top_k", nullptr,
                rough_count({step.rows}) * ir::sort_flops(step.length),
                bytes_[step.input] + bytes_[step.values] + bytes_[step.places]});
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

  double arena_bytes() const {
    return nests_.program.arena_bytes.visit<double>(
        [](int64_t number) { return static_cast<double>(number); },
        [](const std::string& symbol) { return rough_count({Extent::symbol(symbol)}); },
        [](char op, double x, double y) {
          switch (op) {
          case '+':
            return x + y;
          case '*':
            return x * y;
          case 'f':
            return y > 0 ? std::floor(x / y) : 0;
          case 'c':
            return y > 0 ? std::ceil(x / y) : 0;
          case 'm':
            return std::min(x, y);
          default:
            return std::max(x, y);
          }
        });
  }

  const nest::NestList& nests_;
  Cost total_;
  double times_ = 1;
  std::vector<double> bytes_;                     // by buffer number
  llvm::DenseMap<mlir::Value, double> constants_; // integers
  std::map<int, double> integers_;                // by the buffer that holds them
};

} // namespace

/// Takes what the block's ops do `times` times from `left`; false where that is not enough.
static bool spend(mlir::Block& block, double times, StepCost& left) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (llvm::isa<ir::ForOp, ir::WhileOp>(op))
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
    left.flops -= times * flops_of(&op);
    for (mlir::Value operand : op.getOperands())
      left.bytes -= times * bytes_of(operand);
    for (mlir::Value result : op.getResults())
      left.bytes -= times * bytes_of(result);
    if (left.flops < 0 || left.bytes < 0)
      return false;
  }
  return true;
}

bool is_small(mlir::func::FuncOp function, double flops, double bytes) {
  StepCost left{"", nullptr, flops, bytes};
  return spend(function.getBody().front(), 1, left);
}

Cost cost_of(const nest::NestList& nests) { return Count(nests).count(); }

} // namespace kolam::driver
