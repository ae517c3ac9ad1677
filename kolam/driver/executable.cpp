// Runs programs: checks arguments, binds sizes, turns error records into Errors.
#include "kolam/driver/executable.h"

#include "kolam/driver/spine.h"
#include "kolam/interp/check.h"
#include "kolam/interp/interpreter.h"
#include "kolam/interp/work.h"
#include "kolam/runtime/bound_run.h"
#include "kolam/runtime/run_steps.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>
#include <variant>

namespace kolam::driver {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs the interpreter, whose own memory is that of the process.
std::vector<Array> interpret(const Module& program, std::span<const Array> arguments,
                             const interp::Options& options) {
  try {
    return interp::interpret(program.main(), arguments, options);
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::memory, "out-of-memory", "there is not enough memory to interpret the program");
  }
}

class Interpreted : public Executable {
public:
  Interpreted(Module program, bool has_fma) : program_(std::move(program)), has_fma_(has_fma) {}
  std::vector<Array> run(std::span<const Array> arguments, const volatile int32_t* cancel,
                         Prepared*, std::span<const Array>) const override {
    interp::Options options;
    options.cancel = cancel;
    options.fused_multiply_add = has_fma_;
    std::vector<Array> results = interpret(program_, arguments, options);
    // A result never changes, but foreign memory that it still views may.
    for (Array& result : results)
      if (result.buffer()->is_foreign())
        result = Array::copy_of(result.dtype(), result.shape(), result.data());
    return results;
  }

  bool is_short() const override { return false; }
  Measured measure(std::span<const Array> arguments, const volatile int32_t* cancel,
                   Prepared*) const override {
    Clock::time_point start = Clock::now();
    run(arguments, cancel, nullptr, {});
    return {since(start), 0, {}, {}};
  }
  std::unique_ptr<BoundProgram> bind(std::span<const Array>, std::span<const Array>,
                                     Prepared&) const override {
    return nullptr;
  }
  std::vector<int> donors() const override {
    return std::vector<int>(program_.main().getNumResults(), -1);
  }
  bool may_fail() const override { return true; }

private:
  Module program_;
  bool has_fma_;
};

/// Runs a program on lists once more for the path of an error (`native`).
class Repetition {
public:
  Repetition(OnLists on_lists, bool has_fma) : on_lists_(std::move(on_lists)), has_fma_(has_fma) {}

  using Outcome = std::variant<std::vector<Array>, std::string>;

  /// Throws the interpreter's error, or gives its results where it finds none; else says why the
  /// run is not repeated.
  Outcome run(const runtime::RunOutcome& failed, std::span<const Array> arguments,
              const volatile int32_t* cancel) const {
    const Module& program = this->program();
    if (holds_call(program.main()))
      return "no path: the program calls functions of the host";
    if (failed.took_arguments)
      return "no path: the run has written over its arguments";
    int64_t work_left = kMostWork;
    try {
      return interpret(program, arguments, {has_fma_, cancel, &work_left});
    } catch (const interp::OutOfWork&) {
      return "no path: the run is too long to repeat";
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::memory)
        return "no path: there is not enough memory to interpret the program";
      throw;
    }
  }

