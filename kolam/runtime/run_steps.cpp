// Walks the tree of steps of a compiled program.
#include "kolam/runtime/run_steps.h"

#include "kolam/runtime/host_functions.h"
#include "kolam/runtime/sort.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/runtime/walk.h"
#include "kolam/support/error.h"
#include "kolam/support/machine.h"
#include "kolam/support/trace.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kolam::runtime {
namespace {

/// Bound: what a thread keeps for the next runs, the tables of so many programs, with so much
/// memory of late buffers each.
constexpr size_t kMostTables = 8;
constexpr int64_t kMostLateKept = int64_t{1} << 20;

constexpr std::string_view kWhat = "the working memory of a program";

bool is_own_result(const BufferPlan& plan) {
  return plan.place == Place::result && plan.same_as < 0;
}

/// Nobody else sees it when this memory changes.
bool is_ours_alone(const Array& array) {
  return array.buffer().use_count() == 1 && !array.buffer()->is_foreign() &&
         array.byte_offset() == 0;
}

/// The memory that the caller has for a result, or null.
const Array* output_of(std::span<const Array> outputs, const BufferPlan& plan,
                       const std::vector<int64_t>& shape) {
  const auto number = static_cast<size_t>(plan.number);
  if (number >= outputs.size() || !outputs[number])
    return nullptr;
  const Array& output = outputs[number];
  return output.dtype() == plan.dtype && output.shape() == shape ? &output : nullptr;
}

} // namespace

/// Tables of the programs that a thread ran last, the youngest at the end.
static thread_local std::vector<std::unique_ptr<RunTables>> spare_tables;

std::unique_ptr<RunTables> Walk::take_tables(uint64_t program) {
  auto found = std::ranges::find_if(spare_tables,
                                    [&](const auto& tables) { return tables->program == program; });
  if (found == spare_tables.end()) {
    auto tables = std::make_unique<RunTables>();
    tables->program = program;
    return tables;
  }
  std::unique_ptr<RunTables> tables = std::move(*found);
  spare_tables.erase(found);
  return tables;
}

void Walk::give_tables(std::unique_ptr<RunTables> tables) {
  int64_t late_bytes = 0;
  for (const LateBlock& block : tables->late)
    late_bytes += block.bytes;
  if (late_bytes > kMostLateKept)
    tables->late.clear();
  std::erase_if(spare_tables, [&](const auto& other) { return other->program == tables->program; });
  if (spare_tables.size() >= kMostTables)
    spare_tables.erase(spare_tables.begin());
  spare_tables.push_back(std::move(tables));
}

bool Walk::cancelled() {
  if (!is_set(context_.cancel))
    return false;
  error_ = {abi::cancelled, -1, 0};
  return true;
}

void Walk::place(std::span<const Array> constants, std::span<const Array> prepared,
                 std::span<const Array> arguments, std::span<const Array> outputs) {
  if (int64_t arena_bytes = size(program_.arena_bytes))
    arena_.emplace(arena_bytes, "the working memory of a program");
  results_.resize(program_.results.size());
  bool is_shared = false;
  for (int buffer = 0; buffer < static_cast<int>(program_.buffers.size()); ++buffer) {
    const BufferPlan& plan = program_.buffers[buffer];
    is_shared |= plan.same_as >= 0;
    void*& memory = memory_[buffer];
    memory = nullptr;
    if (plan.is_late)
      continue;
    switch (plan.place) {
    case Place::argument:
      memory = const_cast<void*>(arguments[plan.number].data());
      break;
    case Place::constant:
      memory = const_cast<void*>(constants[plan.number].data());
      break;
    case Place::prepared:
      memory = const_cast<void*>(prepared[plan.number].data());
      break;
    case Place::result: {
      std::vector<int64_t> extents = shape(buffer);
      const Array* output = is_own_result(plan) ? output_of(outputs, plan, extents) : nullptr;
      bool takes = !output && plan.donor >= 0 && is_ours_alone(arguments[plan.donor]);
      took_arguments_ |= takes;
      results_[plan.number] = output  ? *output
                              : takes ? arguments[plan.donor]
                                      : Array::uninitialized(plan.dtype, std::move(extents));
      memory = results_[plan.number].mutable_data();
      break;
    }
    case Place::arena:
      memory = arena_ ? arena_->data() + size(plan.offset) : nullptr;
      break;
    case Place::view:
      break;
    }
  }
  for (size_t buffer = 0; is_shared && buffer < memory_.size(); ++buffer)
    if (int other = program_.buffers[buffer].same_as; other >= 0)
      memory_[buffer] = memory_in(other, buffer);
}

