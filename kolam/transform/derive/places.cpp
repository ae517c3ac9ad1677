// Elements at places given by data: reading becomes adding, in the order of the places.
#include "kolam/analysis/affine_integers.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/window.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

#include <limits>

namespace kolam::transform::derive {
namespace {

using language::Axes;

/// Whether the window at each place lies wholly inside, spread over the windows' elements.
Value is_inside(Builder& b, Value indices, const Shape& operand, llvm::ArrayRef<int64_t> dims,
                llvm::ArrayRef<Extent> lengths, int64_t batched, const Shape& windows) {
  Value inside;
  const auto columns = static_cast<int64_t>(dims.size());
  const int64_t last = ir::rank_of(indices) - 1;
  for (int64_t column = 0; column < columns; ++column) {
    Value start =
        language::squeeze(b, language::slice_dim(b, indices, last, column, 1), Axes{last});
    start = language::cast(b, start, DType::i64);
    Value most =
        language::extent_scalar(b, operand[batched + dims[column]] - lengths[column], DType::i64);
    Value zero = language::integer_constant(b, 0, DType::i64);
    for (Value holds : {language::elementwise(b, Fn::greater_equal, {start, zero}),
                        language::elementwise(b, Fn::less_equal, {start, most})})
      inside = inside ? language::elementwise(b, Fn::logical_and, {inside, holds}) : holds;
  }
  if (!inside) {
    Shape places = ir::shape_of(indices);
    places.pop_back();
    inside = language::broadcast_to(b, language::weak_constant(b, true, DType::boolean), places);
  }
  std::vector<int64_t> front(static_cast<size_t>(last));
  for (int64_t dim = 0; dim < last; ++dim)
    front[dim] = dim;
  if (ir::shape_of(inside) == windows)
    return inside;
  return ir::BroadcastOp::create(b, language::tensor_type(b, DType::boolean, windows), inside,
                                 front);
}

Value zero_unless(Builder& b, Value holds, Value x) {
  Value zero = language::weak_constant(b, 0.0, ir::dtype_of(x));
  return language::elementwise(b, Fn::where, {holds, x, zero});
}

Shape lengths_of(ir::GatherOp op) { return Shape(op.getLengths().begin(), op.getLengths().end()); }

/// The lengths of an update's window along the op's dims.
Shape lengths_of(ir::ScatterOp op) {
  const Shape update = ir::shape_of(op.getUpdates()[0]);
  const auto front = ir::rank_of(op.getIndices()) - 1;
  Shape lengths;
  for (int64_t dim : op.getDims())
    lengths.push_back(update[front + dim]);
  return lengths;
}

/// Windows of `x`, which have the places and extents of ones that the program has already.
Value windows_like(Builder& b, Value x, Value indices, const Shape& shape, const Axes& dims,
                   const Axes& lengths, int64_t batched, std::string_view mode) {
  return ir::GatherOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x, indices, dims,
                              lengths, batched, mode);
}

/// Whether update windows are seen element by element: of some only a part lies inside, or their
/// lengths are no numbers.
bool is_by_element(ir::ScatterOp op) {
  return llvm::any_of(lengths_of(op), [&](const Extent& length) {
    return !length.is_constant() || (op.getMode() == "element" && length != Extent(1));
  });
}

int64_t front_dims(ir::ScatterOp op) { return ir::rank_of(op.getIndices()) - 1; }

/// Where each update window starts once it lies inside.
Value clipped_starts(ir::ScatterOp op, Builder& b, Value indices) {
  const Shape shape = ir::shape_of(op.getDestinations()[0]), lengths = lengths_of(op);
  Values most;
  for (auto [dim, length] : llvm::zip(op.getDims(), lengths))
    most.push_back(language::extent_scalar(
        b, shape[static_cast<int64_t>(op.getBatchedDims()) + dim] - length, DType::i64));
  Value starts = language::elementwise(
      b, Fn::minimum, {language::cast(b, indices, DType::i64), language::stack(b, most, 0)});
  return language::elementwise(b, Fn::maximum,
                               {starts, language::integer_constant(b, 0, DType::i64)});
}

/// The places of the updates' single elements, of windows that start at `indices`.
Value single_places(ir::ScatterOp op, Builder& b, Value indices) {
  return language::element_places(
      b, op.getMode() == "element" ? indices : clipped_starts(op, b, indices), lengths_of(op));
}

/// What a scatter's update windows see of a tensor like its destination.
Value seen(ir::ScatterOp op, Builder& b, Value x, Value indices, std::string_view mode = "clip") {
  const Shape update = ir::shape_of(op.getUpdates()[0]);
  const Axes dims(op.getDims());
  const auto batched = static_cast<int64_t>(op.getBatchedDims());
  Axes lengths(dims.size(), 1);
  if (is_by_element(op)) {
    Value places = single_places(op, b, indices);
    Shape elements = ir::shape_of(places);
    elements.pop_back();
    const auto front = static_cast<size_t>(front_dims(op));
    for (size_t dim = front; dim < update.size(); ++dim)
      elements.push_back(llvm::is_contained(dims, static_cast<int64_t>(dim - front)) ? Extent(1)
                                                                                     : update[dim]);
    Value found = windows_like(b, x, places, elements, dims, lengths, batched, "clip");
    return language::windows_of_elements(b, found, update, front_dims(op), dims);
  }
  for (auto [length, own] : llvm::zip(lengths, lengths_of(op)))
    length = *own.constant();
  return windows_like(b, x, indices, update, dims, lengths, batched, mode);
}

/// The windows of `x` that a scatter's updates stand for: 0 where one is dropped.
Value gathered(ir::ScatterOp op, Builder& b, Value x, Value indices) {
  const bool is_promised = op.getMode() == "promise" || op.getMode() == "check";
  Value windows = seen(op, b, x, indices, is_promised ? "promise" : "clip");
  if (is_promised || op.getMode() == "clip")
    return windows;
  const Shape whole = ir::shape_of(x), update = ir::shape_of(op.getUpdates()[0]);
  const Axes dims(op.getDims());
  const auto batched = static_cast<int64_t>(op.getBatchedDims());
  if (op.getMode() != "element" || !is_by_element(op))
    return zero_unless(b, is_inside(b, indices, whole, dims, lengths_of(op), batched, update),
                       windows);
  Value elements = language::window_elements(b, windows, front_dims(op), dims);
  Value inside = is_inside(b, single_places(op, b, indices), whole, dims,
                           Shape(dims.size(), Extent(1)), batched, ir::shape_of(elements));
  return language::windows_of_elements(b, zero_unless(b, inside, elements), update, front_dims(op),
                                       dims);
}

/// Like `op`, with one destination and update.
Value scattered(ir::ScatterOp op, Builder& b, Value destination, Value update, Value indices,
                std::string_view combiner) {
  auto made = ir::ScatterOp::create(b, mlir::TypeRange{destination.getType()},
                                    mlir::ValueRange{destination}, mlir::ValueRange{update},
                                    indices, mlir::ValueRange{}, op.getDims(), op.getBatchedDims(),
                                    combiner, op.getUniqueIndices(), op.getMode());
  return made.getResult(0);
}

/// The number of each update window, spread over its elements.
Value update_numbers(ir::ScatterOp op, Builder& b) {
  const Shape update = ir::shape_of(op.getUpdates()[0]);
  Shape batch = ir::shape_of(op.getIndices());
  batch.pop_back();
  Value numbers = language::iota(b, {element_count(batch)}, 0, DType::i64);
  numbers = reshaped(b, numbers, batch);
  std::vector<int64_t> dims(batch.size());
  for (size_t dim = 0; dim < dims.size(); ++dim)
    dims[dim] = static_cast<int64_t>(dim);
  if (batch == update)
    return numbers;
  return ir::BroadcastOp::create(b, language::tensor_type(b, DType::i64, update), numbers, dims);
}

/// Whether there is one update at most.
bool is_single(ir::ScatterOp op) {
  Shape batch = ir::shape_of(op.getIndices());
  batch.pop_back();
  return element_count(batch).constant().value_or(2) < 2;
}

/// Which updates a scatter kept: those that nothing overwrote.
Value is_kept(ir::ScatterOp op, Builder& b, Value indices) {
  Value numbers = update_numbers(op, b);
  const Shape shape = ir::shape_of(op.getDestinations()[0]);
  Value nobody = language::full(b, shape, language::integer_constant(b, -1, DType::i64));
  Value last = scattered(op, b, nobody, numbers, indices, "kUpdate");
  return language::elementwise(b, Fn::equal, {seen(op, b, last, indices), numbers});
}

/// A scatter's destination and update, and what of them each cell of the result takes: the tangent
/// is a sum of their products.
struct Factors {
  Value destination, update;
};

/// Whether a cell of an extreme is the destination's, or an update's: the first that reached it, as
/// one that only equals what is there changes nothing.
Factors holders(ir::ScatterOp op, Builder& b, Factors given, Value result, Value indices) {
  auto apply = [&](Fn fn, Values values) { return language::elementwise(b, fn, values); };
  Value numbers = update_numbers(op, b);
  Value nobody = language::integer_constant(b, std::numeric_limits<int64_t>::max(), DType::i64);
  Value reaches = apply(Fn::equal, {given.update, seen(op, b, result, indices)});
  Value first = scattered(op, b, language::full(b, ir::shape_of(result), nobody),
                          apply(Fn::where, {reaches, numbers, nobody}), indices, "kMin");
  Value stays = apply(Fn::logical_or, {apply(Fn::equal, {given.destination, result}),
                                       apply(Fn::equal, {first, nobody})});
  Value is_first = apply(Fn::equal, {numbers, seen(op, b, first, indices)});
  Value is_left = apply(Fn::logical_not, {seen(op, b, stays, indices)});
  if (op.getCombiner() == "user") // NaN comes from nobody
    stays = apply(Fn::logical_and, {stays, apply(Fn::logical_not, {apply(Fn::isnan, {result})})});
  return {stays, apply(Fn::logical_and, {apply(Fn::logical_and, {reaches, is_first}), is_left})};
}

/// Whether the user's function is the maximum or the minimum of a state and its update, as that of
/// `x.at[i].max(v)` is, which unlike kMax spreads NaN.
bool is_extreme(ir::ScatterOp op) {
  if (op.getCombiner() != "user" || op.getDestinations().size() != 1)
    return false;
  mlir::Block& body = op.getCombine().front();
  auto made = body.getTerminator()->getOperand(0).getDefiningOp<ir::ElementwiseOp>();
  return made && (made.getFunction() == "maximum" || made.getFunction() == "minimum") &&
         llvm::equal(made.getOperands(), body.getArguments().take_front(2));
}

/// The products of all other factors of a cell, right with zeros: with no other zero the product of
/// those that are none, by the factor itself.
Factors products_of_others(ir::ScatterOp op, Builder& b, Factors given, Value indices) {
  auto apply = [&](Fn fn, Values values) { return language::elementwise(b, fn, values); };
  const DType dtype = ir::dtype_of(given.update);
  Value zero = language::weak_constant(b, 0.0, dtype), one = language::weak_constant(b, 1.0, dtype);
  auto is_zero = [&](Value x) { return apply(Fn::equal, {x, zero}); };
  auto or_one = [&](Value x) { return apply(Fn::where, {is_zero(x), one, x}); };
  auto count = [&](Value x) { return language::cast(b, is_zero(x), DType::i64); };
  Value product =
      scattered(op, b, or_one(given.destination), or_one(given.update), indices, "kMul");
  Value zeros = scattered(op, b, count(given.destination), count(given.update), indices, "kAdd");
  auto of = [&](Value factor, Value all, Value zeros_there) {
    Value others = apply(Fn::equal, {zeros_there, count(factor)});
    return apply(Fn::where, {others, apply(Fn::divide, {all, or_one(factor)}), zero});
  };
  return {of(given.destination, product, zeros),
          of(given.update, seen(op, b, product, indices), seen(op, b, zeros, indices))};
}

/// Where the updates of a scatter lie, and which they are.
struct Site {
  Value indices;
  Values updates;
  Axes dims, lengths;
  std::string_view mode;
};

/// The site of a scatter without batched dims, whose windows' lengths are numbers.
Site without_batches(ir::ScatterOp op, Builder& b, Value indices, Values updates) {
  const auto batched = static_cast<int64_t>(op.getBatchedDims()), front = front_dims(op);
  Site site{indices, std::move(updates), Axes(op.getDims()), {}, op.getMode()};
  if (is_by_element(op)) {
    site.indices = single_places(op, b, indices);
    if (op.getMode() == "drop") { // where a window is dropped its elements lie outside
      Shape space = ir::shape_of(site.indices);
      Value inside = is_inside(b, indices, ir::shape_of(op.getDestinations()[0]), op.getDims(),
                               lengths_of(op), batched, space);
      Value outside = language::integer_constant(b, -1, DType::i64);
      site.indices = language::elementwise(b, Fn::where, {inside, site.indices, outside});
    }
    for (Value& update : site.updates)
      update = language::window_elements(b, update, front, site.dims);
    site.lengths.assign(site.dims.size(), 1);
  } else {
    for (const Extent& length : lengths_of(op))
      site.lengths.push_back(*length.constant());
  }
  if (batched == 0)
    return site;
  // A batched dim is one more that the places are of, in windows of one element.
  Shape places = ir::shape_of(site.indices);
  places.back() = Extent(1);
  Values columns;
  Axes dims;
  for (int64_t dim = 0; dim < batched; ++dim) {
    columns.push_back(language::iota(b, places, dim, DType::i64));
    dims.push_back(dim);
  }
  columns.push_back(language::cast(b, site.indices, DType::i64));
  site.indices = language::concat(b, columns, static_cast<int64_t>(places.size()) - 1);
  for (int64_t dim : site.dims)
    dims.push_back(batched + dim);
  site.dims = dims;
  site.lengths.insert(site.lengths.begin(), static_cast<size_t>(batched), 1);
  for (Value& update : site.updates) {
    Shape shape = ir::shape_of(update);
    shape.insert(shape.begin() + static_cast<int64_t>(places.size()) - 1,
                 static_cast<size_t>(batched), Extent(1));
    update = reshaped(b, update, shape);
  }
  return site;
}

/// The scatter of a user's function, or of products, as the loop that defines it, one window after
/// the other: the function's derivatives need what was there before.
Values stepped(ir::ScatterOp op, Builder& b, const Values& operands) {
  const size_t count = op.getDestinations().size();
  auto part = [&](size_t from, size_t to) {
    return Values(operands.begin() + static_cast<int64_t>(from),
                  operands.begin() + static_cast<int64_t>(to));
  };
  const Values captures = part(2 * count + 1, operands.size());
  const Site site = without_batches(op, b, operands[2 * count], part(count, 2 * count));
  Shape batch = ir::shape_of(site.indices);
  const Extent columns = batch.back();
  batch.pop_back();
  Shape row = ir::shape_of(site.updates[0]);
  row.erase(row.begin(), row.begin() + static_cast<int64_t>(batch.size()));
  const Extent steps = element_count(batch);
  Shape rows = row, one = row;
  rows.insert(rows.begin(), steps);
  one.insert(one.begin(), Extent(1));
  Values xs{reshaped(b, site.indices, {steps, columns})};
  for (Value update : site.updates)
    xs.push_back(reshaped(b, update, rows));
  const Values inits = part(0, count);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value x : xs)
    types.push_back(language::slice_type(b, x));
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Value place = reshaped(b, arguments[count], {Extent(1), columns});
    Values given, results;
    for (size_t number = 0; number < count; ++number)
      given.push_back(
          windows_like(b, arguments[number], place, one, site.dims, site.lengths, 0, "clip"));
    for (size_t number = 0; number < count; ++number)
      given.push_back(reshaped(b, arguments[count + 1 + number], one));
    Values next = op.getCombiner() == "kMul"
                      ? Values{language::elementwise(b, Fn::multiply, given)}
                      : over_space(op, b, op.getCombine(), given, captures, one);
    for (size_t number = 0; number < count; ++number)
      results.push_back(ir::ScatterOp::create(
                            b, mlir::TypeRange{arguments[number].getType()},
                            mlir::ValueRange{arguments[number]}, mlir::ValueRange{next[number]},
                            place, mlir::ValueRange{}, site.dims, 0, "kUpdate", false, site.mode)
                            .getResult(0));
    return results;
  });
  return language::scan(b, inits, xs, steps, language::Direction::forward, std::move(body));
}

