/// Functions of elements in a nest's code: where each would stand often, one function is called.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/elementwise.h"
#include "kolam/support/machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace kolam::lower {

/// The code of a function stands inline where it is short, or few. Copies of long ones, a
/// polynomial each, take compilers longer than in proportion to their number: once a nest has so
/// many of them, further ops call the one function of their kind, dtype and lanes, whose arguments
/// and result are in registers. Pieces that go side by side are of one sort; an op of a nest with
/// several loops may be copied in one of them and called in another.
class Functions {
public:
  explicit Functions(const Machine& machine) : machine_(machine) {}

  /// fn(arguments...) for an op of the nest, scalars or vectors of `lanes`.
  mlir::Value apply(mlir::Operation* op, Fn fn, DType dtype, llvm::ArrayRef<mlir::Value> arguments,
                    mlir::ImplicitLocOpBuilder& b);
  /// `emit` emits the code of each op for so many pieces.
  void for_pieces(size_t count, llvm::function_ref<void()> emit);
  /// Whether it calls one of them.
  bool has(mlir::func::CallOp call) const;
  /// One call in place of neighbouring ones of the same function, none of which reads another's
  /// value.
  void call_together(llvm::ArrayRef<mlir::func::CallOp> calls);
  /// Puts the functions that are called into the module.
  void define(mlir::ModuleOp module) const;

private:
  struct Function {
    Fn fn;
    DType dtype;
    mlir::FunctionType type; ///< of one call
    size_t count = 1;        ///< calls in one: the arguments of the first, of the second, ...
  };
  using Kind = std::pair<Fn, DType>;
  bool is_called(mlir::Operation* op, const Kind& kind);
  mlir::Value emit(const Kind& kind, llvm::ArrayRef<mlir::Value> arguments,
                   mlir::ImplicitLocOpBuilder& b) const;
  mlir::Value call(const Kind& kind, llvm::ArrayRef<mlir::Value> arguments,
                   mlir::ImplicitLocOpBuilder& b);

  const Machine& machine_;
  std::map<Kind, int64_t> lengths_; ///< ops, of the code that stands inline
  std::map<mlir::Operation*, bool> called_;
  int64_t pieces_ = 1;
  int64_t copied_ = 0; ///< ops of all code but the first of each kind
  llvm::StringMap<Function> functions_;
};

} // namespace kolam::lower
