// Emits monoids and their walk over the elements.
#include "kolam/lower/cpu/reduction.h"

#include "kolam/ir/monoid.h"
#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/cpu/mask_reduction.h"
#include "kolam/lower/in_rows.h"
#include "kolam/lower/joined_runs.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/error.h"
#include "kolam/support/identity.h"

namespace kolam::lower::cpu {
namespace {

using Element = std::function<Values(const Coordinate& i)>;

Values joined(ValueSpan a, ValueSpan b) {
  Values both(a.begin(), a.end());
  both.append(b.begin(), b.end());
  return both;
}

Values emit_casts(ValueSpan values, const std::vector<DType>& from, const std::vector<DType>& to,
                  Emission& e) {
  Values result;
  for (auto [value, source, target] : llvm::zip(values, from, to))
    result.push_back(emit_cast(source, target, value, e));
  return result;
}

/// Whether the op looks for a place and meets places in increasing order: what a state holds came
/// before every element that it meets. Note [First places].
bool meets_places_in_order(mlir::Operation* op) {
  auto search = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  if (!search || search.getDims().size() != 1 || search.getMonoid().value_or("") == "" ||
      (*search.getMonoid() != "argmax" && *search.getMonoid() != "argmin"))
    return false;
  mlir::Value place = search.getBody().front().getTerminator()->getOperand(1);
  auto index = place.getDefiningOp<ir::IterIndexOp>();
  int64_t dim = search.getDims()[0];
  if (!index || static_cast<int64_t>(index.getDim()) != dim)
    return false;
  // A narrow place wraps.
  auto extent = search.getSpace().shape()[dim].constant();
  return ir::dtype_of(place) == DType::i64 ||
         (ir::dtype_of(place) == DType::i32 && extent && *extent <= INT32_MAX);
}

/// The state with one element added, for a search that meets places in order.
Values emit_later(ir::ZipMapReduceOp search, ValueSpan state, ValueSpan element, Emission& e) {
  const DType dtype = ir::dtype_of(search.getBody().front().getTerminator()->getOperand(0));
  const bool is_least = *search.getMonoid() == "argmin";
  Value held = state[0], next = element[0];
  ScalarBuilder s(e.b);
  Value wins;
  if (is_float(dtype)) { // also where one is NaN, unless that is held
    const Fn stays = is_least ? Fn::greater_equal : Fn::less_equal;
    wins = s.and_(s.not_(emit_function(stays, dtype, {next, held}, e)),
                  s.not_(emit_function(Fn::isnan, dtype, {held}, e)));
  } else {
    wins = emit_function(is_least ? Fn::less : Fn::greater, dtype, {next, held}, e);
  }
  Values later;
  for (auto [own, other] : llvm::zip(state, element)) {
    const bool is_apart = own.getType() != other.getType();
    later.push_back(
        s.select(wins, is_apart ? e.spread(other) : other, is_apart ? e.spread(own) : own));
  }
  return later;
}

/// The state of elements start, start + 1, ...: the wrap_all region over them.
Values emit_wrap_all(const ir::Reduction& r, Value start, Value count, const Element& element,
                     Emission& e) {
  e.enter();
  e.bind_symbol(std::string(ir::kChunkSymbol), count);
  for (mlir::BlockArgument argument : r.wrap_all->getArguments())
    e.bind_cells(argument, [&, start, number = argument.getArgNumber()](IndexSpan index) {
      return element(e.add(Coordinate(start), index[0]))[number];
    });
  Values state = e.yielded(r.wrap_all->front());
  e.leave();
  return state;
}

/// Whether fn(x, its identity) is x to the bit, but for the sign of zeros in sums.
bool keeps_bits(Fn fn) {
  constexpr Fn kKeeping[] = {Fn::add,         Fn::multiply,    Fn::maximum,
                             Fn::minimum,     Fn::bitwise_and, Fn::bitwise_or,
                             Fn::bitwise_xor, Fn::logical_and, Fn::logical_or};
  return llvm::is_contained(kKeeping, fn);
}

/// What fn leaves every number as it is with, -0 too.
Value emit_neutral(Fn fn, DType dtype, Emission& e) {
  Value identity = emit_identity(fn, dtype, e);
  return fn == Fn::add && is_float(dtype) ? mlir::arith::NegFOp::create(e.b, identity).getResult()
                                          : identity;
}

/// The monoid's parts; element i counts over all segments.
Combiner combiner_of(mlir::Operation* op, const ir::Reduction& r, Element element, Emission& e) {
  Combiner combiner;
  combiner.dtypes = r.states;
  if (r.function) {
    combiner.first = [&, element](const Coordinate& i) {
      return emit_casts(element(i), r.elements, r.states, e);
    };
    combiner.merge = [&](ValueSpan a, ValueSpan b) {
      Values merged;
      for (auto [x, y, dtype] : llvm::zip(a, b, r.states))
        merged.push_back(emit_function(*r.function, dtype, {x, y}, e));
      return merged;
    };
    combiner.empty = [&] {
      Values zero;
      for (DType dtype : r.states)
        zero.push_back(emit_identity(*r.function, dtype, e));
      return zero;
    };
    if (keeps_bits(*r.function))
      combiner.neutral = [&] {
        Values neutral;
        for (DType dtype : r.states)
          neutral.push_back(emit_neutral(*r.function, dtype, e));
        return neutral;
      };
  } else {
    combiner.first = [&, element](const Coordinate& i) { return e.region(*r.wrap, element(i)); };
    combiner.merge = [&](ValueSpan a, ValueSpan b) { return e.region(*r.merge, joined(a, b)); };
    combiner.empty = [&] { return e.region(*r.zero, {}); };
  }
  combiner.step = [first = combiner.first, merge = combiner.merge](ValueSpan state,
                                                                   const Coordinate& i) {
    Values next = first(i);
    return merge(state, next);
  };
  if (meets_places_in_order(op))
    combiner.step = [search = llvm::cast<ir::ZipMapReduceOp>(op), &e,
                     first = combiner.first](ValueSpan state, const Coordinate& i) {
      Values next = first(i);
      return emit_later(search, state, next, e);
    };
  if (r.wrap_all)
    combiner.chunk = [&, element](Value start, Value count) {
      return emit_wrap_all(r, start, count, element, e);
    };
  return combiner;
}

/// Whether the bits of masks say what the reduction gives.
bool combines_masks(const ReductionCode& code, const Emission& e) {
  std::optional<Fn> fn = code.reduction.function;
  if (!code.holds || !fn || e.lanes() != 1)
    return false;
  const bool counts = *fn == Fn::add && code.reduction.states[0] != DType::boolean;
  return counts || (code.reduction.elements[0] == DType::boolean &&
                    (*fn == Fn::logical_and || *fn == Fn::logical_or));
}

/// Several combiners as one, whose state is theirs one after another.
Combiner side_by_side(std::vector<Combiner> parts) {
  if (parts.size() == 1)
    return std::move(parts[0]);
  Combiner all;
  for (const Combiner& part : parts)
    all.dtypes.insert(all.dtypes.end(), part.dtypes.begin(), part.dtypes.end());
  auto each = [parts](auto make) {
    Values states;
    size_t first = 0;
    for (const Combiner& part : parts) {
      states.append(
          make(part, [&](ValueSpan all) { return all.slice(first, part.dtypes.size()); }));
      first += part.dtypes.size();
    }
    return states;
  };
  all.first = [=](const Coordinate& i) {
    return each([&](const Combiner& part, auto) { return part.first(i); });
  };
  all.step = [=](ValueSpan state, const Coordinate& i) {
    return each([&](const Combiner& part, auto own) { return part.step(own(state), i); });
  };
  all.merge = [=](ValueSpan a, ValueSpan b) {
    return each([&](const Combiner& part, auto own) { return part.merge(own(a), own(b)); });
  };
  all.empty = [=] { return each([](const Combiner& part, auto) { return part.empty(); }); };
  if (llvm::all_of(parts, [](const Combiner& part) { return bool(part.neutral); }))
    all.neutral = [=] { return each([](const Combiner& part, auto) { return part.neutral(); }); };
  all.in_any_order = llvm::all_of(parts, [](const Combiner& part) { return part.in_any_order; });
  if (llvm::all_of(parts, [](const Combiner& part) { return bool(part.chunk); }))
    all.chunk = [=](Value start, Value count) {
      return each([&](const Combiner& part, auto) { return part.chunk(start, count); });
    };
  if (parts[0].in_segment)
    all.in_segment = [=](Value segment) {
      std::vector<Combiner> own;
      for (const Combiner& part : parts)
        own.push_back(part.in_segment(segment));
      return side_by_side(std::move(own));
    };
  return all;
}

/// Whether every grouping of the elements gives the same bits.
bool groups_alike(const ReductionCode& code) {
  const ir::Reduction& reduction = code.reduction;
  return reduction.function && llvm::all_of(reduction.elements, [&](DType element) {
           return ir::is_exact(*reduction.function, element);
         });
}

/// What a reduction combines: `segments` runs of `length` elements.
struct ReducedSpace {
  Value segments, length;

