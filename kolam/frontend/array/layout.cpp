// Asks for the data dimensions of a program and says what was found.
#include "kolam/frontend/array/layout.h"

#include "kolam/analysis/data_dim/explanation.h"
#include "kolam/analysis/data_dim/program_text.h"
#include "kolam/frontend/array/program_state.h"
#include "kolam/frontend/array/read_pin.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/runtime/long_work.h"
#include "kolam/space/data_dim_rules.h"

namespace kolam::layout {
namespace {

using analysis::DataDimAsked;
using analysis::DataDimOp;
using analysis::DataDimProblem;
using analysis::DataDimSolution;

[[noreturn]] void fail_option(const std::string& option, const std::string& known,
                              const std::string& given) {
  fail(ErrorKind::value, "layout-option",
       "option '" + option + "': expected one of " + known + ", but got '" + given + "'");
}

/// The pin of an argument or result.
analysis::DataDimPin pin_of(const std::string& of, const Pin& pin, mlir::Value value,
                            bool is_constant) {
  if (is_constant)
    fail_pin(of, "what the program computes while it runs", "a constant");
  GivenPin given = read_pin(of, pin, ir::data_shape(value));
  return {static_cast<int>(given.dim), std::move(given.names)};
}

class Question {
public:
  Question(mlir::func::FuncOp main, size_t declared, const InferOptions& options)
      : main_(main), declared_(declared), names_(ir::argument_names(main)), options_(options) {}

  DataDimAsked asked() {
    DataDimAsked asked;
    asked.profile = profile();
    asked.mode = mode();
    asked.prices = prices();
    asked.allow_dynamic_weights = options_.allow_dynamic_weights;
    asked.constants.assign(main_.getNumArguments(), false);
    for (size_t hidden = declared_; hidden < asked.constants.size(); ++hidden)
      asked.constants[hidden] = true;
    for (const std::string& name : options_.constants)
      asked.constants[argument(name, "constants")] = true;
    asked.inputs.resize(main_.getNumArguments());
    asked.outputs.resize(main_.getNumResults());
    for (const auto& [name, pin] : options_.inputs) {
      const size_t number = argument(name, "inputs");
      asked.inputs[number] =
          pin_of("pin of input '" + name + "'", pin,
                 main_.getArgument(static_cast<unsigned>(number)), asked.constants[number]);
    }
    mlir::Operation* end = main_.getBody().front().getTerminator();
    for (const auto& [number, pin] : options_.outputs) {
      const std::string of = "pin of output " + std::to_string(number);
      if (number < 0 || number >= main_.getNumResults())
        fail_pin(of, "the number of one of " + std::to_string(main_.getNumResults()) + " results",
                 std::to_string(number));
      asked.outputs[static_cast<size_t>(number)] =
          pin_of(of, pin, end->getOperand(static_cast<unsigned>(number)), false);
    }
    return asked;
  }

private:
  const space::DataDimProfile& profile() const {
    if (const auto* found = space::find_data_dim_profile(options_.profile))
      return *found;
    std::string known;
    for (const space::DataDimProfile& profile : space::data_dim_profiles())
      known += (known.empty() ? "" : ", ") + profile.name;
    fail_option("profile", known, options_.profile);
  }

  analysis::LayoutMode mode() const {
    if (options_.mode == "strict")
      return analysis::LayoutMode::strict;
    if (options_.mode == "repair")
      return analysis::LayoutMode::repair;
    fail_option("mode", "strict, repair", options_.mode);
  }

  analysis::DataDimPrices prices() const {
    if (options_.costs == "blocks")
      return analysis::DataDimPrices::blocks;
    if (options_.costs == "cpu")
      return analysis::DataDimPrices::cpu;
    fail_option("costs", "blocks, cpu", options_.costs);
  }

  /// The number of an argument by its name, or by its number.
  size_t argument(const std::string& name, const char* option) const {
    for (size_t number = 0; number < declared_; ++number)
      if (names_[number] == name || std::to_string(number) == name)
        return number;
    std::string known;
    for (size_t number = 0; number < declared_; ++number)
      known += (known.empty() ? "" : ", ") + names_[number];
    fail(ErrorKind::value, "layout-pin",
         "option '" + std::string(option) + "': expected one of the arguments " + known +
             ", but got '" + name + "'");
  }

