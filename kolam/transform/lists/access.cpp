// kolam.access: places from expressions.
#include "kolam/transform/lists/convert.h"

#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/reshape.h"

namespace kolam::transform::lists {
namespace {

/// Vectors by the names that expressions use.
using Names = std::map<std::string, Value>;

Value divide(Integers& integers, Value x, Value y) {
  Value zero = integers.constant(0);
  return language::elementwise(
      integers.b, Fn::where,
      {integers.apply(Fn::greater, y, zero), integers.apply(Fn::floor_divide, x, y), zero});
}

Value evaluate(Integers& integers, const Extent& expression, const Names& names) {
  Value zero = integers.constant(0);
  return expression.visit<Value>([&](int64_t value) { return integers.constant(value); },
                                 [&](const std::string& symbol) { return names.at(symbol); },
                                 [&](char op, Value x, Value y) {
                                   switch (op) {
                                   case '+':
                                     return integers.add(x, y);
                                   case '*':
                                     return integers.apply(Fn::multiply, x, y);
                                   case 'f':
                                     return divide(integers, x, y);
                                   case 'c':
                                     return integers.subtract(
                                         zero, divide(integers, integers.subtract(zero, x), y));
                                   case 'm':
                                     return integers.apply(Fn::minimum, x, y);
                                   default:
                                     return integers.apply(Fn::maximum, x, y);
                                   }
                                 });
}

/// `expression` for `count` places, as a vector.
Value evaluate(Integers& integers, const Extent& expression, const Names& names,
               const Extent& count) {
  return integers.add(evaluate(integers, expression, names), integers.fill(count, 0));
}

/// What the names stand for at the elements of a level, and the number of each in its list.
Names inside(Integers& integers, const Names& outer, const Level& level, const std::string& j) {
  Names names;
  for (const auto& [name, value] : outer)
    names[name] = integers.take(value, level.owners);
  names[j] =
      integers.subtract(integers.iota(level.count), integers.take(level.offsets, level.owners));
  return names;
}

/// Whether windows of a known length that begin at multiples of `stride` are as many as fit.
bool are_windows_inside(const Extent& index, const Shape& lengths) {
  const Extent j0 = Extent::symbol("j0"), j1 = Extent::symbol("j1"), L = Extent::symbol("L");
  auto at = [&](int64_t i, int64_t j) {
    return index.substitute({{"j0", Extent(i)}, {"j1", Extent(j)}}).constant();
  };
  std::optional<int64_t> count = lengths[1].constant(), first = at(0, 0), second = at(0, 1),
                         below = at(1, 0);
  constexpr int64_t kMost = 1 << 30; // bound: sums of two are numbers of 32 bits
  if (count.value_or(0) < 1 || *count > kMost || second.value_or(-1) > kMost || first != 0 ||
      second.value_or(-1) < 0 || below.value_or(0) < 1 ||
      !(index == Extent(*below) * j0 + Extent(*second) * j1))
    return false;
  const Extent span = Extent(*count - 1) * Extent(*second) + Extent(1);
  return lengths[0] == floordiv(L - span, Extent(*below)) + Extent(1); // none where that is below 0
}

/// Whether an index is a place of a dim that is as long as the source, or of windows inside it.
bool is_surely_inside(const Extent& index, const Shape& lengths) {
  for (auto [dim, length] : llvm::enumerate(lengths))
    if (index == Extent::symbol("j" + std::to_string(dim)) && length == Extent::symbol("L"))
      return true;
  return lengths.size() == 2 && are_windows_inside(index, lengths);
}

/// Whether the places of neighbours are equally far apart, so that the first and the last are the
/// outermost.
bool goes_by_steps(const Extent& index) {
  const Extent j0 = Extent::symbol("j0");
  return (index.substitute({{"j0", j0 + Extent(1)}}) - index).is_constant();
}

bool names_symbol(const Extent& expression, const char* name) {
  return expression.symbols().contains(name);
}

/// The new dim whose index the place in the source does not name, where the other is the source's:
/// all its elements are there as often as that dim is long.
std::optional<size_t> repeating_dim(const Shape& lengths, const Shape& index) {
  if (lengths.size() != 2 || index.size() != 1 || names_symbol(lengths[1], "j0"))
    return std::nullopt;
  const Extent j0 = Extent::symbol("j0"), j1 = Extent::symbol("j1"), L = Extent::symbol("L");
  if (index[0] == j1 && lengths[1] == L)
    return 0;
  if (index[0] == j0 && lengths[0] == L)
    return 1;
  return std::nullopt;
}

/// How many elements of a result are known before any place in it is.
struct Ahead {
  Value length;                 ///< of the second dim, where it is one for all
  std::optional<Extent> each;   ///< the same
  std::optional<Extent> second; ///< of the second dim in all, else
  Shape below;                  ///< of the levels below the new dims
};

/// Binds them, so that more than memory holds is refused before any of it is made. `length_of` are
/// the lengths of a new dim, at least 0, for so many instances.
Ahead counted_ahead(Frames& frames, const FlatList& given, const Shape& lengths, const Shape& index,
                    llvm::function_ref<Value(size_t, const Extent&)> length_of,
                    const Extent& instances) {
  Integers& integers = frames.integers;
  auto bind_sum_of_products = [&](Value x, Value y) {
    return integers.bind(integers.sum(integers.apply(Fn::multiply, x, y)));
  };
  Ahead ahead;
  if (lengths.size() == 2 && !names_symbol(lengths[1], "j0") && instances == Extent(1)) {
    Value length = length_of(1, instances), same = integers.same(length);
    Integers::Bound bound = integers.bound(same ? same : integers.as_scalar(length));
    ahead.length = bound.value;
    ahead.each = bound.extent;
  } else if (lengths.size() == 2 && !names_symbol(lengths[1], "j0")) {
    ahead.second = bind_sum_of_products(length_of(0, instances), length_of(1, instances));
  }
  std::optional<size_t> repeating = repeating_dim(lengths, index);
  if (!repeating)
    return ahead;
  Value times = length_of(*repeating, instances);
  Value begin = frames.starts_of(*given.levels[0]);
  Value end = integers.add(begin, given.levels[0]->lengths);
  for (const LevelRef& level : llvm::drop_begin(given.levels)) {
    begin = integers.take(level->offsets, begin);
    end = integers.take(level->offsets, end);
    ahead.below.push_back(bind_sum_of_products(times, integers.subtract(end, begin)));
  }
  return ahead;
}

Value is_between(Integers& integers, Value x, Value end) {
  return integers.apply(Fn::logical_and, integers.apply(Fn::greater_equal, x, integers.constant(0)),
                        integers.apply(Fn::less, x, end));
}

} // namespace

void Conversion::convert_op(ir::AccessOp op, const Frame*, Environment& values) {
  FlatList given = list(op.getList(), values);
  FlatValues scalars = get(op.getScalars(), values);
  const Frame* at = Frames::inner(given.frame, innermost(scalars));
  if (op.getPad())
    at = Frames::inner(at, tensor(op.getPad(), values).frame);
  given = frames.bring(given, at);
  const Level& source = *given.levels[0];

  Names names{{"L", source.lengths}, {"$i", integers.iota(at->count)}};
  for (auto [number, scalar] : llvm::enumerate(scalars)) {
    Value value = frames.each(std::get<FlatTensor>(scalar), at);
    names["a" + std::to_string(number)] = at->is_single ? integers.as_vector(value) : value;
  }
  if (op.getIndex().size() == 2)
    names["N"] =
        integers.subtract(integers.take(given.levels[1]->offsets,
                                        integers.add(frames.starts_of(source), source.lengths)),
                          integers.take(given.levels[1]->offsets, frames.starts_of(source)));

  Shape lengths = ir::AccessOp::expressions(op.getLengths()),
        index = ir::AccessOp::expressions(op.getIndex());
  auto length_of = [&](size_t dim, const Extent& count) {
    return integers.apply(Fn::maximum, evaluate(integers, lengths[dim], names, count),
                          integers.constant(0));
  };
  const Names per_list = names;
  const Ahead ahead = counted_ahead(frames, given, lengths, index, length_of, at->count);
  std::vector<LevelRef> levels;
  Extent parents = at->count;
  for (auto [dim, length] : llvm::enumerate(lengths)) {
    bool is_same = lengths.size() == 1 && index.size() == 1 && length == Extent::symbol("L");
    if (is_same)
      levels.push_back(given.levels[0]);
    else if (dim == 1 && ahead.each && parents != Extent(1))
      levels.push_back(
          frames.make_even_level(length_of(dim, parents), ahead.length, parents, *ahead.each));
    else
      levels.push_back(frames.make_level(length_of(dim, parents), parents,
                                         dim == 1 ? ahead.second : std::nullopt));
    parents = levels.back()->count;
    names = inside(integers, names, *levels.back(), "j" + std::to_string(dim));
  }

  Value instance = names.at("$i");
  Value i = evaluate(integers, index[0], names, parents);
  Value is_inside = is_between(integers, i, names.at("L"));
  Value places = integers.add(integers.take(source.offsets, instance), i);
  if (op.getPad()) {
    FlatTensor pad = tensor(op.getPad(), values);
    Value rows = integers.extent(ir::shape_of(given.leaves)[0]), padding = pad.value;
    if (pad.frame->is_single)
      padding = language::expand_dims(b, padding, {0});
    else
      rows = integers.add(rows, integers.take(frames.path(at, pad.frame), instance));
    Value zero = integers.constant(0);
    Value leaf = language::elementwise(b, Fn::where, {is_inside, places, zero});
    if (given.places) { // there may be none
      given.places = language::concat(b, {given.places, integers.fill(1, 0)}, 0);
      leaf = integers.take(given.places, leaf);
    }
    FlatList result{at, levels, language::concat(b, {given.leaves, padding}, 0), {}};
    result.places = language::elementwise(b, Fn::where, {is_inside, leaf, rows});
    values.insert_or_assign(op.getResult(), result);
    return;
  }
  if (!is_surely_inside(index[0], lengths)) {
    if (lengths.size() == 1 && goes_by_steps(index[0])) {
      Names of_list = per_list;
      auto is_inside_at = [&](Value j) {
        of_list["j0"] = j;
        return is_between(integers, evaluate(integers, index[0], of_list, at->count),
                          per_list.at("L"));
      };
      Value length = levels[0]->lengths, zero = integers.constant(0);
      is_inside = integers.apply(
          Fn::logical_or, integers.apply(Fn::equal, length, zero),
          integers.apply(Fn::logical_and, is_inside_at(zero),
                         is_inside_at(integers.subtract(length, integers.constant(1)))));
    }
    integers.check(is_inside, "list-index", "expected an index into the list, but got one outside");
  }
  if (index.size() == 2) {
    const Level& inner = *given.levels[1];
    Value second = evaluate(integers, index[1], names, parents);
    integers.check(is_between(integers, second, integers.take(inner.lengths, places)),
                   "list-lengths",
                   "expected f to give lists as long as it takes, but got one of another length");
    places = integers.add(integers.take(inner.offsets, places), second);
    given.levels.erase(given.levels.begin());
  }
  FlatList result = frames.select(given, levels.back(), places, at, ahead.below);
  if (levels.size() == 2)
    result.levels.insert(result.levels.begin(), levels[0]);
  values.insert_or_assign(op.getResult(), result);
}

} // namespace kolam::transform::lists
