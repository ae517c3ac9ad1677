// Emits monoids and their walk over the elements.
#include "kolam/lower/reduction.h"

#include "kolam/lower/accumulation.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/identity.h"

namespace kolam::lower {
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

/// The monoid's parts; element i counts over all segments.
Combiner combiner_of(const ir::Reduction& r, const Element& element, Emission& e) {
  Combiner combiner;
  combiner.dtypes = r.states;
  if (r.function) {
    combiner.first = [&](const Coordinate& i) {
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
  } else {
    combiner.first = [&](const Coordinate& i) { return e.region(*r.wrap, element(i)); };
    combiner.merge = [&](ValueSpan a, ValueSpan b) { return e.region(*r.merge, joined(a, b)); };
    combiner.empty = [&] { return e.region(*r.zero, {}); };
  }
  combiner.step = [first = combiner.first, merge = combiner.merge](ValueSpan state,
                                                                   const Coordinate& i) {
    Values next = first(i);
    return merge(state, next);
  };
  return combiner;
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

} // namespace

Value emit_identity(Fn fn, DType dtype, Emission& e) {
  mlir::Type type = register_type(e.b.getContext(), dtype);
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APInt bits = llvm::APInt(64, identity_bits(fn, dtype)).trunc(width);
  if (auto float_type = llvm::dyn_cast<mlir::FloatType>(type))
    return mlir::arith::ConstantOp::create(
        e.b, e.b.getFloatAttr(float_type, llvm::APFloat(float_type.getFloatSemantics(), bits)));
  return mlir::arith::ConstantOp::create(e.b, e.b.getIntegerAttr(type, bits));
}

Value emit_cast(DType from, DType to, Value x, Emission& e) {
  ScalarBuilder scalar_builder(e.b);
  return cast<ScalarBuilder, Value>(scalar_builder, from, to, x);
}

Value emit_function(Fn fn, DType dtype, ValueSpan arguments, Emission& e) {
  ScalarBuilder scalar_builder(e.b);
  return elementwise<ScalarBuilder, Value>(scalar_builder, fn, dtype, arguments);
}

Values emit_reduction(mlir::Operation* op, const ir::Reduction& reduction, ValueSpan space,
                      IndexSpan kept_index, const std::function<Values(IndexSpan)>& element_at,
                      Emission& e) {
  std::vector<int64_t> kept = reduction.kept_dims(static_cast<int64_t>(space.size()));
  Values reduced;
  for (int64_t dim : reduction.dims)
    reduced.push_back(space[dim]);
  // Runs of joined dims, each counted by its last.
  Values runs;
  llvm::SmallVector<int64_t> run_dims;
  for (auto [number, dim] : llvm::enumerate(reduction.dims)) {
    auto before = static_cast<int64_t>(kept.size() + number) - 1; // reduced dims follow kept ones
    if (number > 0 && reduction.dims[number - 1] + 1 == dim && e.joined.joins_index(op, before)) {
      runs.back() = e.mul(runs.back(), space[dim]);
      run_dims.back() = dim;
      continue;
    }
    runs.push_back(space[dim]);
    run_dims.push_back(dim);
  }
  Element element = [&](const Coordinate& i) {
    Index index(space.size(), Coordinate(e.i64(0)));
    for (auto [dim, value] : llvm::zip(kept, kept_index))
      index[dim] = value;
    for (auto [dim, value] : llvm::zip(run_dims, e.unravel(i, runs)))
      index[dim] = value;
    return element_at(index);
  };
  Value segments = e.i64(1), length = e.i64(1);
  size_t outer = reduced.size() - reduction.run_length();
  for (auto [i, extent] : llvm::enumerate(reduced)) {
    Value& product = i < outer ? segments : length;
    product = e.mul(product, extent);
  }
  Combiner combiner = combiner_of(reduction, element, e);
  if (reduction.wrap_all)
    combiner.chunk = [&](Value start, Value count) {
      return emit_wrap_all(reduction, start, count, element, e);
    };
  Values state = emit_accumulation(reduction.accumulate, segments, length, combiner, e);
  if (reduction.function)
    return emit_casts(state, reduction.states, reduction.elements, e);
  return e.region(*reduction.unwrap, state);
}

} // namespace kolam::lower
