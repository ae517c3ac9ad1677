// Asks for whole rows in front of lanes.
#include "kolam/lower/inside.h"

#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {

Inside::Inside(Emission& emission)
    : e_(emission), all_(emission.constant(DType::boolean, 1)), rows_(all_) {}

void Inside::require(Value condition) {
  ScalarBuilder s(e_.b);
  all_ = s.and_(all_, condition);
  if (!llvm::isa<mlir::VectorType>(condition.getType()))
    rows_ = s.and_(rows_, condition);
}

Values Inside::choose(DType dtype, llvm::function_ref<Values()> inside,
                      llvm::function_ref<Values()> outside) {
  const bool asks_lanes = llvm::isa<mlir::VectorType>(all_.getType());
  if (!asks_lanes || constant_of(rows_) == 1)
    return e_.choose(all_, inside, outside);
  return e_.choose(
      all_, [&] { return e_.choose(rows_, inside, [&] { return Values{e_.constant(dtype, 0)}; }); },
      outside);
}

} // namespace kolam::lower
