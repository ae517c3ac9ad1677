/// What a row of an op costs, and a value's move from one data dimension to another.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/analysis/data_dim/program.h"

namespace kolam::analysis {

/// Prices are integers from 0 to 2^50, so that sums of many of them stay numbers.
class DataDimPricer {
public:
  explicit DataDimPricer(DataDimPrices kind) : kind_(kind) {}

  /// Sets time and memory of a row of `op`, whose `row` names the data dimensions of `places`.
  void price(mlir::Operation* op, const std::vector<space::DataDimPlace>& places,
             const space::DataDimRow& row, double turns, PricedRow& priced);
  int64_t relayout(mlir::Type type, int from, int to, double turns) const;

private:
  double time_of(mlir::Operation* op, const std::vector<space::DataDimPlace>& places,
                 const space::DataDimRow& row);
  /// Blocks of a value with this D; of a cpu vectors.
  double blocks(const Shape& shape, int dim) const;
  double moved(mlir::Operation* op, const std::vector<space::DataDimPlace>& places,
               const space::DataDimRow& row) const;
  double tiles(mlir::Operation* op, const space::DataDimRow& row);
  int64_t rounded(double units) const;

  DataDimPrices kind_;
  Signatures signatures_;
};

} // namespace kolam::analysis
