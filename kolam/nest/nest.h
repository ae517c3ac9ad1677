/// The nest list: ops grouped into loop nests and steps, the one plain-data stage between program
/// and code.
#pragma once

#include "kolam/nest/axis_orders.h"
#include "kolam/nest/products.h"
#include "kolam/space/layout.h"
#include "kolam/support/machine.h"
#include "kolam/support/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace kolam::nest {

/// One loop nest: computes the results of `root`, and on the way the elements of `fused`, from
/// values held in buffers. nest/isolate.cpp maps what points into the program, and writes down what
/// code depends on.
struct Nest {
  std::string name;
  mlir::Operation* root = nullptr;
  std::vector<mlir::Operation*>
      fused; ///< producers computed where they are consumed; a consumer before its producers
  std::vector<mlir::Value> outputs; ///< the root's results; the first parameters
  /// Values read from buffers; the following parameters. Packed columns of products come last.
  std::vector<mlir::Value> inputs;
  std::vector<std::string> symbols; ///< sizes the nest is told at the call
  /// What is computed by tiles; then the parallel range counts product_units.
  std::vector<Product> products;
  /// The nest packs the columns of its one product; its first parameter is where, which holds no
  /// value of the program.
  bool packs = false;
  Extent parallel;              ///< the flat range that the nest function is given
  bool aligned_outputs = false; ///< each output starts at a line of the cache
  /// By output, then by input: where elements lie that are not row-major (nest/layouts.h); empty:
  /// all are.
  std::vector<std::optional<space::Layout>> layouts = {};

  /// The root, then the fused ops.
  auto ops() const {
    return llvm::concat<mlir::Operation* const>(llvm::ArrayRef<mlir::Operation*>(root),
                                                llvm::ArrayRef(fused));
  }
  /// Of an output or input that is not row-major; null for others.
  const space::Layout* layout_of(mlir::Value value) const;
};

/// Why two neighbours were not fused.
struct Decision {
  mlir::Operation* producer;
  mlir::Operation* consumer;
  std::string reason; ///< empty: fused
};

struct NestList {
  std::vector<Nest> nests;
  StepProgram program;
  /// Runs once, before the program's first run, and makes the buffers that are `prepared`. It reads
  /// constants and captured arguments only; the sizes of a call do not change what it computes.
  StepProgram preparation;
  std::vector<mlir::ElementsAttr> constants; ///< by the number of their buffer
  std::vector<Decision> decisions;
  std::vector<ChosenOrders> axis_orders; ///< why values lie as they do, where that was asked
  std::vector<mlir::Operation*> ops;     ///< op numbers, as in ErrorRecord
  std::vector<std::string> arguments;    ///< their names (ir/argument_names.h)
};

/// Groups the ops of `function` into nests, orders them as steps and assigns every buffer. So many
/// of its last arguments as are `captured` are the same at every run. The machine says what memory
/// and arithmetic cost; `explains` asks for NestList::axis_orders.
NestList form_nests(mlir::func::FuncOp function, int captured = 0, const Machine& machine = {},
                    bool explains = false);

/// The list as text: buffers, then the tree of steps with what each nest fuses.
std::string to_string(const NestList& nests);

} // namespace kolam::nest