/// Of a user's function (s, u) -> s + g(u), of each destination, that which gives g: the operand of
/// its sum that is no state. Empty where it is another function, as one that reads a state in g.
std::vector<unsigned> added_operands(ir::ScatterOp op) {
  mlir::Block& body = op.getCombine().front();
  const size_t count = op.getDestinations().size();
  llvm::DenseSet<Value> of_states;
  for (mlir::BlockArgument state : body.getArguments().take_front(count))
    of_states.insert(state);
  for (mlir::Operation& each : body.without_terminator()) {
    const bool reads =
        each.walk([&](mlir::Operation* inner) {
              return llvm::any_of(inner->getOperands(),
                                  [&](Value operand) { return of_states.contains(operand); })
                         ? mlir::WalkResult::interrupt()
                         : mlir::WalkResult::advance();
            })
            .wasInterrupted();
    if (reads)
      of_states.insert_range(each.getResults());
  }
  std::vector<unsigned> added;
  for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    auto sum = result.getDefiningOp<ir::ElementwiseOp>();
    if (!sum || sum.getFunction() != "add")
      return {};
    const unsigned state =
        sum.getOperand(0) == body.getArgument(static_cast<unsigned>(number)) ? 0 : 1;
    if (sum.getOperand(state) != body.getArgument(static_cast<unsigned>(number)) ||
        of_states.contains(sum.getOperand(1 - state)))
      return {};
    added.push_back(1 - state);
  }
  return added;
}

