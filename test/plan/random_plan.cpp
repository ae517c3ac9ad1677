// Makes random plans.
#include "test/plan/random_plan.h"

#include <algorithm>

#include "kolam/space/landed.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::plans {

using space::Policy;
using space::random_between;
using space::Role;

Affine constant(int64_t value) { return {value, {}}; }
Boxes constant(const Box& box) {
  Boxes boxes;
  for (int64_t first : box.start())
    boxes.start.push_back(constant(first));
  boxes.extent = shape(box);
  return boxes;
}

int64_t PlanBuilder::add_tensor(const std::string& name, Point shape) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  plan.tensors.push_back(std::move(tensor));
  homes.emplace_back();
  load_stages_.push_back(-1);
  return static_cast<int64_t>(plan.tensors.size()) - 1;
}

int64_t PlanBuilder::add_argument(const std::string& name, Point shape) {
  const int64_t tensor = add_tensor(name, std::move(shape));
  int64_t arguments = 0;
  for (const Tensor& each : plan.tensors)
    arguments += each.argument >= 0;
  plan.tensors[tensor].argument = arguments;
  load_stages_[tensor] = add_stage({"load " + name, Work::load, {}, {tensor}});
  return tensor;
}

int64_t PlanBuilder::add_stage(Stage stage) {
  const auto number = static_cast<int64_t>(plan.stages.size());
  const bool computes = stage.work == Work::compute;
  plan.pieces.push_back({number, computes ? "module {}" : "", 1000, 4000});
  plan.stages.push_back(std::move(stage));
  return number;
}

void PlanBuilder::add_task(int64_t stage, int64_t worker, const Box& index,
                           const std::vector<Box>& reads, const std::vector<Box>& writes) {
  Family task;
  task.piece = stage; // each stage has its one piece
  task.position = constant(position_++);
  task.worker = constant(worker);
  task.index = constant(index);
  for (const Box& box : reads)
    task.reads.push_back(constant(box));
  for (const Box& box : writes)
    task.writes.push_back(constant(box));
  for (int64_t start : index.start())
    task.offsets.push_back(constant(start));
  plan.tasks.push_back(std::move(task));
  homes[plan.stages[stage].tensors.back()].push_back({writes.front(), worker});
}

void PlanBuilder::bring(int64_t tensor, const Box& box, int64_t worker) {
  if (is_empty(box))
    return;
  auto is_here = [&](const Box& part) {
    return std::any_of(homes[tensor].begin(), homes[tensor].end(), [&](const Home& home) {
      return home.worker == worker && contains(home.box, part);
    });
  };
  if (is_here(box))
    return;
  if (load_stages_[tensor] >= 0) {
    add_task(load_stages_[tensor], worker, Box(), {}, {box});
    return;
  }
  for (const Home& home : std::vector<Home>(homes[tensor])) {
    const Box part = intersect(home.box, box);
    if (is_empty(part) || is_here(part))
      continue;
    plan.moves.push_back({tensor,
                          {},
                          constant(position_++),
                          constant(home.worker),
                          constant(worker),
                          constant(part)});
    homes[tensor].push_back({part, worker});
  }
}

void PlanBuilder::run(int64_t stage, const Box& index, int64_t worker) {
  const space::Signature signature = plan.stages[stage].signature;
  std::vector<Box> reads, writes;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const space::Operand& operand = signature.operands[i];
    const Box tensor = tensor_box(operand);
    Point back = tensor.start();
    for (int64_t& start : back)
      start = -start;
    const Box touched =
        translate(landed(operand.policy, space::region(operand.projection, index), tensor), back);
    if (operand.role == Role::out) {
      writes.push_back(touched);
      continue;
    }
    reads.push_back(touched);
    bring(plan.stages[stage].tensors[i], reads.back(), worker);
  }
  add_task(stage, worker, index, reads, writes);
}

