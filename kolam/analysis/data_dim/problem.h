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
  /// What its dims are called, "" where nothing is known; empty where nothing is of any.
  std::vector<std::string> names;
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

/// Dims of a value.
struct DimRun {
  int value = 0;
  size_t first = 0, count = 1;
};
/// Runs that are one another: their elements are the same in the same order.
using SameDims = std::vector<DimRun>;

/// A table of an op, or what stands outside: an argument of the program, or one of its results.
struct DataDimOp {
  enum class Kind : uint8_t { op, argument, result, pin };
  Kind kind = Kind::op;
  std::string name; ///< `matmul`; of an argument or result how the user reaches it
  SourceLocation where;
  int number =
      -1;        ///< of an argument or result; else the place of the program's op, bodies included
  int call = -1; ///< equal for ops that one call of the user made; -1 where that is not known
  bool is_pinned = false;
  bool keeps_order = false;           ///< its result has its operand's elements in row-major order
  std::vector<int> operands, results; ///< numbers of values
  std::vector<PricedRow> rows;
  std::vector<std::string> names; ///< given to the dims of its first value, "" for none
  std::vector<SameDims> same;     ///< along which names travel; where the problem has any
};

enum class LayoutMode : uint8_t {
  strict, ///< every value has one D
  repair, ///< a value may be moved to others, at a price
};

/// Two names for one dim, at an op where they meet.
struct TwoNames {
  SourceLocation where;
  std::string text;
};

struct DataDimProblem {
  std::vector<DataDimValue> values;
  std::vector<DataDimOp> ops;
  std::vector<int> arguments, results; ///< values; -1 for constants and tensors of rank 0
  LayoutMode mode = LayoutMode::strict;
  std::string profile, costs;
  std::optional<TwoNames> two_names;
  std::optional<SourceLocation> pinned_constant; ///< a pin in the program of what has no D
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

/// `[batch 16!]`, dims by name where they have one; with a kept dim `[batch (1!) 16]`.
std::string shape_text(const DataDimValue& value, int dim);
/// `batch 2, dim 64 or 512`: what dims are called and their extents, in the order in which they
/// come.
std::string names_text(const DataDimProblem& problem);
/// `y = matmul [4 16] [16! 8]`: the op with the D that its row gives.
std::string op_text(const DataDimProblem& problem, const DataDimOp& op, const PricedRow& row);
/// `compute, dot, time 32, memory 16`: of a row.
std::string cost_text(const PricedRow& row);
/// `[4! 8] to [4 8!], time 3, model.py:7`.
std::string relayout_text(const DataDimProblem& problem, const Relayout& relayout);
/// `profile seed, costs blocks, total 288`; where it is not the least one, `at least 280` too.
std::string head_text(const DataDimProblem& problem, const DataDimSolution& solution);
/// Inputs, ops in order with cost and time, relayouts, the total.
std::string to_string(const DataDimProblem& problem, const DataDimSolution& solution);
/// The graph of ops and values in graphviz's language.
std::string as_dot(const DataDimProblem& problem, const DataDimSolution& solution);
/// Values, ops with all rows, the choice and the total: enough for another program to check both.
std::string as_json(const DataDimProblem& problem, const DataDimSolution& solution);

} // namespace kolam::analysis