/// Where a buffer lies in the memory of another.
void* Walk::memory_in(int other, int buffer) {
  return static_cast<std::byte*>(memory_[other]) + size(program_.buffers[buffer].offset);
}

/// `needed` bytes for a group of late buffers. The first `kept`, where the group grows, are as
/// before.
std::byte* Walk::late_memory(int group, int64_t needed, std::optional<int64_t> kept) {
  LateBlock& block = late_[group];
  if (block.data && block.bytes >= needed)
    return block.data;
  if (!kept)
    block = {};
  const int64_t bytes = std::max({needed, kept ? 2 * block.bytes : 0, kBufferAlignment});
  LateBlock next(allocate_aligned(bytes, kWhat), bytes);
  if (kept && *kept > 0)
    std::memcpy(next.data, block.data, *kept);
  block = std::move(next);
  return block.data;
}

/// All that the step gives memory is there before any of it is written.
void Walk::require_room(const BindStep& step) {
  int64_t more = 0;
  auto add = [&](int64_t bytes) { more = apply_extent_op('+', more, bytes); };
  for (int buffer : step.buffers)
    if (is_own_result(program_.buffers[buffer]))
      add(bytes(buffer));
  for (const std::vector<int>& group : step.groups) {
    add(std::max<int64_t>(0, bytes_of(group) - late_[group[0]].bytes));
  }
  if (more < kUnseenBytes)
    return;
  int64_t held = 0;
  for (const LateBlock& block : late_)
    held += block.bytes;
  for (int buffer : program_.results)
    if (const BufferPlan& plan = program_.buffers[buffer]; plan.is_late && is_own_result(plan))
      held += results_[plan.number].buffer() ? results_[plan.number].byte_count() : 0;
  room_.require(held, more, kWhat);
}

int32_t Walk::run(const BindStep& step) {
  int64_t bound = step.size >= 0 ? read_integer(step.size) : size(step.extent);
  const int64_t kept = step.grown >= 0 ? bytes(step.grown) : 0;
  sizes_.bind(step.symbol.number, std::max<int64_t>(0, bound));
  // Most steps of a loop are as large as those before.
  int64_t& given = tables_->given[step.symbol.number];
  if (given != sizes_.changes()) {
    for (int buffer : step.buffers)
      bytes_[buffer] = count_bytes(buffer);
    require_room(step);
    given = sizes_.changes();
  }
  for (int buffer : step.buffers) {
    const BufferPlan& plan = program_.buffers[buffer];
    if (!is_own_result(plan))
      continue;
    results_[plan.number] = Array::uninitialized(plan.dtype, shape(buffer));
    memory_[buffer] = results_[plan.number].mutable_data();
  }
  for (const std::vector<int>& group : step.groups) {
    std::byte* memory = late_memory(group[0], bytes_of(group),
                                    group[0] == step.grown ? std::optional(kept) : std::nullopt);
    for (int buffer : group)
      memory_[buffer] = memory;
  }
  for (int buffer : step.buffers)
    if (int other = program_.buffers[buffer].same_as; other >= 0)
      memory_[buffer] = memory_in(other, buffer);
  if (step.grown >= 0 && bytes(step.grown) > kept)
    std::memcpy(static_cast<std::byte*>(memory_[step.grown]) + kept, memory_[step.behind],
                bytes(step.grown) - kept);
  return abi::ok;
}

int64_t Walk::read_integer(int buffer) const {
  const void* memory = memory_[buffer];
  return visit_dtype(program_.buffers[buffer].dtype, [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, uint64_t>)
      return static_cast<int64_t>(std::min<uint64_t>(*static_cast<const T*>(memory), INT64_MAX));
    else if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(*static_cast<const T*>(memory));
    else
      KOLAM_CHECK(!"an integer scalar");
    return 0;
  });
}

void Walk::write_integer(int buffer, int64_t value) {
  visit_dtype(program_.buffers[buffer].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      *static_cast<T*>(memory_[buffer]) = static_cast<T>(value);
    else
      KOLAM_CHECK(!"an integer scalar");
  });
}

