// The order of waves of any nest, by sorting its cells.
#include "kolam/transform/lists/cell_order.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/sort.h"

namespace kolam::transform::lists {

/// The number of each cell's neighbour one step before, along the scan of a level, in the order of
/// memory; any cell where there is none.
static Value cell_before(const NestFrames& in, const Cells& cells, size_t level, Frames& frames) {
  Integers& integers = frames.integers;
  Value element = frames.path(cells.frame, in.elements[level]);
  Value cell = frames.path(cells.frame, in.cells());
  Value zero = integers.constant(0);
  int64_t back = in.nest->scan(level).getReverse() ? 1 : -1;
  Value is_first = integers.apply(Fn::equal, cells.steps.at(level), zero);
  Value neighbour = language::elementwise(
      integers.b, Fn::where, {is_first, element, integers.add(element, integers.constant(back))});
  auto first_cell = [&](Value of) {
    for (size_t inner = level + 1; inner < in.levels.size(); ++inner)
      of = integers.take(in.levels[inner]->offsets, of);
    return of;
  };
  return integers.add(first_cell(neighbour), integers.subtract(cell, first_cell(element)));
}

CellOrder sorted_order(const NestFrames& in, Frames& frames) {
  Integers& integers = frames.integers;
  Builder& b = integers.b;
  const Extent& count = in.cells()->count;
  Value one = integers.constant(1);
  Cells cells = cells_of(in, in.cells(), frames);
  Value wave = integers.fill(count, 0);
  for (const auto& [level, steps] : cells.steps)
    wave = integers.add(wave, steps);
  // Cells of a wave that share weights are neighbours.
  Value key = wave;
  for (const auto& [level, steps] : cells.steps)
    if (in.nest->has_weights_of(level)) {
      Value bound = integers.add(integers.largest(steps), one);
      key = integers.add(integers.apply(Fn::multiply, key, bound), steps);
    }
  Value in_order = language::cast(b, language::sort(b, key, 0, false).indices, DType::i64);

  CellOrder result;
  result.waves = integers.largest(integers.add(wave, one));
  Extent wave_count = integers.bind(result.waves);
  result.offsets = integers.running_sum(integers.count(wave, wave_count));
  result.numbers = integers.put(integers.fill(count, 0), integers.iota(count), in_order);
  static_cast<Cells&>(result.all) = cells_of(in, frames.make(in.cells(), count, in_order), frames);
  for (const auto& [level, steps] : result.all.steps)
    result.all.before[level] =
        integers.take(result.numbers, cell_before(in, result.all, level, frames));
  return result;
}

} // namespace kolam::transform::lists
