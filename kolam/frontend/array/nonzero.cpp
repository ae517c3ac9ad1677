// Calls what finds elements that are not 0.
#include "kolam/frontend/array/nonzero.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/counted.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {
namespace {

using language::Builder;
using language::Values;

std::vector<Tensor> found(std::string_view function, const Operand& x,
                          const NonzeroOptions& options,
                          const std::function<Values(Builder&, mlir::Value, language::Count)>& f) {
  CallScope scope(function, x.where());
  Operand operand = counted_operand(x, options.size);
  return apply(function, {&operand, 1},
               [&](Builder& b, const Values& v) { return f(b, v[0], count_of(options.size)); });
}

} // namespace

std::vector<Tensor> nonzero(const Operand& x, const NonzeroOptions& options) {
  return found("nonzero", x, options, [&](Builder& b, mlir::Value x, const language::Count& count) {
    return language::nonzero(b, x, count, options.fill_value);
  });
}

Tensor argwhere(const Operand& x, const NonzeroOptions& options) {
  return found("argwhere", x, options,
               [&](Builder& b, mlir::Value x, const language::Count& count) {
                 Values places = language::nonzero(b, x, count, options.fill_value);
                 return Values{language::stack(b, places, -1)};
               })[0];
}

Tensor flatnonzero(const Operand& x, const NonzeroOptions& options) {
  return found("flatnonzero", x, options,
               [&](Builder& b, mlir::Value x, const language::Count& count) {
                 return language::nonzero(b, language::flatten(b, x), count, options.fill_value);
               })[0];
}

Tensor count_nonzero(const Operand& x, const Axis& axis, ReduceOptions options) {
  return apply_one("count_nonzero", {x}, [&](Builder& b, const Values& v) {
    language::Axes dims = reduced_dims(axis, ir::rank_of(v[0]));
    DType dtype = language::index_dtype(ir::shape_of(v[0]), dims);
    mlir::Value ones = language::cast(b, language::cast(b, v[0], DType::boolean), dtype);
    mlir::Value count = language::combine(b, ones, Fn::add, dims);
    return options.keepdims ? language::keep_dims(b, count, dims) : count;
  });
}

} // namespace kolam
