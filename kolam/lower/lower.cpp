// Makes the function of a nest.
#include "kolam/lower/lower.h"

#include "kolam/analysis/access.h"
#include "kolam/lower/map.h"
#include "kolam/lower/matrix_nest.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {

void load_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine,
                                             const Schedule& schedule) {
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
  Emission emission(builder, nest, function, machine, schedule);
  if (!nest.products.empty())
    emit_matrix_nest(emission);
  else if (!dispatch_whole(nest.root, emission))
    emit_map(choose_map_plan(nest, machine, schedule), emission);
  emission.finish();
  declare_library_calls(*module);
  return module;
}

std::string describe_walk(const nest::Nest& nest, const Machine& machine,
                          const Schedule& schedule) {
  if (nest.packs)
    return "packing columns of matrices, once";
  if (!nest.products.empty()) {
    bool is_packed = llvm::any_of(
        nest.products, [](const nest::Product& product) { return product.is_packed_before; });
    return is_packed ? "tiles of matrices, whose columns are packed before" : "tiles of matrices";
  }
  if (!analysis::computes_cells(nest.root))
    return "loops of its own";
  return to_string(choose_map_plan(nest, machine, schedule), ir::rank_of(nest.root->getResult(0)));
}

} // namespace kolam::lower
