/// Plans: how a program is cut into tasks, where and in which order they run, and what moves
/// between workers. Plain data; docs/design/plans.md says how they come about.
#pragma once

#include "kolam/space/box.h"
#include "kolam/space/signature.h"
#include "kolam/support/dtype.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The folder's name would hide the function `kolam::plan`.
namespace kolam::plans {

using space::Box;
using space::Point;

/// A tensor that tasks write and read, whole or box by box.
///
/// A partial tensor has a dim of terms in front: its element (t, p) is what term t of a reduction
/// adds to element p of the tensor that it becomes. A block of it with several terms holds their
/// sum, so its bytes do not count that dim.
struct Tensor {
  std::string name; ///< as the program's text or the user calls it; distinct
  DType dtype = DType::f32;
  Point shape;                  ///< of a partial tensor with the terms in front
  int64_t argument = -1;        ///< its number among the program's arguments
  std::vector<int64_t> results; ///< its numbers among the program's results
  int64_t partial_of = -1;      ///< the tensor that its merged terms are
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

enum class Work : uint8_t {
  load,    ///< a box of an argument comes to be at a worker
  compute, ///< a piece of ops of the program
  merge,   ///< neighbouring terms of a partial tensor become one block, or an element's final value
};

/// What is cut: ops that run together over one index space. `signature` is that of the whole, in
/// numbers; `tensors` has the tensor of each of its operands. A merge has no signature and two
/// tensors: the partial one and the one that holds the outcome (the same, but for the last merge of
/// a tree).
struct Stage {
  std::string name; ///< of its ops, as `add at model.py:12`
  Work work = Work::compute;
  space::Signature signature;
  std::vector<int64_t> tensors;
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// The code that equal tasks share: a program whose arguments are the boxes that a task reads, in
/// the order of the stage's operands, then its offsets, i64 scalars; its results are the boxes that
/// it writes. Loads have none.
struct Piece {
  int64_t stage = 0;
  std::string program;
  double flops = 0; ///< of one task
  double bytes = 0; ///< that one task reads and writes in memory
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// first + steps . p at point p of a family's domain.
struct Affine {
  int64_t first = 0;
  Point steps; ///< one for each dim of the domain
  int64_t at(const Point& point) const {
    int64_t value = first;
    for (size_t dim = 0; dim < steps.size(); ++dim)
      value += steps[dim] * point[dim];
    return value;
  }
  friend bool operator==(const Affine&, const Affine&) = default;
};

/// A box for each point of a family's domain, all of the same extents.
struct Boxes {
  std::vector<Affine> start;
  Point extent;
  Box at(const Point& point) const;
  friend bool operator==(const Boxes&, const Boxes&) = default;
};

/// Equal tasks: one for each point of [0, counts). Of rank 0 it is one task.
///
/// Every worker runs its tasks in the order of their positions, which are distinct among tasks and
/// moves of a plan. Reads and writes are in the order of the stage's operands; a merge reads any
/// number of boxes of its partial tensor, neighbours along the terms, and writes one.
struct Family {
  int64_t piece = 0;
  Point counts;
  Affine position, worker;
  Boxes index; ///< of the stage's index space; of a merge without dims
  std::vector<Boxes> reads, writes;
  std::vector<Affine> offsets;
  friend bool operator==(const Family&, const Family&) = default;
};

/// Equal transfers: a box of a tensor that `from` made, or received before, goes to `to`.
struct Moves {
  int64_t tensor = 0;
  Point counts;
  Affine position, from, to;
  Boxes box;
  friend bool operator==(const Moves&, const Moves&) = default;
};

/// A choice that was applied, so that the plan's program can be made again.
struct Choice {
  std::string name;
  std::string stage; ///< to what
  std::map<std::string, std::string> parameters;
  bool exact = true; ///< keeps every bit
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Plan {
  std::string version; ///< of Kolam
  std::string program; ///< the program's identity: a hash of its text
  int64_t workers = 1;
  int64_t memory_per_worker = 0; ///< bytes; 0: no limit
  /// Blocks of results stay where they are made until the plan ends; else they leave the worker's
  /// memory when nobody reads them any more, to a file or to who asked.
  bool keeps_results = false;
  std::vector<Tensor> tensors;
  std::vector<Stage> stages;
  std::vector<Piece> pieces;
  std::vector<Family> tasks;
  std::vector<Moves> moves;
  std::vector<Choice> trace;
  /// As the planner predicts it: `time` (s, of the critical path), `work` (s, of all workers),
  /// `bytes_in` (of the busiest worker), `peak_memory` (bytes, of one), `wasted` (elements computed
  /// more than once or thrown away), `workers`.
  std::map<std::string, double> cost;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The bytes of a box of a tensor: of a partial one, of one term.
int64_t block_bytes(const Tensor& tensor, const Box& box);

} // namespace kolam::plans
