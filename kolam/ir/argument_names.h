/// How the user reaches the arguments of a program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace kolam::ir {

/// The attribute of a function's argument that holds its name: `params[0]["w1"]`.
inline constexpr llvm::StringLiteral kArgumentName = "kolam.name";

/// Names the first arguments of a function. An empty name, or the argument's number, is none.
void name_arguments(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names);

/// The name of each argument; its number where it has none, or that of an argument before.
std::vector<std::string> argument_names(mlir::func::FuncOp function);

/// The argument in terms that other values are part of: `params[0]["w1"]`, `arg2` where it has a
/// number alone.
std::string argument_term(mlir::BlockArgument argument);

/// `argument 2`, `argument 'params[0]["w1"]'`.
std::string argument_text(const std::string& name);

} // namespace kolam::ir
