/// The data dimension of every value of a program: inferred, priced and shown.
#pragma once

#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/pin.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kolam::layout {

struct InferOptions {
  std::string profile = "seed"; ///< or "vollo27", "relaxed" (docs/data_dimension.md)
  std::string mode = "strict";  ///< or "repair": values are moved where that is cheapest
  bool allow_dynamic_weights = false;
  std::vector<std::string> constants = {}; ///< arguments known when the program is compiled
  std::map<std::string, Pin> inputs = {};  ///< by name of the argument, or its number
  std::map<int64_t, Pin> outputs = {};     ///< by number of the result
  std::string costs = "blocks";            ///< half blocks of 32 elements; or "cpu": nanoseconds
};

/// What one op of the program does.
struct InferredOp {
  std::string text; ///< `contract [16! 8] -> [4! 8]`, dims by name where they have one
  SourceLocation where;
  std::string cost;    ///< "free", "close to free", "compute", "slower"
  std::string variant; ///< of a product "dot", "axpy" or "outer"; else empty
  int64_t time = 0, memory = 0;
};

/// A value that is moved to another D, once for all its readers.
struct InferredRelayout {
  std::string text; ///< `[4! 8] to [4 8!]`
  SourceLocation where;
  int64_t from = 0, to = 0, time = 0;
};

struct Inferred {
  /// D of each argument and result; none of constants and of rank 0.
  std::vector<std::optional<int64_t>> inputs, outputs;
  std::vector<InferredOp> ops;
  std::vector<InferredRelayout> relayouts;
  int64_t total = 0, bound = 0; ///< no choice costs less than `bound`
  bool exact = true;            ///< the total is the least one
  std::string text, program, dot, json;

  /// The ops in order, each shape with `!` behind D, and what they cost.
  const std::string& to_string() const { return text; }
  /// The program's text, each line with the D of its operands and results and what it costs.
  const std::string& as_program() const { return program; }
  /// The graph of ops and values, in graphviz's language.
  const std::string& as_dot() const { return dot; }
  /// Values, ops with all rows, the choice and the total: enough for another program to check
  /// both.
  const std::string& as_json() const { return json; }
};

/// One of the operations that contradict one another: a call of the user, or a pin.
struct ConflictingCall {
  std::string kind; ///< "op", "input", "output", "pin": one in the program
  std::string name; ///< of the op; of an input the argument's name, of an output its number
  SourceLocation where;
  std::string text; ///< the shapes with D as far as it is known, and what is missing
};

/// `[data-dimension]`: no choice fits. Without any one member of the core there would be one.
class DataDimensionError : public Error {
public:
  DataDimensionError(std::string_view message, SourceLocation where,
                     std::vector<ConflictingCall> core);
  const std::vector<ConflictingCall>& core() const { return core_; }

private:
  std::vector<ConflictingCall> core_;
};

/// The data dimension of every value that a program computes, by rules whose total cost is least.
///
///     [16! 8] -> [4! 8]        w @ x where w is known when the program is compiled
///
/// Each value of rank 1 or more has one dim, its data dimension, that lies in vectors; each op
/// takes and gives it by the rules of the profile, at a cost. Throws `[data-dimension]` where no
/// choice fits, `[layout-option]` for an unknown profile, mode or cost, `[layout-pin]` for a pin of
/// what is not there, of a constant, or out of range, `[layout-names]` where pins give two names to
/// dims that are one. Source: Vollo, "The data dimension".
Inferred infer(const Program& program, const InferOptions& options = {});

/// The same of a function: `infer(f, {.profile = "relaxed"}, x, w)`.
template <class F, class... Parameters>
Inferred infer(const Jitted<F, std::tuple<Parameters...>>& f, const InferOptions& options,
               std::type_identity_t<detail::Argument<Parameters>>... given,
               std::source_location here = std::source_location::current()) {
  return infer(f.lower(given..., here), options);
}

/// What Program::explain says, and behind it what `infer` finds: D of every value, what each op
/// costs by the rules of a profile, and the total. Throws as `infer` does.
std::string explain(const Program& program, const InferOptions& options = {});

} // namespace kolam::layout
