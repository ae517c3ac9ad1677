// Moves values between frames.
#include "kolam/transform/lists/frames.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"

namespace kolam::transform::lists {

const Frame* Frames::make(const Frame* outer, const Extent& count, Value parents, bool is_single,
                          Frame::Paths paths) {
  frames_.push_back(
      std::make_unique<Frame>(Frame{outer, count, parents, is_single, std::move(paths)}));
  return frames_.back().get();
}

const Frame* Frames::window(const Frame* outer, const Extent& count, Value begin) {
  return make(outer, count, integers.count_from(begin, count));
}

/// The starts of a box that begins at row `begin`.
static Values row_starts(Integers& integers, Value x, Value begin) {
  Values starts{begin};
  while (starts.size() < ir::shape_of(x).size())
    starts.push_back(integers.constant(0));
  return starts;
}

Value Frames::put_window(Value x, Value rows, Value begin) {
  return ir::DynamicUpdateSliceOp::create(b, x.getType(), x, rows, row_starts(integers, x, begin));
}

static int64_t depth_of(const Frame* frame) {
  int64_t depth = 0;
  for (; frame->outer; frame = frame->outer)
    ++depth;
  return depth;
}

const Frame* Frames::inner(const Frame* a, const Frame* b) {
  return depth_of(a) >= depth_of(b) ? a : b;
}

Value Frames::path(const Frame* frame, const Frame* outer) {
  Value places;
  for (const Frame* at = frame; at != outer;) {
    KOLAM_CHECK(at->outer);
    std::pair<const Frame*, Value> step{at->outer, at->parents};
    for (const auto& known : at->paths) // the furthest that does not leave `outer`
      if (depth_of(known.first) >= depth_of(outer) && depth_of(known.first) < depth_of(step.first))
        step = known;
    places = places ? integers.take(step.second, places) : step.second;
    at = step.first;
  }
  return places ? places : integers.iota(frame->count);
}

LevelRef Frames::make_level(Value lengths, const Extent& parents, std::optional<Extent> count) {
  if (Value length = integers.same(lengths); length && parents != Extent(1)) {
    Integers::Bound bound = integers.bound(length);
    return make_even_level(lengths, bound.value, parents, bound.extent);
  }
  if (parents == Extent(1))
    return make_only_level(lengths, count ? *count : integers.bind(integers.as_scalar(lengths)));
  Value offsets = integers.running_sum(lengths);
  if (!count)
    count = integers.bind(integers.row(offsets, integers.extent(parents)));
  return keep({parents, lengths, offsets, *count, integers.owners(offsets, *count)});
}

LevelRef Frames::make_only_level(Value length, const Extent& count) {
  Value offsets = language::concat(b, {integers.fill(1, 0), length}, 0);
  return keep({1, length, offsets, count, integers.fill(count, 0)});
}

LevelRef Frames::make_even_level(Value lengths, Value length, const Extent& parents,
                                 const Extent& extent) {
  const Extent count = parents * extent;
  Value offsets = integers.apply(Fn::multiply, integers.iota(parents + Extent(1)), length);
  return keep({parents, lengths, offsets, count,
               integers.number(length)
                   ? integers.apply(Fn::floor_divide, integers.iota(count), length)
                   : integers.owners(offsets, count)});
}

/// Places that count on from starts[i] for the elements of parent i.
static Value runs(Integers& integers, Value starts, Value own_starts, const Level& level) {
  if (level.parents == Extent(1))
    return integers.count_from(integers.as_scalar(starts), level.count);
  Value ahead = integers.take(integers.subtract(starts, own_starts), level.owners);
  return integers.add(ahead, integers.iota(level.count));
}

LevelRef Frames::keep(Level level) {
  levels_.push_back(std::make_shared<const Level>(std::move(level)));
  return levels_.back();
}

const Frame* Frames::elements_frame(const FlatList& list) {
  const Level& level = *list.levels[0];
  const Frame*& frame = element_frames_[{list.frame, &level}];
  if (!frame)
    frame = make(list.frame, level.count, level.owners);
  return frame;
}

FlatValue Frames::elements(const FlatList& list, const Frame* frame) {
  if (list.levels.size() > 1)
    return FlatList{frame, {list.levels.begin() + 1, list.levels.end()}, list.leaves, list.places};
  return FlatTensor{frame, leaves_of(list)};
}

FlatList Frames::list_of(const LevelRef& level, const Frame* of, const FlatValue& element,
                         const Frame* elements) {
  if (auto* inner = std::get_if<FlatList>(&element)) {
    FlatList brought = bring(*inner, elements);
    brought.levels.insert(brought.levels.begin(), level);
    brought.frame = of;
    return brought;
  }
  const auto& tensor = std::get<FlatTensor>(element);
  if (tensor.frame == elements)
    return {of, {level}, tensor.value, {}};
  // One row serves many elements.
  if (tensor.frame->is_single)
    return {of,
            {level},
            language::expand_dims(b, tensor.value, {0}),
            integers.fill(elements->count, 0)};
  return {of, {level}, tensor.value, path(elements, tensor.frame)};
}

FlatTensor Frames::bring(const FlatTensor& tensor, const Frame* frame) {
  if (tensor.frame == frame || tensor.frame->is_single)
    return {tensor.frame->is_single ? tensor.frame : frame, tensor.value};
  Value places = path(frame, tensor.frame);
  if (frame->is_single)
    return {frame, integers.row(tensor.value, integers.as_scalar(places))};
  return {frame, integers.take(tensor.value, places)};
}

FlatList Frames::bring(const FlatList& list, const Frame* frame) {
  if (list.frame == frame)
    return list;
  if (list.frame->is_single && frame->count == Extent(1))
    return {frame, list.levels, list.leaves, list.places};
  BroughtKey key{{}, frame, b.getInsertionBlock()};
  for (const LevelRef& level : list.levels)
    std::get<0>(key).push_back(level.get());
  auto found = brought_.find(key);
  if (found == brought_.end())
    found = brought_.emplace(key, structure(list, frame, path(frame, list.frame))).first;
  return with_structure(list, found->second, frame);
}

FlatList Frames::bring(const FlatList& list, const Frame* frame, Value instances) {
  return with_structure(list, structure(list, frame, instances), frame);
}

Frames::Brought Frames::structure(const FlatList& list, const Frame* frame, Value instances) {
  const Level& outer = *list.levels[0];
  LevelRef level = make_level(integers.take(outer.lengths, instances), frame->count);
  Value starts = integers.take(outer.offsets, instances);
  return select_structure(list, level, runs(integers, starts, starts_of(*level), *level));
}

FlatList Frames::with_structure(const FlatList& list, const Brought& structure,
                                const Frame* frame) {
  Value places = list.places ? integers.take(list.places, structure.places) : structure.places;
  return {frame, structure.levels, list.leaves, places};
}

FlatValue Frames::bring(const FlatValue& value, const Frame* frame) {
  if (auto* list = std::get_if<FlatList>(&value))
    return bring(*list, frame);
  return bring(std::get<FlatTensor>(value), frame);
}

Value Frames::padded(Value vector) { return language::concat(b, {vector, integers.fill(1, 0)}, 0); }

Value Frames::starts_of(const Level& level) {
  return language::slice_dim(b, level.offsets, 0, Extent(0), level.parents);
}

Batched Frames::batched(const FlatTensor& tensor, const Frame* frame) {
  FlatTensor brought = bring(tensor, frame);
  return {brought.value, !brought.frame->is_single};
}

Value Frames::each(const FlatTensor& tensor, const Frame* frame) {
  Batched operand = batched(tensor, frame);
  if (operand.is_each || frame->is_single)
    return operand.value;
  Shape shape = ir::shape_of(operand.value);
  shape.insert(shape.begin(), frame->count);
  return language::broadcast_to(b, operand.value, shape);
}

FlatList Frames::select(const FlatList& list, const LevelRef& level, Value places,
                        const Frame* frame, const Shape& counts) {
  return with_structure(list, select_structure(list, level, places, counts), frame);
}

Frames::Brought Frames::select_structure(const FlatList& list, const LevelRef& level, Value places,
                                         const Shape& counts) {
  Brought result{{level}, places};
  for (size_t depth = 1; depth < list.levels.size(); ++depth) {
    const Level& old = *list.levels[depth];
    const Extent count = result.levels.back()->count;
    Value lengths = integers.take(old.lengths, result.places);
    LevelRef next = make_level(
        lengths, count, depth <= counts.size() ? std::optional(counts[depth - 1]) : std::nullopt);
    Value starts = integers.take(old.offsets, result.places);
    result.places = runs(integers, starts, starts_of(*next), *next);
    result.levels.push_back(next);
  }
  return result;
}

bool Frames::is_counted(const FlatList& list) {
  return list.levels.size() == 1 &&
         (!list.places || integers.is_counted(list.places, list.levels[0]->owners));
}

Value Frames::counted_places(const FlatList& list, Value elements, Value lists) {
  if (!list.places)
    return elements;
  const LevelRef& level = list.levels[0];
  know_elements(level, elements, lists, integers.take(level->offsets, lists));
  return integers.take(list.places, elements);
}

std::pair<Value, Value> Frames::leaves_of_both(const FlatList& first, const FlatList& second) {
  if (first.leaves == second.leaves) // parts of one list
    return {first.leaves, integers.constant(0)};
  return {language::concat(b, {first.leaves, second.leaves}, 0),
          integers.extent(ir::shape_of(first.leaves)[0])};
}

FlatList Frames::both_of(const FlatList& first, const FlatList& second) {
  auto [leaves, rows] = leaves_of_both(first, second);
  FlatList both{first.frame, {nullptr}, leaves, {}};
  for (size_t depth = 1; depth < first.levels.size(); ++depth) {
    const Level &x = *first.levels[depth], &y = *second.levels[depth];
    Value offsets =
        language::concat(b, {starts_of(x), integers.add(y.offsets, integers.extent(x.count))}, 0);
    both.levels.push_back(keep(
        {x.parents + y.parents, language::concat(b, {x.lengths, y.lengths}, 0), offsets,
         x.count + y.count,
         language::concat(b, {x.owners, integers.add(y.owners, integers.extent(x.parents))}, 0)}));
  }
  Value behind = integers.add(places_of(second), rows);
  both.places = language::concat(b, {places_of(first), behind}, 0);
  return both;
}

/// The level that stands for a group.
static const Level* representative(const std::map<const Level*, const Level*>& equal,
                                   const Level* level) {
  for (auto found = equal.find(level); found != equal.end(); found = equal.find(level))
    level = found->second;
  return level;
}

bool Frames::are_equal(const LevelRef& a, const LevelRef& b) const {
  bool are_alone = a->parents == Extent(1) && b->parents == Extent(1);
  return a->lengths == b->lengths || (are_alone && a->count == b->count) ||
         representative(equal_, a.get()) == representative(equal_, b.get());
}

void Frames::set_equal(const LevelRef& a, const LevelRef& b) {
  if (!are_equal(a, b))
    equal_[representative(equal_, a.get())] = representative(equal_, b.get());
}

void Frames::know_elements(const LevelRef& level, Value elements, Value lists, Value starts) {
  for (const LevelRef& other : levels_)
    if (other->parents == level->parents && are_equal(other, level)) {
      integers.know(other->owners, elements, lists);
      integers.know(other->offsets, lists, starts);
    }
}

FlatList Frames::with_level(const FlatList& list, const LevelRef& level) {
  FlatList result = list;
  result.levels[0] = level;
  const Extent& count = level->count;
  if (list.places && list.levels[0]->owners != level->owners && is_counted(list)) {
    Value all = integers.iota(count); // whose each is says the other level
    integers.know(list.levels[0]->owners, all, level->owners);
    result.places = integers.take(list.places, all);
    return result;
  }
  if (list.levels[0]->count == count)
    return result;
  auto with_rows = [&](Value value, const Extent& rows) {
    Shape shape = ir::shape_of(value);
    if (shape[0].is_constant() && rows.is_constant()) // unequal, as a check says when run
      shape[0] = integers.bind(integers.extent(shape[0]));
    value = language::with_shape(b, value, shape);
    shape[0] = rows;
    return language::with_shape(b, value, shape);
  };
  if (list.levels.size() > 1) {
    Level next = *list.levels[1];
    next.parents = count;
    next.lengths = with_rows(next.lengths, count);
    next.offsets = with_rows(next.offsets, count + Extent(1));
    result.levels[1] = keep(std::move(next));
    set_equal(result.levels[1], list.levels[1]);
  } else if (list.places) {
    result.places = with_rows(list.places, count);
  } else {
    result.leaves = with_rows(list.leaves, count);
  }
  return result;
}

Value Frames::places_of(const FlatList& list) {
  return list.places ? list.places : integers.iota(list.levels.back()->count);
}

Value Frames::leaves_of(const FlatList& list) {
  return list.places ? integers.take(list.leaves, list.places) : list.leaves;
}

} // namespace kolam::transform::lists
