// Checks layouts of buffers and hands them to nests.
#include "kolam/nest/layouts.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/schedule.h"
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
    for_each_step(program.steps, [&](const Step& step) {
      std::visit([&](const auto& what) { add(what); }, step.what);
    });
    mark(program.results);
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
  }
  void add(const WhileStep& step) { mark(step.holds); }
  void add(const BranchStep& step) { mark(step.selector); }
  void add(const RowStep& step) { mark({step.input, step.values, step.places}); }
  void add(const CallStep& step) {
    mark(step.inputs);
    mark(step.outputs);
  }
};

/// Why a buffer must be row-major; empty where it need not.
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

static bool is_row_major(const BufferPlan& buffer) {
  return layout_of(buffer) == space::row_major(buffer.shape);
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

/// How the buffers of a step lie, for its nest.
static void tell(Nest& nest, const NestStep& step, const std::vector<BufferPlan>& buffers) {
  // Packing writes to a parameter in front of the inputs; packed columns come behind them.
  const size_t first = nest.packs ? 1 : 0;
  std::vector<std::optional<space::Layout>> layouts(nest.outputs.size() + nest.inputs.size());
  for (size_t i = 0; i < layouts.size(); ++i)
    if (const BufferPlan& plan = buffers[step.buffers[first + i]]; !is_row_major(plan))
      layouts[i] = layout_of(plan);
  if (llvm::any_of(layouts, [](const auto& layout) { return layout.has_value(); }))
    nest.layouts = std::move(layouts);
}

void set_layouts(NestList& nests) {
  UsesOfBuffers uses(nests.program);
  for (auto [number, plan] : llvm::enumerate(nests.program.buffers)) {
    if (is_row_major(plan))
      continue;
    std::string why = fault_of(layout_of(plan));
    if (why.empty())
      if (std::string reason = why_row_major(nests, uses, static_cast<int>(number));
          !reason.empty())
        why = "expected row-major memory, as " + reason;
    if (!why.empty())
      fail(ErrorKind::value, "bad-layout", "b" + std::to_string(number) + ": " + why);
  }
  for_each_step(nests.program.steps, [&](const Step& any) {
    if (const auto* step = std::get_if<NestStep>(&any.what))
      tell(nests.nests[step->nest], *step, nests.program.buffers);
  });
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
    for (llvm::StringRef stride : split_between_extents(strides))
      plan.strides.push_back(extent_of(stride));
    plan.first = first.empty() ? Extent(0) : extent_of(first);
  }
  set_layouts(nests);
}

void permute_layouts(NestList& nests, uint64_t seed) {
  std::mt19937_64 random(seed);
  UsesOfBuffers uses(nests.program);
  for (size_t number = 0; number < nests.program.buffers.size(); ++number) {
    BufferPlan& plan = nests.program.buffers[number];
    // Without elements there is no order of dims; strides would be 0.
    if (plan.shape.size() < 2 || element_count(plan.shape) == Extent(0) ||
        !why_row_major(nests, uses, static_cast<int>(number)).empty())
      continue;
    std::vector<int> order(plan.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    plan.strides = space::dense(plan.shape, order).strides;
  }
  set_layouts(nests);
}

} // namespace kolam::nest