int32_t Walk::run(const Steps& steps) {
  for (const Step& step : steps) {
    if (int32_t code = records_.empty() || step.number < 0 ? run(step) : run_recorded(step))
      return code;
  }
  return abi::ok;
}

int32_t Walk::run(const Step& step) {
  if (const auto* nest = std::get_if<NestStep>(&step.what))
    return run(*nest);
  return std::visit([&](const auto& what) { return run(what); }, step.what);
}

/// What sizes decided holds as long as they are the same.
void Walk::prepare_tables(SizeValues::Start start) {
  const size_t buffers = program_.buffers.size();
  memory_.resize(buffers);
  bytes_.resize(buffers);
  late_.resize(buffers);
  if (start == SizeValues::Start::fresh) {
    tables_->given.assign(steps_.symbol_count(), -1);
    tables_->calls.clear();
    for (LinkedSteps::NestPlace place : steps_.nest_places())
      tables_->calls.push_back({place});
    tables_->pointers.resize(steps_.pointer_count());
    tables_->extents.resize(steps_.extent_count());
  }
  if (start == SizeValues::Start::same)
    return;
  for (size_t buffer = 0; buffer < buffers; ++buffer)
    if (!program_.buffers[buffer].is_late)
      bytes_[buffer] = count_bytes(static_cast<int>(buffer));
}

/// A nest that packs has the sizes of rows that it does not read, which may be bound later.
void Walk::prepare(const NestStep& step, NestCall& call) {
  int64_t* extents = tables_->extents.data() + call.place.first_extent;
  for (const Size& symbol : step.symbols)
    *extents++ = size(symbol);
  call.changes = sizes_.changes();
  call.range = size(step.parallel);
  auto is_short = [&](bool in_place) {
    return call.range <= 1 || count_flops(step, in_place) < step.least_flops;
  };
  call.is_short = is_short(false); // also nests without buffers
  call.is_short_in_place = step.changed >= 0 && is_short(true);
}

int32_t Walk::run(const NestStep& step) {
  if (cancelled())
    return abi::cancelled;
  NestCall& call = tables_->calls[step.number];
  if (call.changes != sizes_.changes())
    prepare(step, call);
  if (call.range == 0)
    return abi::ok; // nothing may be read either
  void** pointer = tables_->pointers.data() + call.place.first_pointer;
  for (void* const* memory = memory_.data(); int buffer : step.buffers)
    *pointer++ = memory[buffer];
  const int32_t code = is_watched_ ? run_watched(step, call) : run_call(step, call);
  if (code) {
    error_.code = code;
    error_.op = step.nest;
  }
  return code;
}

int32_t Walk::run_watched(const NestStep& step, const NestCall& call) {
  TraceSpan span("nest", step.nest, "run");
  return run_call(step, call);
}

inline int32_t Walk::run_call(const NestStep& step, const NestCall& call) {
  if (!(changes_in_place(step) ? call.is_short_in_place : call.is_short))
    return run_pieces(step, call);
  const abi::NestCode& nest = nests_[step.nest];
  context_.nest = nest.data;
  return nest.function(&context_, tables_->pointers.data() + call.place.first_pointer,
                       tables_->extents.data() + call.place.first_extent, 0, call.range, &error_);
}

int32_t Walk::run(const CopyStep& step) {
  const int64_t count = bytes(step.to);
  void* to = memory_[step.to];
  const void* from = memory_[step.from];
  if (count == 4)
    std::memcpy(to, from, 4); // scalars, most of them
  else if (count == 8)
    std::memcpy(to, from, 8);
  else if (count && to != from)
    std::memmove(to, from, count);
  return abi::ok;
}

int32_t Walk::run(const SwapStep& step) {
  std::swap(memory_[step.a], memory_[step.b]);
  return abi::ok;
}

int32_t Walk::run(const LoopStep& step) {
  int64_t lower = step.lower >= 0 ? read_integer(step.lower) : 0;
  int64_t upper = step.upper >= 0 ? read_integer(step.upper) : size(step.length);
  if (step.is_shared && !is_in_turn_ && thread_count() > 1 &&
      upper - lower >= kThreads.turns_each * thread_count())
    return run_shared(step, lower, upper);
  for (int64_t turn = lower; turn < upper; ++turn)
    if (int32_t code = run_turn(step, step.reverse ? upper - 1 - (turn - lower) : turn))
      return code;
  return abi::ok;
}