void PlanBuilder::merge(int64_t partial_stage, int64_t final_stage, const Box& place,
                        std::mt19937& random) {
  const int64_t partial = plan.stages[final_stage].tensors[0];
  std::vector<Home> blocks;
  for (const Home& home : std::vector<Home>(homes[partial])) {
    Box box = cartesian_product(Box({home.box.start()[0]}, {home.box.end()[0]}), place);
    if (contains(home.box, box))
      blocks.push_back({box, home.worker});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Home& a, const Home& b) { return a.box.start()[0] < b.box.start()[0]; });
  for (bool is_last = false; !is_last;) {
    const auto count = static_cast<int64_t>(blocks.size());
    const int64_t taken = count < 3 ? count : random_between(random, 2, count);
    is_last = taken == count;
    const int64_t first = random_between(random, 0, count - taken);
    const int64_t worker = random_between(random, 0, plan.workers - 1);
    std::vector<Box> reads;
    for (int64_t i = first; i < first + taken; ++i) {
      const Home& block = blocks[i];
      reads.push_back(block.box);
      if (block.worker != worker)
        plan.moves.push_back({partial,
                              {},
                              constant(position_++),
                              constant(block.worker),
                              constant(worker),
                              constant(block.box)});
    }
    const Box terms({reads.front().start()[0]}, {reads.back().end()[0]});
    const Home merged{cartesian_product(terms, place), worker};
    add_task(is_last ? final_stage : partial_stage, worker, Box(), reads,
             {is_last ? place : merged.box});
    blocks.erase(blocks.begin() + first, blocks.begin() + first + taken);
    blocks.insert(blocks.begin() + first, merged);
  }
}

space::Signature pointwise(const Point& shape, bool is_binary) {
  space::Signature signature{is_binary ? "add" : "relu", {}, {}};
  const Shape extents(shape.begin(), shape.end());
  const int rank = static_cast<int>(shape.size());
  for (int d = 0; d < rank; ++d)
    signature.dims.push_back(space::map_dim("d" + std::to_string(d), shape[d]));
  for (const char* name : {"x", "y", "z"})
    if (is_binary || *name != 'y')
      signature.operands.push_back({name, *name == 'z' ? Role::out : Role::in, extents,
                                    space::projection(space::identity_map(rank), Shape(rank, 1))});
  return signature;
}

space::Signature window(const Point& shape, Policy policy) {
  space::Signature signature = pointwise(shape, false);
  const int rank = static_cast<int>(shape.size());
  signature.op = "window";
  Shape size(rank, 1), offset(rank, 0);
  size[0] = 3;
  offset[0] = -1;
  signature.operands[0].projection =
      space::projection(space::translate(space::identity_map(rank), offset), size);
  signature.operands[0].policy = policy;
  return signature;
}

space::Signature partial_matmul(int64_t rows, int64_t terms, int64_t chunk, int64_t columns) {
  using space::affine_map;
  return {"matmul",
          {space::map_dim("k", terms), space::map_dim("i", rows), space::map_dim("n", columns)},
          {{"x",
            Role::in,
            {rows, terms * chunk},
            space::projection(affine_map(3, {{0, 1, 0}, {chunk, 0, 0}}, {0, 0}), {1, chunk})},
           {"w",
            Role::in,
            {terms * chunk, columns},
            space::projection(affine_map(3, {{chunk, 0, 0}, {0, 0, 1}}, {0, 0}), {chunk, 1})},
           {"p",
            Role::out,
            {terms, rows, columns},
            space::projection(space::identity_map(3), {1, 1, 1})}}};
}