  ReducedSpace(const ReductionCode& code, bool is_parted, Emission& e)
      : segments(e.i64(1)), length(e.i64(1)), code_(code), e_(e),
        kept_(code.reduction.kept_dims(static_cast<int64_t>(code.space.size()))) {
    const std::vector<int64_t>& dims = code.reduction.dims;
    size_t outer = dims.size() - code.reduction.run_length();
    for (auto [number, dim] : llvm::enumerate(dims)) {
      if (number == outer)
        outer_runs_ = runs_.dims.size();
      auto before =
          static_cast<int64_t>(kept_.size() + number) - 1; // reduced dims follow kept ones
      runs_.append(
          dim, code.space[dim],
          number > 0 && dims[number - 1] + 1 == dim && e.joined.joins_index(code.op, before), e);
    }
    if (is_parted && !dims.empty())
      outer_runs_ = runs_.dims.size() - 1;
    for (auto [number, run] : llvm::enumerate(runs_.extents)) {
      Value& product = number < outer_runs_ ? segments : length;
      product = e.mul(product, run);
    }
  }

  bool has_segments() const { return outer_runs_ > 0; }

  /// Of the elements that share an index of the kept dims, the one of a number; in a segment, where
  /// one is given.
  Element element(IndexSpan kept_index, Value segment = {}) const {
    return [this, segment, kept = Index(kept_index)](const Coordinate& i) {
      Index index(code_.space.size(), Coordinate(e_.i64(0)));
      for (auto [dim, place] : llvm::zip(kept_, kept))
        index[dim] = place;
      const size_t outer = segment ? outer_runs_ : 0;
      ValueSpan runs = runs_.extents;
      const Index segments = segment ? e_.unravel(segment, runs.take_front(outer)) : Index();
      return emit_in_rows(
          i, runs.drop_front(outer),
          [&](IndexSpan places) {
            for (auto [dim, place] :
                 llvm::zip(runs_.dims, llvm::concat<const Coordinate>(segments, places)))
              index[dim] = place;
            return code_.element(index);
          },
          e_);
    };
  }

private:
  const ReductionCode& code_;
  Emission& e_;
  std::vector<int64_t> kept_;
  JoinedRuns runs_;       ///< the reduced dims
  size_t outer_runs_ = 0; ///< that count segments; none lies in both
};

Values unwrapped(const ir::Reduction& reduction, ValueSpan state, Emission& e) {
  return reduction.function ? emit_casts(state, reduction.states, reduction.elements, e)
                            : e.region(*reduction.unwrap, state);
}

} // namespace

/// The ops that keep their rows, of those that a reduction over the last dim reads.
static std::vector<mlir::Operation*>
rows_to_keep(const ReductionCode& code, llvm::ArrayRef<Index> kept_indices, const Emission& e) {
  std::vector<mlir::Operation*> kept;
  auto rank = static_cast<int64_t>(code.space.size());
  if (!llvm::isa<ir::ReduceOp>(code.op) || kept_indices.size() != 1 || e.lanes() != 1 ||
      code.reduction.dims != std::vector<int64_t>{rank - 1} ||
      !llvm::all_of(kept_indices[0], [](const Coordinate& i) { return i.is_uniform(); }))
    return kept;
  for (Value operand : code.op->getOperands())
    if (mlir::Operation* op = operand.getDefiningOp(); llvm::is_contained(e.kept_rows, op))
      kept.push_back(op);
  return kept;
}

/// Emits a reduction over rows of kept ops, which stores their elements on the way.
static Values emit_keeping(const ReductionCode& code, const Index& outer,
                           llvm::ArrayRef<mlir::Operation*> kept, Emission& e) {
  std::vector<Values> pointers;
  for (mlir::Operation* op : kept) {
    Values& own = pointers.emplace_back();
    int64_t length = *ir::shape_of(op->getResult(0)).back().constant();
    for (Value result : op->getResults())
      own.push_back(e.scratch(ir::dtype_of(result), length));
  }
  ReductionCode storing = code;
  storing.element = [&](IndexSpan index) {
    Values elements = code.element(index);
    for (auto [op, own] : llvm::zip(kept, pointers))
      for (auto [result, pointer] : llvm::zip(op->getResults(), own))
        e.store(pointer, ir::dtype_of(result), index.back(), e.cell(result, index));
    return elements;
  };
  e.kept_rows.clear();
  Values results = emit_reductions(storing, {outer}, e)[0];
  for (auto [op, own] : llvm::zip(kept, pointers))
    e.keep(op, outer, e.i64(0), own);
  return results;
}

/// Reductions over one space, as one.
class SharedReduction {
public:
  /// `is_parted`: where any order will do, what does not join is a segment of its own.
  SharedReduction(llvm::ArrayRef<ReductionCode> codes, bool is_parted, Emission& e)
      : codes_(codes), e_(e) {
    order_ = codes[0].reduction.accumulate;
    in_any_order_ = llvm::all_of(codes, groups_alike);
    for (const ReductionCode& code : codes)
      spaces_.emplace_back(code, is_parted && in_any_order_, e);
    if (order_.order == Order::chunk && in_any_order_)
      order_.chunk = kEndless; // all elements are one chunk
  }

