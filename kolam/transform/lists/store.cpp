// Keeps states in tensors.
#include "kolam/transform/lists/store.h"
#include "kolam/transform/lists/loop.h"

#include "kolam/language/broadcast.h"

namespace kolam::transform::lists {
namespace {

Value empty_rows(Builder& b, mlir::Type like, const Extent& count, bool has_rows) {
  Shape shape = ir::shape_of(like);
  if (has_rows)
    shape.erase(shape.begin());
  shape.insert(shape.begin(), count);
  return empty(b, ir::dtype_of(like), shape);
}

/// Throws LengthsChange unless the levels are surely of the same lengths.
void require_same(Frames& frames, const LevelRef& expected, const LevelRef& actual) {
  if (!frames.are_equal(expected, actual))
    throw LengthsChange();
}

} // namespace

Store::Store(Frames& frames, const FlatValue& value, const Frame* frame)
    : frames_(frames), frame_(frame) {
  FlatValue brought = frames.bring(value, frame);
  if (auto* list = std::get_if<FlatList>(&brought)) {
    levels_ = list->levels;
    first_ = frames.leaves_of(*list);
  } else {
    first_ = frames.each(std::get<FlatTensor>(brought), frame);
  }
}

FlatValue Store::get(Value carried) const {
  if (levels_.empty())
    return FlatTensor{frame_, carried};
  return FlatList{frame_, levels_, carried, {}};
}

Value Store::carried(const FlatValue& states) {
  auto* list = std::get_if<FlatList>(&states);
  return list ? list->leaves : std::get<FlatTensor>(states).value;
}

Value Store::leaves_of(const FlatList& list, llvm::ArrayRef<LevelRef> levels) const {
  for (auto [expected, actual] : llvm::zip(levels, list.levels))
    require_same(frames_, expected, actual);
  Value leaves = frames_.leaves_of(list);
  Shape shape = ir::shape_of(leaves);
  shape[0] = levels.back()->count;
  return language::with_shape(frames_.b, leaves, shape);
}

Value Store::put(const FlatValue& states) const {
  if (auto* list = std::get_if<FlatList>(&states))
    return leaves_of(frames_.bring(*list, frame_), levels_);
  return frames_.each(std::get<FlatTensor>(states), frame_);
}

Value Store::put(Value carried, const FlatValue& states, const Frame* part) const {
  if (auto* list = std::get_if<FlatList>(&states)) {
    FlatList old = frames_.bring(std::get<FlatList>(get(carried)), part);
    Value leaves = leaves_of(frames_.bring(*list, part), old.levels);
    return frames_.integers.put(carried, leaves, old.places);
  }
  return frames_.integers.put(carried, frames_.each(std::get<FlatTensor>(states), part),
                              frames_.path(part, frame_));
}

History::History(Frames& frames, const LevelRef& level, const FlatValue& state, const Frame* frame)
    : frames_(frames), frame_(frame), levels_{level} {
  if (auto* list = std::get_if<FlatList>(&state)) {
    const Frame* elements = frames.make(frame, level->count, level->owners);
    FlatList all = frames.bring(frames.bring(*list, frame), elements);
    levels_.insert(levels_.end(), all.levels.begin(), all.levels.end());
    first_ = empty_rows(frames.b, all.leaves.getType(), levels_.back()->count, true);
  } else {
    const auto& tensor = std::get<FlatTensor>(state);
    first_ = empty_rows(frames.b, tensor.value.getType(), level->count, !tensor.frame->is_single);
  }
}

Value History::put(Value carried, const FlatValue& states, Value elements,
                   const Frame* part) const {
  Integers& integers = frames_.integers;
  if (ir::shape_of(carried)[0] == Extent(0))
    return carried; // no step is ever taken
  auto* list = std::get_if<FlatList>(&states);
  if (!list) {
    Value rows = frames_.each(std::get<FlatTensor>(states), part);
    if (!part->is_single)
      return integers.put(carried, rows, elements);
    Values starts{integers.as_scalar(elements)};
    Shape shape = ir::shape_of(rows);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      starts.push_back(integers.constant(0));
    shape.insert(shape.begin(), Extent(1));
    Value row = language::with_shape(frames_.b, rows, shape);
    return ir::DynamicUpdateSliceOp::create(frames_.b, carried.getType(), carried, row, starts);
  }
  // Leaf r of the state of instance i goes r - (its first) behind the first of its step.
  FlatList brought = frames_.bring(*list, part);
  Value first = elements, own = integers.iota(part->count);
  for (size_t depth = 1; depth < levels_.size(); ++depth) {
    first = integers.take(levels_[depth]->offsets, first);
    own = integers.take(brought.levels[depth - 1]->offsets, own);
  }
  Value instance = brought.levels.back()->owners;
  for (size_t depth = brought.levels.size() - 1; depth-- > 0;)
    instance = integers.take(brought.levels[depth]->owners, instance);
  Value shift = integers.take(integers.subtract(first, own), instance);
  Value places = integers.add(shift, integers.iota(brought.levels.back()->count));
  return integers.put(carried, frames_.leaves_of(brought), places);
}

} // namespace kolam::transform::lists