int32_t Walk::run_turn(const LoopStep& step, int64_t at) {
  if (cancelled())
    return abi::cancelled;
  if (step.counter >= 0)
    write_integer(step.counter, at);
  for (const SliceView& view : step.views)
    memory_[view.view] = static_cast<std::byte*>(memory_[view.whole]) + at * bytes(view.view);
  return run(step.body);
}

int32_t Walk::run(const WhileStep& step) {
  while (true) {
    if (cancelled())
      return abi::cancelled;
    if (int32_t code = run(step.condition))
      return code;
    if (!read_integer(step.holds))
      return abi::ok;
    if (int32_t code = run(step.body))
      return code;
  }
}

int32_t Walk::run(const BranchStep& step) {
  int64_t last = static_cast<int64_t>(step.branches.size()) - 1;
  return run(step.branches[std::clamp<int64_t>(read_integer(step.selector), 0, last)]);
}

int32_t Walk::run(const RowStep& step) {
  TraceSpan span(step.function == RowFunction::sort ? "sort" : "top_k", "run");
  SortRows rows{.dtype = program_.buffers[step.input].dtype,
                .in = memory_[step.input],
                .values = step.values < 0 ? nullptr : memory_[step.values],
                .indices = step.places < 0 ? nullptr : memory_[step.places],
                .index_width = step.places >= 0 && program_.buffers[step.places].dtype == DType::i64
                                   ? IndexWidth::i64
                                   : IndexWidth::i32,
                .rows = size(step.rows),
                .length = size(step.length),
                .order = step.descending ? SortOrder::descending : SortOrder::ascending,
                .cancel = context_.cancel,
                .vector_bytes = steps_.vector_bytes()};
  if (step.function == RowFunction::sort)
    sort_rows(rows);
  else
    top_k_rows(rows, step.k);
  return abi::ok;
}

/// The function gets arrays of its own: what it keeps stays valid.
int32_t Walk::run(const CallStep& step) {
  TraceSpan span(step.callee, "call");
  CallScope scope("opaque_call", step.where);
  std::vector<Array> inputs;
  for (int buffer : step.inputs) {
    const BufferPlan& plan = program_.buffers[buffer];
    inputs.push_back(Array::copy_of(plan.dtype, shape(buffer), memory_[buffer]));
  }
  std::vector<ArrayType> types;
  for (int buffer : step.outputs)
    types.push_back({program_.buffers[buffer].dtype, shape(buffer)});
  std::vector<Array> results = call_host_function(step.callee, inputs, types);
  for (size_t i = 0; i < results.size(); ++i)
    if (int64_t count = bytes(step.outputs[i]))
      std::memcpy(memory_[step.outputs[i]], results[i].data(), count);
  return abi::ok;
}

bool is_short(const StepProgram& program) {
  double flops = 0;
  for (const BufferPlan& plan : program.buffers) {
    std::optional<int64_t> count = element_count(plan.shape).constant();
    if (!count)
      return false;
    if (plan.place != Place::prepared)
      flops += static_cast<double>(*count); // each is moved once at least
  }
  for (const Step& step : program.steps) {
    if (const auto* nest = std::get_if<NestStep>(&step.what)) {
      Shape cells = nest->buffers.empty() ? Shape() : program.buffers[nest->buffers[0]].shape;
      flops += static_cast<double>(*element_count(cells).constant()) * nest->flops_per_cell;
    } else if (!std::holds_alternative<CopyStep>(step.what)) {
      return false;
    }
  }
  return flops < kThreads.piece_flops;
}

RunOutcome run_steps(const LinkedSteps& steps, std::span<const abi::NestCode> nests,
                     std::span<const Array> constants, std::span<const Array> prepared,
                     std::span<const Array> arguments, const std::map<std::string, int64_t>& sizes,
                     const volatile int32_t* cancel, std::span<StepRecord> records,
                     std::span<const Array> outputs) {
  Walk walk(steps, nests, sizes, cancel, records);
  walk.place(constants, prepared, arguments, outputs);
  if (walk.run(steps.program().steps) != abi::ok)
    return {{}, walk.error(), walk.took_arguments()};
  return {walk.take_results(), {}};
}

} // namespace kolam::runtime
