/// Random valid plans: chains of pointwise ops, windows and products of matrices, each cut into
/// random boxes on random workers.
#pragma once

#include <random>

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// A box of a tensor on a worker.
struct Home {
  Box box;
  int64_t worker;
};

/// Makes plans as a planner would, task by task in the order of positions: what a task needs is
/// loaded or moved first.
class PlanBuilder {
public:
  explicit PlanBuilder(int64_t workers) { plan.workers = workers; }

  int64_t add_tensor(const std::string& name, Point shape);
  /// An argument, with the stage that loads it.
  int64_t add_argument(const std::string& name, Point shape);
  /// A stage and its one piece; tasks name the stage.
  int64_t add_stage(Stage stage);
  /// The task of an index box, after the loads and moves that it needs.
  void run(int64_t stage, const Box& index, int64_t worker);
  /// Merges the terms of a partial tensor in box `place` of the tensor that it becomes: `tree` of
  /// merges over the blocks of its terms, each at a random worker.
  void merge(int64_t partial_stage, int64_t final_stage, const Box& place, std::mt19937& random);
  /// Moves or loads a box of a tensor to a worker, unless it is there.
  void bring(int64_t tensor, const Box& box, int64_t worker);

  Plan plan;
  std::vector<std::vector<Home>> homes; ///< by tensor

private:
  void add_task(int64_t stage, int64_t worker, const Box& index, const std::vector<Box>& reads,
                const std::vector<Box>& writes);

  std::vector<int64_t> load_stages_; ///< by tensor
  int64_t position_ = 0;
};

/// z[i, j] = f(x[i, j], y[i, j]) where y is asked for.
space::Signature pointwise(const Point& shape, bool is_binary);
/// z[i, j] from x[i - 1 : i + 2, j], what lies outside by a policy.
space::Signature window(const Point& shape, space::Policy policy);
/// p[k, i, n] = sum over c of x[i, chunk k + c] w[chunk k + c, n].
space::Signature partial_matmul(int64_t rows, int64_t terms, int64_t chunk, int64_t columns);

/// A partition into boxes by random cuts, at most 2^depth.
std::vector<Box> random_partition(std::mt19937& random, const Box& whole, int depth);
/// A valid plan with tasks one by one; `memory_per_worker` is not set.
Plan random_plan(std::mt19937& random);

Affine constant(int64_t value);
Boxes constant(const Box& box);

} // namespace kolam::plans
