// Finds plans of programs, and runs them.
#include "kolam/frontend/array/plan.h"

#include "kolam/driver/disk_cache.h"
#include "kolam/driver/local_machine.h"
#include "kolam/driver/progress.h"
#include "kolam/driver/run_plan.h"
#include "kolam/frontend/array/partitioning_check.h"
#include "kolam/frontend/array/plan_state.h"
#include "kolam/frontend/array/program_state.h"
#include "kolam/plan/check.h"
#include "kolam/plan/json.h"
#include "kolam/plan/page.h"
#include "kolam/plan/picture.h"
#include "kolam/plan/print.h"
#include "kolam/planner/replay.h"
#include "kolam/planner/search.h"
#include "kolam/runtime/file.h"
#include "kolam/runtime/long_work.h"
#include "kolam/transform/custom_partitioning.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace kolam {

namespace {

const std::set<std::string>& entries() {
  static const std::set<std::string> known = {"time",        "work",   "bytes_in",
                                              "peak_memory", "wasted", "workers"};
  return known;
}

[[noreturn]] void fail_option(const std::string& option, const std::string& expected,
                              const std::string& given) {
  fail(ErrorKind::value, "plan-option",
       "option '" + option + "': expected " + expected + ", but got " + given);
}

void require_entry(const std::string& option, const std::string& given) {
  if (entries().contains(given))
    return;
  std::string known;
  for (const std::string& entry : entries())
    known += (known.empty() ? "" : ", ") + entry;
  fail_option(option, "one of " + known, "'" + given + "'");
}

void require_options(const PlanOptions& options) {
  if (options.workers < 1)
    fail_option("workers", "at least 1", std::to_string(options.workers));
  if (options.memory_per_worker < 0)
    fail_option("memory_per_worker", "a number of bytes, or 0 for no limit",
                std::to_string(options.memory_per_worker));
  if (!(options.seconds >= 0) || !std::isfinite(options.seconds))
    fail_option("seconds", "a number of seconds", std::to_string(options.seconds));
  if (options.allow != "exact" && options.allow != "reassociate")
    fail_option("allow", "'exact' or 'reassociate'", "'" + options.allow + "'");
  require_entry("objective", options.objective);
  for (const auto& [entry, limit] : options.limits) {
    require_entry("limits", entry);
    if (!(limit > 0))
      fail_option("limits", "numbers above 0", std::to_string(limit) + " of '" + entry + "'");
  }
}

/// The word among choices that leaves them to the search.
constexpr std::string_view kSearch = "search";

std::vector<std::string> named_choices(const PlanOptions& options) {
  std::vector<std::string> named = options.choices;
  std::erase(named, kSearch);
  return named;
}

std::string identity_of(Program::State& program) {
  return driver::to_string(driver::content_key({program.sharing_key()}));
}

std::vector<std::string> texts_of(const std::vector<space::Issue>& issues) {
  std::vector<std::string> texts;
  for (const space::Issue& issue : issues)
    texts.push_back(issue.subject + ": [" + issue.slug + "] " + issue.message);
  return texts;
}

driver::Module copy_of(const Program& program) {
  Program::State& own = Program::State::of(program);
  std::lock_guard lock(own.mutex);
  driver::Module copy = own.program.clone();
  transform::take_bodies(*copy.module, transform::Composites::partitioned);
  return copy;
}

/// The state of a new plan of the program.
std::shared_ptr<Plan::State> state_of(Program::State& program, plans::Plan plan) {
  auto state = std::make_shared<Plan::State>();
  plan.version = KOLAM_VERSION;
  plan.program = identity_of(program);
  state->plan = std::move(plan);
  state->hidden = program.hidden;
  return state;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// `last run: 12 tasks in 0.53 s; 4 of them were kept from earlier runs`.
std::string last_run_text(const plans::RunReport& report) {
  if (report.tasks == 0)
    return {};
  std::string text =
      "last run: " + std::to_string(report.tasks) + " tasks in " + rounded(report.seconds) + " s";
  if (!report.peak_memory.empty())
    text += ", at most " + std::to_string(std::ranges::max(report.peak_memory)) +
            " bytes of blocks at a worker";
  if (report.found > 0)
    text += "; " + std::to_string(report.found) + " of them were kept from earlier runs";
  return text + "\n";
}

std::string cost_text(const std::map<std::string, double>& cost) {
  std::string text;
  for (const auto& [entry, value] : cost)
    text += (text.empty() ? "" : ", ") + entry + " " + rounded(value);
  return text;
}

} // namespace

Plan plan(const Program& program, const PlanOptions& options) {
  require_options(options);
  runtime::LongWork work;
  Program::State& own = Program::State::of(program);
  driver::Module copy = copy_of(program);
  check_partitionings(copy.main());
  plans::Machine machine = options.machine ? *options.machine : local_machine(options.workers);
  plans::check_machine(machine);
  machine.workers = options.workers;
  machine.levels.back().group = std::max(machine.levels.back().group, options.workers);
  driver::Progress line(STDERR_FILENO, std::chrono::seconds(1), "planning");
  planner::Found found = planner::find_plan(
      copy.main(), machine,
      {.workers = options.workers,
       .memory_per_worker = options.memory_per_worker,
       .objective = options.objective,
       .limits = options.limits,
       .allow = options.allow == "exact" ? planner::Allow::exact : planner::Allow::reassociate,
       .seed = options.seed,
       .seconds = options.seconds,
       .steps = options.steps,
       .keeps_results = options.keeps_results,
       .choices = named_choices(options),
       .tries_choices = llvm::is_contained(options.choices, kSearch),
       .progress = [&](int64_t plans, double best) {
         line.at(std::to_string(plans) + " plans" +
                 (std::isfinite(best) ? ", least " + options.objective + " " + rounded(best)
                                      : ", none within the limits"));
       }});
  auto state = state_of(own, std::move(found.plan));
  state->front = std::move(found.front);
  for (planner::Alternative& one : found.alternatives)
    state->alternatives.push_back(
        {std::move(one.what), std::move(one.cost), std::move(one.why_not)});
  return Plan(std::move(state));
}

Plan random_plan(const Program& program, int64_t workers, uint64_t seed) {
  Program::State& own = Program::State::of(program);
  driver::Module copy = copy_of(program);
  const std::string why = transform::why_not_cut(copy.main());
  if (!why.empty())
    fail(ErrorKind::value, "not-cut", "expected a program that can be cut, but " + why);
  return Plan(
      state_of(own, planner::random_plan(copy.main(), workers, planner::Allow::exact, seed)));
}

plans::Machine local_machine(int64_t workers) {
  plans::Machine machine = driver::local_machine(workers);
  machine.workers = std::max(machine.workers, workers);
  return machine;
}

Plan Plan::from_json(const std::string& text) {
  auto state = std::make_shared<State>();
  state->plan = plans::plan_from_json(text);
  return Plan(std::move(state));
}

Plan Plan::load(const std::string& path) {
  const runtime::ByteSource file = runtime::ByteSource::open(path);
  std::string text(file.size(), '\0');
  file.read_at(0, text.data(), text.size());
  return from_json(text);
}

const plans::Plan& Plan::data() const { return state_->plan; }
const std::map<std::string, double>& Plan::cost() const { return state_->plan.cost; }
const std::vector<std::map<std::string, double>>& Plan::front() const { return state_->front; }
const std::vector<PlanAlternative>& Plan::alternatives() const { return state_->alternatives; }
std::string Plan::to_string() const { return plans::to_string(state_->plan); }
std::string Plan::as_json() const { return plans::to_json(state_->plan); }
void Plan::save(const std::string& path) const {
  const std::string text = as_json();
  runtime::AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

std::string Plan::explain() const {
  std::string text = "cost: " + cost_text(cost()) + "\n";
  for (const plans::Choice& choice : state_->plan.trace) {
    text += choice.name + " " + choice.stage + ":";
    for (const auto& [name, value] : choice.parameters)
      text += " " + name + " " + value;
    text += choice.exact ? "\n" : ", in other groups of sums\n";
  }
  for (const PlanAlternative& one : alternatives())
    if (!one.why_not.empty())
      text += "not " + one.what + ": " + one.why_not + "\n";
  return text + last_run_text(last_run());
}

std::vector<std::string> Plan::check() const {
  std::call_once(state_->checked, [&] { state_->issues = plans::check(state_->plan); });
  return texts_of(state_->issues);
}

std::vector<std::string> Plan::check(const Program& program) const {
  std::vector<std::string> texts = check();
  if (!texts.empty())
    return texts;
  return texts_of(planner::replay(copy_of(program).main(), state_->plan));
}

plans::Simulated Plan::simulate(const plans::Machine& machine) const {
  return plans::simulate(state_->plan, machine, plans::Timeline::kept);
}

void Plan::require_sound() const {
  if (std::vector<std::string> breaks = check(); !breaks.empty())
    fail(ErrorKind::value, "plan-broken",
         "expected a plan that computes its program, but " + breaks[0] +
             (breaks.size() > 1 ? " (and " + std::to_string(breaks.size() - 1) + " more)" : ""));
}

PlanInput PlanInput::file(const std::string& path) {
  PlanInput input{Array()};
  input.reader_ = std::make_shared<runtime::NpyReader>(path);
  return input;
}

std::vector<Array> Plan::run(std::vector<PlanInput> given, const PlanRunOptions& asked) const {
  require_sound();
  std::vector<driver::PlanArgument> arguments;
  for (const PlanInput& input : given)
    arguments.push_back({input.array(), input.reader()});
  for (const Array& array : state_->hidden)
    arguments.push_back({array, nullptr});
  driver::PlanRun options;
  options.out = asked.out;
  options.progress = asked.progress;
  if (asked.kept)
    options.kept = asked.kept->store();
  options.is_interpreted = asked.backend == Backend::interpret;
  if (asked.backend == Backend::schedule)
    options.backend = backend::find_backend("schedule");
  options.cancel = runtime::cancel_flag();
  runtime::LongWork work;
  driver::PlanOutcome outcome = driver::run_plan(state_->plan, arguments, options);
  note_run(std::move(outcome.report));
  return std::move(outcome.results);
}

plans::RunReport Plan::last_run() const {
  std::lock_guard lock(state_->mutex);
  return state_->last_run;
}

void Plan::note_run(plans::RunReport report) const {
  std::lock_guard lock(state_->mutex);
  state_->last_run = std::move(report);
}

std::string Plan::as_dot() const { return plans::as_dot(state_->plan); }

std::string Plan::as_html(const plans::Machine& machine) const {
  return plans::as_html(state_->plan, simulate(machine), explain());
}

std::vector<TensorSpec> Plan::parameters() const {
  std::vector<TensorSpec> specs;
  for (const plans::Tensor& tensor : state_->plan.tensors)
    if (tensor.argument >= 0)
      specs.push_back({tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())});
  specs.resize(specs.size() - std::min(specs.size(), state_->hidden.size()));
  return specs;
}

std::vector<TensorSpec> Plan::results() const {
  std::map<int64_t, TensorSpec> specs;
  for (const plans::Tensor& tensor : state_->plan.tensors)
    for (int64_t result : tensor.results)
      specs[result] = {tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())};
  std::vector<TensorSpec> all;
  for (const auto& [number, spec] : specs)
    all.push_back(spec);
  return all;
}

} // namespace kolam