/// The scatter of s + g(u) as the sum of g of all updates: no state decides how it changes.
Values summed(ir::ScatterOp op, Builder& b, const Values& operands,
              const std::vector<unsigned>& added) {
  const size_t count = op.getDestinations().size();
  const Values updates(operands.begin() + static_cast<int64_t>(count),
                       operands.begin() + static_cast<int64_t>(2 * count));
  const Values captures(operands.begin() + static_cast<int64_t>(2 * count) + 1, operands.end());
  mlir::Region terms;
  mlir::IRMapping mapping;
  op.getCombine().cloneInto(&terms, mapping);
  mlir::Operation* end = terms.front().getTerminator();
  for (auto [number, operand] : llvm::enumerate(added))
    end->setOperand(
        static_cast<unsigned>(number),
        end->getOperand(static_cast<unsigned>(number)).getDefiningOp()->getOperand(operand));
  Values given = updates; // of the states, which no term reads
  llvm::append_range(given, updates);
  const Values values = over_space(op, b, terms, given, captures, ir::shape_of(updates[0]));
  Values results;
  for (size_t number = 0; number < count; ++number)
    results.push_back(
        scattered(op, b, operands[number], values[number], operands[2 * count], "kAdd"));
  return results;
}

/// Row i of the operand's last dim at indices[.., i].
Value along_last(Builder& b, Value x, Value indices) {
  const int64_t rank = ir::rank_of(x);
  Shape shape = ir::shape_of(indices);
  if (shape.back() == Extent(0))
    return zeros(b, language::tensor_type(b, ir::dtype_of(x), shape));
  shape.emplace_back(1);
  Value columns = language::expand_dims(b, indices, {rank});
  Value picked = windows_like(b, x, columns, shape, {0}, {1}, rank - 1, "promise");
  return reshaped(b, picked, ir::shape_of(indices));
}

