// Checks and signs ops that sort rows.
#include "kolam/ir/sorted_rows.h"

#include <cmath>

#include "kolam/ir/expectations.h"

namespace kolam::ir {

llvm::LogicalResult expect_sorted(mlir::Operation* op, mlir::Value operand, mlir::Value values,
                                  mlir::Value places, const Shape& shape) {
  bool is_short = shape_of(operand).back().constant().value_or(INT64_MAX) <= INT32_MAX;
  auto is_place = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
  if (failed(expect_dtype(op, values, dtype_of(operand), "the values")) ||
      failed(expect_shape(op, values, shape, "the values")) ||
      failed(expect_shape(op, places, shape, "the places")))
    return mlir::failure();
  return is_short ? expect_dtype(op, places, is_place, "dtype int32 or int64", "the places")
                  : expect_dtype(op, places, DType::i64, "the places");
}

space::Signature sign_rows(mlir::Operation* op, mlir::Value operand, mlir::Value values,
                           mlir::Value places) {
  Shape rows = shape_of(operand);
  rows.pop_back();
  int rank = static_cast<int>(rows.size());
  auto own_row = [&](mlir::Value value) {
    std::vector<int> dims;
    for (int dim = 0; dim < rank; ++dim)
      dims.push_back(dim);
    dims.push_back(space::kWhole);
    return space::axial(rank, dims, shape_of(value));
  };
  return {name_of(op),
          map_dims(rows),
          {read("operand", operand, own_row(operand)), write("values", values, own_row(values)),
           write("indices", places, own_row(places))}};
}

double sort_flops(const Extent& length) {
  double cells = rough_count({length});
  return cells * std::log2(cells + 1);
}

} // namespace kolam::ir
