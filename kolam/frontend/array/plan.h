/// Plans: how a program is cut into tasks for many workers, found, proved, simulated and run.
#pragma once

#include "kolam/frontend/array/choices.h"
#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/kept_results.h"
#include "kolam/plan/machine.h"
#include "kolam/plan/plan.h"
#include "kolam/plan/run_report.h"
#include "kolam/plan/simulate.h"
#include "kolam/runtime/npy_boxes.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kolam {

/// What a plan is for.
struct PlanOptions {
  int64_t workers = 2;
  int64_t memory_per_worker = 0; ///< bytes; 0: no limit
  /// What is to be least: "time" (seconds, of the critical path), "work" (seconds, of all workers),
  /// "bytes_in" (of the busiest worker), "peak_memory" (bytes, of one), "wasted" (elements computed
  /// more than once), "workers".
  std::string objective = "time";
  std::map<std::string, double> limits = {};  ///< of the same entries; what breaks one is refused
  std::optional<plans::Machine> machine = {}; ///< none: this one, measured once
  std::string allow = "exact"; ///< every bit is kept; or "reassociate": sums in any groups
  uint64_t seed = 0;
  double seconds = 10; ///< for the search
  int64_t steps = -1;  ///< of the search; the same seed and steps give the same plan
  /// Results stay in the memory of the workers that made them until the plan ends.
  bool keeps_results = false;
  /// By which equations the program is rewritten before it is cut (choices.h): texts that
  /// `rewritten` takes, and "search" for all that makes the plan better.
  std::vector<std::string> choices = {"search"};
};

/// An argument of a run: an array, or one in a `.npy` file, of which each task reads what it needs.
class PlanInput {
public:
  PlanInput(Array array) : array_(std::move(array)) {}
  /// Throws `[io-read]` and `[bad-npy]`.
  static PlanInput file(const std::string& path);

  const Array& array() const { return array_; }
  const std::shared_ptr<const runtime::NpyReader>& reader() const { return reader_; }

private:
  Array array_;
  std::shared_ptr<const runtime::NpyReader> reader_;
};

/// How a plan is run.
struct PlanRunOptions {
  /// Results whose number it holds go to a `.npy` file, box by box, and are empty handles among the
  /// results; the files appear when all is computed.
  std::map<int64_t, std::string> out = {};
  Backend backend = Backend::cpu;
  /// Told how far the run is, at most every 0.1 s and at the end, by one thread at a time.
  std::function<void(const plans::RunProgress&)> progress = {};
  /// Where results of tasks are looked for, and kept.
  std::optional<KeptResults> kept = {};
};

/// A plan that was looked at.
struct PlanAlternative {
  std::string what;
  std::map<std::string, double> cost;
  std::string why_not; ///< why another one is better; empty of the one that was chosen
};

/// A program cut into tasks. Copies share it.
class Plan {
public:
  /// From what `as_json` gave. Throws `[bad-plan]`, naming the place in the text.
  static Plan from_json(const std::string& text);
  /// From a file. Throws `[file]` and `[bad-plan]`.
  static Plan load(const std::string& path);

  const plans::Plan& data() const;
  /// The entries of PlanOptions::objective, as predicted.
  const std::map<std::string, double>& cost() const;
  /// Costs of plans that were looked at, none of which another is below in all entries.
  const std::vector<std::map<std::string, double>>& front() const;
  /// Those plans, and why they were not chosen; none of a plan from a file.
  const std::vector<PlanAlternative>& alternatives() const;

  /// Tasks, blocks and transfers in the order of the plan.
  std::string to_string() const;
  /// The cost, the alternatives and why they lost, and what the last run did.
  std::string explain() const;
  std::string as_json() const;
  void save(const std::string& path) const;
  /// Every rule that the plan breaks, by a checker of its own: pieces that overlap or leave holes,
  /// reads of what is not there yet, terms of sums that are missing, memory above the limit. None
  /// of a plan that Kolam made.
  std::vector<std::string> check() const;
  /// The same, and what differs from the plan that its trace gives for `program`: stages, code of
  /// pieces, tasks, transfers.
  std::vector<std::string> check(const Program& program) const;
  /// Throws `[plan-broken]` where `check` finds anything.
  void require_sound() const;
  /// What a run takes on a machine, event by event.
  plans::Simulated simulate(const plans::Machine& machine) const;

  /// The program's results, by tasks on threads of this process. Bit by bit those of the program,
  /// where every choice is exact. Throws `[plan-broken]` where `check` finds anything,
  /// `[argument-mismatch]`, and the error of the task that fails first, with its stage and piece. A
  /// plan from a file takes arrays that the function captured as arguments behind the others. With
  /// a limit of memory no worker's blocks take more than it at any moment.
  std::vector<Array> run(std::vector<PlanInput> arguments,
                         const PlanRunOptions& options = {}) const;
  /// What the last run did, of this plan or of a copy; of no tasks where there was none.
  plans::RunReport last_run() const;
  /// What an engine's run did, for `last_run` and `explain`.
  void note_run(plans::RunReport report) const;

  /// A graph for Graphviz: stages, and tensors with their shards, coloured by the worker that makes
  /// them. Edges bear the rows of projections, `[A | b | S]`: point c of a stage's index space has
  /// [A c + b, A c + b + S).
  std::string as_dot() const;
  /// A page that loads nothing: the graph, when each worker does what on a machine, and what each
  /// one holds.
  std::string as_html(const plans::Machine& machine) const;
  std::vector<TensorSpec> parameters() const;
  std::vector<TensorSpec> results() const;

  struct State;
  explicit Plan(std::shared_ptr<State> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<State> state_;
};

/// The best plan that is found for a program.
///
///     kolam::Plan p = kolam::plan(f, {.workers = 4, .memory_per_worker = 2 << 30}, x, w);
///     std::vector<kolam::Array> y = p.run({x, w});
///
/// Values are cut into boxes along the indices of the ops that make them; what a box needs follows
/// from their signatures. Throws `[plan-option]`, `[plan-choice]` where a choice does not apply,
/// `[plan-limit]` where nothing meets the limits, naming what is nearest, `[bad-partitioning]`
/// (custom_partitioning.h), and `[not-cut]` for programs that take or give lists, or arrays whose
/// extents are symbols. Calls of the host and lists inside of programs run whole.
Plan plan(const Program& program, const PlanOptions& options = {});

template <class F, class... Parameters>
Plan plan(const Jitted<F, std::tuple<Parameters...>>& f, const PlanOptions& options,
          std::type_identity_t<detail::Argument<Parameters>>... given,
          std::source_location here = std::source_location::current()) {
  return plan(f.lower(given..., here), options);
}

/// A plan cut at random: values are kept and boxes drawn by `seed`. For tests.
Plan random_plan(const Program& program, int64_t workers, uint64_t seed);

/// This machine, as plans see it: each of so many workers as fast as it is when all of them work, 0
/// for as many as there are threads. Of more workers than threads each is as fast as if it had one.
/// Measured once for each number of threads, then read from disk.
plans::Machine local_machine(int64_t workers = 0);

} // namespace kolam
