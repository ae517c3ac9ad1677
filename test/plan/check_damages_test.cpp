// Random damages to sound plans: each must be refused.
//
// Every damage here is harmful by construction. Left out are those that may be harmless: a read
// that grows where more lies there, a position that moves without passing what it depends on, a
// load that comes twice, other flops, bytes, costs, offsets and programs of pieces.
#include "kolam/plan/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "kolam/plan/blocks.h"
#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

using Random = std::mt19937;
using space::random_between;

Work work_of(const Plan& plan, const Family& task) {
  return plan.stages[plan.pieces[task.piece].stage].work;
}

template <class T, class F> T* random_item(std::vector<T>& list, Random& random, F&& fits) {
  std::vector<T*> places;
  for (T& each : list)
    if (fits(each))
      places.push_back(&each);
  return places.empty() ? nullptr : places[random() % places.size()];
}

/// A task that computes or merges.
Family* random_task(Plan& plan, Random& random) {
  return random_item(plan.tasks, random,
                     [&](const Family& task) { return work_of(plan, task) != Work::load; });
}
Moves* random_move(Plan& plan, Random& random) {
  return random_item(plan.moves, random, [](const Moves&) { return true; });
}
Boxes* random_boxes(std::vector<Boxes>& list, Random& random) {
  return random_item(list, random, [](const Boxes& boxes) { return !boxes.extent.empty(); });
}

template <class T> void take_out(std::vector<T>& list, const T* item) {
  list.erase(list.begin() + (item - list.data()));
}

/// A number that names nothing, in a place that a task or a move has.
int64_t no_number(Random& random) {
  const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, 1 << 25};
  return numbers[random() % 4];
}

struct Damage {
  const char* name;
  std::function<bool(Plan&, Random&)> apply; ///< false where the plan has nothing to damage
};

/// Every element is written once: a task less or one more breaks it.
const std::vector<Damage>& damages_of_tasks() {
  static const std::vector<Damage> damages{
      {"a task less",
       [](Plan& plan, Random& random) {
         take_out(plan.tasks, random_task(plan, random));
         return true;
       }},
      {"a task twice",
       [](Plan& plan, Random& random) {
         Family task = *random_task(plan, random);
         task.position.first = 1000000;
         plan.tasks.push_back(task);
         return true;
       }},
      {"index box moved",
       [](Plan& plan, Random& random) {
         Family* task = random_item(plan.tasks, random,
                                    [](const Family& each) { return !each.index.extent.empty(); });
         if (!task)
           return false;
         task->index.start[random() % task->index.start.size()].first += random() % 2 ? 1 : -1;
         return true;
       }},
      {"written box moved or changed",
       [](Plan& plan, Random& random) {
         Boxes* boxes = random_boxes(random_task(plan, random)->writes, random);
         if (!boxes)
           return false;
         const size_t dim = random() % boxes->extent.size();
         (random() % 2 ? boxes->start[dim].first : boxes->extent[dim]) += random() % 2 ? 1 : -1;
         return true;
       }},
      // The generator's reads are just what is needed, so that less is too little.
      {"read box smaller or moved",
       [](Plan& plan, Random& random) {
         Boxes* boxes = random_boxes(random_task(plan, random)->reads, random);
         if (!boxes)
           return false;
         const size_t dim = random() % boxes->extent.size();
         if (random() % 2)
           --boxes->extent[dim];
         else
           boxes->start[dim].first += random() % 2 ? 1 : -1;
         return true;
       }},
      {"a read less or one more",
       [](Plan& plan, Random& random) {
         Family* task = random_task(plan, random);
         if (random() % 2)
           task->reads.pop_back();
         else
           task->reads.push_back(task->reads.back());
         return true;
       }},
      {"terms merged in another order",
       [](Plan& plan, Random& random) {
         Family* task = random_item(plan.tasks, random, [&](const Family& each) {
           return work_of(plan, each) == Work::merge && each.reads.size() > 1;
         });
         if (!task)
           return false;
         std::swap(task->reads[0], task->reads[1]);
         return true;
       }},
      {"a worker that holds nothing",
       [](Plan& plan, Random& random) {
         random_task(plan, random)->worker.first = plan.workers++;
         return true;
       }},
  };
  return damages;
}

const std::vector<Damage>& damages_of_order() {
  static const std::vector<Damage> damages{
      // What a task reads is made before it.
      {"a reader first",
       [](Plan& plan, Random& random) {
         random_task(plan, random)->position.first = -1;
         return true;
       }},
      {"a maker last",
       [](Plan& plan, Random& random) {
         const std::vector<Event> events = expand(plan);
         const BlockTable table = find_blocks(plan, events);
         std::vector<int64_t> makers;
         for (const Block& block : table.blocks)
           if (block.last_use >= 0)
             makers.push_back(block.made_by);
         const Event& maker = events[makers[random() % makers.size()]];
         (maker.is_move ? plan.moves[maker.family].position : plan.tasks[maker.family].position)
             .first = 1000000;
         return true;
       }},
      {"equal positions",
       [](Plan& plan, Random& random) {
         if (plan.tasks.size() < 2)
           return false;
         const size_t i = 1 + random() % (plan.tasks.size() - 1);
         plan.tasks[i].position = plan.tasks[i - 1].position;
         return true;
       }},
  };
  return damages;
}