  mlir::func::FuncOp main_;
  size_t declared_;
  std::vector<std::string> names_;
  const InferOptions& options_;
};

std::vector<std::optional<int64_t>> dims_of(const std::vector<int>& values,
                                            const DataDimSolution& solution, size_t count) {
  std::vector<std::optional<int64_t>> dims;
  for (size_t number = 0; number < count; ++number) {
    const int value = values[number];
    dims.push_back(value < 0 || solution.made[value] < 0
                       ? std::nullopt
                       : std::optional<int64_t>(solution.made[value]));
  }
  return dims;
}

/// D of each result as it is given, which may be another one than it was made with.
std::vector<std::optional<int64_t>> outputs_of(const DataDimProblem& problem,
                                               const DataDimSolution& solution) {
  auto outputs = dims_of(problem.results, solution, problem.results.size());
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const int dim = op.kind == DataDimOp::Kind::result ? op.rows[solution.chosen[number]].dims[0]
                                                       : space::kAnyDim;
    if (dim >= 0)
      outputs[static_cast<size_t>(op.number)] = dim;
  }
  return outputs;
}

const char* kind_of(DataDimOp::Kind kind) {
  switch (kind) {
  case DataDimOp::Kind::argument:
    return "input";
  case DataDimOp::Kind::result:
    return "output";
  case DataDimOp::Kind::pin:
    return "pin";
  default:
    return "op";
  }
}

/// What pins ask for that cannot be, as the program's values show.
void check_pins(const DataDimAsked& asked, const DataDimProblem& problem) {
  for (size_t number = 0; number < asked.outputs.size(); ++number)
    if (asked.outputs[number] && problem.results[number] < 0)
      fail_pin("pin of output " + std::to_string(number), "what the program computes while it runs",
               "a constant");
  if (problem.pinned_constant)
    throw Error(ErrorKind::value, "layout-pin",
                "pin in the program: expected what the program computes while it runs, but got a "
                "constant",
                *problem.pinned_constant);
  if (problem.two_names)
    throw Error(ErrorKind::value, "layout-names", problem.two_names->text,
                problem.two_names->where);
}

[[noreturn]] void fail_conflict(mlir::func::FuncOp main, const DataDimAsked& asked,
                                const DataDimProblem& problem, const DataDimSolution& solution) {
  if (!solution.is_exact)
    fail(ErrorKind::value, "data-dimension",
         "found no data dimensions that satisfy all operations; the search was cut off");
  analysis::Explanation explanation = analysis::explain_conflict(main, asked, problem);
  std::vector<ConflictingCall> core;
  for (const analysis::ExplainedMember& member : explanation.core)
    core.push_back({kind_of(member.kind), member.name, member.where, member.text});
  throw DataDimensionError(analysis::to_string(explanation), core.back().where, std::move(core));
}

} // namespace

DataDimensionError::DataDimensionError(std::string_view message, SourceLocation where,
                                       std::vector<ConflictingCall> core)
    : Error(ErrorKind::value, "data-dimension", message, std::move(where)), core_(std::move(core)) {
}

Inferred infer(const Program& program, const InferOptions& options) {
  runtime::LongWork work;
  Program::State& state = Program::State::of(program);
  std::lock_guard lock(state.mutex);
  mlir::func::FuncOp main = state.program.main();
  const size_t declared = main.getNumArguments() - state.hidden.size();
  DataDimAsked asked = Question(main, declared, options).asked();
  DataDimProblem problem = analysis::data_dim_problem(main, asked);
  check_pins(asked, problem);
  DataDimSolution solution = analysis::solve(problem);
  if (!solution.is_possible)
    fail_conflict(main, asked, problem, solution);
  Inferred inferred;
  inferred.inputs = dims_of(problem.arguments, solution, declared);
  inferred.outputs = outputs_of(problem, solution);
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const analysis::PricedRow& row = op.rows[solution.chosen[number]];
    if (op.kind == DataDimOp::Kind::op || op.kind == DataDimOp::Kind::pin)
      inferred.ops.push_back({analysis::op_text(problem, op, row), op.where,
                              space::to_string(row.cost), space::to_string(row.variant), row.time,
                              row.memory});
  }
  for (const analysis::Relayout& relayout : solution.relayouts) {
    const analysis::DataDimValue& value = problem.values[relayout.value];
    inferred.relayouts.push_back({analysis::shape_text(value, relayout.from) + " to " +
                                      analysis::shape_text(value, relayout.to),
                                  value.where, relayout.from, relayout.to, relayout.time});
  }
  inferred.total = solution.total;
  inferred.bound = solution.bound;
  inferred.exact = solution.is_exact;
  inferred.text = analysis::to_string(problem, solution);
  inferred.program = analysis::program_text(main, problem, solution);
  inferred.dot = analysis::as_dot(problem, solution);
  inferred.json = analysis::as_json(problem, solution);
  return inferred;
}

std::string explain(const Program& program, const InferOptions& options) {
  Inferred inferred = infer(program, options);
  return program.explain() + "data dimensions: " + inferred.text;
}

} // namespace kolam::layout
