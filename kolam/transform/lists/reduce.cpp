// kolam.list_reduce: numbers by one op; else chunks from left to right, then pairs of chunks.
#include "kolam/transform/lists/combined_rows.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/host_calls.h"
#include "kolam/transform/lists/loop_states.h"
#include "kolam/transform/lists/rename.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::lists {

void Conversion::convert_op(ir::ListReduceOp op, const Frame*, Environment& values) {
  if (calls_host(op))
    throw Refusal{"a function of the host is called once for each instance, and a reduction merges "
                  "its chunks side by side"};
  Attempt attempt(*this);
  try {
    convert_reduce(op, Lengths::stay, values);
  } catch (const LengthsChange&) {
    attempt.undo();
    note(op, "its state is allocated at each step, as its lengths may change");
    convert_reduce(op, Lengths::change, values);
  }
}

void Conversion::convert_reduce(ir::ListReduceOp op, Lengths kept, Environment& values) {
  FlatValues inits = get(op.getInits(), values), captures = get(op.getCaptures(), values);
  std::vector<FlatList> lists = zipped(op.getLists(), values);
  const Frame* frame =
      Frames::inner(lists[0].frame, Frames::inner(innermost(inits), innermost(captures)));
  const bool by_cells = combines_cells(op);
  if (by_cells && frame->is_single)
    return reduce_one_list(op, brought(std::move(lists), frame), inits, values);
  // One instance becomes a row like those of many.
  const Frame* at = frame->is_single ? frames.make(frame, 1, integers.fill(1, 0)) : frame;
  lists = brought(std::move(lists), at);
  const Level& level = *lists[0].levels[0];
  Value one = integers.constant(1), zero = integers.constant(0),
        size = integers.constant(kReduceChunk);
  std::vector<std::unique_ptr<mlir::Region>> bodies; // each place binds symbols of its own
  auto merge = [&](FlatValues left, const FlatValues& right, const Frame* part) {
    left.insert(left.end(), right.begin(), right.end());
    left.insert(left.end(), captures.begin(), captures.end());
    bodies.push_back(renamed(op.getBody(), integers));
    return convert_batch(op, *bodies.back(), left, part);
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

  auto set_results = [&](const FlatValues& results) {
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      values.insert_or_assign(result, frame == at ? value : unwrapped(value, frame));
  };
  if (std::optional<int64_t> length =
          by_cells ? integers.number(integers.same(level.lengths)) : std::nullopt;
      length && *length >= 1) {
    FlatValues results;
    for (Value value : combine_even_rows(frames, op, lists, Extent(*length)))
      results.push_back(FlatTensor{at, value});
    return set_results(inits.empty() ? results : merge(inits, results, at));
  }
  // Of what is combined so far: results where there are elements, else the initial states.
  auto with_inits = [&](Value counts, llvm::function_ref<FlatValues(Value, const Frame*)> rows) {
    if (inits.empty()) {
      require_elements(counts);
      return rows(nullptr, at);
    }
    LoopStates merged(frames, inits, at, kept);
    const Frame* part = part_of(integers.apply(Fn::greater, counts, zero), at);
    FlatValues right = rows(part->parents, part);
    FlatValues old = merged.get(merged.first().values);
    return merged.get(merged.put(old, merge(old, right, part), part).values);
  };
  if (by_cells) {
    FlatValues combined;
    for (Value value : combine_segments(frames, op, lists))
      combined.push_back(FlatTensor{at, value});
    return set_results(with_inits(level.lengths, [&](Value places, const Frame* part) {
      return places ? rows_of(combined, places, part) : combined;
    }));
  }

  // Chunk q is number r of its list.
  Value counts = integers.apply(
      Fn::floor_divide, integers.add(level.lengths, integers.constant(kReduceChunk - 1)), size);
  LevelRef chunks = frames.make_level(counts, at->count);
  const Frame* of_chunks = frames.make(at, chunks->count, chunks->owners);
  Value instance = chunks->owners;
  Value r =
      integers.subtract(integers.iota(chunks->count), integers.take(chunks->offsets, instance));
  Value begin = integers.apply(Fn::multiply, r, size);
  Value first = integers.add(integers.take(level.offsets, instance), begin);
  Value lengths = integers.apply(Fn::minimum, size,
                                 integers.subtract(integers.take(level.lengths, instance), begin));
  FlatValues begun = elements_at(first, of_chunks);
  LoopStates states(frames, begun, of_chunks, kept);
  auto turns = [&](Value begin, Value end, const Values& from, auto&& part_and_right) {
    return resizing_loop(integers, begin, end, from, states.first().carries,
                         [&](Value turn, const Values& carried) {
                           auto inside = frames.inside();
                           FlatValues old = states.get(carried);
                           auto [part, right] = part_and_right(turn, old);
                           return states.put(old, merge(old, right, part), part).values;
                         });
  };
  Values carried = states.first().values;
  carried = turns(one, integers.largest(lengths), carried, [&](Value j, const FlatValues&) {
    const Frame* part = part_of(integers.apply(Fn::greater, lengths, j), of_chunks);
    Value places = integers.add(integers.take(first, part->parents), j);
    return std::pair(part, elements_at(places, part));
  });

  // Round k merges chunks that are 2^k apart; one without a partner stays.
  Value bits = language::elementwise(b, Fn::bitwise_left_shift, {one, integers.iota(62)});
  Value rounds = integers.sum(
      language::cast(b, integers.apply(Fn::less, bits, integers.largest(counts)), DType::i64));
  carried = turns(zero, rounds, carried, [&](Value k, const FlatValues& old) {
    Value stride = integers.apply(Fn::bitwise_left_shift, one, k);
    Value below_pair = integers.subtract(integers.add(stride, stride), one); // of powers of two
    Value is_left = integers.apply(Fn::equal, integers.apply(Fn::bitwise_and, r, below_pair), zero);
    Value has_right =
        integers.apply(Fn::less, integers.add(r, stride), integers.take(counts, instance));
    const Frame* part = part_of(integers.apply(Fn::logical_and, is_left, has_right), of_chunks);
    return std::pair(part, rows_of(old, integers.add(part->parents, stride), part));
  });

  Value starts = frames.starts_of(*chunks);
  set_results(with_inits(counts, [&](Value places, const Frame* part) {
    return rows_of(states.get(carried), places ? integers.take(starts, places) : starts, part);
  }));
}

void Conversion::require_elements(Value counts) {
  integers.check(integers.apply(Fn::greater, counts, integers.constant(0)), "list-empty",
                 "expected an element or an initial value, but got an empty list");
}

/// Numbers of one list: a reduction in the order that kolam.reduce has.
void Conversion::reduce_one_list(ir::ListReduceOp op, const std::vector<FlatList>& lists,
                                 const FlatValues& inits, Environment& values) {
  const Frame* frame = lists[0].frame;
  Value count = integers.extent(lists[0].levels[0]->count);
  FlatValues results;
  for (Value value : combine_all(frames, op, lists))
    results.push_back(FlatTensor{frame, value});
  if (inits.empty()) {
    require_elements(count);
  } else {
    FlatValues both(inits);
    both.insert(both.end(), results.begin(), results.end());
    results = convert_batch(op, op.getBody(), both, frame);
    Value has_some = integers.apply(Fn::greater, count, integers.constant(0));
    for (auto [result, init] : llvm::zip(results, inits)) {
      Value& value = std::get<FlatTensor>(result).value;
      value =
          language::elementwise(b, Fn::where, {has_some, value, std::get<FlatTensor>(init).value});
    }
  }
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    values.insert_or_assign(result, value);
}

FlatValues Conversion::rows_of(const FlatValues& values, Value rows, const Frame* frame) {
  FlatValues result;
  for (const FlatValue& value : values)
    if (auto* list = std::get_if<FlatList>(&value))
      result.push_back(frames.bring(*list, frame, rows));
    else
      result.push_back(FlatTensor{frame, integers.take(std::get<FlatTensor>(value).value, rows)});
  return result;
}

FlatValue Conversion::unwrapped(const FlatValue& value, const Frame* single) {
  if (auto* list = std::get_if<FlatList>(&value))
    return FlatList{single, list->levels, list->leaves, list->places};
  return FlatTensor{single, integers.row(std::get<FlatTensor>(value).value, integers.constant(0))};
}

} // namespace kolam::transform::lists
