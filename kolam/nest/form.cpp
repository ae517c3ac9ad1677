// Turns a function into nests and steps.
#include "kolam/nest/form.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/axis_orders.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/loop_parts.h"
#include "kolam/nest/row_reductions.h"
#include "kolam/nest/scattered_elements.h"
#include "kolam/nest/shared_scatters.h"
#include "kolam/nest/symbols.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kolam::nest {

/// Columns that are reduced or combined row by row stay together: short parts of rows are slow to
/// read. Such nests look at the cancel flag themselves. So do rows whose elements some operand
/// holds across, and what windows at places given by data cover. Single elements at such places
/// stay in one part for each thread.
static int64_t least_piece(const Nest& nest, const NestRelation& relation) {
  constexpr int64_t kWholePart = int64_t{1} << 40; // bound: no range is longer, so threads have one
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(nest.root)) { // each part meets all batches
    if (shares_results(scatter))
      return kWholePart;
    return scatter.getBatchedDims() > 0 ? 1 : kThreads.block_columns;
  }
  std::optional<int64_t> parallel = parallel_dim(nest);
  if (nest.outputs.empty() || !nest.products.empty() || !parallel)
    return 1;
  if (*parallel == ir::rank_of(nest.root->getResult(0)) - 1) {
    bool goes_by_rows = !analysis::computes_cells(nest.root) || carries(nest.root) ||
                        llvm::any_of(nest.fused, carries) ||
                        !column_reductions(nest, relation).empty();
    return goes_by_rows ? kThreads.block_columns : 1;
  }
  if (!analysis::computes_cells(nest.root))
    return 1;
  bool lies_across =
      llvm::any_of(relation.access().reads(), [&](const analysis::RelationUse& read) {
        return read.at.size() > 1 && read.at.back().copied_loop() == *parallel;
      });
  return lies_across ? kThreads.block_rows : 1;
}

void Former::form_function(mlir::func::FuncOp function) {
  mlir::Block& body = function.getBody().front();
  list_.program.argument_count = static_cast<int>(body.getNumArguments());
  list_.arguments = ir::argument_names(function);
  for (mlir::BlockArgument argument : body.getArguments())
    bind(argument, make_buffer(argument, Place::argument, argument.getArgNumber()));

  mlir::ValueRange results = body.getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(results))
    if (mlir::Value shown = unnamed(value); shown.getDefiningOp())
      for (mlir::Value same = shown; same; same = shown_alone(same))
        result_numbers_.try_emplace(same, static_cast<int>(number));
  form_block(body, list_.program.steps);
  for (auto [number, value] : llvm::enumerate(results)) {
    int buffer = buffer_of(value);
    if (list_.program.buffers[buffer].place != Place::result ||
        list_.program.buffers[buffer].number != static_cast<int>(number)) {
      // Of the extents' names those that are known first: its maker may fill it.
      int copy = make_buffer(unnamed(value), Place::result, static_cast<int>(number));
      add_copy(list_.program.steps, buffer, copy);
      buffer = copy;
    }
    list_.program.buffers[buffer].shape = ir::shape_of(unnamed(value));
    list_.program.results.push_back(buffer);
  }
  finish_preparation();
  share_buffers();
  choose_donors(list_.program.buffers, lifetimes_, loops_, in_place_,
                ir::carried_arguments(function));
  std::vector<Lifetime> extended = lifetimes_;
  extend_lifetimes(extended, loops_, exchanged_);
  place_late(list_.program.steps, extended);
  list_.program.arena_bytes = assign_offsets(list_.program.buffers, lifetimes_, loops_, exchanged_);
  number_steps(list_.program);
  number_steps(list_.preparation);
}