/// The generator moves only what is read and lies elsewhere.
const std::vector<Damage>& damages_of_moves() {
  static const std::vector<Damage> damages{
      {"a transfer less",
       [](Plan& plan, Random& random) {
         Moves* moves = random_move(plan, random);
         if (moves)
           take_out(plan.moves, moves);
         return moves != nullptr;
       }},
      {"a transfer from nowhere",
       [](Plan& plan, Random& random) {
         Moves* moves = random_move(plan, random);
         if (moves)
           moves->from.first = plan.workers++;
         return moves != nullptr;
       }},
      {"a transfer to where nobody reads",
       [](Plan& plan, Random& random) {
         Moves* moves = random_move(plan, random);
         if (moves)
           moves->to.first = plan.workers++;
         return moves != nullptr;
       }},
      {"a transfer that stays",
       [](Plan& plan, Random& random) {
         Moves* moves = random_move(plan, random);
         if (moves)
           moves->from = moves->to;
         return moves != nullptr;
       }},
      {"a transfer of less",
       [](Plan& plan, Random& random) {
         Moves* moves = random_move(plan, random);
         if (!moves || moves->box.extent.empty())
           return false;
         --moves->box.extent[random() % moves->box.extent.size()];
         return true;
       }},
      {"a transfer for nobody",
       [](Plan& plan, Random& random) {
         const Family& task = *random_task(plan, random);
         const int64_t tensor = plan.stages[plan.pieces[task.piece].stage].tensors.back();
         plan.moves.push_back({tensor,
                               {},
                               constant(1000000),
                               task.worker,
                               constant(plan.workers++),
                               task.writes[0]});
         return true;
       }},
  };
  return damages;
}

const std::vector<Damage>& damages_of_structure() {
  static const std::vector<Damage> damages{
      {"a number that names nothing",
       [](Plan& plan, Random& random) {
         Family& task = *random_task(plan, random);
         int64_t* numbers[] = {&task.piece, &task.worker.first, &plan.pieces[0].stage,
                               &plan.stages.back().tensors[0]};
         *numbers[random() % 4] = no_number(random);
         return true;
       }},
      {"a rank too many",
       [](Plan& plan, Random& random) {
         Family& task = *random_task(plan, random);
         switch (random() % 4) {
         case 0:
           task.position.steps.push_back(1);
           break;
         case 1:
           task.counts.push_back(2);
           break;
         case 2:
           task.writes[0].start.push_back(constant(0));
           break;
         default:
           task.reads[0].extent.push_back(1);
         }
         return true;
       }},
      {"a count that is none",
       [](Plan& plan, Random& random) {
         random_task(plan, random)->counts = {-static_cast<int64_t>(random() % 2)};
         return true;
       }},
      {"other terms",
       [](Plan& plan, Random& random) {
         Tensor* tensor = random_item(plan.tensors, random,
                                      [](const Tensor& each) { return each.partial_of >= 0; });
         if (!tensor)
           return false;
         if (random() % 2)
           ++tensor->shape[0];
         else
           tensor->partial_of = -1;
         return true;
       }},
      {"another shape",
       [](Plan& plan, Random& random) {
         ++plan.tensors[random() % plan.tensors.size()].shape[0];
         return true;
       }},
      {"a tensor that is an argument",
       [](Plan& plan, Random& random) {
         Tensor& tensor = plan.tensors.back();
         tensor.argument = tensor.argument < 0 ? 77 : -1;
         return true;
       }},
      {"memory for less than the peak",
       [](Plan& plan, Random& random) {
         // The peak by bisection: the least limit without an issue.
         int64_t refused = 0, fits = int64_t{1} << 40;
         while (fits - refused > 1) {
           plan.memory_per_worker = (refused + fits) / 2;
           (check(plan).empty() ? fits : refused) = plan.memory_per_worker;
         }
         plan.memory_per_worker = random_between(random, 1, fits - 1);
         return true;
       }},
  };
  return damages;
}

TEST(CheckDamages, EachIsRefused) {
  int applied = 0;
  for (const auto* damages :
       {&damages_of_tasks(), &damages_of_order(), &damages_of_moves(), &damages_of_structure()})
    for (const Damage& damage : *damages) {
      int here = 0;
      for (uint32_t seed = 0; seed < 400 && here < 40; ++seed) {
        Random random(seed);
        Plan plan = random_plan(random);
        if (!damage.apply(plan, random))
          continue;
        ASSERT_FALSE(check(plan).empty()) << damage.name << ", seed " << seed;
        ++here;
      }
      EXPECT_GT(here, 10) << damage.name;
      applied += here;
    }
  EXPECT_GT(applied, 200);
}

} // namespace
} // namespace kolam::plans
