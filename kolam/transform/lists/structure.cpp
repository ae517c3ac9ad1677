// Ops that change the structure of lists, and those that ask for it.
#include "kolam/transform/lists/convert.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"

namespace kolam::transform::lists {
namespace {

/// offsets[1:] - offsets[:-1].
Value differences(Integers& integers, Value offsets, const Extent& count) {
  Builder& b = integers.b;
  return integers.subtract(language::slice_dim(b, offsets, 0, Extent(1), count),
                           language::slice_dim(b, offsets, 0, Extent(0), count));
}

/// Raises `[list-offsets]` unless offsets start at 0, never decrease and end with `count`.
void check_offsets(Integers& integers, Value offsets, const Extent& parents, const Extent& count) {
  Builder& b = integers.b;
  Value zero = integers.constant(0);
  Value rises = integers.apply(Fn::greater_equal, differences(integers, offsets, parents), zero);
  Value starts = integers.apply(Fn::equal, integers.row(offsets, zero), zero);
  Value ends = integers.apply(Fn::equal, integers.row(offsets, integers.extent(parents)),
                              integers.extent(count));
  Value sound = integers.apply(Fn::logical_and, language::truth(b, rises, Fn::logical_and, {0}),
                               integers.apply(Fn::logical_and, starts, ends));
  integers.check(sound, "list-offsets",
                 "expected offsets that start at 0, never decrease and end with the number of the "
                 "next level's elements");
}

} // namespace

void Conversion::convert_op(ir::PackOp op, const Frame*, Environment& values) {
  FlatTensor leaves = tensor(op.getLeaves(), values);
  FlatValues offsets = get(op.getOffsets(), values);
  Extent leaf_count = integers.if_empty_bound(ir::shape_of(op.getLeaves())[0]);
  auto with_count = [&](Value value, size_t dim, const Extent& count) {
    Shape shape = ir::shape_of(value);
    shape[dim] = count;
    return language::with_shape(b, value, shape);
  };
  leaves.value = with_count(leaves.value, leaves.frame->is_single ? 0 : 1, leaf_count);
  if (!leaves.frame->is_single) {
    if (!offsets.empty())
      throw Refusal{"a list is packed of offsets for each element"};
    // As many leaves for each instance.
    const Extent& count = leaves.frame->count;
    Shape shape = ir::shape_of(leaves.value);
    shape[1] = shape[0] * shape[1];
    shape.erase(shape.begin());
    Value length = integers.extent(leaf_count);
    LevelRef level = frames.make_even_level(language::broadcast_to(b, length, {count}), length,
                                            count, leaf_count);
    values.insert_or_assign(
        op.getResult(),
        FlatList{leaves.frame, {level}, language::reshape(b, leaves.value, shape), {}});
    return;
  }
  FlatList list{leaves.frame, {}, leaves.value, {}};
  Extent parents = 1;
  auto count_at = [&](size_t level) {
    if (level == offsets.size())
      return leaf_count;
    return integers.if_empty_bound(ir::shape_of(op.getOffsets()[level])[0] - Extent(1));
  };
  for (size_t level = 0; level <= offsets.size(); ++level) {
    Extent count = count_at(level);
    if (level == 0) {
      list.levels.push_back(
          frames.make_only_level(integers.as_vector(integers.extent(count)), count));
    } else {
      const auto& given = std::get<FlatTensor>(offsets[level - 1]);
      if (!given.frame->is_single)
        throw Refusal{"a list is packed of offsets for each element"};
      Value starts = with_count(given.value, 0, parents + Extent(1));
      check_offsets(integers, starts, parents, count);
      list.levels.push_back(frames.keep({parents, differences(integers, starts, parents), starts,
                                         count, integers.owners(starts, count)}));
    }
    parents = count;
  }
  values.insert_or_assign(op.getResult(), list);
}

/// Rows of one length are the cells of a tensor with one more dim.
void Conversion::unpack_equal_rows(ir::UnpackOp op, const FlatList& given, Environment& values) {
  Value length = given.levels.size() == 1 ? integers.same(given.levels[0]->lengths) : Value();
  if (!length)
    throw Refusal{"a tensor has other extents for each element"};
  ir::BindExtentOp::create(b, length, llvm::cast<mlir::StringAttr>(op.getSymbols()[0]));
  Shape shape = ir::shape_of(op.getLeaves());
  shape.insert(shape.begin(), given.frame->count);
  values.insert_or_assign(
      op.getLeaves(),
      FlatTensor{given.frame, language::with_shape(b, frames.leaves_of(given), shape)});
}

void Conversion::convert_op(ir::UnpackOp op, const Frame*, Environment& values) {
  FlatList given = list(op.getList(), values);
  if (!given.frame->is_single)
    return unpack_equal_rows(op, given, values);
  for (auto [level, symbol] : llvm::enumerate(op.getSymbols()))
    ir::BindExtentOp::create(b, integers.extent(given.levels[level]->count),
                             llvm::cast<mlir::StringAttr>(symbol));
  auto bind = [&](Value result, Value value) {
    values.insert_or_assign(
        result, FlatTensor{given.frame, language::with_shape(b, value, ir::shape_of(result))});
  };
  bind(op.getLeaves(), frames.leaves_of(given));
  for (auto [number, offsets] : llvm::enumerate(op.getOffsets()))
    bind(offsets, given.levels[number + 1]->offsets);
}

void Conversion::convert_op(ir::ListLengthOp op, const Frame*, Environment& values) {
  FlatList given = list(op.getList(), values);
  Value lengths = given.levels[0]->lengths;
  values.insert_or_assign(
      op.getResult(),
      FlatTensor{given.frame, given.frame->is_single ? integers.as_scalar(lengths) : lengths});
}

/// Elements of a list of tensors, and zeros where a place is not inside.
FlatTensor Conversion::element_or_zeros(const FlatList& list, Value places, Value inside,
                                        const Frame* frame) {
  auto choose = [&](Value x, int64_t y) {
    return language::elementwise(b, Fn::where, {inside, x, integers.constant(y)});
  };
  if (list.places)
    places = integers.take(frames.padded(list.places), choose(places, 0));
  Shape shape = ir::shape_of(list.leaves);
  Value rows;
  if (shape[0] == Extent(0)) {
    shape[0] = frame->count;
    rows = language::broadcast_to(
        b, language::weak_constant(b, int64_t{0}, ir::dtype_of(list.leaves)), shape);
  } else {
    Value windows =
        language::gather(b, list.leaves, language::expand_dims(b, choose(places, -1), {1}),
                         {.dims = {0}, .lengths = {1}, .mode = "fill"});
    rows = language::squeeze(b, windows, language::Axes{1});
  }
  return {frame, frame->is_single ? integers.as_scalar(rows) : rows};
}

void Conversion::convert_op(ir::ListIndexOp op, const Frame* frame, Environment& values) {
  FlatList given = list(op.getList(), values);
  FlatTensor index = tensor(op.getIndex(), values);
  const Frame* at = Frames::inner(given.frame, index.frame);
  Value i = frames.each(index, at);
  if (at->is_single)
    i = integers.as_vector(i);
  Value instances = frames.path(at, given.frame);
  Value length = integers.take(given.levels[0]->lengths, instances);
  Value zero = integers.constant(0);
  Value from_front = language::elementwise(
      b, Fn::where, {integers.apply(Fn::less, i, zero), integers.add(i, length), i});
  Value inside =
      integers.apply(Fn::logical_and, integers.apply(Fn::greater_equal, from_front, zero),
                     integers.apply(Fn::less, from_front, length));
  Value places = integers.add(integers.take(given.levels[0]->offsets, instances), from_front);
  if (op->hasAttr("or_zeros")) {
    values.insert_or_assign(op.getResult(), element_or_zeros(given, places, inside, at));
    return;
  }
  integers.check(inside, "list-index", "expected an index into the list, but got one outside");
  values.insert_or_assign(op.getResult(), element(given, places, at));
}

void Conversion::convert_op(ir::ListPositionsOp op, const Frame*, Environment& values) {
  FlatList given = list(op.getList(), values);
  const Level& level = *given.levels[0];
  Value numbers =
      integers.subtract(integers.iota(level.count), integers.take(level.offsets, level.owners));
  values.insert_or_assign(op.getResult(), FlatList{given.frame, {given.levels[0]}, numbers, {}});
}

void Conversion::convert_op(ir::FlattenOp op, const Frame*, Environment& values) {
  FlatList given = list(op.getList(), values);
  const Level &outer = *given.levels[0], &inner = *given.levels[1];
  Value offsets = integers.take(inner.offsets, outer.offsets);
  given.levels.erase(given.levels.begin());
  given.levels[0] = frames.keep({outer.parents, differences(integers, offsets, outer.parents),
                                 offsets, inner.count, integers.take(outer.owners, inner.owners)});
  values.insert_or_assign(op.getResult(), given);
}

void Conversion::convert_op(ir::JoinOp op, const Frame*, Environment& values) {
  FlatValues flat = get(op.getLists(), values);
  const Frame* at = innermost(flat);
  FlatList joined = frames.bring(std::get<FlatList>(flat[0]), at);
  for (const FlatValue& value : llvm::ArrayRef(flat).drop_front()) {
    FlatList next = frames.bring(std::get<FlatList>(value), at);
    const Level &first = *joined.levels[0], &second = *next.levels[0];
    // One after the other in each numbering; then the elements are taken from both.
    LevelRef level = frames.make_level(integers.add(first.lengths, second.lengths), at->count);
    Value instance = level->owners;
    Value j =
        integers.subtract(integers.iota(level->count), integers.take(level->offsets, instance));
    Value length = integers.take(first.lengths, instance);
    Value in_first = integers.add(integers.take(first.offsets, instance), j);
    Value in_second =
        integers.add(integers.take(second.offsets, instance), integers.subtract(j, length));
    auto choose = [&](Value of_first, Value of_second) {
      return language::elementwise(b, Fn::where,
                                   {integers.apply(Fn::less, j, length), of_first, of_second});
    };
    if (frames.is_counted(joined) && frames.is_counted(next)) {
      Value of_first = frames.counted_places(joined, in_first, instance);
      Value of_second = frames.counted_places(next, in_second, instance);
      auto [leaves, behind] = frames.leaves_of_both(joined, next);
      joined = {at, {level}, leaves, choose(of_first, integers.add(of_second, behind))};
      continue;
    }
    FlatList both = frames.both_of(joined, next);
    Value behind = integers.extent(first.count);
    joined = frames.select(both, level, choose(in_first, integers.add(in_second, behind)), at);
  }
  values.insert_or_assign(op.getResult(), joined);
}

void Conversion::convert_op(ir::ListFilterOp op, const Frame*, Environment& values) {
  std::vector<FlatList> lists = zipped(op.getOperands(), values);
  const Level& level = *lists[0].levels[0];
  Value mask = frames.leaves_of(lists[1]);
  LevelRef next = frames.make_level(
      integers.segment_sums(language::cast(b, mask, DType::i64), level.offsets), level.parents);
  auto kept = [&](Value x) { return integers.kept(x, mask, next->count); };
  const FlatList& given = lists[0];
  FlatList result{given.frame, {next}, {}, {}};
  if (given.levels.size() == 1 && ir::rank_of(given.leaves) == 1)
    result.leaves = kept(frames.leaves_of(given));
  else
    result = frames.select(given, next, kept(integers.iota(level.count)), given.frame);
  values.insert_or_assign(op.getResult(), result);
}

} // namespace kolam::transform::lists