private:
  /// Points (interp/work.h): less than a second of products, sums and bodies on lists.
  static constexpr int64_t kMostWork = int64_t{1} << 26;

  static bool holds_call(mlir::func::FuncOp main) {
    return main.walk([](ir::OpaqueCallOp) { return mlir::WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// What ran, made when it is first asked for.
  const Module& program() const {
    std::lock_guard lock(mutex_);
    if (std::exchange(on_lists_.is_traced, false))
      leave_what_runs(*on_lists_.program.module);
    return on_lists_.program;
  }

  mutable std::mutex mutex_; ///< guards the making
  mutable OnLists on_lists_;
  bool has_fma_;
};

class Native : public Executable {
public:
  Native(CompiledProgram program, std::optional<OnLists> on_lists, const Machine& machine)
      : loaded_(std::move(program.nests)), constants_(std::move(program.constants)),
        program_(std::move(program.program), machine.vector_bytes),
        preparation_(std::move(program.preparation), machine.vector_bytes),
        checks_(std::move(program.checks)), parameters_(std::move(program.parameters)) {
    if (on_lists)
      repetition_.emplace(std::move(*on_lists), machine.has_fma);
    for (const CompiledNest& nest : loaded_)
      codes_.push_back(nest->code());
  }

  std::vector<Array> run(std::span<const Array> arguments, const volatile int32_t* cancel,
                         Prepared* prepared, std::span<const Array> outputs) const override {
    return run(arguments, cancel, prepared, outputs, nullptr);
  }

  Measured measure(std::span<const Array> arguments, const volatile int32_t* cancel,
                   Prepared* prepared) const override {
    Measured measured;
    measured.steps.resize(static_cast<size_t>(program_.program().numbered));
    measured.preparation.resize(static_cast<size_t>(preparation_.program().numbered));
    Clock::time_point start = Clock::now();
    run(arguments, cancel, prepared, {}, &measured);
    measured.seconds = since(start) - measured.preparation_seconds;
    return measured;
  }

  bool is_short() const override { return is_short_; }

  std::unique_ptr<BoundProgram> bind(std::span<const Array> arguments,
                                     std::span<const Array> outputs,
                                     Prepared& prepared) const override {
    if (!runtime::BoundRun::fits(program_))
      return nullptr;
    std::span<const Array> before;
    if (!preparation_.program().steps.empty())
      before = prepared.of(*this, [&] { return prepare(arguments, {}, nullptr, nullptr); });
    return std::make_unique<Bound>(*this, before, arguments, outputs);
  }

  std::vector<int> donors() const override {
    std::vector<int> donors;
    for (int buffer : program_.program().results)
      donors.push_back(program_.program().buffers[static_cast<size_t>(buffer)].donor);
    return donors;
  }

  bool may_fail() const override {
    bool calls_host = false;
    for_each_step(program_.program().steps, [&](const Step& step) {
      calls_host |= std::holds_alternative<CallStep>(step.what);
    });
    return calls_host ||
           std::ranges::any_of(checks_, [](const CheckText& check) { return !check.slug.empty(); });
  }

private:
  class Bound : public BoundProgram {
  public:
    Bound(const Native& program, std::span<const Array> prepared, std::span<const Array> arguments,
          std::span<const Array> outputs)
        : program_(program),
          run_(program.program_, program.codes_, program.constants_, prepared, arguments, outputs) {
    }
    void read_from(int number, const void* memory) override { run_.read_from(number, memory); }
    void write_to(int number, void* memory) override { run_.write_to(number, memory); }
    void run() override {
      if (runtime::RunOutcome outcome{{}, run_.run()}; outcome.error.code != abi::ok)
        program_.finished(std::move(outcome));
    }

  private:
    const Native& program_;
    runtime::BoundRun run_;
  };

  std::vector<Array> run(std::span<const Array> arguments, const volatile int32_t* cancel,
                         Prepared* prepared, std::span<const Array> outputs,
                         Measured* measured) const {
    std::map<std::string, int64_t> sizes;
    if (!fit(arguments))
      sizes = interp::bind_arguments(parameters_, arguments);
    std::span<const Array> before;
    if (!preparation_.program().steps.empty())
      before = (prepared ? *prepared : prepared_).of(*this, [&] {
        return prepare(arguments, sizes, cancel, measured);
      });
    std::span<runtime::StepRecord> records;
    if (measured)
      records = measured->steps;
    runtime::RunOutcome outcome = runtime::run_steps(program_, codes_, constants_, before,
                                                     arguments, sizes, cancel, records, outputs);
    if (outcome.error.code == abi::check_failed && repetition_)
      return repeated(outcome, arguments, cancel);
    return finished(std::move(outcome));
  }

  /// What is computed once, in front of all runs.
  std::vector<Array> prepare(std::span<const Array> arguments,
                             const std::map<std::string, int64_t>& sizes,
                             const volatile int32_t* cancel, Measured* measured) const {
    Clock::time_point start = Clock::now();
    std::span<runtime::StepRecord> records;
    if (measured)
      records = measured->preparation;
    std::vector<Array> arrays = finished(runtime::run_steps(preparation_, codes_, constants_, {},
                                                            arguments, sizes, cancel, records));
    if (measured)
      measured->preparation_seconds = since(start);
    return arrays;
  }

  /// The results of a run, or what stopped it as an Error.
  std::vector<Array> finished(runtime::RunOutcome outcome) const {
    if (outcome.error.code == abi::check_failed)
      raise(outcome, "");
    if (outcome.error.code == abi::out_of_memory)
      throw Error(ErrorKind::memory, "out-of-memory",
                  "there is not enough memory for the working memory of a loop nest");
    if (outcome.error.code == abi::faulty)
      fail(ErrorKind::internal, "internal",
           "the schedule of a nest computes other elements than the nest has");
    if (outcome.error.code == abi::cancelled)
      throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
    return std::move(outcome.results);
  }

  /// What an argument is where no symbol is to be bound.
  struct Fixed {
    DType dtype;
    std::vector<int64_t> shape;
  };

  /// Of every parameter; none where a symbol is to be bound.
  static std::optional<std::vector<Fixed>> fixed(const std::vector<ir::Parameter>& parameters) {
    std::vector<Fixed> all;
    for (const ir::Parameter& parameter : parameters) {
      all.push_back({parameter.dtype, {}});
      for (const Extent& extent : parameter.shape) {
        std::optional<int64_t> number = extent.constant();
        if (!number)
          return std::nullopt;
        all.back().shape.push_back(*number);
      }
    }
    return all;
  }

  /// Whether the arguments are as declared without a symbol to bind: the common case, which
  /// allocates nothing.
  bool fit(std::span<const Array> arguments) const {
    return fixed_ &&
           std::ranges::equal(*fixed_, arguments, [](const Fixed& fixed, const Array& array) {
             return fixed.dtype == array.dtype() && fixed.shape == array.shape();
           });
  }

  /// After a check has failed: throws the error, or gives the interpreter's results where it finds
  /// none. Native code checks what a body asks of all instances even where there are no instances.
  std::vector<Array> repeated(const runtime::RunOutcome& failed, std::span<const Array> arguments,
                              const volatile int32_t* cancel) const {
    Repetition::Outcome outcome = repetition_->run(failed, arguments, cancel);
    if (auto* why = std::get_if<std::string>(&outcome))
      raise(failed, "; " + *why);
    return std::get<std::vector<Array>>(std::move(outcome));
  }

  [[noreturn]] void raise(const runtime::RunOutcome& failed, const std::string& note) const {
    const CheckText& check = checks_.at(failed.error.op);
    throw interp::check_error(check.slug, check.message,
                              interp::first_at(failed.error.index) + note, check.where);
  }

  std::vector<CompiledNest> loaded_;
  std::vector<abi::NestCode> codes_;
  std::vector<Array> constants_;
  runtime::LinkedSteps program_, preparation_;
  mutable Prepared prepared_;
  std::vector<CheckText> checks_;
  std::vector<ir::Parameter> parameters_;
  std::optional<std::vector<Fixed>> fixed_ = fixed(parameters_);
  std::optional<Repetition> repetition_; ///< of a program on lists
  bool is_short_ = runtime::is_short(program_.program());
};

} // namespace

uint64_t Executable::next_number() {
  static std::atomic<uint64_t> next = 1;
  return next++;
}

const std::vector<Array>& Prepared::of(const Executable& executable,
                                       const std::function<std::vector<Array>()>& make) {
  const Made* made = latest_.load(std::memory_order_acquire);
  if (made && made->executable == executable.number)
    return made->arrays;
  std::lock_guard lock(mutex_);
  for (const auto& earlier : all_)
    if (earlier->executable == executable.number)
      return earlier->arrays;
  all_.push_back(std::make_unique<const Made>(executable.number, make()));
  latest_.store(all_.back().get(), std::memory_order_release);
  return all_.back()->arrays;
}

std::shared_ptr<const Executable> interpreted(Module program, bool has_fma) {
  return std::make_shared<Interpreted>(std::move(program), has_fma);
}

std::shared_ptr<const Executable> native(CompiledProgram program, std::optional<OnLists> on_lists,
                                         const Machine& machine) {
  return std::make_shared<Native>(std::move(program), std::move(on_lists), machine);
}

} // namespace kolam::driver
