// Counts points of signatures, and prices bytes by the level of the cache that they fit.
#include "kolam/analysis/cost.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"

#include <algorithm>
#include <cmath>

namespace kolam::analysis {

using ir::rough_count;

double flops_per_cell(mlir::Operation* op) {
  Signatures signatures;
  return flops_per_cell(op, signatures);
}

double flops_per_cell(mlir::Operation* op, Signatures& signatures) {
  if (op->getNumResults() == 0)
    return 0;
  double cells = rough_count(ir::shape_of(op->getResult(0)));
  double flops = cells == 0 ? 0 : ir::flops_per_point(op);
  return flops == 0 ? 0 : flops * rough_count(space::index_shape(signatures.of(op))) / cells;
}

double flops_of(mlir::Operation* op) {
  Signatures signatures;
  return flops_of(op, signatures);
}

double flops_of(mlir::Operation* op, Signatures& signatures) {
  double flops = flops_per_cell(op, signatures);
  return flops == 0 ? 0 : flops * rough_count(ir::shape_of(op->getResult(0)));
}

double flops_each(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> inside, double elements,
                  Signatures& signatures) {
  double flops = flops_of(root, signatures);
  for (mlir::Operation* op : inside)
    flops += flops_of(op, signatures);
  return 1 + flops / elements;
}

double work_per_cell(mlir::Operation* op, Signatures& signatures) {
  double flops = flops_per_cell(op, signatures);
  if (flops == 0)
    return 0;
  constexpr int kUnit = byte_width(DType::f32);
  return flops * std::max(1, byte_width(ir::dtype_of(op->getResult(0))) / kUnit);
}

double rough_value(const Extent& extent, const std::map<std::string, int64_t>& sizes) {
  return extent.visit<double>([](int64_t number) { return static_cast<double>(number); },
                              [&](const std::string& symbol) {
                                auto known = sizes.find(symbol);
                                return known != sizes.end() ? static_cast<double>(known->second)
                                                            : rough_count({Extent::symbol(symbol)});
                              },
                              [](char op, double x, double y) {
                                switch (op) {
                                case '+':
                                  return x + y;
                                case '*':
                                  return x * y;
                                case 'f':
                                  return y > 0 ? std::floor(x / y) : 0;
                                case 'c':
                                  return y > 0 ? std::ceil(x / y) : 0;
                                case 'm':
                                  return std::min(x, y);
                                default:
                                  return std::max(x, y);
                                }
                              });
}

double elements_of(mlir::Value value) { return std::max(1.0, rough_count(ir::shape_of(value))); }

double bytes_of(mlir::Value value) {
  return rough_count(ir::shape_of(value)) * byte_width(ir::dtype_of(value));
}

double price_of_byte(double bytes, const Machine& machine) {
  const Prices& prices = machine.prices;
  if (bytes <= static_cast<double>(machine.caches.second) / 2)
    return prices.near_byte;
  return bytes <= static_cast<double>(machine.caches.last) / 2 ? prices.far_byte
                                                               : prices.memory_byte;
}

double price_of_memory(mlir::Value value, const Machine& machine) {
  double width = byte_width(ir::dtype_of(value)), elements = elements_of(value);
  return width * price_of_byte(width * elements, machine) + machine.prices.nest / elements;
}

} // namespace kolam::analysis