std::vector<Box> random_partition(std::mt19937& random, const Box& whole, int depth) {
  if (depth == 0 || whole.rank() == 0 || random() % 6 == 0)
    return {whole};
  const int dim = static_cast<int>(random() % whole.rank());
  if (whole.extent(dim) < 2)
    return {whole};
  const int64_t at = random_between(random, whole.start()[dim] + 1, whole.end()[dim] - 1);
  std::vector<Box> boxes =
      random_partition(random, with_range(whole, dim, whole.start()[dim], at), depth - 1);
  for (Box& box : random_partition(random, with_range(whole, dim, at, whole.end()[dim]), depth - 1))
    boxes.push_back(std::move(box));
  return boxes;
}

namespace {

/// One stage on top of tensor `x`; gives the tensor that it makes.
int64_t add_elementwise(PlanBuilder& builder, std::mt19937& random, int64_t x, int64_t number) {
  const Point shape = builder.plan.tensors[x].shape;
  const bool is_window = random() % 2, is_binary = !is_window && random() % 2;
  const Policy policies[] = {Policy::pad(int64_t{0}),
                             {Policy::Kind::clamp},
                             {Policy::Kind::wrap},
                             {Policy::Kind::reflect}};
  const std::string name = std::to_string(number);
  std::vector<int64_t> tensors{x};
  if (is_binary)
    tensors.push_back(builder.add_argument("y" + name, shape));
  tensors.push_back(builder.add_tensor("z" + name, shape));
  const int64_t stage = builder.add_stage(
      {"op " + name, Work::compute,
       is_window ? window(shape, policies[random() % 4]) : pointwise(shape, is_binary), tensors});
  for (const Box& box : random_partition(random, Box::of_shape(shape), 3))
    builder.run(stage, box, random_between(random, 0, builder.plan.workers - 1));
  return tensors.back();
}

int64_t add_matmul(PlanBuilder& builder, std::mt19937& random, int64_t x, int64_t number) {
  const int64_t rows = builder.plan.tensors[x].shape[0];
  const int64_t terms = builder.plan.tensors[x].shape[1] / 2;
  const int64_t columns = 2 * random_between(random, 1, 4);
  const std::string name = std::to_string(number);
  const int64_t w = builder.add_argument("w" + name, {2 * terms, columns});
  const int64_t partial = builder.add_tensor("p" + name, {terms, rows, columns});
  const int64_t y = builder.add_tensor("z" + name, {rows, columns});
  builder.plan.tensors[partial].partial_of = y;
  const int64_t product = builder.add_stage(
      {"matmul " + name, Work::compute, partial_matmul(rows, terms, 2, columns), {x, w, partial}});
  const int64_t inner = builder.add_stage({"merge " + name, Work::merge, {}, {partial, partial}});
  const int64_t last = builder.add_stage({"merged " + name, Work::merge, {}, {partial, y}});
  for (const Box& place : random_partition(random, Box::of_shape({rows, columns}), 2)) {
    for (const Box& run : random_partition(random, Box::of_shape({terms}), 3))
      builder.run(product, cartesian_product(run, place),
                  random_between(random, 0, builder.plan.workers - 1));
    // A merge may be cut by slices of its result.
    for (const Box& slice : random_partition(random, place, static_cast<int>(random() % 2)))
      builder.merge(inner, last, slice, random);
  }
  return y;
}

} // namespace

Plan random_plan(std::mt19937& random) {
  PlanBuilder builder(random_between(random, 1, 4));
  builder.plan.version = "0.1.0";
  builder.plan.program = "chain";
  int64_t last =
      builder.add_argument("x", {random_between(random, 1, 12), 2 * random_between(random, 1, 5)});
  const int64_t stages = random_between(random, 1, 4);
  for (int64_t i = 0; i < stages; ++i)
    last = random() % 3 == 0 ? add_matmul(builder, random, last, i)
                             : add_elementwise(builder, random, last, i);
  builder.plan.tensors[last].results = {0};
  builder.plan.keeps_results = random() % 2;
  builder.plan.cost = {{"time", 0.5}, {"workers", static_cast<double>(builder.plan.workers)}};
  return builder.plan;
}

} // namespace kolam::plans