template <class Op> void by_indices(Op op, Linearisation& at) {
  if (at.is_active(op.getOperand()))
    at.set_tangent(op.getValues(),
                   along_last(at.linear, at.tangent(op.getOperand()), at.primal(op.getIndices())));
}

} // namespace

/// Windows that `fill` fills have the tangent 0.
void linearise_rule(ir::GatherOp op, Linearisation& at) {
  if (!at.is_active(op.getOperand()))
    return;
  if (op.getMode() != "fill")
    return at.set_linear(op, {0});
  Builder& b = at.linear;
  auto made = llvm::cast<ir::GatherOp>(at.copy_linear(op, {0}));
  made.setMode("clip");
  Value inside = is_inside(at.b, at.primal(op.getIndices()), ir::shape_of(op.getOperand()),
                           op.getDims(), lengths_of(op), static_cast<int64_t>(op.getBatchedDims()),
                           ir::shape_of(op.getResult()));
  at.set_tangent(op.getResult(), zero_unless(b, inside, made.getResult()));
}

/// Where a gather reads, if that is an affine map of its result's index.
static std::optional<space::AffineMap> map_of(ir::GatherOp op, Transposition& at) {
  auto seen = llvm::cast<ir::GatherOp>(at.b.insert(op->clone()));
  seen.getIndicesMutable().assign(at.coefficient(op.getIndices()));
  std::optional<space::AffineMap> map = analysis::affine_places(seen);
  seen->erase();
  return map;
}

