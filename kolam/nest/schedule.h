/// The schedule of a loop nest: its loops in order, what is computed in them and by which code, and
/// what is kept where. Plain data; lowering follows it, text says it, tuning searches it.
#pragma once

#include "kolam/support/extent.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kolam::nest {

/// A dim of the space that the loops of a nest go over: one dim of the root's results, or
/// neighbouring ones that are walked as one, or what the root counts its tasks by.
struct ScheduleDim {
  std::string name; ///< of the joined dims i and j: `ij`
  Extent extent;
  friend bool operator==(const ScheduleDim&, const ScheduleDim&) = default;
};

enum class LoopKind : uint8_t {
  serial,
  parallel, ///< a thread has a block of consecutive steps
  unrolled, ///< all steps side by side: what waits for its operands in one lets the others run
  runs,     ///< a step is a run of rows for which data chooses the same columns of a product
};

/// What a loop does with elements behind its last whole step.
enum class Rest : uint8_t {
  none,   ///< there are none
  peeled, ///< a shorter block comes behind the loop; loops that are unrolled run one by one there
  mask,   ///< the last block is shorter; where it ends, lanes are masked
  next,   ///< the next loop in this body, over the same dim, goes on with them
  fewer,  ///< blocks of 8, 4, 3, 2 and 1 elements come behind the loop, as far as they are shorter
};

inline constexpr int kFewer[] = {8, 4, 3, 2, 1}; ///< Rest::fewer

/// for name in the block of the loop around it over the same dim (or the whole dim), by `step`. The
/// loops and stages inside have a block of `step` elements; of one element, they are at it.
struct ScheduleLoop {
  std::string name;
  int dim = 0;
  Extent step = 1;
  LoopKind kind = LoopKind::serial;
  Rest rest = Rest::none;
  friend bool operator==(const ScheduleLoop&, const ScheduleLoop&) = default;
};

/// The code that computes a stage: the files of lower/ that emit whole regions.
enum class Emitter : uint8_t {
  elements,    ///< one element after the other along the last dim, `lanes` at once
  reduction,   ///< an element of a reduction, over its own dims
  columns,     ///< elements of a reduction along the last dim, side by side in registers
  squares,     ///< the same, where what they combine follows one another: squares, which are turned
  rows,        ///< the same, the rows they combine one after the other
  tiles,       ///< squares of `lanes` x `lanes`, of which some operand lies transposed
  interleaved, ///< all of the last dim, short, for `lanes` numbers of the dim in front of it
  products,    ///< tiles of products of matrices
  packing,     ///< columns of products of matrices into the order in which tiles read them
  whole,       ///< the op's own loops
};

/// Computes the elements of an op of the nest in the block of the loops around it, and with them
/// elements of ops that it reads.
struct ScheduleStage {
  int op = 0;            ///< into Schedule::ops
  std::vector<int> with; ///< the ops that are computed on the way, each where it is read
  Emitter by = Emitter::elements;
  int lanes = 1;
  bool past_caches = false;     ///< its stores do not stay in the caches
  std::vector<int> beside = {}; ///< reductions over the same elements, in the same loops
  friend bool operator==(const ScheduleStage&, const ScheduleStage&) = default;
};

enum class StoreSpace : uint8_t {
  registers,
  row,
  tile, ///< rows and columns of the sums of products that are not yet complete
};

/// Keeps the elements of an op for the loops and stages behind it in the same body.
struct ScheduleStore {
  int op = 0;
  StoreSpace space = StoreSpace::row;
  int64_t count = 0; ///< elements along the last dim; of a tile, all
  friend bool operator==(const ScheduleStore&, const ScheduleStore&) = default;
};

/// Asks for memory of a value, ahead of its use in the loops behind.
struct ScheduleAhead {
  int value = 0;            ///< a parameter of the nest: results first, then what it reads
  int64_t first_of_row = 0; ///< the dims of the value from this one on follow one another
  friend bool operator==(const ScheduleAhead&, const ScheduleAhead&) = default;
};

/// What is inside runs where the block of a dim has at most so many elements, or more than that.
struct ScheduleWhen {
  int dim = 0;
  int64_t most = 0;
  bool is_more = false;
  friend bool operator==(const ScheduleWhen&, const ScheduleWhen&) = default;
};

/// What is inside runs for each part of the block of a dim in turn: for what lies in front of the
/// first of these places, between one and the next, and from the last on. In each part less is
/// asked of an index: of a padded array's inside nothing.
struct ScheduleParts {
  int dim = 0;
  std::vector<Extent> at; ///< ascending; those outside of the block leave an empty part
  friend bool operator==(const ScheduleParts&, const ScheduleParts&) = default;
};

/// What is inside runs for each segment in the block of a dim in turn, which data cut: those that a
/// fused kolam.segment_ids counts. What is read by their ids is the same for all of a segment.
struct ScheduleSegments {
  int dim = 0;
  int op = 0; ///< into Schedule::ops
  /// Those that begin in the block, each to its end: what combines all of a segment does so once.
  bool whole = false;
  friend bool operator==(const ScheduleSegments&, const ScheduleSegments&) = default;
};

struct ScheduleNode {
  std::variant<ScheduleLoop, ScheduleStage, ScheduleStore, ScheduleAhead, ScheduleWhen,
               ScheduleParts, ScheduleSegments>
      what;
  std::vector<ScheduleNode> body = {}; ///< of a loop, a condition, parts or segments
  friend bool operator==(const ScheduleNode&, const ScheduleNode&) = default;
};

struct Schedule {
  std::vector<std::string> ops; ///< `y`, the root, then the fused ops: `exp1`, `reduce2`
  std::vector<ScheduleDim> dims;
  std::vector<ScheduleNode> nodes; ///< in the order in which they run
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The loop nest that runs, a line for each node:
///
///     ops y exp1
///     dims i 512, j 1000
///     for i0 in i parallel
///       for i1 in i0
///         for j0 in j by 64 rest peeled
///           for j1 in j0 by 16 unrolled
///             y with exp1 by elements lanes 16
///
/// A stage `with all` computes on the way all ops of the nest but its own. `parts of j at 1, n - 1`
/// stands in front of what runs for each part of j, `segments of i0 by segment_ids2` of what runs
/// for each segment.
std::string to_string(const Schedule& schedule);

/// Reads such a text; indentation and lines behind `#` do not count beyond the tree they show.
/// Throws `[bad-schedule]` with the line and what was expected.
Schedule parse_schedule(std::string_view text);

/// The parts of a text between its commas but for those inside an extent, `ceildiv(n, 3)`.
std::vector<llvm::StringRef> split_between_extents(llvm::StringRef text);

/// Calls `visit(node, loops around it)` for every node, in order.
template <class F>
void for_each_node(const std::vector<ScheduleNode>& nodes, const F& visit,
                   std::vector<const ScheduleLoop*> around = {}) {
  for (const ScheduleNode& node : nodes) {
    visit(node, around);
    auto* loop = std::get_if<ScheduleLoop>(&node.what);
    if (loop)
      around.push_back(loop);
    for_each_node(node.body, visit, around);
    if (loop)
      around.pop_back();
  }
}

/// The step of the innermost serial loop; nullopt where there is none.
std::optional<int64_t> inner_step(const Schedule& schedule);

/// The stage that computes the root, the last of several; null where there is none.
const ScheduleStage* root_stage(const Schedule& schedule);

} // namespace kolam::nest
