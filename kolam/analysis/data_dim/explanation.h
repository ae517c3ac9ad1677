/// The words for a program that no data dimension satisfies: what contradicts, and what would help.
#pragma once

#include "kolam/analysis/data_dim/conflict.h"
#include "kolam/analysis/data_dim/program.h"

namespace kolam::analysis {

/// A member of a minimal conflict: a call of the user, or a pin.
struct ExplainedMember {
  DataDimOp::Kind kind;
  std::string name; ///< of the op; of an input's or output's pin the argument or result's number
  SourceLocation where;
  std::string text; ///< shapes with D as far as it is known, and what is missing
};

/// A change with which the program has a solution.
struct DataDimRepair {
  std::string text;
  int64_t total = 0;
};

struct Explanation {
  std::vector<ExplainedMember> core;
  std::string names;                  ///< as names_text
  std::vector<DataDimRepair> repairs; ///< each was tried, the cheapest first
};

/// Of a problem without solution in strict mode.
///
/// D is shown as it is where all members but the last one hold. Repairs are: allow_dynamic_weights,
/// keepdims of the reductions, another profile, one pin of the core left out, one value that ops of
/// the core read moved, slices of what an op of the core adds a dim to stacked.
Explanation explain_conflict(mlir::func::FuncOp function, const DataDimAsked& asked,
                             const DataDimProblem& problem);

/// The text of an error: members line by line, then the repairs with their totals.
std::string to_string(const Explanation& explanation);

} // namespace kolam::analysis
