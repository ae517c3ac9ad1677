// Walks over regions, and builds bodies.
#include "kolam/transform/batch/bodies.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/interpret.h"

namespace kolam::transform::batch {

Results batch_region(mlir::Region& region, Operands arguments, Instances& all) {
  mlir::Block& block = region.front();
  Environment<Batched> values;
  values.set(block.getArguments(), arguments);
  for_each_op(all.b, block, [&](mlir::Operation* op) {
    values.set(op->getResults(), batch_any(op, values.at(op->getOperands()), all));
  });
  return values.at(block.getTerminator()->getOperands());
}

Values where_any(Instances& all, Value running, mlir::TypeRange types,
                 const std::function<Values()>& make) {
  auto zeros = [&](const Values&) {
    Values values;
    for (mlir::Type type : types) {
      Value zero = language::weak_constant(all.b, false, DType::boolean);
      zero = language::cast(all.b, zero, ir::dtype_of(type));
      values.push_back(language::broadcast_to(all.b, zero, ir::shape_of(type)));
    }
    return values;
  };
  Value is_asked = any(all, running);
  std::vector<language::Body> branches;
  branches.push_back(language::make_body(all.b, {}, zeros));
  branches.push_back(language::make_body(all.b, {}, [&](const Values&) { return make(); }));
  return language::cond(all.b, is_asked, std::move(branches));
}

bool must_be_asked_for(mlir::Region& region) {
  return region
      .walk([](mlir::Operation* op) {
        bool may_raise = op->getNumRegions() == 0 && !mlir::isMemoryEffectFree(op);
        return may_raise || ir::facts_of(op).bodies == ir::Bodies::in_turn
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool holds_factors(mlir::Region& region) {
  return region
      .walk([](mlir::Operation* op) {
        return ir::facts_of(op).has_factors ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

Flags flags_of(Operands operands) {
  Flags flags;
  for (const Batched& operand : operands)
    flags.push_back(operand.is_each);
  return flags;
}

Values fit(Instances& all, const Results& results, const Flags& flags) {
  Values values;
  for (auto [result, is_each] : llvm::zip(results, flags)) {
    KOLAM_CHECK(is_each || !result.is_each);
    values.push_back(is_each ? as_each(all, result) : result.value);
  }
  return values;
}

Results with_flags(mlir::ValueRange values, const Flags& flags) {
  Results results;
  for (auto [value, is_each] : llvm::zip(values, flags))
    results.push_back({value, is_each});
  return results;
}

llvm::SmallVector<mlir::Type> types_of(mlir::ValueRange values) {
  return llvm::SmallVector<mlir::Type>(values.getTypes());
}

} // namespace kolam::transform::batch
