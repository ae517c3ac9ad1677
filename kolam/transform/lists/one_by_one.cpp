// A list_map whose body can't be converted for all instances at once: a loop over them.
#include "kolam/transform/lists/carried.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/rename.h"

#include "kolam/language/broadcast.h"

namespace kolam::transform::lists {
/// Where the lists that instances give lie in the list of all.
struct Conversion::Assembly {
  LevelRef outer; ///< of the lists themselves
  Values first;   ///< i64 [instances]: where the elements of each begin, level by level
  Shape counts;   ///< of all elements, level by level
};

namespace {

/// Refuses results whose extents the body binds.
void require_one_shape(mlir::Region& body, mlir::Type leaf) {
  for (const Extent& extent : ir::shape_of(leaf))
    for (const std::string& symbol : extent.symbols())
      if (binds(body, symbol))
        throw Refusal{
            "the results of its instances have other extents (give each as a list: unbind(x))"};
}

/// A tensor with a leading dim of one.
Value as_row(Builder& b, Value tensor) {
  Shape shape = ir::shape_of(tensor);
  shape.insert(shape.begin(), Extent(1));
  return language::with_shape(b, tensor, shape);
}

} // namespace

FlatValues Conversion::convert_instance(mlir::Region& body, const FlatValues& arguments,
                                        const Frame* inner, Value i) {
  auto inside = frames.inside(); // the body of a loop
  const Frame* single = frames.make(inner, 1, integers.as_vector(i), true);
  FlatValues own;
  for (const FlatValue& argument : arguments)
    own.push_back(frame_of(argument)->is_single ? argument : frames.bring(argument, single));
  FlatValues yields = convert_block(body.front(), own, single);
  for (FlatValue& yield : yields)
    if (auto* list = std::get_if<FlatList>(&yield))
      yield = frames.bring(*list, single);
  return yields;
}

/// How many elements each instance's lists have, from a run of the body for its structure alone.
std::vector<Conversion::Assembly>
Conversion::assemblies(mlir::Region& body, const FlatValues& arguments, const Frame* inner) {
  std::vector<int64_t> depths;
  Values inits;
  for (mlir::Type type : body.front().getTerminator()->getOperandTypes()) {
    auto list = llvm::dyn_cast<ir::ListType>(type);
    depths.push_back(list ? list.depth() : 0);
    for (int64_t level = 0; level < depths.back(); ++level)
      inits.push_back(integers.fill(inner->count, 0));
  }
  std::vector<Assembly> result(depths.size());
  if (inits.empty())
    return result;
  auto copy = renamed(body, integers);
  Values counts = independent_loop(
      integers, integers.constant(0), integers.extent(inner->count), inits,
      [&](Value i, const Values& old) {
        Values next;
        for (const FlatValue& yield : convert_instance(*copy, arguments, inner, i))
          if (auto* list = std::get_if<FlatList>(&yield))
            for (const LevelRef& level : list->levels)
              next.push_back(frames.put_window(
                  old[next.size()], integers.as_vector(integers.extent(level->count)), i));
        return next;
      });
  auto count = counts.begin();
  for (size_t number = 0; number < depths.size(); ++number)
    for (int64_t level = 0; level < depths[number]; ++level, ++count) {
      LevelRef elements = frames.make_level(*count, inner->count);
      if (level == 0)
        result[number].outer = elements;
      result[number].first.push_back(elements->offsets);
      result[number].counts.push_back(elements->count);
    }
  return result;
}

FlatValues Conversion::convert_one_by_one(mlir::Region& body, const FlatValues& arguments,
                                          const Frame* inner) {
  std::vector<Assembly> lists = assemblies(body, arguments, inner);
  mlir::TypeRange types = body.front().getTerminator()->getOperandTypes();
  Values inits;
  for (auto [number, type] : llvm::enumerate(types)) {
    const Assembly& assembly = lists[number];
    auto list = llvm::dyn_cast<ir::ListType>(type);
    for (size_t level = 1; level < assembly.counts.size(); ++level)
      inits.push_back(integers.fill(assembly.counts[level - 1], 0));
    mlir::Type leaf = list ? mlir::Type(list.leaf()) : type;
    require_one_shape(body, leaf);
    Shape shape = ir::shape_of(leaf);
    shape.insert(shape.begin(), list ? assembly.counts.back() : inner->count);
    inits.push_back(empty(b, ir::dtype_of(leaf), shape));
  }
  Values filled =
      independent_loop(integers, integers.constant(0), integers.extent(inner->count), inits,
                       [&](Value i, const Values& old) {
                         Values next;
                         auto put = [&](Value rows, Value first) {
                           next.push_back(frames.put_window(old[next.size()], rows, first));
                         };
                         FlatValues yields = convert_instance(body, arguments, inner, i);
                         for (auto [number, yield] : llvm::enumerate(yields)) {
                           if (auto* tensor = std::get_if<FlatTensor>(&yield)) {
                             put(as_row(b, tensor->value), i);
                             continue;
                           }
                           const auto& list = std::get<FlatList>(yield);
                           const Values& first = lists[number].first;
                           for (size_t level = 1; level < list.levels.size(); ++level)
                             put(list.levels[level]->lengths, integers.row(first[level - 1], i));
                           put(frames.leaves_of(list), integers.row(first.back(), i));
                         }
                         return next;
                       });
  FlatValues results;
  auto value = filled.begin();
  for (auto [number, type] : llvm::enumerate(types)) {
    const Assembly& assembly = lists[number];
    if (!assembly.outer) {
      results.push_back(FlatTensor{inner, *value++});
      continue;
    }
    FlatList list{inner, {assembly.outer}, {}, {}};
    for (size_t level = 1; level < assembly.counts.size(); ++level)
      list.levels.push_back(frames.make_level(*value++, list.levels.back()->count));
    Shape shape = ir::shape_of(*value);
    shape[0] = list.levels.back()->count;
    list.leaves = language::with_shape(b, *value++, shape);
    results.push_back(list);
  }
  return results;
}

/// The body runs once for each instance, in order: what it gives goes behind what those before
/// gave.
FlatValues Conversion::convert_in_one_pass(mlir::Region& body, const FlatValues& arguments,
                                           const Frame* inner) {
  mlir::TypeRange types = body.front().getTerminator()->getOperandTypes();
  CarriedValues inits;
  for (mlir::Type type : types) {
    auto list = llvm::dyn_cast<ir::ListType>(type);
    require_one_shape(body, list ? mlir::Type(list.leaf()) : type);
    if (list) {
      add_log(inits, list, frames);
      continue;
    }
    Shape shape = ir::shape_of(type);
    shape.insert(shape.begin(), inner->count);
    inits.add(empty(b, ir::dtype_of(type), shape), Carry::fixed);
  }
  auto turn = [&](Value i, const Values& old) {
    CarriedValues next;
    for (const FlatValue& yield : convert_instance(body, arguments, inner, i))
      if (auto* list = std::get_if<FlatList>(&yield))
        append_list(next, *list, frames);
      else
        next.add(frames.put_window(old[next.values.size()],
                                   as_row(b, std::get<FlatTensor>(yield).value), i),
                 Carry::fixed);
    return next.values;
  };
  Values filled = resizing_loop(integers, integers.constant(0), integers.extent(inner->count),
                                inits.values, inits.carries, turn);
  FlatValues results;
  auto next = filled.cbegin();
  for (mlir::Type type : types)
    if (auto list = llvm::dyn_cast<ir::ListType>(type))
      results.push_back(take_list(next, list.depth(), inner->count, inner, frames));
    else
      results.push_back(FlatTensor{inner, *next++});
  return results;
}

} // namespace kolam::transform::lists
