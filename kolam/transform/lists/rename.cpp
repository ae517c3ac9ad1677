// Renames symbols.
#include "kolam/transform/lists/rename.h"

#include "kolam/ir/ops.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kolam::transform::lists {
namespace {

std::vector<std::string> bound_by(mlir::Operation* op) {
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op))
    return {bind.getSymbol().str()};
  std::vector<std::string> symbols;
  if (auto unpack = llvm::dyn_cast<ir::UnpackOp>(op))
    for (mlir::Attribute symbol : unpack.getSymbols())
      symbols.push_back(llvm::cast<mlir::StringAttr>(symbol).getValue().str());
  return symbols;
}

} // namespace

bool binds(mlir::Region& region, llvm::StringRef symbol) {
  return region
      .walk([&](mlir::Operation* op) {
        return llvm::is_contained(bound_by(op), symbol) ? mlir::WalkResult::interrupt()
                                                        : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

std::set<std::string> free_symbols(mlir::Region& region) {
  std::set<std::string> used;
  mlir::AttrTypeWalker walker;
  walker.addWalk([&](ir::ExtentsAttr attr) {
    for (const Extent& extent : attr.shape())
      used.merge(extent.symbols());
  });
  for (mlir::Block& block : region)
    for (mlir::Type type : block.getArgumentTypes())
      walker.walk(type);
  region.walk([&](mlir::Operation* op) {
    walker.walk(op->getAttrDictionary());
    for (mlir::Type type : op->getResultTypes())
      walker.walk(type);
    if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
      used.merge(Extent::parse(extent.getExpression())->symbols());
  });
  region.walk([&](mlir::Operation* op) {
    for (const std::string& symbol : bound_by(op))
      used.erase(symbol);
  });
  return used;
}

void rename(mlir::Region& region, const Names& names) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](ir::ExtentsAttr attr) -> mlir::Attribute {
    Shape shape = attr.shape();
    for (Extent& extent : shape)
      extent = extent.substitute(names);
    return ir::ExtentsAttr::of(attr.getContext(), shape);
  });
  auto rename_arguments = [&](mlir::Region& of) {
    for (mlir::BlockArgument argument : of.getArguments())
      argument.setType(replacer.replace(argument.getType()));
  };
  rename_arguments(region);
  region.walk([&](mlir::Operation* op) {
    auto new_name = [&](llvm::StringRef symbol) {
      auto found = names.find(symbol.str());
      return mlir::StringAttr::get(
          op->getContext(), found == names.end() ? symbol.str() : *found->second.as_symbol());
    };
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                               /*replaceTypes=*/true);
    for (mlir::Region& inner : op->getRegions())
      if (!inner.empty())
        rename_arguments(inner);
    llvm::TypeSwitch<mlir::Operation*>(op)
        .Case([&](ir::BindExtentOp bind) { bind.setSymbolAttr(new_name(bind.getSymbol())); })
        .Case([&](ir::UnpackOp unpack) {
          llvm::SmallVector<mlir::Attribute> symbols;
          for (const std::string& symbol : bound_by(op))
            symbols.push_back(new_name(symbol));
          unpack.setSymbolsAttr(mlir::ArrayAttr::get(op->getContext(), symbols));
        })
        .Case([&](ir::ExtentOp extent) {
          Extent renamed = Extent::parse(extent.getExpression())->substitute(names);
          extent.setExpression(renamed.to_string());
        });
  });
}

void rename_bound(mlir::Region& region, llvm::function_ref<std::string()> new_symbol) {
  Names names;
  region.walk([&](mlir::Operation* op) {
    for (const std::string& symbol : bound_by(op))
      names.emplace(symbol, Extent::symbol(new_symbol()));
  });
  if (!names.empty())
    rename(region, names);
}

std::unique_ptr<mlir::Region> renamed(mlir::Region& region,
                                      llvm::function_ref<std::string()> new_symbol) {
  auto copy = std::make_unique<mlir::Region>();
  mlir::IRMapping mapping;
  region.cloneInto(copy.get(), mapping);
  rename_bound(*copy, new_symbol);
  return copy;
}

std::unique_ptr<mlir::Region> renamed(mlir::Region& region, Integers& integers) {
  return renamed(region, [&] { return *integers.new_symbol().as_symbol(); });
}

} // namespace kolam::transform::lists
