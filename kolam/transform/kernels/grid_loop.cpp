// An attribute of the loop.
#include "kolam/transform/kernels/grid_loop.h"

#include "mlir/IR/Builders.h"

namespace kolam::transform::kernels {

static constexpr char kGridLoop[] = "grid_loop";

void set_grid_loop(mlir::Operation* loop, const GridLoop& facts) {
  mlir::Builder b(loop->getContext());
  loop->setAttr(kGridLoop, b.getDictionaryAttr(
                               {b.getNamedAttr("bytes", b.getI64IntegerAttr(facts.bytes)),
                                b.getNamedAttr("has_points", b.getBoolAttr(facts.has_points)),
                                b.getNamedAttr("is_parallel", b.getBoolAttr(facts.is_parallel)),
                                b.getNamedAttr("kernel", b.getStringAttr(facts.kernel)),
                                b.getNamedAttr("steps", b.getI64IntegerAttr(facts.steps))}));
}

std::optional<GridLoop> grid_loop(mlir::Operation* loop) {
  auto facts = loop->getAttrOfType<mlir::DictionaryAttr>(kGridLoop);
  if (!facts)
    return std::nullopt;
  auto number = [&](const char* name) { return facts.getAs<mlir::IntegerAttr>(name).getInt(); };
  auto flag = [&](const char* name) { return facts.getAs<mlir::BoolAttr>(name).getValue(); };
  return GridLoop{facts.getAs<mlir::StringAttr>("kernel").str(), number("steps"), number("bytes"),
                  flag("is_parallel"), flag("has_points")};
}

void copy_grid_loop(mlir::Operation* from, mlir::Operation* to) {
  if (mlir::Attribute facts = from->getAttr(kGridLoop))
    to->setAttr(kGridLoop, facts);
}

} // namespace kolam::transform::kernels
