/// Lists in the values that a loop carries.
#pragma once

#include "kolam/transform/lists/frames.h"
#include "kolam/transform/lists/loop.h"

namespace kolam::transform::lists {

/// The values that a loop carries, and how.
struct CarriedValues {
  Values values;
  std::vector<Carry> carries;

  void add(Value value, Carry carry) {
    values.push_back(value);
    carries.push_back(carry);
  }
};

/// A list of a frame as a loop carries it: the lengths of each level, then the leaves.
void add_list(CarriedValues& carried, const FlatList& list, Frames& frames);
/// A log of lists, without any: the same values, to each of which turns append.
void add_log(CarriedValues& carried, ir::ListType type, Frames& frames);
/// What a turn appends to a log: the lists of its instances.
void append_list(CarriedValues& carried, const FlatList& list, Frames& frames);
/// The list that carried values from `*next` on hold, of `parents` instances of `frame`.
FlatList take_list(Values::const_iterator& next, size_t depth, Extent parents, const Frame* frame,
                   Frames& frames);

} // namespace kolam::transform::lists
