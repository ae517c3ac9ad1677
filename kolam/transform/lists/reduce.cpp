// kolam.list_reduce: chunks of 64 from left to right, then pairs of chunks.
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"
#include "kolam/transform/lists/store.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::lists {
namespace {

constexpr int64_t kChunk = 64;

struct Stores {
  std::vector<Store> stores;

  Values first() const {
    Values values;
    for (const Store& store : stores)
      values.push_back(store.first());
    return values;
  }
  FlatValues get(const Values& carried) const {
    FlatValues values;
    for (auto [number, store] : llvm::enumerate(stores))
      values.push_back(store.get(carried[number]));
    return values;
  }
  Values put(const Values& carried, const FlatValues& states, const Frame* part) const {
    Values values;
    for (auto [number, store] : llvm::enumerate(stores))
      values.push_back(store.put(carried[number], states[number], part));
    return values;
  }
};

} // namespace

void Conversion::convert_op(ir::ListReduceOp op, const Frame*, Environment& values) {
  try {
    convert_reduce(op, values);
  } catch (const LengthsChange&) {
    throw Refusal{"the elements of a reduction are lists of other lengths than what they give"};
  }
}

void Conversion::convert_reduce(ir::ListReduceOp op, Environment& values) {
  FlatValues inits = get(op.getInits(), values), captures = get(op.getCaptures(), values);
  std::vector<FlatList> lists = zipped(op.getLists(), values);
  const Frame* frame =
      Frames::inner(lists[0].frame, Frames::inner(innermost(inits), innermost(captures)));
  // One instance becomes a row like those of many.
  const Frame* at = frame->is_single ? frames.make(frame, 1, integers.fill(1, 0)) : frame;
  lists = brought(std::move(lists), at);
  const Level& level = *lists[0].levels[0];
  Value one = integers.constant(1), zero = integers.constant(0), size = integers.constant(kChunk);
  auto merge = [&](FlatValues left, const FlatValues& right, const Frame* part) {
    left.insert(left.end(), right.begin(), right.end());
    left.insert(left.end(), captures.begin(), captures.end());
    return convert_block(op.getBody().front(), left, part);
  };
  auto elements_at = [&](Value places, const Frame* part) {
    FlatValues elements;
    for (const FlatList& list : lists)
      elements.push_back(element(list, places, part));
    return elements;
  };
  auto part_of = [&](Value mask, const Frame* whole) {
    Integers::Places chosen = integers.where(mask, whole->count);
    return frames.make(whole, chosen.count, chosen.places);
  };

  // Chunk q is number r of its list.
  Value counts = integers.apply(Fn::floor_divide,
                                integers.add(level.lengths, integers.constant(kChunk - 1)), size);
  LevelRef chunks = frames.make_level(counts, at->count);
  const Frame* of_chunks = frames.make(at, chunks->count, chunks->owners);
  Value instance = chunks->owners;
  Value r =
      integers.subtract(integers.iota(chunks->count), integers.take(chunks->offsets, instance));
  Value begin = integers.apply(Fn::multiply, r, size);
  Value first = integers.add(integers.take(level.offsets, instance), begin);
  Value lengths = integers.apply(Fn::minimum, size,
                                 integers.subtract(integers.take(level.lengths, instance), begin));
  Stores states;
  for (const FlatValue& element : elements_at(first, of_chunks))
    states.stores.emplace_back(frames, element, of_chunks);

  Values carried = loop(
      integers, one, integers.largest(lengths), states.first(), [&](Value j, const Values& old) {
        const Frame* part = part_of(integers.apply(Fn::greater, lengths, j), of_chunks);
        Value places = integers.add(integers.take(first, part->parents), j);
        return states.put(old, merge(states.get(old), elements_at(places, part), part), part);
      });

  // Round k merges chunks that are 2^k apart; one without a partner stays.
  Value bits = language::elementwise(b, Fn::bitwise_left_shift, {one, integers.iota(62)});
  Value rounds = integers.sum(
      language::cast(b, integers.apply(Fn::less, bits, integers.largest(counts)), DType::i64));
  carried = loop(integers, zero, rounds, carried, [&](Value k, const Values& old) {
    Value stride = integers.apply(Fn::bitwise_left_shift, one, k);
    Value is_left = integers.apply(
        Fn::equal, integers.apply(Fn::remainder, r, integers.add(stride, stride)), zero);
    Value has_right =
        integers.apply(Fn::less, integers.add(r, stride), integers.take(counts, instance));
    const Frame* part = part_of(integers.apply(Fn::logical_and, is_left, has_right), of_chunks);
    FlatValues right;
    for (const FlatValue& state : states.get(old))
      right.push_back(rows_of(state, integers.add(part->parents, stride), part));
    return states.put(old, merge(states.get(old), right, part), part);
  });

  Value starts = frames.starts_of(*chunks);
  FlatValues results;
  if (inits.empty()) {
    integers.check(integers.apply(Fn::greater, counts, zero), "list-empty",
                   "expected an element or an initial value, but got an empty list");
    for (const FlatValue& state : states.get(carried))
      results.push_back(rows_of(state, starts, at));
  } else {
    Stores merged;
    for (const FlatValue& init : inits)
      merged.stores.emplace_back(frames, init, at);
    const Frame* part = part_of(integers.apply(Fn::greater, counts, zero), at);
    FlatValues right;
    for (const FlatValue& state : states.get(carried))
      right.push_back(rows_of(state, integers.take(starts, part->parents), part));
    Values old = merged.first();
    results = merged.get(merged.put(old, merge(merged.get(old), right, part), part));
  }
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    values.insert_or_assign(result, frame == at ? value : unwrapped(value, frame));
}

FlatValue Conversion::rows_of(const FlatValue& value, Value rows, const Frame* frame) {
  if (auto* list = std::get_if<FlatList>(&value))
    return frames.bring(*list, frame, rows);
  return FlatTensor{frame, integers.take(std::get<FlatTensor>(value).value, rows)};
}

FlatValue Conversion::unwrapped(const FlatValue& value, const Frame* single) {
  if (auto* list = std::get_if<FlatList>(&value))
    return FlatList{single, list->levels, list->leaves, list->places};
  return FlatTensor{single, integers.row(std::get<FlatTensor>(value).value, integers.constant(0))};
}

} // namespace kolam::transform::lists
