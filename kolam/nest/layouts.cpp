// Checks layouts of buffers and hands them to nests.
#include "kolam/nest/layouts.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace kolam::nest {
namespace {

/// Who uses each buffer.
struct UsesOfBuffers {
  std::vector<std::vector<int>> nests; ///< numbers of nests
  std::vector<bool> by_runtime;        ///< also by a step that is no nest

  explicit UsesOfBuffers(const StepProgram& program)
      : nests(program.buffers.size()), by_runtime(program.buffers.size()) {
    visit(program.steps);
    for (int result : program.results)
      by_runtime[result] = true;
  }

private:
  void mark(int buffer) {
    if (buffer >= 0)
      by_runtime[buffer] = true;
  }
  void mark(const std::vector<int>& buffers) {
    for (int buffer : buffers)
      mark(buffer);
  }
  void visit(const Steps& steps) {
    for (const Step& step : steps)
      std::visit([&](const auto& what) { add(what); }, step.what);
  }
  void add(const NestStep& step) {
    for (int buffer : step.buffers)
      nests[buffer].push_back(step.nest);
    mark(step.changed);
  }
  void add(const BindStep& step) {
    mark(step.size);
    mark(step.buffers);
    mark(step.grown);
    mark(step.behind);
  }
  void add(const CopyStep& step) { mark({step.from, step.to}); }
  void add(const SwapStep& step) { mark({step.a, step.b}); }
  void add(const LoopStep& step) {
    mark(step.counter);
    mark(step.lower);
    mark(step.upper);
    for (const SliceView& slice : step.views)
      mark({slice.view, slice.whole});
    visit(step.body);
  }
  void add(const WhileStep& step) {
    mark(step.holds);
    visit(step.condition);
    visit(step.body);
  }
  void add(const BranchStep& step) {
    mark(step.selector);
    for (const Steps& branch : step.branches)
      visit(branch);
  }
  void add(const RowStep& step) { mark({step.input, step.values, step.places}); }
  void add(const CallStep& step) {
    mark(step.inputs);
    mark(step.outputs);
  }
};

std::string why_row_major(const NestList& nests, const UsesOfBuffers& uses, int buffer) {
  const StepProgram& program = nests.program;
  const BufferPlan& plan = program.buffers[buffer];
  if (plan.place != Place::arena)
    return "it is no intermediate value";
  auto shares = [&](const BufferPlan& other) { return other.same_as == buffer; };
  if (plan.same_as >= 0 || std::ranges::any_of(program.buffers, shares))
    return "it shares memory with another";
  if (plan.is_late || plan.grows)
    return "it gets its memory while the program runs";
  if (uses.by_runtime[buffer])
    return "a step of the runtime reads or writes it";
  for (int number : uses.nests[buffer]) {
    const Nest& nest = nests.nests[number];
    if (nest.packs)
      continue; // reads its columns element by element
    if (!analysis::computes_cells(nest.root) || nest.outputs.empty())
      return "nest" + std::to_string(number) + " has loops of its own";
  }
  return uses.nests[buffer].empty() ? "nothing uses it" : "";
}

/// What is wrong with a layout, the largest strides first; empty where all is right.
std::string fault_of(const space::Layout& layout) {
  if (layout.strides.size() != layout.shape.size())
    return "expected a stride for each of " + std::to_string(layout.shape.size()) +
           " dims, but got " + std::to_string(layout.strides.size());
  if (space::dense_order(layout))
    return "";
  // With gaps: sizes must be numbers, to be compared.
  Extent count = 1, last = layout.offset;
  std::vector<std::pair<int64_t, int64_t>> dims; // stride and extent
  for (auto [stride, extent] : llvm::zip(layout.strides, layout.shape)) {
    count = count * extent;
    last = last + stride * (extent - Extent(1));
    if (!stride.constant() || !extent.constant())
      return "expected dims without gaps where extents are symbols, but got strides " +
             to_string(layout.strides) + " of shape " + to_string(layout.shape);
    if (*extent.constant() > 1)
      dims.push_back({*stride.constant(), *extent.constant()});
  }
  if (*count.constant() == 0)
    return "";
  if (!layout.offset.constant() || *layout.offset.constant() < 0 ||
      *last.constant() >= *count.constant())
    return "expected elements 0 to " + std::to_string(*count.constant() - 1) +
           " of its memory, but got " + last.to_string();
  std::ranges::sort(dims);
  int64_t reach = 0; // of the dims with smaller strides
  for (auto [stride, extent] : dims) {
    if (stride <= reach)
      return "expected each element at a place of its own, but got strides " +
             to_string(layout.strides) + " of shape " + to_string(layout.shape);
    reach += stride * (extent - 1);
  }
  return "";
}

} // namespace

space::Layout layout_of(const BufferPlan& buffer) {
  if (buffer.strides.empty() && buffer.first == Extent(0))
    return space::row_major(buffer.shape);
  return {buffer.first, buffer.shape, buffer.strides};
}

