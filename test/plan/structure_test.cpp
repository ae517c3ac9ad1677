// Breaks of structure: each number that names nothing, each rank that does not fit. V2 and V3 of
// the reference.
#include "kolam/plan/structure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kolam/plan/check.h"
#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

using space::Role;

Box box(std::string_view text) { return *space::parse_box(text); }

/// x [2, 3] + y [2, 3] = z [2, 3], whole.
Plan sum_plan() {
  PlanBuilder builder(2);
  const int64_t x = builder.add_argument("x", {2, 3}), y = builder.add_argument("y", {2, 3});
  const int64_t z = builder.add_tensor("z", {2, 3});
  builder.run(builder.add_stage({"add", Work::compute, pointwise({2, 3}, true), {x, y, z}}),
              box("[0:2, 0:3]"), 1);
  return builder.plan;
}

std::string words(const Plan& plan) {
  // Whatever is broken, the whole check says the same.
  EXPECT_EQ(to_string(check_structure(plan)), to_string(check(plan)));
  return to_string(check_structure(plan));
}

TEST(Structure, TensorsOfStages) {
  const Plan plan = sum_plan();
  EXPECT_EQ(tensors_of(plan.stages[2]).reads, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(tensors_of(plan.stages[2]).writes, std::vector<int64_t>{2});
  EXPECT_EQ(tensors_of(plan.stages[0]).writes, std::vector<int64_t>{0});
  const StageTensors merge = tensors_of({"m", Work::merge, {}, {4, 5}});
  EXPECT_EQ(merge.read(7), 4);
  EXPECT_EQ(merge.writes, std::vector<int64_t>{5});
}

TEST(Structure, V2SelectionsThatDoNotFit) {
  Plan plan = sum_plan();
  plan.tasks[2].reads[0] = constant(box("[0:2]"));
  plan.tasks[2].reads[1] = constant(box("[0:2, 0:10]"));
  EXPECT_EQ(words(plan),
            "tasks[2].reads[0]: [plan-structure] expected 2 starts, one for each dim, "
            "but got 1\n"
            "tasks[2].reads[1]: [plan-structure] expected boxes inside (2, 3), but got "
            "10 elements from 0 to 0 in dim 1");
}

TEST(Structure, V3TasksThatAreNotTheStages) {
  Plan plan = sum_plan();
  plan.tensors[2].shape = {3, 3};
  plan.tasks[0].reads = {constant(box("[0:2, 0:3]"))};
  plan.tasks[1].writes.push_back(plan.tasks[1].writes[0]);
  EXPECT_EQ(words(plan), "stages[2].signature.operands[2]: [plan-structure] expected the shape of "
                         "'z', (3, 3), but got [2, 3]\n"
                         "tasks[0]: [plan-structure] expected 0 reads, but got 1\n"
                         "tasks[1]: [plan-structure] expected 1 writes, but got 2");
  plan = sum_plan();
  plan.tasks[2].index = constant(box("[0:1, -3:2]"));
  EXPECT_EQ(words(plan), "tasks[2].index: [plan-structure] expected boxes inside (2, 3), but got 5 "
                         "elements from -3 to -3 in dim 1");
}

TEST(Structure, Whole) {
  Plan plan = sum_plan();
  plan.workers = 0;
  plan.memory_per_worker = -1;
  plan.cost = {{"time", NAN}};
  plan.tasks = {};
  EXPECT_EQ(words(plan),
            "workers: [plan-structure] expected 1 to 1048576 workers, but got 0\n"
            "memory_per_worker: [plan-structure] expected a number of bytes, but got "
            "-1\n"
            "cost.time: [plan-structure] expected a finite number that is not negative, "
            "but got nan");
}

TEST(Structure, Tensors) {
  Plan plan = sum_plan();
  plan.tasks = {};
  plan.tensors.push_back({"z", DType::f64, {int64_t{1} << 62}, -1, {0, 0, 2}, -1});
  plan.tensors.push_back({"p", DType::f32, {4, 2}, 1, {}, 2});
  EXPECT_EQ(
      words(plan),
      "tensor 'z': [plan-structure] expected distinct names\n"
      "tensor 'z': [plan-structure] expected one tensor for result 0\n"
      "tensor 'p': [plan-structure] expected one tensor for argument 1\n"
      "the results: [plan-structure] expected a tensor for each result\n"
      "tensors[3]: [plan-structure] expected a number of bytes of 64 bits, but got "
      "(4611686018427387904)\n"
      "tensors[4]: [plan-structure] expected terms that are neither an argument nor a result\n"
      "tensors[4]: [plan-structure] expected a dim of terms before (2, 3), but got (4, 2)");
}

TEST(Structure, Stages) {
  Plan plan = sum_plan();
  plan.tasks = {};
  plan.stages[0].tensors = {2};
  plan.stages[1].tensors = {9};
  plan.stages[2].signature.operands[0].role = Role::inout;
  plan.stages[2].signature.dims[0].extent = Extent::symbol("n");
  plan.stages.push_back({"m", Work::merge, {}, {2, 2}});
  plan.stages.push_back({"c", Work::compute, {}, {0}});
  EXPECT_EQ(words(plan),
            "stages[0]: [plan-structure] expected an argument to load\n"
            "stages[1]: [plan-structure] expected the number of one of 3 tensors, but got 9\n"
            "stages[2].signature: [plan-structure] expected extents that are numbers\n"
            "stages[2].signature.operands[0]: [plan-structure] expected an operand that is in or "
            "out\n"
            "stages[3]: [plan-structure] expected terms to merge\n"
            "stages[4]: [plan-structure] expected 0 tensors, but got 1");
}

TEST(Structure, Families) {
  Plan plan = sum_plan();
  plan.tasks[0].piece = 7;
  plan.tasks[1].counts = {0};
  plan.tasks[2].worker = constant(2);
  plan.tasks[2].position = {INT64_MAX, {}};
  plan.tasks.push_back(plan.tasks[2]);
  plan.tasks[3].counts = {4};
  plan.tasks[3].position = {INT64_MAX, {1}};
  plan.tasks[3].worker = {1, {-1}};
  plan.tasks[3].index = plan.tasks[3].reads[0] = plan.tasks[3].reads[1] =
      plan.tasks[3].writes[0] = {{{0, {0}}, {0, {0}}}, {2, 3}};
  plan.tasks[3].offsets = {constant(4)};
  plan.moves.push_back({-1, {}, {}, {}, {}, {}});
  EXPECT_EQ(
      words(plan),
      "tasks[0]: [plan-structure] expected the number of one of 3 pieces, but got 7\n"
      "tasks[1]: [plan-structure] expected counts above 0, but got (0)\n"
      "tasks[2].worker: [plan-structure] expected workers below 2, but got 2 to 2\n"
      "tasks[3].position: [plan-structure] expected numbers of 64 bits\n"
      "tasks[3].worker: [plan-structure] expected workers below 2, but got -2 to 1\n"
      "tasks[3].offsets[0]: [plan-structure] expected 1 steps, one for each dim of counts, but "
      "got 0\n"
      "moves[0]: [plan-structure] expected the number of one of 3 tensors, but got -1");
}

/// Every integer of a plan, by reference.
std::vector<int64_t*> numbers_of(Plan& plan) {
  std::vector<int64_t*> numbers{&plan.workers, &plan.memory_per_worker};
  auto add_point = [&](Point& point) {
    for (int64_t& number : point)
      numbers.push_back(&number);
  };
  auto add_affine = [&](Affine& affine) {
    numbers.push_back(&affine.first);
    add_point(affine.steps);
  };
  auto add_boxes = [&](Boxes& boxes) {
    for (Affine& start : boxes.start)
      add_affine(start);
    add_point(boxes.extent);
  };
  for (Tensor& tensor : plan.tensors) {
    add_point(tensor.shape);
    add_point(tensor.results);
    numbers.insert(numbers.end(), {&tensor.argument, &tensor.partial_of});
  }
  for (Stage& stage : plan.stages)
    add_point(stage.tensors);
  for (Piece& piece : plan.pieces)
    numbers.push_back(&piece.stage);
  for (Family& family : plan.tasks) {
    numbers.push_back(&family.piece);
    add_point(family.counts);
    add_affine(family.position);
    add_affine(family.worker);
    add_boxes(family.index);
    for (std::vector<Boxes>* list : {&family.reads, &family.writes})
      for (Boxes& boxes : *list)
        add_boxes(boxes);
    for (Affine& offset : family.offsets)
      add_affine(offset);
  }
  for (Moves& moves : plan.moves) {
    numbers.push_back(&moves.tensor);
    add_point(moves.counts);
    for (Affine* affine : {&moves.position, &moves.from, &moves.to})
      add_affine(*affine);
    add_boxes(moves.box);
  }
  return numbers;
}

TEST(StructureProperty, AnyNumberAnywhereIsSurvived) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    const int64_t extremes[] = {0, -1, 1, 2, 5, INT64_MAX, INT64_MIN, int64_t{1} << 33};
    const std::vector<int64_t*> numbers = numbers_of(plan);
    for (int count = 1 + static_cast<int>(random() % 3); count > 0; --count)
      *numbers[random() % numbers.size()] = extremes[random() % 8];
    EXPECT_NO_THROW(check(plan)) << "seed " << seed;
  }
}

TEST(StructureProperty, MissingPartsAreSurvived) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    auto shorten = [&](auto& list) { list.resize(list.empty() ? 0 : random() % list.size()); };
    Family& family = plan.tasks[random() % plan.tasks.size()];
    Stage& stage = plan.stages[random() % plan.stages.size()];
    switch (random() % 10) {
    case 0:
      shorten(plan.tensors);
      break;
    case 1:
      shorten(plan.stages);
      break;
    case 2:
      shorten(plan.pieces);
      break;
    case 3:
      shorten(family.reads);
      break;
    case 4:
      shorten(family.writes);
      break;
    case 5:
      shorten(family.index.start);
      break;
    case 6:
      shorten(stage.tensors);
      break;
    case 7:
      shorten(stage.signature.operands);
      break;
    case 8:
      shorten(stage.signature.dims);
      break;
    default:
      stage.work = static_cast<Work>(random() % 3);
    }
    EXPECT_NO_THROW(check(plan)) << "seed " << seed;
  }
}

} // namespace
} // namespace kolam::plans