/// Arguments are taken over by who shares memory with the result of the step.
void Former::share_buffers() {
  std::vector<BufferPlan>& buffers = list_.program.buffers;
  // A part has its memory already.
  std::erase_if(handovers_, [&](const Handover& handover) {
    return parts_.contains(handover.from) || parts_.contains(handover.to);
  });
  // Of maps only what a loop's state becomes: elsewhere memory that was just written is as near.
  for (const Handover& next : next_states_)
    if (llvm::is_contained(llvm::make_second_range(exchanged_), next.to))
      handovers_.push_back(next);
  Uses uses{lifetimes_, uses_, exchanged_at_, branches_};
  for (const auto& [part, whole] : parts_)
    uses.wholes.insert(whole.whole);
  rename_buffers(share_memory(buffers, std::move(uses), loops_, exchanged_, handovers_),
                 list_.program.steps);
  drop_idle_moves(buffers, list_.program.steps);
  place_parts();
  for (const Handover& handover : handovers_)
    if (buffers[handover.from].place == Place::argument)
      in_place_.insert({handover.from, memory_of(buffers, handover.to)});
}

void Former::form_block(mlir::Block& block, Steps& steps) {
  move_changes_back(block);
  rename(share_scatters(block));
  find_what_differs(block);
  find_parted(block);
  Materialized materialized = choose_materialized(block, signatures_, machine_, parted_);
  auto is_fixed = [&](mlir::Value value) { return !at_run_.contains(value); };
  rename(share_loops(block, materialized, is_fixed, signatures_, machine_));
  give_parts(block, materialized);
  // What a scatter alone changes is computed where the scatter's result is to lie.
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    auto scatter = llvm::dyn_cast<ir::ScatterOp>(op);
    if (!scatter)
      continue;
    for (auto [changed, result] : llvm::zip(scatter.getDestinations(), scatter->getResults())) {
      mlir::Operation* maker = changed.getDefiningOp();
      auto destination = destinations_.find(result);
      if (destination != destinations_.end() && maker && !forms_step(maker) &&
          materialized.contains(maker) && changed.hasOneUse() && !result_numbers_.contains(changed))
        destinations_.try_emplace(changed, destination->second);
    }
  }
  for (mlir::Operation& op : block.without_terminator()) {
    auto reason = materialized.find(&op);
    for (mlir::Value operand : llvm::SetVector<mlir::Value>(llvm::from_range, op.getOperands()))
      if (mlir::Operation* producer = operand.getDefiningOp(); producer)
        list_.decisions.push_back({producer, &op, materialized.lookup(producer)});
    if (is_piece(&op) || reason == materialized.end())
      continue;
    if (shows_memory(&op)) {
      bind(op.getResult(0), buffer_of(op.getOperand(0)));
      continue;
    }
    if (joined_.contains(&op)) {
      join_parts(llvm::cast<ir::ConcatOp>(op), steps);
      continue;
    }
    llvm::TypeSwitch<mlir::Operation*>(&op)
        .Case<ir::ConstantOp>([&](ir::ConstantOp constant) {
          if (llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat())
            return form_nest(&op, steps);
          int number = static_cast<int>(list_.constants.size());
          list_.constants.push_back(constant.getValue());
          bind(constant.getResult(), make_buffer(constant.getResult(), Place::constant, number));
        })
        .Case<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
            >([&](auto typed) {
          if constexpr (requires { form_step(typed, steps); })
            if (forms_step(&op))
              return form_step(typed, steps);
          form_nest(&op, steps);
        })
        .Default([&](mlir::Operation* other) { form_nest(other, steps); });
  }
}

/// Results and destinations by what their values have become.
void Former::rename(const Replaced& replaced) {
  for (auto [value, now] : replaced)
    for (auto* numbers : {&result_numbers_, &destinations_})
      if (auto found = numbers->find(value); found != numbers->end()) {
        int number = found->second;
        numbers->erase(found);
        numbers->try_emplace(now, number);
      }
}

