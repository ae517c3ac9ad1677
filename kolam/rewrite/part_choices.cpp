// Reductions by monoids of the user: states of parts, merged by trees.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/reduction.h"
#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/rewrite/choice_parts.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::rewrite {
namespace {

using language::Axes;
using language::Builder;
using language::copy_of;
using language::Monoid;
using language::Values;
using mlir::Operation;
using mlir::Value;
using space::Box;

std::unique_ptr<mlir::Region> identity_region(Builder& b, const std::vector<DType>& states) {
  llvm::SmallVector<mlir::Type> types;
  for (DType dtype : states)
    types.push_back(language::tensor_type(b, dtype, {}));
  return language::make_region(b, types, [](const Values& given) { return given; });
}

/// A reduction of one or several values by regions.
struct ByRegions {
  Operation* at;
  ir::ReduceOp op() const { return llvm::cast<ir::ReduceOp>(at); }
  ir::Reduction reduction;
  int64_t dim = 0; ///< the first reduced one with more than one element: parts of it are neighbours
};

std::optional<ByRegions> by_regions(Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || !is_plain(op) || reduce.getMerge().empty())
    return std::nullopt;
  for (int64_t dim : reduce.getDims()) {
    const int64_t extent = extent_of(reduce.getInputs()[0], dim);
    if (extent > 1)
      return ByRegions{op, ir::reduction_of(reduce), dim};
    if (extent == 0)
      return std::nullopt;
  }
  return std::nullopt;
}

/// The states that the op's elements are wrapped and merged to, in its own order.
Values states_of(Builder& b, const ByRegions& whole, const Values& inputs, const Axes& dims) {
  Monoid monoid;
  monoid.name = whole.op().getMonoid().str();
  monoid.commutative = whole.op().getCommutative();
  monoid.zero = copy_of(*whole.reduction.zero);
  monoid.wrap = copy_of(*whole.reduction.wrap);
  monoid.merge = copy_of(*whole.reduction.merge);
  monoid.unwrap = identity_region(b, whole.reduction.states);
  if (whole.reduction.wrap_all)
    monoid.wrap_all = copy_of(*whole.reduction.wrap_all);
  return reduced(b, inputs, std::move(monoid), dims, whole.op().getAccumulateAttr());
}

enum class Gives : uint8_t { states, results };

/// States along `dim`, merged in one chunk from the first to the last.
Values merged(Builder& b, const ByRegions& whole, const Values& states, int64_t dim, Gives gives) {
  Monoid monoid;
  monoid.name = whole.op().getMonoid().str();
  monoid.commutative = whole.op().getCommutative();
  monoid.zero = copy_of(*whole.reduction.zero);
  monoid.wrap = identity_region(b, whole.reduction.states);
  monoid.merge = copy_of(*whole.reduction.merge);
  monoid.unwrap = gives == Gives::results ? copy_of(*whole.reduction.unwrap)
                                          : identity_region(b, whole.reduction.states);
  return reduced(b, states, std::move(monoid), {dim},
                 ir::accumulate_attr(b.getContext(), {Order::chunk, 1, kEndless}));
}

/// Groups of `arity` neighbours along `dim`, level by level; the last group of a level may be
/// smaller.
Values merged_by_tree(Builder& b, const ByRegions& whole, Values states, int64_t dim,
                      int64_t arity) {
  while (extent_of(states[0], dim) > arity) {
    const int64_t count = extent_of(states[0], dim), full = count / arity;
    Values groups;
    for (Value state : states)
      groups.push_back(in_parts(b, language::slice_dim(b, state, dim, 0, full * arity), dim, full));
    Values next = merged(b, whole, groups, dim + 1, Gives::states);
    if (count > full * arity) {
      Values rest;
      for (Value state : states)
        rest.push_back(language::slice_dim(b, state, dim, full * arity, count - full * arity));
      const Values last = merged(b, whole, rest, dim, Gives::states);
      for (size_t state = 0; state < next.size(); ++state)
        next[state] =
            language::concat(b, {next[state], language::expand_dims(b, last[state], {dim})}, dim);
    }
    states = std::move(next);
  }
  return merged(b, whole, states, dim, Gives::results);
}

