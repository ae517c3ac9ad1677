// Numbers steps.
#include "kolam/support/steps.h"

namespace kolam {
namespace {

class Numbers {
public:
  int count() const { return next_; }

  void give(Steps& steps) {
    for (Step& step : steps)
      if (std::visit([&](auto& what) { return does_work(what); }, step.what))
        step.number = next_++;
  }

private:
  /// Numbers what lies inside; whether the step itself is to have a number.
  bool does_work(auto&) { return true; }
  static bool does_work(SwapStep&) { return false; }
  static bool does_work(BindStep& step) { return step.grown >= 0; }
  bool does_work(LoopStep& step) {
    give(step.body);
    return false;
  }
  bool does_work(WhileStep& step) {
    give(step.condition);
    give(step.body);
    return false;
  }
  bool does_work(BranchStep& step) {
    for (Steps& branch : step.branches)
      give(branch);
    return false;
  }

  int next_ = 0;
};

} // namespace

void number_steps(StepProgram& program) {
  Numbers numbers;
  numbers.give(program.steps);
  program.numbered = numbers.count();
}

} // namespace kolam
