// Makes the function of a nest.
#include "kolam/lower/cpu/lower.h"

#include "kolam/lower/cpu/map.h"
#include "kolam/lower/cpu/matrix_nest.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/support/error.h"

namespace kolam::lower::cpu {

void load_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine,
                                             const nest::Schedule& schedule) {
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
  else if (nest::root_stage(schedule)->by == nest::Emitter::whole)
    KOLAM_CHECK(dispatch_whole(nest.root, emission));
  else
    emit_map(emission);
  emission.finish();
  emission.functions.define(*module);
  declare_library_calls(*module);
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine) {
  return lower_nest(nest, machine, nest::choose_schedule(nest, machine));
}

} // namespace kolam::lower::cpu
