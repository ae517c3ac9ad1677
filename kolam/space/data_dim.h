/// The data dimension of tensors: what an op asks of it and gives, and by which set of rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kolam::space {

/// In place of a dim: none is asked for. Of a constant, a tensor of rank 0, or where all dims do.
inline constexpr int kAnyDim = -1;

/// The documented classes of cost, the cheapest first.
enum class DataDimCost : uint8_t { free, close_to_free, compute, slower };

/// Which kernel computes a product: sums along the data dimension, multiples of rows, or products
/// without sums.
enum class DataDimVariant : uint8_t { none, dot, axpy, outer };

/// A value that an op touches: an operand, a result, an argument of one of its regions, or a value
/// that a region yields.
struct DataDimPlace {
  enum class Kind : uint8_t { operand, result, argument, yield };
  Kind kind = Kind::operand;
  int number = 0;
  int region = 0;
  friend bool operator==(const DataDimPlace&, const DataDimPlace&) = default;
};

/// One way in which an op may run.
struct DataDimRow {
  std::vector<int> dims; ///< the data dimension at each place of the table
  DataDimCost cost = DataDimCost::compute;
  DataDimVariant variant = DataDimVariant::none;
  /// Of a product: index dims of the signature that are computed a block at a time, and the number
  /// of the operand that is loaded as weights while the program runs, -1 where none is.
  std::vector<int> blocked = {};
  int weights = -1;
  friend bool operator==(const DataDimRow&, const DataDimRow&) = default;
};

/// The ways that an op has for some of the values that it touches. Of a loop there is a table for
/// each state; of most ops there is one.
struct DataDimTable {
  std::vector<DataDimPlace> places;
  std::vector<DataDimRow> rows;
};

/// A set of rules, as data.
struct DataDimProfile {
  std::string name;
  bool both_contracted = false; ///< F4: a product may contract along the D of both operands
  bool batches = true;          ///< a batch dim may be the D of a product's operand
  bool scalars = false;         ///< a reduction along D may end in rank 0
};

/// What an op is asked.
struct DataDimQuestion {
  DataDimProfile profile;
  bool allow_dynamic_weights = false;
  std::vector<bool> constants; ///< by operand: known when the program is compiled
};

} // namespace kolam::space