const space::Layout* Nest::layout_of(mlir::Value value) const {
  if (layouts.empty())
    return nullptr;
  auto at = [&](size_t number) { return layouts[number] ? &*layouts[number] : nullptr; };
  if (auto output = llvm::find(outputs, value); output != outputs.end())
    return at(output - outputs.begin());
  if (auto input = llvm::find(inputs, value); input != inputs.end())
    return at(outputs.size() + (input - inputs.begin()));
  return nullptr;
}

std::string why_row_major(const NestList& nests, int buffer) {
  return why_row_major(nests, UsesOfBuffers(nests.program), buffer);
}

void set_layouts(NestList& nests) {
  UsesOfBuffers uses(nests.program);
  for (auto [number, plan] : llvm::enumerate(nests.program.buffers)) {
    space::Layout layout = layout_of(plan);
    if (layout == space::row_major(plan.shape))
      continue;
    std::string why = fault_of(layout);
    if (why.empty())
      if (std::string reason = why_row_major(nests, uses, static_cast<int>(number));
          !reason.empty())
        why = "expected row-major memory, as " + reason;
    if (!why.empty())
      fail(ErrorKind::value, "bad-layout", "b" + std::to_string(number) + ": " + why);
  }
  auto visit = [&](auto& self, const Steps& steps) -> void {
    for (const Step& step : steps) {
      if (auto* nest_step = std::get_if<NestStep>(&step.what)) {
        Nest& nest = nests.nests[nest_step->nest];
        // Packing writes to a parameter in front of the inputs; packed columns come behind them.
        const size_t first = nest.packs ? 1 : 0;
        std::vector<std::optional<space::Layout>> layouts(nest.outputs.size() + nest.inputs.size());
        bool is_other = false;
        for (size_t i = 0; i < layouts.size(); ++i) {
          const BufferPlan& plan = nests.program.buffers[nest_step->buffers[first + i]];
          if (space::Layout layout = layout_of(plan); layout != space::row_major(plan.shape)) {
            layouts[i] = std::move(layout);
            is_other = true;
          }
        }
        if (is_other)
          nest.layouts = std::move(layouts);
      } else if (auto* loop = std::get_if<LoopStep>(&step.what)) {
        self(self, loop->body);
      } else if (auto* loop = std::get_if<WhileStep>(&step.what)) {
        self(self, loop->condition);
        self(self, loop->body);
      } else if (auto* branch = std::get_if<BranchStep>(&step.what)) {
        for (const Steps& part : branch->branches)
          self(self, part);
      }
    }
  };
  visit(visit, nests.program.steps);
}

void give_layouts(NestList& nests, const std::map<std::string, std::string>& texts) {
  std::vector<BufferPlan>& buffers = nests.program.buffers;
  for (const auto& [name, text] : texts) {
    auto refuse = [&, &name = name, &text = text](const std::string& expected) {
      fail(ErrorKind::value, "bad-layout",
           name + ": expected " + expected + ", but got '" + text + "'");
    };
    size_t number = 0;
    llvm::StringRef digits(name);
    if (!digits.consume_front("b") || digits.getAsInteger(10, number) || number >= buffers.size())
      fail(ErrorKind::value, "bad-layout",
           "expected a buffer from b0 to b" + std::to_string(buffers.size() - 1) + ", but got '" +
               name + "'");
    auto extent_of = [&](llvm::StringRef word) {
      std::optional<Extent> extent = Extent::parse(word.trim().str());
      if (!extent)
        refuse("strides with commas between them, then perhaps 'first' and a number");
      return *extent;
    };
    auto [strides, first] = llvm::StringRef(text).split(" first ");
    BufferPlan& plan = buffers[number];
    plan.strides.clear();
    for (size_t from = 0, at = 0, depth = 0; at <= strides.size(); ++at) {
      if (at < strides.size() && (depth > 0 || strides[at] != ',')) {
        depth += strides[at] == '(' ? 1 : strides[at] == ')' && depth > 0 ? -1 : 0;
        continue;
      }
      plan.strides.push_back(extent_of(strides.slice(from, at)));
      from = at + 1;
    }
    plan.first = first.empty() ? Extent(0) : extent_of(first);
  }
  set_layouts(nests);
}

void permute_layouts(NestList& nests, uint64_t seed) {
  std::mt19937_64 random(seed);
  UsesOfBuffers uses(nests.program);
  for (size_t number = 0; number < nests.program.buffers.size(); ++number) {
    BufferPlan& plan = nests.program.buffers[number];
    if (plan.shape.size() < 2 || !why_row_major(nests, uses, static_cast<int>(number)).empty())
      continue;
    std::vector<int> order(plan.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    plan.strides = space::dense(plan.shape, order).strides;
  }
  set_layouts(nests);
}

} // namespace kolam::nest
