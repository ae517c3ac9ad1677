// Names are attributes, which texts of programs keep.
#include "kolam/ir/argument_names.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace kolam::ir {

/// Also of a text that is empty.
static bool is_number(llvm::StringRef text) { return llvm::all_of(text, llvm::isDigit); }

void name_arguments(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names) {
  for (auto [number, name] : llvm::enumerate(names))
    if (!is_number(name))
      function.setArgAttr(static_cast<unsigned>(number), kArgumentName,
                          mlir::StringAttr::get(function.getContext(), name));
}

std::map<int, int> carried_arguments(mlir::func::FuncOp function) {
  std::map<int, int> carried;
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
    if (auto result = function.getArgAttrOfType<mlir::IntegerAttr>(argument, kCarried))
      carried[static_cast<int>(result.getInt())] = static_cast<int>(argument);
  return carried;
}

std::vector<std::string> argument_names(mlir::func::FuncOp function) {
  std::vector<std::string> names;
  std::set<std::string> given;
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(number, kArgumentName);
    bool is_name = name && !is_number(name) && given.insert(name.str()).second;
    names.push_back(is_name ? name.str() : std::to_string(number));
  }
  return names;
}

std::string argument_term(mlir::BlockArgument argument) {
  auto function = llvm::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  std::string number = std::to_string(argument.getArgNumber());
  std::string name = function ? argument_names(function)[argument.getArgNumber()] : number;
  return llvm::isDigit(name.front()) ? "arg" + name : name;
}

std::string argument_text(const std::string& name) {
  return llvm::isDigit(name.front()) ? "argument " + name : "argument '" + name + "'";
}

} // namespace kolam::ir
