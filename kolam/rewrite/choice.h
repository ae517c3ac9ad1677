/// Choices: equations between programs of which either side may be the better one. Rows of tables,
/// as rules are; what they are good for says who applies them.
#pragma once

#include "kolam/language/builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::rewrite {

/// What both sides of an equation have in common: every bit, or the values up to other orders of
/// operations and other roundings.
enum class Keeps : uint8_t { exact, reassociates };

/// What a row leaves open, by name: `{dim: 1, cuts: 3 5}`.
using Parameters = std::map<std::string, std::vector<int64_t>>;

/// A value of the program and what is to be read instead.
struct Replacement {
  mlir::Value old, made;
};

/// Where a row writes a program on which it applies.
struct Sample {
  language::Builder& b;
  std::mt19937_64& random;

  int64_t number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  /// A new argument of the program.
  mlir::Value argument(DType dtype, const Shape& shape);
};

/// left = right, where the condition holds.
struct Choice {
  std::string_view name;
  std::string_view equation;   ///< for readers
  std::string_view condition;  ///< on the left side
  std::string_view parameters; ///< each with its meaning
  Keeps keeps;
  /// Whether searches try it: false of what the grids of plans do already.
  bool is_searched;
  /// Parameters with which it applies to `op`, for that many workers, two at least; none where it
  /// doesn't apply.
  std::vector<Parameters> (*ways)(mlir::Operation* op, int64_t workers);
  /// The right side, made in front of `op`; none where it doesn't apply so, and then no op is made.
  std::vector<Replacement> (*apply)(mlir::Operation* op, const Parameters& parameters,
                                    language::Builder& b);
  /// The value of a program whose last op it applies to.
  mlir::Value (*sample)(Sample& sample);
  /// Of a row that reassociates: whether it keeps every bit so. Null: never.
  bool (*is_exact)(mlir::Operation* op, const Parameters& parameters) = nullptr;
};

std::span<const Choice> convolution_choices();
std::span<const Choice> group_choices();
std::span<const Choice> part_choices();
std::span<const Choice> place_choices();
std::span<const Choice> product_choices();
std::span<const Choice> scan_choices();
std::span<const Choice> statistics_choices();
std::span<const Choice> sum_choices();

/// The choices of all families.
const std::vector<Choice>& all_choices();
/// Null where no row has that name.
const Choice* find_choice(std::string_view name);

/// A program on which the row applies, drawn by `seed`.
mlir::OwningOpRef<mlir::ModuleOp> sample_of(const Choice& choice, mlir::MLIRContext* context,
                                            uint64_t seed);

/// A place where a row applies: to the op with that number among those of `main`.
struct Step {
  std::string name;
  int64_t op = 0;
  Parameters parameters;
  friend bool operator==(const Step&, const Step&) = default;
};

/// `sum_in_parts 3 cuts=512,1024 dim=2`.
std::string to_string(const Step& step);
/// Reads what `to_string` writes. Of a name alone the number is -1: the row is to be applied
/// wherever it does. Throws `[plan-choice]`.
Step parse_step(const std::string& text);

/// A step that was taken.
struct Taken {
  Step step;
  bool is_exact = true;
  std::string what; ///< the op, and the user's line
  /// By the number of an op before: the numbers of what is there for it now, itself or, of the
  /// left side, the ops of the right one; none of what nobody needs any more.
  std::vector<std::vector<int64_t>> ops;
};

/// A step that can be taken.
struct Possible {
  Step step;
  bool is_exact = true;
  std::string what; ///< the op, and the user's line
};

/// The steps that can be taken for that many workers, with the rows that `wanted` names (none: with
/// those that searches try); only those that keep every bit, where `keeps` says so.
std::vector<Possible> possible_steps(mlir::func::FuncOp main, std::span<const std::string> wanted,
                                     int64_t workers, Keeps keeps);

/// Rewrites the program. Ops that nobody needs any more go. Throws `[plan-choice]` where the row
/// doesn't apply to that op with those parameters, or keeps less than `keeps`.
Taken take(mlir::func::FuncOp main, const Step& step, Keeps keeps);

/// Takes the steps that texts name, one after the other: each at its op, or, of a name alone,
/// wherever the row applies, once to each op, with its first parameters for that many workers.
std::vector<Taken> take_all(mlir::func::FuncOp main, std::span<const std::string> texts,
                            int64_t workers, Keeps keeps);

} // namespace kolam::rewrite
