// Prices rows of the data dimension: in blocks, as the reference does, and by the figures of a
// machine.
#include "kolam/analysis/data_dim/prices.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

#include <cmath>

namespace kolam::analysis {
namespace {

using space::DataDimCost;
using space::DataDimPlace;
using space::DataDimRow;
using space::kAnyDim;

/// Meaning (reference, 5.6): the block of elements along D, of which a row of a product is computed
/// at once.
constexpr double kBlock = 32;
/// Reductions along other dims take 1.5 times as long, so units are half blocks. (reference, 5.6)
constexpr double kScale = 2, kSlower = 1.5;
/// Meaning (reference, 5.6): loading weights while the program runs costs so much for each of their
/// blocks.
constexpr double kWeightWrite = 4;
/// Assumed: a nanosecond is so many units of Prices, vectors of 16 elements, one a cycle, at 4 GHz.
constexpr double kUnitsInNanosecond = 64;
/// Bound: no price is larger; sums of ten thousand of them fit.
constexpr double kLargest = static_cast<double>(int64_t{1} << 44);

double rough(const Extent& extent) { return std::max(1.0, ir::rough_count({extent})); }

int width_of(mlir::Type type) {
  while (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  if (auto ref = llvm::dyn_cast<ir::RefType>(type))
    type = ref.getValue();
  return byte_width(ir::dtype_of(type));
}

} // namespace

double DataDimPricer::blocks(const Shape& shape, int dim) const {
  const double block = kind_ == DataDimPrices::blocks ? kBlock : kUsualLanes;
  double product = 1;
  if (dim == kAnyDim && !shape.empty())
    dim = static_cast<int>(shape.size()) - 1;
  for (size_t at = 0; at < shape.size(); ++at) {
    double extent = rough(shape[at]);
    product *= static_cast<int>(at) == dim ? std::ceil(extent / block) : extent;
  }
  return product;
}

int64_t DataDimPricer::rounded(double units) const {
  double scaled = kind_ == DataDimPrices::blocks ? units * kScale : units / kUnitsInNanosecond;
  return static_cast<int64_t>(std::ceil(std::min(scaled, kLargest)));
}

/// Blocks in and out; on a machine the bytes, with whole vectors along D.
double DataDimPricer::moved(mlir::Operation* op, const std::vector<DataDimPlace>& places,
                            const DataDimRow& row) const {
  double sum = 0;
  for (size_t at = 0; at < places.size(); ++at) {
    mlir::Value value = ir::value_at(op, places[at]);
    Shape shape = ir::data_shape(value);
    double count = blocks(shape, row.dims[at]);
    if (kind_ == DataDimPrices::cpu) {
      count *= kUsualLanes * width_of(value.getType());
      count *= price_of_byte(count, {}) / 2; // either stored or fetched
    }
    sum += count;
  }
  return sum;
}

/// Of a product: all points, those of the blocked dims a block at a time.
double DataDimPricer::tiles(mlir::Operation* op, const DataDimRow& row) {
  const space::Signature& signature = signatures_.of(op);
  const double block = kind_ == DataDimPrices::blocks ? kBlock : kUsualLanes;
  double product = 1;
  for (size_t index = 0; index < signature.dims.size(); ++index) {
    double extent = rough(signature.dims[index].extent);
    bool is_blocked = llvm::is_contained(row.blocked, static_cast<int>(index));
    product *= is_blocked ? std::ceil(extent / block) : extent;
  }
  // Products inside of a point: of attention those along the features.
  double inside = ir::flops_per_point(op) / 2;
  return kind_ == DataDimPrices::blocks ? product * std::max(1.0, inside / block)
                                        : product * std::max(1.0, inside) * 2 * block;
}

double DataDimPricer::time_of(mlir::Operation* op, const std::vector<DataDimPlace>& places,
                              const DataDimRow& row) {
  const bool is_product = ir::facts_of(op).has_factors;
  if (row.cost == DataDimCost::free)
    return 0;
  if (row.cost == DataDimCost::close_to_free)
    return 1;
  if (is_product) {
    double sum = tiles(op, row);
    if (kind_ == DataDimPrices::cpu)
      sum += moved(op, places, row);
    for (size_t at = 0; at < places.size(); ++at)
      if (places[at] == ir::operand_place(static_cast<size_t>(row.weights)))
        sum += kWeightWrite * blocks(ir::data_shape(ir::value_at(op, places[at])), row.dims[at]);
    return sum;
  }
  double sum = moved(op, places, row);
  if (kind_ == DataDimPrices::cpu && op->getNumResults() > 0) {
    // Lanes that a short D leaves empty compute too.
    Shape shape = ir::data_shape(op->getResult(0));
    double points = blocks(shape, row.dims.back()) * kUsualLanes;
    if (!llvm::isa<ir::ListType, ir::RefType>(op->getResult(0).getType()))
      sum += flops_per_cell(op, signatures_) * points;
  }
  return row.cost == DataDimCost::slower ? kSlower * sum : sum;
}

void DataDimPricer::price(mlir::Operation* op, const std::vector<DataDimPlace>& places,
                          const DataDimRow& row, double turns, PricedRow& priced) {
  priced.time = rounded(time_of(op, places, row) * turns);
  double held = 0;
  if (row.cost == DataDimCost::compute || row.cost == DataDimCost::slower)
    for (size_t at = 0; at < places.size(); ++at)
      if (places[at].kind == DataDimPlace::Kind::result ||
          places[at] == ir::operand_place(static_cast<size_t>(row.weights)))
        held += blocks(ir::data_shape(ir::value_at(op, places[at])), row.dims[at]);
  priced.memory = static_cast<int64_t>(std::min(held, kLargest));
}

/// Read with one D and written with the other; on a machine element by element into their places.
int64_t DataDimPricer::relayout(mlir::Type type, int from, int to, double turns) const {
  Shape shape = ir::data_shape(type);
  double sum = blocks(shape, from) + blocks(shape, to);
  if (kind_ == DataDimPrices::cpu) {
    const Prices prices;
    double bytes = ir::rough_count(shape) * width_of(type);
    sum = bytes * price_of_byte(bytes, {}) + prices.kept * ir::rough_count(shape);
  }
  return std::max<int64_t>(1, rounded(sum * turns));
}

} // namespace kolam::analysis
