/// A program as choices rewrite it, while plans of it are looked for.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/rewrite/choice.h"
#include "kolam/transform/cut.h"

#include <memory>

namespace kolam::planner {

struct Variant {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  std::unique_ptr<transform::Cuts> parts;
  std::vector<plans::Choice> trace; ///< the steps from the program as it was given
  std::string text;                 ///< the same for equal programs, but for users' lines
  /// Values that are kept: the usual ones, and, for another try, also all that is dear to compute.
  /// `find_values` sets both.
  llvm::DenseSet<mlir::Value> stored, dear;
};

/// The program itself, rewritten by the choices that texts name. Throws `[plan-choice]`.
std::shared_ptr<Variant> variant_of(mlir::func::FuncOp main, std::span<const std::string> choices,
                                    int64_t workers, rewrite::Keeps keeps);

/// The program after one more step, or after the same step at every op of one form; each program
/// once, its values not found yet. At most `most`.
std::vector<std::shared_ptr<Variant>> next_variants(const Variant& variant, int64_t workers,
                                                    rewrite::Keeps keeps, size_t most);

void find_values(Variant& variant);

} // namespace kolam::planner
