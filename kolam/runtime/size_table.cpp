// Numbers the sizes of programs and computes them.
#include "kolam/runtime/size_table.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

namespace kolam::runtime {

/// Gives each distinct extent a number, symbols first.
class SizeNumbers {
public:
  explicit SizeNumbers(LinkedSteps& linked) : linked_(linked) {}

  void collect(const Extent& extent) {
    for (const Extent::Step& step : extent.steps())
      if (step.op == 's' && numbers_.try_emplace(step.symbol, entries().size()).second) {
        linked_.symbols_.push_back(step.symbol);
        entries().emplace_back();
      }
  }
  int number(const Extent& extent) {
    auto [found, is_new] =
        numbers_.try_emplace(extent.to_string(), static_cast<int>(entries().size()));
    if (!is_new)
      return found->second;
    LinkedSteps::Entry entry;
    std::optional<int64_t> constant = extent.constant();
    linked_.values_.resize(entries().size());
    linked_.is_known_.resize(entries().size());
    linked_.values_.push_back(constant.value_or(0));
    linked_.is_known_.push_back(constant.has_value());
    for (const Extent::Step& step : extent.steps()) {
      int64_t value = step.op == 's' ? numbers_.at(step.symbol) : step.value;
      entry.code.push_back({step.op, value});
      if (step.op == 's' &&
          (entries()[value].users.empty() || entries()[value].users.back() != found->second))
        entries()[value].users.push_back(found->second);
    }
    entries().push_back(std::move(entry));
    return found->second;
  }

private:
  std::vector<LinkedSteps::Entry>& entries() { return linked_.entries_; }

  LinkedSteps& linked_;
  std::map<std::string, int> numbers_; ///< by the extent's text, of which a symbol's is its name
};

namespace {

/// Every step, also those inside others.
template <class F> void each_step(Steps& steps, F& visit) {
  for (Step& step : steps) {
    visit(step);
    if (auto* loop = std::get_if<LoopStep>(&step.what)) {
      each_step(loop->body, visit);
    } else if (auto* loop = std::get_if<WhileStep>(&step.what)) {
      each_step(loop->condition, visit);
      each_step(loop->body, visit);
    } else if (auto* branch = std::get_if<BranchStep>(&step.what)) {
      for (Steps& part : branch->branches)
        each_step(part, visit);
    }
  }
}

/// The sizes of a step by itself.
template <class F> struct SizesOfStep {
  F& visit;
  void operator()(NestStep& step) {
    std::ranges::for_each(step.symbols, visit);
    visit(step.parallel);
    if (step.changed >= 0)
      visit(step.written);
  }
  void operator()(BindStep& step) {
    visit(step.symbol);
    visit(step.extent);
  }
  void operator()(LoopStep& step) { visit(step.length); }
  void operator()(RowStep& step) {
    visit(step.rows);
    visit(step.length);
  }
  template <class Other> void operator()(Other&) {}
};

/// Every Size of a program, but for those of its buffers' shapes.
template <class F> void each_size(StepProgram& program, F&& visit) {
  visit(program.arena_bytes);
  for (BufferPlan& plan : program.buffers)
    visit(plan.offset);
  SizesOfStep<std::remove_reference_t<F>> sizes{visit};
  auto of_step = [&](Step& step) { std::visit(sizes, step.what); };
  each_step(program.steps, of_step);
}

} // namespace

static uint64_t next_number() {
  static std::atomic<uint64_t> next = 1;
  return next++;
}

LinkedSteps::LinkedSteps(StepProgram program, int vector_bytes)
    : program_(std::move(program)), vector_bytes_(vector_bytes), number_(next_number()) {
  SizeNumbers numbers(*this);
  each_size(program_, [&](const Size& size) { numbers.collect(size); });
  for (const BufferPlan& plan : program_.buffers)
    std::ranges::for_each(plan.shape, [&](const Extent& extent) { numbers.collect(extent); });
  each_size(program_, [&](Size& size) { size.number = numbers.number(size); });
  for (const BufferPlan& plan : program_.buffers) {
    std::vector<int>& shape = shapes_.emplace_back();
    for (const Extent& extent : plan.shape)
      shape.push_back(numbers.number(extent));
  }
  auto number_nest = [&](Step& step) {
    if (auto* nest = std::get_if<NestStep>(&step.what)) {
      nest->number = static_cast<int>(nest_places_.size());
      nest_places_.push_back({pointers_, extents_});
      pointers_ += static_cast<int>(nest->buffers.size());
      extents_ += static_cast<int>(nest->symbols.size());
    }
  };
  each_step(program_.steps, number_nest);
}

SizeValues::SizeValues(const SizeValues& other, SizeMemory memory)
    : steps_(other.steps_), memory_(std::move(memory)) {
  memory_.values.assign(other.memory_.values.begin(), other.memory_.values.end());
  memory_.is_known.assign(other.memory_.is_known.begin(), other.memory_.is_known.end());
}

SizeValues::Start SizeValues::start(const std::map<std::string, int64_t>& bound) {
  const bool is_fresh = memory_.values.empty();
  if (is_fresh) {
    memory_.values.assign(steps_.values_.begin(), steps_.values_.end());
    memory_.is_known.assign(steps_.is_known_.begin(), steps_.is_known_.end());
    std::fill_n(memory_.is_known.begin(), steps_.symbols_.size(), 1);
  }
  const int64_t before = memory_.changes;
  for (const auto& [symbol, value] : bound)
    if (auto found = std::ranges::find(steps_.symbols_, symbol); found != steps_.symbols_.end())
      bind(static_cast<int>(found - steps_.symbols_.begin()), value);
  return is_fresh ? Start::fresh : memory_.changes == before ? Start::same : Start::changed;
}

void SizeValues::bind(int symbol, int64_t value) {
  if (memory_.values[symbol] == value)
    return;
  ++memory_.changes;
  memory_.values[symbol] = value;
  for (int user : steps_.entries_[symbol].users)
    memory_.is_known[user] = 0;
}

int64_t SizeValues::compute(int number) {
  std::vector<int64_t>& stack = memory_.stack;
  stack.clear();
  for (const LinkedSteps::Op& op : steps_.entries_[number].code) {
    if (op.op == 'k' || op.op == 's') {
      stack.push_back(op.op == 'k' ? op.value : memory_.values[op.value]);
      continue;
    }
    int64_t right = stack.back();
    stack.pop_back();
    stack.back() = apply_extent_op(op.op, stack.back(), right);
  }
  memory_.is_known[number] = 1;
  return memory_.values[number] = stack.back();
}

} // namespace kolam::runtime
