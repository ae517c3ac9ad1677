/// Steps: a compiled program as plain data, a tree that the runtime walks. Every number known only
/// at the call is an extent expression over the call's symbols.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/error.h"
#include "kolam/support/extent.h"
#include "kolam/support/machine.h"

#include <string>
#include <variant>
#include <vector>

namespace kolam {

/// A size that the runtime needs, and the number under which it knows it.
struct Size : Extent {
  using Extent::Extent;
  Size(Extent extent = 0) : Extent(std::move(extent)) {}
  int number = -1;
};

/// Where the memory of a buffer comes from.
enum class Place : uint8_t {
  argument, ///< the caller's array number `number`
  result,   ///< the array given back as result number `number`
  constant, ///< the program's constant number `number`
  prepared, ///< result number `number` of what runs once, before all runs of the program
  arena,    ///< `offset` bytes into the call's arena
  view,     ///< set by a loop step: one slice of another buffer
};

struct BufferPlan {
  DType dtype;
  Shape shape;
  Place place = Place::arena;
  int number = 0;
  Size offset;
  /// Element y is element `first` + sum of strides[d] y[d] of its memory; without strides it is
  /// row-major. Nests ask for elements so (nest/layouts.h); steps of the runtime need row-major
  /// ones.
  Shape strides = {};
  Extent first = 0;
  /// A result may take over the memory of this argument, which is not read after the result's first
  /// write, where nobody else holds it; -1 for none.
  int donor = -1;
  /// The buffer in whose memory it lies, from byte `offset` on; shares no other's; -1: has its own.
  int same_as = -1;
  /// Its extents need a symbol that a BindStep binds, which also gives it memory.
  bool is_late = false;
  /// BindSteps add to what is in it: it shares memory with none.
  bool grows = false;
};

struct Step;
using Steps = std::vector<Step>;

/// Runs compiled nest `nest` over [0, parallel), in pieces where that is long.
struct NestStep {
  int nest;
  std::vector<int> buffers;  ///< in the order of the nest's parameters
  std::vector<Size> symbols; ///< whose values are the nest's extents, in order
  Size parallel;
  double flops_per_cell = 1;                 ///< an estimate, for one element of the first buffer
  int64_t least_piece = 1;                   ///< shorter parts of the range are not worth a call
  double least_flops = kThreads.least_flops; ///< of less it runs on the calling thread
  /// Where the first buffer shares memory with this one, only `written` of its elements are
  /// computed, with so many operations each; -1 where the nest changes none.
  int changed = -1;
  int number = -1; ///< among the steps with nests: set where sizes get their numbers
  Size written = 0;
  double flops_per_written = 1;
};

/// Gives `symbol` the integer in buffer `size` or, where that is -1, `extent`, at least 0, and
/// `buffers` memory, whose extents need it and no symbol that is bound later. Those of the arena
/// that are in one group share memory. Where `grown` is one of them, it keeps what is in it, and
/// the elements of buffer `behind` come behind that; its memory doubles where it is too small.
struct BindStep {
  Size symbol;
  int size = -1;
  Size extent = {};
  int grown = -1, behind = -1;
  std::vector<int> buffers = {};
  std::vector<std::vector<int>> groups = {};
};

/// to = from, of equal size.
struct CopyStep {
  int from, to;
};

/// Exchanges the memory of two buffers of equal size.
struct SwapStep {
  int a, b;
};

/// A slice of `whole` along its outermost dim, rebound at each turn of a loop.
struct SliceView {
  int view, whole;
};

/// for counter in [lower, upper): body. Bounds are scalar buffers or, where those are -1, 0 and
/// `length`. The counter is written to buffer `counter` where that is >= 0; `reverse` counts down.
/// Views are slices at the counter. Threads may share the turns where `is_shared`: turns then write
/// no element that another reads or writes, but in `own` and in what the body binds, of which each
/// thread has its own.
struct LoopStep {
  int lower = -1, upper = -1, counter = -1;
  Size length;
  bool reverse = false;
  std::vector<SliceView> views;
  Steps body;
  bool is_shared = false;
  std::vector<int> own = {}; ///< buffers of the arena that have their memory before the loop
};

/// while (condition; then buffer `holds` is true): body.
struct WhileStep {
  Steps condition;
  int holds;
  Steps body;
};

/// Runs branch clip(selector, 0, branches - 1).
struct BranchStep {
  int selector;
  std::vector<Steps> branches;
};

enum class RowFunction : uint8_t { sort, top_k };

/// A function of the runtime on rows of `length` elements. Outputs are values, then places.
struct RowStep {
  RowFunction function;
  int input, values, places;
  Size rows = {}, length = {};
  int64_t k = 0;           ///< top_k only
  bool descending = false; ///< top_k: largest
};

/// A call of a function of the process on whole buffers.
struct CallStep {
  std::string callee;
  SourceLocation where; ///< the user's line, for errors
  std::vector<int> inputs = {}, outputs = {};
};

struct Step {
  std::variant<NestStep, BindStep, CopyStep, SwapStep, LoopStep, WhileStep, BranchStep, RowStep,
               CallStep>
      what;
  int number = -1; ///< of a step that does work of its own (number_steps)
};

/// visit(step) for every step of a tree, each before those inside it.
template <class AnySteps, class F> void for_each_step(AnySteps& steps, const F& visit) {
  for (auto& step : steps) {
    visit(step);
    if (auto* loop = std::get_if<LoopStep>(&step.what)) {
      for_each_step(loop->body, visit);
    } else if (auto* repeated = std::get_if<WhileStep>(&step.what)) {
      for_each_step(repeated->condition, visit);
      for_each_step(repeated->body, visit);
    } else if (auto* branch = std::get_if<BranchStep>(&step.what)) {
      for (auto& side : branch->branches)
        for_each_step(side, visit);
    }
  }
}

/// A whole program as the runtime runs it.
struct StepProgram {
  std::vector<BufferPlan> buffers;
  Steps steps;
  Size arena_bytes;
  int argument_count = 0;
  std::vector<int> results; ///< buffer numbers, one per result
  int numbered = 0;         ///< how many steps have numbers
};

/// Numbers the steps that compute or move elements, in the order of the tree: nests, copies, what
/// grows, sorts and calls.
void number_steps(StepProgram& program);

} // namespace kolam
