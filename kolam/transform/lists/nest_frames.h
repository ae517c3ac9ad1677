/// The frames of a nest of scans, and its cells in them.
#pragma once

#include "kolam/transform/lists/frames.h"
#include "kolam/transform/lists/nest.h"

#include "llvm/ADT/DenseMap.h"

namespace kolam::transform::lists {

/// What the values of a block are.
using Environment = llvm::DenseMap<Value, FlatValue>;

/// The frames of a nest: for each level the instances of its body, as if it were a map.
struct NestFrames {
  const ScanNest* nest;
  const Frame* outer;
  std::vector<const Frame*> elements; ///< by level; the last one's instances are the cells
  std::vector<LevelRef> levels;       ///< the structure of each
  /// By level: i64 [outer count], how many elements each list of an instance has; null where they
  /// may differ.
  std::vector<Value> sizes;
  std::vector<Environment> values; ///< of the bodies, by level
  std::vector<FlatList> lists;     ///< of the last level, in the order of its op and as they came
  /// What states that are changed in place start from, each instance of their level with rows of
  /// its own.
  std::map<StateKey, FlatValue> inits;

  mlir::Block& cell() const { return nest->cell(); }
  const Frame* cells() const { return elements.back(); }
  /// How many arguments of the cell are states of the innermost level.
  unsigned states() const {
    ir::ListScanOp scan = nest->scan(levels.size() - 1);
    return scan ? static_cast<unsigned>(scan.getInits().size()) : 0;
  }
  /// What such a state starts from.
  const FlatValue& init(unsigned state) const {
    return values.back().find(cell().getArgument(state))->second;
  }
  bool is_rectangular() const {
    return llvm::all_of(sizes, [](Value size) { return !!size; });
  }
};

/// Cells of a nest and where each is.
struct Cells {
  const Frame* frame;            ///< in that of all cells, or this itself
  std::vector<Value> places;     ///< by level: i64 [count], the place in its list
  std::map<size_t, Value> steps; ///< by scan: i64 [count], how many steps come before
};

/// The cells of a frame that lies in that of all cells.
Cells cells_of(const NestFrames& in, const Frame* frame, Frames& frames);

} // namespace kolam::transform::lists