void transpose_rule(ir::GatherOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult()), indices = at.coefficient(op.getIndices());
  if (!at.collects(op.getOperand())) // else all steps of a loop are one scatter
    if (std::optional<space::AffineMap> map = map_of(op, at))
      return at.add(op.getOperand(), accumulated(at.b, v, op.getOperand().getType(), *map));
  language::ScatterSpec spec;
  spec.dims = Axes(op.getDims());
  spec.batched_dims = static_cast<int64_t>(op.getBatchedDims());
  spec.combiner = "kAdd";
  const bool wraps = op.getMode() == "wrap" && !op.getDims().empty();
  spec.mode = wraps ? "wrap" : op.getMode() == "clip" ? "clip" : "promise";
  spec.fits_where_any = true;
  at.add(op.getOperand(), sum_at(at.b, v, op.getOperand().getType(), indices, spec));
}

/// Sums are linear, and so is overwriting. Of products and extremes what each factor counts is a
/// coefficient.
void linearise_rule(ir::ScatterOp op, Linearisation& at) {
  const size_t count = op.getDestinations().size();
  if (op.getCombiner() == "kAdd" || op.getCombiner() == "kUpdate") {
    for (size_t number = 0; number < count; ++number) {
      Value destination = op.getDestinations()[number], update = op.getUpdates()[number];
      if (at.any_active({destination, update}))
        at.set_tangent(op.getResult(number),
                       scattered(op, at.linear, at.tangent_or_zeros(destination),
                                 at.tangent_or_zeros(update), at.primal(op.getIndices()),
                                 op.getCombiner()));
    }
    return;
  }
  if (op.getCombiner() == "user")
    if (const std::vector<unsigned> added = added_operands(op); !added.empty())
      return linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
        return summed(op, b, operands, added);
      });
  if (op.getCombiner() == "user" && !is_extreme(op))
    return linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
      return stepped(op, b, operands);
    });
  // What is known of zeros does not say how products change that have them.
  if (op.getCombiner() == "kMul" && count == 1 && language::KeepComposites::keeps())
    return linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
      const DType dtype = ir::dtype_of(operands[0]), wide = language::wide_dtype(dtype);
      Values widened{language::cast(b, operands[0], wide), language::cast(b, operands[1], wide),
                     operands[2]};
      return Values{language::cast(b, stepped(op, b, widened)[0], dtype)};
    });
  Value indices = at.primal(op.getIndices());
  for (size_t number = 0; number < count; ++number) {
    Value destination = op.getDestinations()[number], update = op.getUpdates()[number];
    if (!at.any_active({destination, update}))
      continue;
    const DType dtype = ir::dtype_of(update), wide = language::wide_dtype(dtype);
    Builder& l = at.linear;
    auto widened = [&](Builder& b, Value value) { return language::cast(b, value, wide); };
    Factors given{widened(at.b, at.primal(destination)), widened(at.b, at.primal(update))};
    Factors tangents{widened(l, at.tangent_or_zeros(destination)),
                     widened(l, at.tangent_or_zeros(update))};
    if (op.getCombiner() == "kMul") {
      Factors others = products_of_others(op, at.b, given, indices);
      tangents = {language::elementwise(l, Fn::scale, {tangents.destination, others.destination}),
                  language::elementwise(l, Fn::scale, {tangents.update, others.update})};
    } else {
      Value result = widened(at.b, at.primal(op.getResult(number)));
      Factors holds = holders(op, at.b, given, result, indices);
      tangents = {zero_unless(l, holds.destination, tangents.destination),
                  zero_unless(l, holds.update, tangents.update)};
    }
    Value sum = scattered(op, l, tangents.destination, tangents.update, indices, "kAdd");
    at.set_tangent(op.getResult(number), language::cast(l, sum, dtype));
  }
}

