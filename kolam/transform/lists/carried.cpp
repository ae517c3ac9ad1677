// Takes lists apart for loops, and puts them together.
#include "kolam/transform/lists/carried.h"

#include "kolam/language/broadcast.h"

namespace kolam::transform::lists {

void add_list(CarriedValues& carried, const FlatList& list, Frames& frames) {
  for (size_t level = 0; level < list.levels.size(); ++level)
    carried.add(list.levels[level]->lengths, level > 0 ? Carry::resized : Carry::fixed);
  carried.add(frames.leaves_of(list), Carry::resized);
}

void add_log(CarriedValues& carried, ir::ListType type, Frames& frames) {
  for (int64_t level = 0; level < type.depth(); ++level)
    carried.add(frames.integers.fill(Extent(0), 0), Carry::appended);
  Shape shape = ir::shape_of(type.leaf());
  shape.insert(shape.begin(), Extent(0));
  carried.add(empty(frames.b, ir::dtype_of(type.leaf()), shape), Carry::appended);
}

void append_list(CarriedValues& carried, const FlatList& list, Frames& frames) {
  for (const LevelRef& level : list.levels)
    carried.add(level->lengths, Carry::appended);
  carried.add(frames.leaves_of(list), Carry::appended);
}

FlatList take_list(Values::const_iterator& next, size_t depth, Extent parents, const Frame* frame,
                   Frames& frames) {
  FlatList list{frame, {}, {}, {}};
  for (size_t level = 0; level < depth; ++level) {
    Value lengths = language::with_shape(frames.b, *next++, {parents});
    list.levels.push_back(frames.make_level(lengths, parents));
    parents = list.levels.back()->count;
  }
  Shape shape = ir::shape_of(*next);
  shape[0] = parents;
  list.leaves = language::with_shape(frames.b, *next++, shape);
  return list;
}

} // namespace kolam::transform::lists
