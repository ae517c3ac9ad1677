/// How the user reaches the arguments of a program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace kolam::ir {

/// The attribute of a function's argument that holds its name: `params[0]["w1"]`.
inline constexpr llvm::StringLiteral kArgumentName = "kolam.name";

/// Names the first arguments of a function. An empty name, or the argument's number, is none.
void name_arguments(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names);

/// The attribute of a function's argument that holds the number of the result that is its next
/// value, where a program is run on what it gave: the result may take over its memory, and no
/// other.
inline constexpr llvm::StringLiteral kCarried = "kolam.carried";
/// The number of such an argument for each such result.
std::map<int, int> carried_arguments(mlir::func::FuncOp function);

/// The name of each argument; its number where it has none, or that of an argument before.
std::vector<std::string> argument_names(mlir::func::FuncOp function);

/// The argument in terms that other values are part of: `params[0]["w1"]`, `arg2` where it has a
/// number alone.
std::string argument_term(mlir::BlockArgument argument);

/// `argument 2`, `argument 'params[0]["w1"]'`.
std::string argument_text(const std::string& name);

} // namespace kolam::ir