/// Of the function itself all that depends on its arguments but captured ones, and what steps give;
/// of bodies everything.
void Former::find_what_differs(mlir::Block& block) {
  const bool is_function = llvm::isa<mlir::func::FuncOp>(block.getParentOp());
  for (mlir::BlockArgument argument : block.getArguments())
    if (!is_function || static_cast<int>(argument.getArgNumber()) < first_captured_)
      at_run_.insert(argument);
  for (mlir::Operation& op : block.without_terminator())
    if (!is_function || forms_step(&op) ||
        llvm::any_of(op.getOperands(), [&](mlir::Value value) { return at_run_.contains(value); }))
      at_run_.insert_range(op.getResults());
}

/// Whether an op's result has the elements of a buffer in their order, so that it needs none
/// itself.
bool Former::shows_memory(mlir::Operation* op) const {
  if (!keeps_order(op) && !llvm::isa<ir::MaterializeOp>(op))
    return false;
  auto operand = buffers_.find(op->getOperand(0));
  if (operand == buffers_.end())
    return false;
  // A result has memory of its own, which what it shows may have been computed into.
  const BufferPlan& buffer = list_.program.buffers[operand->second];
  if (auto result = result_numbers_.find(op->getResult(0)); result != result_numbers_.end())
    return buffer.place == Place::result && buffer.number == result->second;
  auto destination = destinations_.find(op->getResult(0));
  return destination == destinations_.end() || destination->second == operand->second;
}

/// Products of one row compute nothing again on what they have read.
static bool reads_weights_once(const Nest& nest) {
  return !nest.products.empty() && llvm::all_of(nest.products, [](const Product& product) {
    return row_count(product) == Extent(1);
  });
}

void Former::form_nest(mlir::Operation* op, Steps& steps) {
  Nest nest;
  nest.root = op;
  for (mlir::Value result : op->getResults())
    if (!carries(op) || !result.use_empty())
      nest.outputs.push_back(result);
  for (mlir::Value operand : op->getOperands())
    collect(operand, nest);
  std::reverse(nest.fused.begin(), nest.fused.end());
  if (prepare(nest))
    return;
  for (mlir::Value result : nest.outputs)
    bind(result, make_result_buffer(result));
  nest.symbols = symbols_of(nest);
  NestRelation relation(op, nest.fused, signatures_);
  nest.products = products_of(op, nest.fused, relation, signatures_);
  std::vector<int> packed = prepare_columns(nest);
  nest.parallel = nest.products.empty() ? parallel_extent(nest) : product_units(nest.products);
  nest.aligned_outputs = llvm::all_of(nest.outputs, [&](mlir::Value value) {
    int buffer = buffer_of(value);
    return list_.program.buffers[buffer].place != Place::view && !parts_.contains(buffer);
  });

  NestStep step{static_cast<int>(list_.nests.size()), {}, sizes_of(nest.symbols), nest.parallel};
  step.least_piece = least_piece(nest, relation);
  step.flops_per_cell = analysis::flops_each(
      nest.root, nest.fused, nest.outputs.empty() ? 1 : analysis::elements_of(nest.outputs[0]),
      signatures_);
  if (reads_weights_once(nest))
    step.least_flops = kThreads.least_row_flops;
  for (mlir::Value value : nest.outputs)
    step.buffers.push_back(buffer_of(value));
  for (mlir::Value value : nest.inputs)
    step.buffers.push_back(buffer_of(value));
  llvm::append_range(step.buffers, packed);
  // What copies an operand into its result first has written over the others before it reads them.
  const bool copies_first = !nest.outputs.empty() && changed_input(nest, 0);
  if (!copies_first && (nest.outputs.size() == 1 || llvm::isa<ir::TogetherOp>(op))) {
    llvm::DenseSet<int> elsewhere;
    for (mlir::Value value : read_elsewhere(relation))
      if (buffers_.contains(value))
        elsewhere.insert(buffer_of(value));
    for (mlir::Value input : nest.inputs)
      if (int part = buffer_of(input), whole = whole_of(part); part != whole)
        elsewhere.insert(whole);
    for (mlir::Value input : nest.inputs)
      if (!elsewhere.contains(buffer_of(input)))
        for (size_t output = 0; output < nest.outputs.size(); ++output) {
          in_place_.insert({buffer_of(input), step.buffers[output]});
          next_states_.push_back({buffer_of(input), step.buffers[output], time_});
        }
  }
  for (unsigned number = 0; number < nest.outputs.size(); ++number) {
    mlir::Value changed = changed_input(nest, number);
    if (!changed)
      continue;
    if (llvm::count_if(nest.inputs, [&](mlir::Value input) {
          return whole_of(buffer_of(input)) == whole_of(buffer_of(changed));
        }) == 1)
      handovers_.push_back({buffer_of(changed), step.buffers[number], time_});
    if (nest.outputs.size() > 1 || ir::is_by_elements(op))
      continue;
    mlir::Value written = written_by(nest.root);
    step.changed = buffer_of(changed);
    step.written = element_count(ir::shape_of(written));
    step.flops_per_written =
        analysis::flops_each(nest.root, nest.fused, analysis::elements_of(written), signatures_);
  }
  add_step(steps, step, step.buffers);
  nest.name = "nest" + std::to_string(list_.nests.size()); // nests that pack for it come before
  list_.nests.push_back(std::move(nest));
}

