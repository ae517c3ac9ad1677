// Runs and prints traced programs.
#include "kolam/frontend/array/program.h"

#include "kolam/driver/explain.h"
#include "kolam/driver/parse.h"
#include "kolam/driver/picture.h"
#include "kolam/driver/schedule_faults.h"
#include "kolam/driver/tune.h"
#include "kolam/frontend/array/program_state.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/number.h"
#include "kolam/transform/checks.h"
#include "kolam/transform/lists.h"

#include <cmath>

namespace kolam {
namespace {

std::vector<TensorSpec> specs_of(mlir::TypeRange types) {
  std::vector<TensorSpec> specs;
  for (mlir::Type type : types)
    specs.push_back({ir::dtype_of(type), ir::shape_of(type)});
  return specs;
}

} // namespace

driver::Options Program::State::options(Backend backend) const {
  driver::Options options;
  options.is_interpreted = backend == Backend::interpret;
  if (backend == Backend::schedule)
    options.backend = backend::find_backend("schedule");
  options.captured = static_cast<int>(hidden.size());
  options.schedule_texts = schedules;
  options.layout_texts = layouts;
  options.layout_seed = layout_seed;
  return options;
}

const driver::Executable& Program::State::executable(Backend backend) {
  auto& ready = compiled->ready[static_cast<size_t>(backend)];
  if (const driver::Executable* executable = ready.load(std::memory_order_acquire))
    return *executable;
  if (backend == Backend::cpu && interpreted_calls > 0 && interpreted_calls-- > 0)
    return executable(Backend::interpret);
  runtime::LongWork work;
  std::scoped_lock lock(mutex, compiled->mutex);
  if (!ready.load(std::memory_order_acquire)) {
    compiled->renew(backend, driver::compile(program.clone(), options(backend)));
  }
  return *ready.load(std::memory_order_acquire);
}

std::string Program::State::sharing_key() {
  std::lock_guard lock(mutex);
  std::string key =
      driver::stage_text(program, {}, "program") + "captured " + std::to_string(hidden.size());
  for (const auto* texts : {&schedules, &layouts})
    for (const auto& [name, text] : *texts)
      key += "\n" + name + "\n" + text;
  key += "\nlayouts " + std::to_string(layout_seed);
  program.module->walk([&](mlir::Operation* op) {
    if (llvm::isa<ir::CheckOp, ir::OpaqueCallOp>(op)) {
      SourceLocation where = ir::to_source_location(op->getLoc());
      key += "\n" + where.file + ":" + std::to_string(where.line);
    }
  });
  return key;
}

void Program::State::share_compiled(const Program& earlier, const Program& program) {
  program.state_->compiled = earlier.state_->compiled;
}

Program Program::with_checks(const Checks& checks) const {
  auto state = std::make_shared<State>();
  std::lock_guard lock(state_->mutex);
  state->program = state_->program.clone();
  state->hidden = state_->hidden;
  state->parameter_names = state_->parameter_names;
  state->result_names = state_->result_names;
  state->schedules = state_->schedules;
  state->layouts = state_->layouts;
  state->layout_seed = state_->layout_seed;
  transform::insert_checks(*state->program.module, checks);
  return Program(std::move(state));
}

Program Program::with_schedules(std::map<std::string, std::string> schedules) const {
  Program copy = with_checks({});
  copy.state_->schedules = std::move(schedules);
  return copy;
}

Program Program::with_layouts(std::map<std::string, std::string> layouts) const {
  Program copy = with_checks({});
  copy.state_->layouts = std::move(layouts);
  return copy;
}

Program Program::with_random_layouts(uint64_t seed) const {
  Program copy = with_checks({});
  copy.state_->layout_seed = seed;
  return copy;
}

std::vector<std::string> Program::schedule_faults(int threads) const {
  std::lock_guard lock(state_->mutex);
  return driver::schedule_faults(state_->program, state_->options(), {}, threads).faults;
}

Program Program::in_order(ScanOrder order) const {
  Program copy = with_checks({});
  mlir::func::FuncOp main = copy.state_->program.main();
  main->removeAttr(transform::kOrder);
  if (order != ScanOrder::automatic)
    main->setAttr(transform::kOrder,
                  mlir::StringAttr::get(main.getContext(), order == ScanOrder::sequential
                                                               ? transform::kSequential
                                                               : transform::kWaves));
  return copy;
}

std::vector<TunedNest> Program::tune(std::vector<Array> arguments, double budget) const {
  if (!(budget > 0) || !std::isfinite(budget))
    fail(ErrorKind::value, "bad-option",
         "option 'budget': expected a positive number of seconds, but got " + to_text(budget));
  arguments.insert(arguments.end(), state_->hidden.begin(), state_->hidden.end());
  std::vector<TunedNest> results;
  runtime::LongWork work;
  std::scoped_lock lock(state_->mutex, state_->compiled->mutex);
  for (const driver::TunedNest& nest :
       driver::tune(state_->program, state_->options(), arguments, budget, runtime::cancel_flag()))
    results.push_back({nest.name, static_cast<int64_t>(nest.measured),
                       static_cast<int64_t>(nest.possible), nest.by_rule, nest.best,
                       nest::to_string(nest.schedule)});
  state_->compiled->renew(Backend::cpu,
                          driver::compile(state_->program.clone(), state_->options()));
  return results;
}

bool Program::is_short(Backend backend) const {
  const auto& ready = state_->compiled->ready[static_cast<size_t>(backend)];
  const driver::Executable* executable = ready.load(std::memory_order_acquire);
  return executable && executable->is_short();
}

void Program::compile(Backend backend) const { state_->executable(backend); }

std::vector<Array> Program::run(std::vector<Array> arguments, Backend backend,
                                const volatile int32_t* cancel) const {
  return run_emptying(arguments, backend, cancel);
}

std::vector<Array> Program::run_emptying(std::vector<Array>& arguments, Backend backend,
                                         const volatile int32_t* cancel) const {
  return run_into(arguments, {}, backend, cancel);
}

std::vector<Array> Program::run_into(std::vector<Array>& arguments, std::span<const Array> outputs,
                                     Backend backend, const volatile int32_t* cancel) const {
  struct Emptied {
    std::vector<Array>& arguments;
    ~Emptied() { arguments.clear(); }
  } emptied{arguments};
  arguments.insert(arguments.end(), state_->hidden.begin(), state_->hidden.end());
  const driver::Executable& executable = state_->executable(backend);
  if (executable.is_short())
    return executable.run(arguments, cancel, &state_->prepared, outputs);
  runtime::LongWork work;
  return executable.run(arguments, cancel, &state_->prepared, outputs);
}

std::string Program::as_text(const std::string& stage) const {
  runtime::LongWork work;
  std::lock_guard lock(state_->mutex);
  return driver::stage_text(state_->program, state_->options(), stage);
}

std::string Program::explain() const {
  runtime::LongWork work;
  std::lock_guard lock(state_->mutex);
  return driver::explain(state_->program, state_->options());
}

std::string Program::explain_measured(std::vector<Array> arguments) const {
  arguments.insert(arguments.end(), state_->hidden.begin(), state_->hidden.end());
  const driver::Executable& executable = state_->executable(Backend::cpu);
  runtime::LongWork work;
  // Without a lock, as host functions may look at the program.
  driver::MeasuredRuns measured = driver::measure(executable, arguments, runtime::cancel_flag());
  std::lock_guard lock(state_->mutex);
  return driver::explain(state_->program, state_->options(), &measured);
}

std::string Program::picture(const std::string& kind, std::vector<Array> arguments) const {
  driver::Picture picture = driver::picture_kind(kind);
  arguments.insert(arguments.end(), state_->hidden.begin(), state_->hidden.end());
  runtime::LongWork work;
  std::lock_guard lock(state_->mutex);
  return driver::picture(state_->program, picture, arguments);
}

std::string Program::as_dot(const std::string& kind, std::vector<Array> arguments) const {
  if (kind == "program") {
    std::lock_guard lock(state_->mutex);
    return driver::as_dot(state_->program);
  }
  driver::Picture picture = driver::picture_kind(kind);
  arguments.insert(arguments.end(), state_->hidden.begin(), state_->hidden.end());
  std::lock_guard lock(state_->mutex);
  return driver::picture_as_dot(state_->program, picture, arguments);
}

std::map<std::string, double> Program::cost() const {
  std::lock_guard lock(state_->mutex);
  return driver::cost(state_->program, state_->options());
}

std::vector<TensorSpec> Program::parameters() const {
  mlir::func::FuncOp main = state_->program.main();
  return specs_of(main.getArgumentTypes().drop_back(state_->hidden.size()));
}

std::vector<TensorSpec> Program::results() const {
  mlir::func::FuncOp main = state_->program.main();
  return specs_of(main.getResultTypes());
}

std::vector<std::string> Program::parameter_names() const { return state_->parameter_names; }
std::vector<std::string> Program::result_names() const { return state_->result_names; }
std::vector<std::string> stage_names() { return driver::stage_names(); }

const std::vector<Array>& Program::captured() const { return state_->hidden; }

Program parse_program(const std::string& text, const std::string& file_name) {
  auto state = std::make_shared<Program::State>();
  driver::ParsedProgram parsed = driver::parse(text, file_name);
  state->program = std::move(parsed.program);
  state->parameter_names = std::move(parsed.parameter_names);
  state->result_names = std::move(parsed.result_names);
  return Program(std::move(state));
}

} // namespace kolam
