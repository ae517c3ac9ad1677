/// The structure of plans: numbers that name something, ranks that agree, boxes that lie in their
/// tensors.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/space/issue.h"

namespace kolam::plans {

/// The tensors that a stage's tasks read and write, box by box in this order. All reads of a merge
/// are of its partial tensor.
struct StageTensors {
  std::vector<int64_t> reads, writes;
  bool merges = false;
  int64_t read(size_t place) const { return reads[merges ? 0 : place]; }
};
/// A load reads none and writes its argument. Of a compute stage, the tensors of its operands that
/// are in, and of those that are out.
StageTensors tensors_of(const Stage& stage);

/// Every break of structure, as `[plan-structure]` issues whose subjects are places in the plan,
/// `tasks[3].reads[0]`. A plan without one can be expanded, and no number in it leaves 64 bits:
///
/// - workers are 1 to 2^20, memory and costs are no negative numbers;
/// - tensors have distinct names and numbers of 64 bits of bytes; each argument and each result has
///   one; terms add up to a tensor of the same shape;
/// - signatures are valid (`space::validate`), of numbers, operands are in, out or scratch and as
///   large as their tensors; a load has one argument, a merge a partial tensor and its outcome;
/// - tasks and transfers are not too many (`too_large`), their workers and boxes exist.
std::vector<space::Issue> check_structure(const Plan& plan);

} // namespace kolam::plans