/// States of the parts, along a dim that stands where `dim` was among those that stay.
Values states_of_parts(Builder& b, const ByRegions& whole, const std::vector<Box>& boxes,
                       int64_t place) {
  const Axes dims(whole.op().getDims().begin(), whole.op().getDims().end());
  std::vector<Values> by_state(whole.reduction.states.size());
  size_t first = 0;
  while (first < boxes.size()) { // parts of one extent side by side
    size_t last = first + 1;
    while (last < boxes.size() && boxes[last].extent(0) == boxes[first].extent(0))
      ++last;
    const auto count = static_cast<int64_t>(last - first);
    Values inputs;
    for (Value input : whole.op().getInputs())
      inputs.push_back(in_parts(b,
                                language::slice_dim(b, input, whole.dim, boxes[first].start()[0],
                                                    count * boxes[first].extent(0)),
                                whole.dim, count));
    Axes own;
    for (int64_t dim : dims)
      own.push_back(dim >= whole.dim ? dim + 1 : dim);
    const Values states = states_of(b, whole, inputs, own);
    for (size_t state = 0; state < states.size(); ++state)
      by_state[state].push_back(states[state]);
    first = last;
  }
  Values all;
  for (const Values& parts : by_state)
    all.push_back(language::concat(b, parts, place));
  return all;
}

std::vector<Box> part_boxes(const ByRegions& whole, const Parameters& parameters) {
  if (number_in(parameters, "arity", 2) < 2)
    return {};
  return boxes_between(Box({0}, {extent_of(whole.op().getInputs()[0], whole.dim)}), 0,
                       numbers_in(parameters, "cuts"));
}

std::vector<Parameters> ways_to_reduce(Operation* op, int64_t workers) {
  const std::optional<ByRegions> whole = by_regions(op);
  if (!whole)
    return {};
  const int64_t extent = extent_of(whole->op().getInputs()[0], whole->dim);
  return {{{"cuts", even_borders(extent, workers)}, {"arity", {2}}}};
}

std::vector<Replacement> reduce_in_parts(Operation* op, const Parameters& parameters, Builder& b) {
  const std::optional<ByRegions> whole = by_regions(op);
  const std::vector<Box> boxes = whole ? part_boxes(*whole, parameters) : std::vector<Box>();
  if (boxes.empty())
    return {};
  int64_t place = 0; // of the parts among the dims that stay
  for (int64_t dim = 0; dim < whole->dim; ++dim)
    place += llvm::is_contained(whole->op().getDims(), dim) ? 0 : 1;
  const Values results = merged_by_tree(b, *whole, states_of_parts(b, *whole, boxes, place), place,
                                        number_in(parameters, "arity", 2));
  std::vector<Replacement> replacements;
  for (auto [old, made] : llvm::zip(op->getResults(), results))
    replacements.push_back({old, made});
  return replacements;
}

// --- map_then_reduce

bool is_mapped_reduction(Operation* op) {
  auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  return pattern && is_plain(op) && pattern.getMonoid() && !pattern.getDims().empty();
}

std::vector<Parameters> ways_to_map(Operation* op, int64_t) {
  return once_if(is_mapped_reduction(op));
}

std::vector<Replacement> map_then_reduce(Operation* op, const Parameters&, Builder& b) {
  if (!is_mapped_reduction(op))
    return {};
  auto pattern = llvm::cast<ir::ZipMapReduceOp>(op);
  language::Pattern map;
  map.inputs.assign(pattern.getInputs().begin(), pattern.getInputs().end());
  map.captures.assign(pattern.getCaptures().begin(), pattern.getCaptures().end());
  map.body = copy_of(pattern.getBody());
  map.space = pattern.getSpace().shape();
  const Values elements = language::zip_map_reduce(b, std::move(map));
  auto reduce = ir::ReduceOp::create(b, op->getResultTypes(), elements, pattern.getMonoidAttr(),
                                     pattern.getCommutativeAttr(), pattern.getDimsAttr(),
                                     pattern.getAccumulateAttr());
  mlir::Region* from[] = {&pattern.getZero(), &pattern.getWrap(), &pattern.getMerge(),
                          &pattern.getUnwrap(), &pattern.getWrapAll()};
  mlir::Region* to[] = {&reduce.getZero(), &reduce.getWrap(), &reduce.getMerge(),
                        &reduce.getUnwrap(), &reduce.getWrapAll()};
  for (auto [x, y] : llvm::zip(from, to)) {
    mlir::IRMapping mapping;
    x->cloneInto(y, mapping);
  }
  std::vector<Replacement> replacements;
  for (auto [old, made] : llvm::zip(op->getResults(), reduce.getResults()))
    replacements.push_back({old, made});
  return replacements;
}

