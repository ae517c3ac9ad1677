// Makes the function of a nest.
#include "kolam/lower/lower.h"

#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {
namespace {

/// for every cell of the result: result[i] = cells(i). The outermost dim is the nest's parallel
/// range.
void emit_map(mlir::Operation* root, Emission& e) {
  Values shape = e.shape(root->getResult(0));
  auto store_cells = [&](ValueSpan index) {
    Values values = e.cells(root, index);
    Value number = e.ravel(index, shape);
    for (auto [parameter, result] : llvm::enumerate(root->getResults()))
      e.store(static_cast<int>(parameter), ir::dtype_of(result), number, values[parameter]);
  };
  if (shape.empty()) {
    e.loop(e.begin(), e.end(), [&](Value) { store_cells({}); });
    return;
  }
  e.loop(e.begin(), e.end(), [&](Value outer) {
    e.loops(ValueSpan(shape).drop_front(), [&](ValueSpan inner) {
      Values index{outer};
      index.append(inner.begin(), inner.end());
      store_cells(index);
    });
  });
}

} // namespace

void load_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, bool has_fma) {
  mlir::MLIRContext* context = nest.root->getContext();
  // Locations stay out: equal nests of different lines are one object.
  mlir::Location loc = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  mlir::OpBuilder builder(module->getBodyRegion());
  auto pointer = mlir::LLVM::LLVMPointerType::get(context);
  auto i64 = builder.getI64Type();
  auto function = mlir::func::FuncOp::create(
      builder, loc, kNestFunction,
      builder.getFunctionType({pointer, pointer, pointer, i64, i64, pointer},
                              {builder.getI32Type()}));
  Emission emission(builder, nest, function, has_fma);
  if (!dispatch_whole(nest.root, emission))
    emit_map(nest.root, emission);
  emission.finish();
  declare_library_calls(*module);
  return module;
}

} // namespace kolam::lower
