// Numbers steps.
#include "kolam/support/steps.h"

namespace kolam {
namespace {

/// Whether a step computes or moves elements itself.
struct DoesWork {
  bool operator()(const auto&) const { return true; }
  bool operator()(const SwapStep&) const { return false; }
  bool operator()(const LoopStep&) const { return false; }
  bool operator()(const WhileStep&) const { return false; }
  bool operator()(const BranchStep&) const { return false; }
  bool operator()(const BindStep& step) const { return step.grown >= 0; }
};

} // namespace

void number_steps(StepProgram& program) {
  program.numbered = 0;
  for_each_step(program.steps, [&](Step& step) {
    if (std::visit(DoesWork(), step.what))
      step.number = program.numbered++;
  });
}

} // namespace kolam
