// Weighs bytes against operations.
#include "kolam/transform/derive/points_again.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/transform/derive/notes.h"

namespace kolam::transform::derive {
namespace {

/// One of the two, and what was noted when it was made.
struct Way {
  explicit Way(const std::function<Apart()>& make) {
    DerivativeNotes heard;
    apart = make();
    notes = heard.notes();
  }
  Apart apart;
  std::vector<std::string> notes;
};

/// What a step keeps: results of its body, and states, of which each step has others.
double bytes_of_step(const Apart& apart, const Steps& steps) {
  double bytes = 0;
  auto add = [&](Value value) {
    if (llvm::isa<mlir::RankedTensorType>(value.getType()))
      bytes += analysis::bytes_of(value);
  };
  for (Value residual : apart.residuals)
    add(residual);
  for (int64_t argument : apart.arguments)
    if (argument >= 0 && static_cast<size_t>(argument) < steps.states)
      add(apart.primal->getArgument(static_cast<unsigned>(argument)));
  return bytes;
}

double work_of(mlir::Block& block) {
  double work = 0;
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.getNumRegions() == 0) {
      work += operations_of(&op);
      continue;
    }
    double inner = 0;
    for (mlir::Region& region : op.getRegions())
      if (!region.empty())
        inner += work_of(region.front());
    const bool is_one_of_several = ir::facts_of(&op).bodies == ir::Bodies::once;
    const double steps = is_one_of_several ? 1.0 / op.getNumRegions() : analysis::turns_of(&op);
    work += steps * inner;
  }
  return work;
}

Apart taken(Way& way, const std::string& note) {
  for (const std::string& each : way.notes)
    DerivativeNotes::add(each);
  if (!note.empty())
    DerivativeNotes::add(note);
  return std::move(way.apart);
}

std::string number(double value) { return std::to_string(static_cast<int64_t>(value)); }

} // namespace

double operations_of(mlir::Operation* op) {
  return analysis::flops_of(op) / (ir::facts_of(op).has_factors ? 2 : 1);
}

Apart points_apart(const std::function<Apart()>& keep, const std::function<Apart()>& again,
                   const Steps& steps) {
  const kernels::GridLoop& grid = *steps.grid;
  const auto count = static_cast<double>(grid.steps);
  const Machine machine; // the same choice on all
  Way kept(keep);
  const double bytes = count * bytes_of_step(kept.apart, steps);
  if (bytes == 0)
    return taken(kept, "");
  Way computed(again);
  const double bytes_again = count * bytes_of_step(computed.apart, steps),
               work = count * work_of(kept.apart.primal->front());
  const std::string keeps = "keeps what points of " + grid.kernel + " compute, " + number(bytes) +
                            " bytes: computing it again ",
                    computes = "computes points of " + grid.kernel + " again: keeping " +
                               number(bytes) + " bytes of all ";
  if (bytes_again >= bytes)
    return taken(kept, keeps + "needs what points change");
  if (const auto arrays = static_cast<double>(grid.bytes); bytes > arrays)
    return taken(computed, computes + "is more than its arrays hold, " + number(arrays));
  auto price = [&](double of) { return of * analysis::price_of_byte(of, machine); };
  if (price(bytes_again) + work < price(bytes))
    return taken(computed, computes + "costs more than " + number(work) + " operations");
  return taken(kept, keeps + "takes " + number(work) + " operations, which cost more");
}

} // namespace kolam::transform::derive
