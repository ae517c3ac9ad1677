/// The data dimensions of a program as a problem: plain data, with prices.
#pragma once

#include "kolam/analysis/data_dim/pairwise.h"
#include "kolam/space/data_dim.h"
#include "kolam/support/error.h"
#include "kolam/support/extent.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::analysis {

/// Format: the D of a value whose dim a reduction took away, in the call that gives it back: in
/// front of dim `gap` of the value, the `ordinal`-th of those that stood there.
constexpr int kKeptDim = 256;
constexpr int kept_dim(int gap, int ordinal) { return kKeptDim + gap * 16 + ordinal; }
constexpr bool is_kept(int dim) { return dim >= kKeptDim; }

/// A tensor, list or ref that the program computes while it runs.
struct DataDimValue {
  std::string type; ///< `float32[8, 16]`
  Shape shape;
  SourceLocation where;
  std::vector<int> dims; ///< what D may be: dims, kept ones, kAnyDim for none
  double turns = 1;      ///< how often it is computed
  bool may_move = false; ///< to other D than it is made with
  /// Of each pair of entries of `dims`, what moving the elements costs, and whether that is
  /// allowed.
  std::vector<int64_t> relayouts;
};

/// A row with its price.
struct PricedRow {
  std::vector<int> dims; ///< of operands, then results
  space::DataDimCost cost = space::DataDimCost::free;
  space::DataDimVariant variant = space::DataDimVariant::none;
  int64_t time = 0, memory = 0;
};

/// A table of an op, or what stands outside: an argument of the program, or one of its results.
struct DataDimOp {
  enum class Kind : uint8_t { op, argument, result };
  Kind kind = Kind::op;
  std::string name; ///< `matmul`; of an argument or result how the user reaches it
  SourceLocation where;
  int number = -1; ///< of an argument or result; of ops the position of the program's op
  bool is_pinned = false;
  bool keeps_order = false;           ///< its result has its operand's elements in row-major order
  std::vector<int> operands, results; ///< numbers of values
  std::vector<PricedRow> rows;
};

enum class LayoutMode : uint8_t {
  strict, ///< every value has one D
  repair, ///< a value may be moved to others, at a price
};

struct DataDimProblem {
  std::vector<DataDimValue> values;
  std::vector<DataDimOp> ops;
  std::vector<int> arguments, results; ///< values; -1 for constants and tensors of rank 0
  LayoutMode mode = LayoutMode::strict;
  std::string profile, costs;
};

/// A value moved from the D that it is made with to another one, once for all its readers.
struct Relayout {
  int value = 0, from = 0, to = 0;
  int64_t time = 0;
};

struct DataDimSolution {
  bool is_possible = false, is_exact = false;
  int64_t total = 0, bound = 0;
  std::vector<int> chosen; ///< by op: the number of its row
  std::vector<int> made;   ///< by value: the D that it is made with
  std::vector<Relayout> relayouts;
};

/// Whether a row that asks for `asked`, or for none, takes the value with D `dim`.
bool takes(const DataDimValue& value, int asked, int dim);

/// The choice of rows, and of relayouts where the mode has them, that costs least.
DataDimSolution solve(const DataDimProblem& problem, const SolveLimits& limits = {});

/// `[8 16!]`; of a kept dim `[8 (1!) 16]`.
std::string shape_text(const Shape& shape, int dim);
/// `y = matmul [4 16] [16! 8]`: the op with the D that its row gives.
std::string op_text(const DataDimProblem& problem, const DataDimOp& op, const PricedRow& row);
/// Inputs, ops in order with cost and time, relayouts, the total.
std::string to_string(const DataDimProblem& problem, const DataDimSolution& solution);
/// The graph of ops and values in graphviz's language.
std::string as_dot(const DataDimProblem& problem, const DataDimSolution& solution);
/// Values, ops with all rows, the choice and the total: enough for another program to check both.
std::string as_json(const DataDimProblem& problem, const DataDimSolution& solution);

} // namespace kolam::analysis
