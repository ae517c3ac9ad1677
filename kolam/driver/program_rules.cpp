// Checks what single ops cannot see.
#include "kolam/driver/program_rules.h"

#include <set>

#include "kolam/ir/block_spec.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"

namespace kolam::driver {
namespace {

using Symbols = std::set<std::string>;

bool is_program_op(mlir::Operation& op) {
  return llvm::isa_and_present<ir::KolamDialect>(op.getDialect()) ||
         llvm::isa<mlir::func::ReturnOp>(op);
}

/// The symbols that stand alone in a dim of an argument: their sizes are known inside.
void bind_symbols(mlir::Block& block, Symbols& bound) {
  for (mlir::BlockArgument argument : block.getArguments())
    if (ir::is_program_type(argument.getType()))
      for (const Extent& extent : ir::shape_of(argument))
        if (auto symbol = extent.as_symbol())
          bound.insert(*symbol);
}

/// The symbols that an op gives a value when it runs.
std::vector<std::string> bound_by(mlir::Operation& op) {
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op))
    return {bind.getSymbol().str()};
  std::vector<std::string> symbols = ir::late_symbols(&op);
  if (auto unpack = llvm::dyn_cast<ir::UnpackOp>(op))
    for (mlir::Attribute symbol : unpack.getSymbols())
      symbols.push_back(llvm::cast<mlir::StringAttr>(symbol).getValue().str());
  return symbols;
}

/// The symbols that the op's bodies bind and its lists show: leaves of one shape, which only a run
/// of a body knows.
void bind_leaves(mlir::Operation& op, Symbols& bound) {
  Symbols inside;
  for (mlir::Region& region : op.getRegions())
    region.walk([&](mlir::Operation* inner) {
      for (const std::string& symbol : bound_by(*inner))
        inside.insert(symbol);
    });
  for (mlir::Type type : op.getResultTypes())
    if (auto list = llvm::dyn_cast<ir::ListType>(type))
      for (const Extent& extent : ir::shape_of(mlir::Type(list.leaf())))
        for (const std::string& symbol : extent.symbols())
          if (inside.contains(symbol))
            bound.insert(symbol);
}

/// Refs are values of kernels alone.
llvm::LogicalResult check_types(mlir::Operation* op, mlir::TypeRange types) {
  const bool is_in_kernel =
      llvm::isa<ir::KernelCallOp>(op) || op->getParentOfType<ir::KernelCallOp>();
  for (mlir::Type type : types)
    if (!ir::is_program_type(type) && !llvm::isa<ir::ListType>(type) &&
        !(is_in_kernel && llvm::isa<ir::RefType>(type)))
      return op->emitError("expected a tensor of a kolam dtype or a list, but got ") << type;
  return mlir::success();
}

/// The extents of a tensor or of a list's leaves.
Shape shape_of(mlir::Type type) {
  auto list = llvm::dyn_cast<ir::ListType>(type);
  auto ref = llvm::dyn_cast<ir::RefType>(type);
  return ir::shape_of(list ? mlir::Type(list.leaf()) : ref ? mlir::Type(ref.getValue()) : type);
}

llvm::LogicalResult check_symbols(mlir::Operation* op, const Shape& shape, const Symbols& bound) {
  for (const Extent& extent : shape)
    for (const std::string& symbol : extent.symbols())
      if (!bound.contains(symbol))
        return op->emitError("expected an argument, or an op before, that binds the extent '")
               << symbol << "', but got none";
  return mlir::success();
}

llvm::LogicalResult check_symbols(mlir::Operation* op, const Symbols& bound) {
  for (mlir::Type type : op->getResultTypes())
    if (failed(check_symbols(op, shape_of(type), bound)))
      return mlir::failure();
  for (mlir::NamedAttribute attr : op->getAttrs())
    if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
      if (failed(check_symbols(op, extents.shape(), bound)))
        return mlir::failure();
  if (auto call = llvm::dyn_cast<ir::KernelCallOp>(op)) {
    for (mlir::Attribute block : call.getBlocks())
      if (failed(check_symbols(op, ir::BlockSpec::from_attr(block)->ref_shape(), bound)))
        return mlir::failure();
    for (mlir::Attribute type : call.getScratch())
      if (failed(check_symbols(op, shape_of(llvm::cast<mlir::TypeAttr>(type).getValue()), bound)))
        return mlir::failure();
  }
  if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
    return check_symbols(op, {*Extent::parse(extent.getExpression())}, bound);
  return mlir::success();
}

/// `late` are the symbols that ops bind, anywhere: by one op each.
llvm::LogicalResult check_region(mlir::Operation* parent, mlir::Region& region, Symbols bound,
                                 Symbols& late) {
  if (region.empty())
    return mlir::success();
  if (!region.hasOneBlock())
    return parent->emitError("expected one block, but got ") << region.getBlocks().size();
  mlir::Block& block = region.front();
  if (failed(check_types(parent, block.getArgumentTypes())))
    return mlir::failure();
  bind_symbols(block, bound);
  for (const mlir::BlockArgument& argument : block.getArguments())
    if (failed(check_symbols(parent, shape_of(argument.getType()), bound)))
      return mlir::failure();
  for (mlir::Operation& op : block) {
    if (!is_program_op(op))
      return op.emitError("expected ops of the kolam dialect, but got ") << op.getName();
    for (const std::string& symbol : bound_by(op)) {
      if (bound.contains(symbol) || !late.insert(symbol).second)
        return op.emitError("expected a symbol that nothing else binds, but got '")
               << symbol << "'";
      bound.insert(symbol);
    }
    if (failed(check_types(&op, op.getResultTypes())))
      return mlir::failure();
    for (mlir::Region& inner : op.getRegions())
      if (failed(check_region(&op, inner, bound, late)))
        return mlir::failure();
    bind_leaves(op, bound);
    if (failed(check_symbols(&op, bound)))
      return mlir::failure();
  }
  return mlir::success();
}

} // namespace

llvm::LogicalResult check_program_rules(mlir::ModuleOp module, SymbolsOf arguments) {
  for (mlir::Operation& op : *module.getBody()) {
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function)
      return op.emitError("expected functions, but got ") << op.getName();
    if (function.isDeclaration())
      return op.emitError("expected a function with a body");
    Symbols late, given;
    if (arguments == SymbolsOf::expressions)
      for (mlir::Type type : function.getArgumentTypes())
        for (const Extent& extent : shape_of(type))
          given.merge(extent.symbols());
    if (failed(check_region(function, function.getBody(), given, late)))
      return mlir::failure();
  }
  return mlir::success();
}

} // namespace kolam::driver