void Former::collect(mlir::Value value, Nest& nest) {
  if (buffers_.contains(value)) {
    if (!llvm::is_contained(nest.inputs, value))
      nest.inputs.push_back(value);
    return;
  }
  mlir::Operation* producer = value.getDefiningOp();
  KOLAM_CHECK(producer);
  if (llvm::is_contained(nest.fused, producer))
    return;
  for (mlir::Value operand : producer->getOperands())
    collect(operand, nest);
  nest.fused.push_back(producer);
}

int Former::make_buffer(mlir::Value value, Place place, int number) {
  BufferPlan plan{ir::dtype_of(value), ir::shape_of(value), place, number, {}};
  const size_t buffer = list_.program.buffers.size();
  std::optional<size_t> last;
  for (const Extent& extent : plan.shape)
    for (const std::string& symbol : extent.symbols())
      if (auto found = late_symbols_.find(symbol); found != late_symbols_.end())
        last = std::max(last.value_or(0), found->second);
  if (last)
    late_buffers_[*last].push_back(static_cast<int>(buffer));
  plan.is_late = last.has_value();
  list_.program.buffers.push_back(std::move(plan));
  lifetimes_.emplace_back();
  uses_.emplace_back();
  return static_cast<int>(buffer);
}

int Former::make_result_buffer(mlir::Value value) {
  if (auto found = result_numbers_.find(value); found != result_numbers_.end())
    return make_buffer(value, Place::result, found->second);
  if (auto found = destinations_.find(value); found != destinations_.end())
    return found->second;
  return make_buffer(value, Place::arena);
}

void Former::bind(mlir::Value value, int buffer) { buffers_[value] = buffer; }

int Former::buffer_of(mlir::Value value) const {
  auto found = buffers_.find(value);
  KOLAM_CHECK(found != buffers_.end());
  return found->second;
}

void Former::touch(int buffer) {
  keep_alive(buffer);
  uses_[buffer].push_back(time_);
  if (auto part = parts_.find(buffer); part != parts_.end())
    touch(part->second.whole);
}

void Former::add_copy(Steps& steps, int from, int to) {
  handovers_.push_back({from, to, time_});
  add_step(steps, CopyStep{from, to}, {from, to});
}

void Former::keep_alive(int buffer) {
  Lifetime& life = lifetimes_[buffer];
  if (life.first < 0)
    life.first = time_;
  life.last = time_;
}

NestList form_nests(mlir::func::FuncOp function, int captured, const Machine& machine,
                    bool explains) {
  NestList list;
  part_loops(function.getBody().front());
  list.axis_orders = traced("axis orders", "compile", [&] {
    return choose_axis_orders(function.getBody().front(), machine, explains);
  });
  Former(list, static_cast<int>(function.getNumArguments()) - captured, machine)
      .form_function(function);
  return list;
}

} // namespace kolam::nest