// --- programs

/// The greatest element, its count so far, and a sum that forgets: not commutative.
Monoid sample_monoid(Builder& b) {
  const mlir::Type number = language::tensor_type(b, DType::f32, {});
  auto constant = [&](double value) { return language::weak_constant(b, value, DType::f32); };
  auto apply = [&](Fn fn, Value x, Value y) { return language::elementwise(b, fn, {x, y}); };
  Monoid monoid;
  monoid.name = "decaying";
  monoid.commutative = false;
  monoid.zero =
      language::make_region(b, {}, [&](const Values&) { return Values{constant(1), constant(0)}; });
  monoid.wrap = language::make_region(b, {number},
                                      [&](const Values& x) { return Values{constant(0.5), x[0]}; });
  monoid.merge = language::make_region(b, {number, number, number, number}, [&](const Values& s) {
    return Values{apply(Fn::multiply, s[0], s[2]),
                  apply(Fn::add, apply(Fn::multiply, s[1], s[2]), s[3])};
  });
  monoid.unwrap =
      language::make_region(b, {number, number}, [](const Values& s) { return Values{s[1]}; });
  return monoid;
}

Value monoid_sample(Sample& s) {
  const Value x =
      s.argument(DType::f32, {s.number(1, 3), s.number(2, 70), s.number(1, 3), s.number(1, 3)});
  const Axes all[] = {{1}, {1, 2}, {0, 1}, {0, 1, 2, 3}};
  return language::reduce(s.b, {x}, sample_monoid(s.b), all[s.number(0, 3)])[0];
}

Value pattern_sample(Sample& s) {
  const Shape space{s.number(1, 4), s.number(1, 40)};
  language::Pattern pattern;
  pattern.inputs = {s.argument(DType::f32, space), s.argument(DType::f32, space)};
  const mlir::Type number = language::tensor_type(s.b, DType::f32, {});
  pattern.body = language::make_region(s.b, {number, number}, [&](const Values& x) {
    return Values{language::elementwise(s.b, Fn::multiply, {x[0], x[1]})};
  });
  pattern.space = space;
  pattern.monoid = s.number(0, 1) ? sample_monoid(s.b) : language::named_monoid(Fn::add);
  pattern.dims = {s.number(0, 1)};
  return language::zip_map_reduce(s.b, std::move(pattern))[0];
}

constexpr Choice kChoices[] = {
    {.name = "reduce_in_parts",
     .equation = "reduce(x) by a user's monoid = merge, by a tree, of the states of parts of x",
     .condition = "a reduction by a monoid with regions, with `cuts` inside its first reduced dim "
                  "of several elements",
     .parameters = "cuts: where parts start, behind the first; arity: states that are merged at a "
                   "time, 2 if not said",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_reduce,
     .apply = reduce_in_parts,
     .sample = monoid_sample},
    {.name = "map_then_reduce",
     .equation = "zip_map_reduce(x...; body, monoid) = reduce(zip_map(x...; body); monoid)",
     .condition = "a pattern that reduces",
     .parameters = "none",
     .keeps = Keeps::exact,
     .is_searched = true,
     .ways = ways_to_map,
     .apply = map_then_reduce,
     .sample = pattern_sample},
};

} // namespace

std::span<const Choice> part_choices() { return kChoices; }

} // namespace kolam::rewrite