void transpose_rule(ir::ScatterOp op, Transposition& at) {
  Builder& b = at.b;
  Value indices = at.coefficient(op.getIndices());
  for (size_t number = op.getDestinations().size(); number-- > 0;) {
    if (!at.has_cotangent(op.getResult(number)))
      continue;
    Value v = at.cotangent(op.getResult(number));
    Value destination = op.getDestinations()[number], update = op.getUpdates()[number];
    if (op.getCombiner() == "kAdd") {
      if (at.is_linear(update))
        at.add(update, gathered(op, b, v, indices));
      at.add(destination, v);
      continue;
    }
    if (op.getCombiner() != "kUpdate")
      refuse_nonlinear(op, "expected the combiner kAdd or kUpdate");
    if (at.is_linear(update)) {
      Value got = gathered(op, b, v, indices);
      if (!op.getUniqueIndices() && !is_single(op))
        got = zero_unless(b, is_kept(op, b, indices), got);
      // Read before the window is overwritten, in place.
      at.add(update, at.is_linear(destination) ? in_memory(b, got) : got);
    }
    if (at.is_linear(destination))
      at.add(destination, scattered(op, b, v, zeros(b, update.getType()), indices, "kUpdate"));
  }
}

void linearise_rule(ir::SortOp op, Linearisation& at) { by_indices(op, at); }
void linearise_rule(ir::TopKOp op, Linearisation& at) { by_indices(op, at); }

} // namespace kolam::transform::derive
