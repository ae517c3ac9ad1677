// Moves what is the same at all runs in front of them.
#include "kolam/nest/form.h"
#include "kolam/nest/product_schedule.h"
#include "kolam/nest/symbols.h"

namespace kolam::nest {

/// Makes the nest one of the preparation, where it computes the same at every run and its value is
/// worth the memory; false where not.
bool Former::prepare(const Nest& nest) {
  if (nest.outputs.size() != 1 || !is_worth_keeping(nest.outputs[0], nest))
    return false;
  mlir::Value result = nest.outputs[0];
  if (result_numbers_.contains(result) || destinations_.contains(result))
    return false;
  Nest prepared = nest;
  prepared.products = products_of(nest.root, nest.fused,
                                  NestRelation(nest.root, nest.fused, signatures_), signatures_);
  prepared.parallel =
      prepared.products.empty() ? parallel_extent(prepared) : product_units(prepared.products);
  prepared.aligned_outputs = true;
  bind(result, add_preparation(std::move(prepared), ir::dtype_of(result), ir::shape_of(result)));
  return true;
}

/// Makes nests that pack the columns of a nest's products where those are the same at every run, or
/// at every turn of a loop, and gives the buffers of the packed columns.
std::vector<int> Former::prepare_columns(Nest& nest) {
  std::vector<int> buffers;
  JoinedDims joined(nest);
  for (Product& product : nest.products) {
    if (product.dims.is_grouped)
      continue;
    const bool is_nearest = product_reading(product, nest, joined, machine_).is_nearest;
    mlir::Value columns = product.op->getOperand(product.columns_of);
    Nest packing;
    packing.root = product.op;
    packing.packs = true;
    packing.products = {product};
    packing.parallel = packing_units(product);
    collect(columns, packing);
    std::reverse(packing.fused.begin(), packing.fused.end());
    if (!packed_bytes(product).is_constant())
      continue;
    int packed = is_worth_keeping(columns, packing)
                     ? add_preparation(std::move(packing), DType::u8, {packed_bytes(product)})
                 : is_nearest ? -1
                              : pack_before_loop(std::move(packing));
    if (packed < 0)
      continue;
    product.is_packed_before = true;
    buffers.push_back(packed);
  }
  return buffers;
}

/// Whether what the nest computes may depend on the sizes of a call. A nest that packs computes
/// nothing of its root.
static bool depends_on_sizes(const Nest& nest) {
  std::vector<mlir::Operation*> ops = nest.fused;
  if (!nest.packs)
    ops.push_back(nest.root);
  return llvm::any_of(ops, [](mlir::Operation* op) {
    Nest alone;
    alone.root = op;
    return !symbols_of(alone).empty();
  });
}

/// Packs in front of the outermost loop that does not change what is packed; -1 where there is
/// none.
int Former::pack_before_loop(Nest packing) {
  auto is_unchanged = [&](const OpenLoop& loop) {
    return llvm::all_of(packing.inputs, [&](mlir::Value input) {
      return static_cast<size_t>(whole_of(buffer_of(input))) < loop.buffers;
    });
  };
  auto loop = llvm::find_if(open_loops_, is_unchanged);
  if (loop == open_loops_.end() || depends_on_sizes(packing))
    return -1;
  list_.program.buffers.push_back(
      {DType::u8, {packed_bytes(packing.products[0])}, Place::arena, 0, {}});
  lifetimes_.emplace_back();
  uses_.emplace_back();
  int packed = static_cast<int>(list_.program.buffers.size()) - 1;

  // The type of the rows is part of the nest, but none of their elements is read.
  mlir::Value rows = packing.root->getOperand(packing.products[0].rows_of);
  NestStep step{static_cast<int>(list_.nests.size()), {packed}, {}, packing.parallel};
  for (mlir::Value input : packing.inputs)
    step.buffers.push_back(buffer_of(input));
  if (!llvm::is_contained(packing.inputs, rows)) {
    packing.inputs.push_back(rows);
    step.buffers.push_back(packed);
  }
  packing.name = "nest" + std::to_string(list_.nests.size());
  packing.symbols = symbols_of(packing);
  step.symbols = sizes_of(packing.symbols);
  auto use = [&](int buffer) {
    Lifetime& life = lifetimes_[buffer];
    life.first = life.first < 0 ? loop->time : std::min(life.first, loop->time);
    life.last = std::max(life.last, loop->time);
    uses_[buffer].push_back(loop->time);
  };
  for (int buffer : step.buffers) {
    use(buffer);
    if (int whole = whole_of(buffer); whole != buffer)
      use(whole);
  }
  loop->before->push_back({std::move(step)});
  list_.nests.push_back(std::move(packing));
  return packed;
}

bool Former::is_the_same_at_all_runs(mlir::Value value) const {
  const BufferPlan& buffer = list_.program.buffers[buffer_of(value)];
  return buffer.place == Place::constant || buffer.place == Place::prepared ||
         (buffer.place == Place::argument && buffer.number >= first_captured_);
}

/// A value that the nest computes of constants and captured arguments only, and that is not many
/// times as large.
bool Former::is_worth_keeping(mlir::Value value, const Nest& nest) const {
  if (depends_on_sizes(nest))
    return false;
  int64_t bytes = 0;
  for (mlir::Value input : nest.inputs) {
    std::optional<int64_t> count = element_count(ir::shape_of(input)).constant();
    if (!count || !is_the_same_at_all_runs(input))
      return false;
    bytes += *count * byte_width(ir::dtype_of(input));
  }
  std::optional<int64_t> count = element_count(ir::shape_of(value)).constant();
  return count && *count * byte_width(ir::dtype_of(value)) <= machine_.prices.growth * bytes;
}

/// Appends a step to the preparation. Gives the buffer of the program that has its result.
int Former::add_preparation(Nest nest, DType dtype, Shape shape) {
  StepProgram& preparation = list_.preparation;
  NestStep step{static_cast<int>(preparing_.size()), {}, {}, nest.parallel};
  auto add_buffer = [&](BufferPlan plan) {
    preparation.buffers.push_back(std::move(plan));
    step.buffers.push_back(static_cast<int>(preparation.buffers.size()) - 1);
  };
  int number = static_cast<int>(preparation.results.size());
  add_buffer({dtype, shape, Place::result, number, {}});
  preparation.results.push_back(step.buffers[0]);
  for (mlir::Value input : nest.inputs) {
    const int buffer = buffer_of(input);
    BufferPlan plan = list_.program.buffers[buffer];
    if (auto part = parts_.find(buffer); part != parts_.end()) { // of an argument or a constant
      plan.same_as = static_cast<int>(preparation.buffers.size());
      plan.offset = part->second.offset;
      preparation.buffers.push_back(list_.program.buffers[part->second.whole]);
    }
    if (plan.place == Place::prepared)
      step.buffers.push_back(preparation.results[plan.number]);
    else
      add_buffer(plan);
  }
  if (nest.packs) {
    // The type of the rows is part of the nest, but none of their elements is read.
    mlir::Value rows = nest.root->getOperand(nest.products[0].rows_of);
    if (!llvm::is_contained(nest.inputs, rows)) {
      nest.inputs.push_back(rows);
      add_buffer({ir::dtype_of(rows), {0}, Place::arena, 0, {}});
    }
  }
  nest.symbols = symbols_of(nest);
  step.symbols = sizes_of(nest.symbols);
  preparation.steps.push_back({std::move(step)});
  preparing_.push_back(std::move(nest));

  list_.program.buffers.push_back({dtype, std::move(shape), Place::prepared, number, {}});
  lifetimes_.emplace_back();
  uses_.emplace_back();
  return static_cast<int>(list_.program.buffers.size()) - 1;
}

/// Numbers the nests of the preparation behind all others.
void Former::finish_preparation() {
  for (Step& step : list_.preparation.steps)
    std::get<NestStep>(step.what).nest += static_cast<int>(list_.nests.size());
  for (Nest& nest : preparing_) {
    nest.name = "nest" + std::to_string(list_.nests.size());
    list_.nests.push_back(std::move(nest));
  }
}

} // namespace kolam::nest
