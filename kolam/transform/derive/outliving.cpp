// Residuals that outlive their trace.
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/lists.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/lists/rename.h"

namespace kolam::transform {
namespace derive {

/// A value whose extents are numbers or symbols, as those of arrays: others get symbols of their
/// own.
static Value with_plain_extents(Builder& b, Value value, const NewSymbol& new_symbol) {
  Shape shape = ir::shape_of(value);
  for (Extent& extent : shape) {
    if (extent.is_constant() || extent.as_symbol())
      continue;
    const std::string symbol = new_symbol();
    Value count = language::extent_scalar(b, extent, DType::i64);
    ir::BindExtentOp::create(b, count, b.getStringAttr(symbol));
    extent = Extent::symbol(symbol);
  }
  return shape == ir::shape_of(value) ? value : language::with_shape(b, value, shape);
}

} // namespace derive

using language::Values;

Linearised with_array_residuals(language::Builder& b, Linearised linearised,
                                const NewSymbol& new_symbol) {
  mlir::Block& block = linearised.linear.region->front();
  language::Builder inside(b.getLoc(), b.getContext());
  inside.setInsertionPointToStart(&block);
  Values residuals;
  auto add = [&](mlir::Value residual) -> mlir::Value {
    mlir::Value plain = derive::with_plain_extents(b, residual, new_symbol);
    const auto place = static_cast<unsigned>(residuals.size());
    residuals.push_back(plain);
    mlir::Value argument = block.insertArgument(place, plain.getType(), plain.getLoc());
    return plain == residual ? argument
                             : language::with_shape(inside, argument, ir::shape_of(residual));
  };
  for (mlir::Value residual : linearised.residuals) {
    mlir::Value stands;
    if (llvm::isa<ir::ListType>(residual.getType())) {
      Values parts;
      for (mlir::Value part : derive::unpacked(b, residual, new_symbol))
        parts.push_back(add(part));
      stands = language::pack(inside, parts[0], Values(parts.begin() + 1, parts.end()));
    } else {
      stands = add(residual);
    }
    const auto old = static_cast<unsigned>(residuals.size());
    block.getArgument(old).replaceAllUsesWith(stands);
    block.eraseArgument(old);
  }
  std::set<std::string> hidden = lists::free_symbols(*linearised.linear.region);
  for (mlir::Value argument : block.getArguments().take_front(residuals.size()))
    for (const Extent& extent : ir::shape_of(argument))
      if (auto symbol = extent.as_symbol())
        hidden.erase(*symbol);
  inside.setInsertionPointToStart(&block);
  for (const std::string& symbol : hidden) {
    mlir::Value count = language::extent_scalar(b, Extent::symbol(symbol), DType::i64);
    ir::BindExtentOp::create(inside, add(count), inside.getStringAttr(symbol));
  }
  lists::Names names; // other traces call others so
  for (const std::string& symbol : lists::free_symbols(*linearised.linear.region))
    names.emplace(symbol, Extent::symbol("kept" + symbol));
  lists::rename(*linearised.linear.region, names);
  linearised.residuals = std::move(residuals);
  linearised.linear.residuals = linearised.residuals.size();
  return linearised;
}

} // namespace kolam::transform
