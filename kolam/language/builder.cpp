// Refusals that all functions share.
#include "kolam/language/builder.h"

#include "kolam/ir/location.h"

#include <algorithm>

namespace kolam::language {

LocationNote::LocationNote(Builder& b, const std::string& note) : builder_(b), outer_(b.getLoc()) {
  b.setLoc(mlir::NameLoc::get(b.getStringAttr(note), outer_));
}

LocationNote::~LocationNote() { builder_.setLoc(outer_); }

std::string note_of(mlir::Operation* op) { return ir::note_of(op->getLoc()); }

mlir::RankedTensorType tensor_type(Builder& b, DType dtype, const Shape& shape) {
  if (!ir::is_countable(shape))
    fail(ErrorKind::value, "extent-overflow",
         "expected a tensor whose bytes can be counted in 63 bits, but got " +
             std::string(name(dtype)) + to_string(shape));
  return ir::tensor_type(b.getContext(), dtype, shape);
}

std::string describe(Value value) {
  return std::string(name(ir::dtype_of(value))) + to_string(ir::shape_of(value));
}

void fail_argument(ErrorKind kind, std::string_view slug, std::string_view argument,
                   const std::string& expected, const std::string& actual) {
  fail(kind, slug,
       "argument '" + std::string(argument) + "': expected " + expected + ", but got " + actual);
}

Axes normalize_axes(const Axes& axes, int64_t rank, std::string_view argument) {
  Axes result;
  for (int64_t axis : axes)
    result.push_back(normalize_axis(axis, rank, argument));
  std::sort(result.begin(), result.end());
  auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice != result.end())
    fail_argument(ErrorKind::value, "duplicate-axis", argument, "every axis once",
                  "axis " + std::to_string(*twice) + " twice");
  return result;
}

} // namespace kolam::language
