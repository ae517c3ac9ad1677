// Looks at choices of programs, and takes them.
#include "kolam/frontend/array/choices.h"

#include "kolam/frontend/array/program_state.h"
#include "kolam/rewrite/choice.h"
#include "kolam/runtime/long_work.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/cut.h"

namespace kolam {
namespace {

rewrite::Keeps read_allow(int64_t workers, const std::string& allow) {
  if (workers < 1)
    fail(ErrorKind::value, "plan-option",
         "option 'workers': expected at least 1, but got " + std::to_string(workers));
  if (allow != "exact" && allow != "reassociate")
    fail(ErrorKind::value, "plan-option",
         "option 'allow': expected 'exact' or 'reassociate', but got '" + allow + "'");
  return allow == "exact" ? rewrite::Keeps::exact : rewrite::Keeps::reassociates;
}

/// With the ops that plans cut.
void prepare(driver::Module& program) {
  transform::take_bodies(*program.module, transform::Composites::partitioned);
  if (const std::string why = transform::why_no_choices(program.main()); !why.empty())
    fail(ErrorKind::value, "not-cut", "expected a program that can be cut, but " + why);
}

} // namespace

std::vector<ChoiceRow> choice_rows() {
  std::vector<ChoiceRow> rows;
  for (const rewrite::Choice& choice : rewrite::all_choices())
    rows.push_back({std::string(choice.name), std::string(choice.equation),
                    std::string(choice.condition), std::string(choice.parameters),
                    choice.keeps == rewrite::Keeps::exact, choice.is_searched});
  return rows;
}

std::vector<PossibleChoice> possible_choices(const Program& program,
                                             const std::vector<std::string>& names, int64_t workers,
                                             const std::string& allow) {
  const rewrite::Keeps keeps = read_allow(workers, allow);
  runtime::LongWork work;
  const Program copy = program.with_checks({});
  driver::Module& module = Program::State::of(copy).program;
  prepare(module);
  std::vector<PossibleChoice> all;
  for (const rewrite::Possible& step :
       rewrite::possible_steps(module.main(), names, workers, keeps))
    all.push_back({rewrite::to_string(step.step), step.what, step.is_exact});
  return all;
}

Program rewritten(const Program& program, const std::vector<std::string>& choices, int64_t workers,
                  const std::string& allow) {
  const rewrite::Keeps keeps = read_allow(workers, allow);
  runtime::LongWork work;
  Program copy = program.with_checks({});
  driver::Module& module = Program::State::of(copy).program;
  prepare(module);
  rewrite::take_all(module.main(), choices, workers, keeps);
  return copy;
}

} // namespace kolam
