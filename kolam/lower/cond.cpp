// Elements of kolam.cond: those of the branch that is chosen.
#include "kolam/ir/counted.h"
#include "kolam/lower/carried.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower {

Values emit_cells(ir::CondOp op, IndexSpan index, Emission& e) {
  ScalarBuilder s(e.b);
  Bodies bodies(op, index, e);
  Value selector = e.cell(op.getSelector(), {});
  std::vector<Elements> captures = bodies.captured(1, op.getCaptures());
  auto branch = [&](size_t number) {
    mlir::Block& block = op.getBranches()[number].front();
    bodies.enter(block, captures);
    Values values = bodies.next(block.getTerminator()->getOperands());
    e.leave();
    return values;
  };
  auto choose = [&, is_vector = bodies.gives_vectors(op.getCaptures(), captures)](
                    Value condition, llvm::function_ref<Values()> yes,
                    llvm::function_ref<Values()> no) {
    return is_vector ? e.choose(condition, yes, no) : e.choose_alike(condition, yes, no);
  };
  DType dtype = ir::dtype_of(op.getSelector());
  size_t count = op.getBranches().size();
  // A branch that goes one way for long costs less than computing both ways and choosing.
  if (dtype == DType::boolean && !llvm::isa<mlir::VectorType>(selector.getType()) &&
      ir::is_counted(op.getSelector()))
    selector = mlir::LLVM::ExpectOp::create(e.b, selector, e.constant(DType::boolean, 0));
  if (dtype == DType::boolean)
    return choose(selector, [&] { return branch(1); }, [&] { return branch(0); });
  // What lies outside picks the first branch or the last.
  std::function<Values(size_t)> from = [&](size_t number) -> Values {
    if (number + 1 == count)
      return branch(number);
    Value bound = s.int_constant_like(selector, static_cast<int64_t>(number));
    Value is_up_to = is_signed_integer(dtype) ? s.sle(selector, bound) : s.ule(selector, bound);
    return choose(is_up_to, [&] { return branch(number); }, [&] { return from(number + 1); });
  };
  return from(0);
}

} // namespace kolam::lower