  const ReducedSpace& space() const { return spaces_[0]; }
  const Accumulate& order() const { return order_; }

  Combiner at(IndexSpan kept_index) const {
    std::vector<Combiner> parts;
    for (auto [code, space] : llvm::zip(codes_, spaces_)) {
      Combiner& part =
          parts.emplace_back(combiner_of(code.op, code.reduction, space.element(kept_index), e_));
      part.in_any_order = in_any_order_;
      if (combines_masks(code, e_))
        part.chunk = [&code, kept = Index(kept_index), this](Value start, Value count) {
          ReductionCode booleans = code;
          booleans.element = [&code](IndexSpan index) { return Values{code.holds(index)}; };
          const ReducedSpace space(booleans, false, e_);
          const Element holds = space.element(kept);
          return Values{emit_mask_reduction(
              *code.reduction.function, code.reduction.states[0], start, count,
              [&](const Coordinate& i) { return holds(i)[0]; }, e_)};
        };
      if (space.has_segments())
        part.in_segment = [&code, &space, kept = Index(kept_index), this](Value segment) {
          return combiner_of(code.op, code.reduction, space.element(kept, segment), e_);
        };
    }
    return side_by_side(std::move(parts));
  }

  /// The results of all that a state holds.
  Values results(ValueSpan state) const {
    Values results;
    for (const ReductionCode& code : codes_) {
      size_t width = code.reduction.states.size();
      results.append(unwrapped(code.reduction, state.take_front(width), e_));
      state = state.drop_front(width);
    }
    return results;
  }

private:
  llvm::ArrayRef<ReductionCode> codes_;
  std::vector<ReducedSpace> spaces_;
  Accumulate order_;
  bool in_any_order_ = false;
  Emission& e_;
};

std::vector<Values> emit_reductions(llvm::ArrayRef<ReductionCode> codes,
                                    llvm::ArrayRef<Index> kept_indices, Emission& e, ReadBy by) {
  if (codes.size() == 1)
    if (std::vector<mlir::Operation*> kept = rows_to_keep(codes[0], kept_indices, e);
        !kept.empty()) {
      std::vector<mlir::Operation*> all = e.kept_rows;
      Values results = emit_keeping(codes[0], kept_indices[0], kept, e);
      e.kept_rows = all;
      return {results};
    }
  SharedReduction shared(codes, true, e);
  std::vector<Combiner> combiners;
  for (const Index& kept_index : kept_indices)
    combiners.push_back(shared.at(kept_index));
  const size_t width = combiners[0].dtypes.size();
  Combiner all = side_by_side(std::move(combiners));
  all.by_squares = by == ReadBy::squares;
  all.fits_chunk = llvm::all_of(codes, [](const ReductionCode& code) { return code.fits_chunk; });
  all.costs_little =
      llvm::all_of(codes, [](const ReductionCode& code) { return code.costs_little; });
  Values states =
      emit_accumulation(shared.order(), shared.space().segments, shared.space().length, all, e);
  std::vector<Values> results;
  for (size_t i = 0; i < kept_indices.size(); ++i)
    results.push_back(shared.results(ValueSpan(states).slice(i * width, width)));
  return results;
}

void emit_column_reductions(llvm::ArrayRef<ReductionCode> codes, IndexSpan outer,
                            const Columns& columns, Emission& e) {
  SharedReduction shared(codes, false, e);
  KOLAM_CHECK(shared.order().order == Order::chunk);
  std::vector<DType> states;
  std::vector<mlir::Value> all;
  Values pointers;
  for (const ReductionCode& code : codes) {
    llvm::append_range(states, code.reduction.states);
    llvm::append_range(all, code.op->getResults());
  }
  for (Value result : all)
    pointers.push_back(e.scratch(ir::dtype_of(result), columns.most));
  emit_column_accumulation(
      shared.order(), shared.space().length, states, columns,
      [&](const Coordinate& column) {
        Index index(outer);
        index.push_back(column);
        return shared.at(index);
      },
      [&](const Coordinate& offset, const Coordinate&, ValueSpan state) {
        for (auto [result, pointer, value] : llvm::zip(all, pointers, shared.results(state)))
          e.store(pointer, ir::dtype_of(result), offset, value);
      },
      e);
  ValueSpan own = pointers;
  for (const ReductionCode& code : codes) {
    e.keep(code.op, outer, columns.first, own.take_front(code.op->getNumResults()));
    own = own.drop_front(code.op->getNumResults());
  }
}

} // namespace kolam::lower::cpu

// Note [First places]
// An element that meets one that is as great comes later, so it is never the first: the comparison
// of places folds away, and with it half of what each step waits for.
