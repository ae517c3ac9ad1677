// Finds who binds symbols, and computes expressions over them.
#include "kolam/transform/kernels/sizes_of_instances.h"

#include "kolam/ir/facts.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/kernels/whole_grid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

std::vector<std::string> bound_by(mlir::Operation* op) {
  std::vector<std::string> symbols;
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op))
    symbols.push_back(bind.getSymbol().str());
  if (auto unpack = llvm::dyn_cast<ir::UnpackOp>(op))
    for (mlir::Attribute symbol : unpack.getSymbols())
      symbols.push_back(llvm::cast<mlir::StringAttr>(symbol).getValue().str());
  return symbols;
}

bool is_in_list_function(mlir::Operation* op) {
  for (mlir::Operation* around = op->getParentOp(); around; around = around->getParentOp())
    if (ir::facts_of(around).runs == ir::Runs::lists)
      return true;
  return false;
}

} // namespace

SizesOfInstances::SizesOfInstances(Builder& b, mlir::Operation* call)
    : b(b), function_(call->getParentOfType<mlir::func::FuncOp>()),
      values_([this](const Extent& extent) { return differs(extent); }) {
  if (!function_ || !is_in_list_function(call))
    throw Refusal{""};
  mlir::Block* start = &llvm::cast<mlir::func::FuncOp>(function_).getBody().front();
  function_->walk([&](mlir::Operation* op) {
    for (const std::string& symbol : bound_by(op))
      if (op->getBlock() == call->getBlock())
        own_[symbol] = op;
      else if (op->getBlock() != start)
        foreign_[symbol] = op;
  });
}

bool SizesOfInstances::differs(const Extent& extent) const {
  bool found = false;
  for (const std::string& symbol : extent.symbols()) {
    if (foreign_.contains(symbol))
      throw Refusal{"its extents are those of a function around it"};
    found |= own_.contains(symbol);
  }
  return found;
}

void SizesOfInstances::require_replaceable(mlir::Region& region) {
  if (auto why = values_.note(region))
    throw Refusal{*why};
}

Values SizesOfInstances::replaced_values() {
  Values values;
  for (const Extent& extent : replaced())
    values.push_back(value_of(extent));
  return values;
}

void SizesOfInstances::name_sizes(language::Access& access, const Extent& length) {
  std::set<std::string> symbols;
  for (const Shape& expressions : {access.lengths, access.index})
    for (const Extent& extent : expressions)
      symbols.merge(extent.symbols());
  std::map<std::string, Extent> names;
  for (const std::string& symbol : symbols) {
    if (symbol == "j0" || symbol == "j1")
      continue;
    if (length.as_symbol() == symbol) {
      names.emplace(symbol, Extent::symbol("L"));
      continue;
    }
    names.emplace(symbol, Extent::symbol("a" + std::to_string(access.scalars.size())));
    access.scalars.push_back(value_of(symbol));
  }
  for (Shape* expressions : {&access.lengths, &access.index})
    for (Extent& extent : *expressions)
      extent = extent.substitute(names);
}

std::string SizesOfInstances::new_symbol() {
  std::set<std::string> taken = taken_;
  auto add = [&](mlir::Type type) {
    if (auto list = llvm::dyn_cast<ir::ListType>(type))
      type = list.leaf();
    if (llvm::isa<mlir::RankedTensorType>(type))
      for (const Extent& extent : ir::shape_of(type))
        taken.merge(extent.symbols());
  };
  function_->walk([&](mlir::Operation* op) {
    llvm::for_each(op->getResultTypes(), add);
    for (mlir::Region& region : op->getRegions())
      llvm::for_each(region.getArgumentTypes(), add);
    for (const std::string& symbol : bound_by(op))
      taken.insert(symbol);
  });
  for (int number = 0;; ++number)
    if (std::string name = "_k" + std::to_string(number); !taken.contains(name))
      return *taken_.insert(name).first;
}

Value SizesOfInstances::value_of(const std::string& symbol) {
  auto found = own_.find(symbol);
  if (found == own_.end())
    return language::extent_scalar(b, Extent::symbol(symbol), DType::i64);
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(found->second))
    return language::elementwise(b, Fn::maximum,
                                 {language::cast(b, bind.getSize(), DType::i64),
                                  language::integer_constant(b, 0, DType::i64)});
  auto unpack = llvm::cast<ir::UnpackOp>(found->second);
  if (unpack.getSymbols().size() > 1)
    throw Refusal{"its extents are those of lists of lists"};
  return language::list_length(b, unpack.getList());
}

Value SizesOfInstances::value_of(const Extent& extent) {
  return computed(b, extent, [&](const std::string& symbol) { return value_of(symbol); });
}

} // namespace kolam::transform::kernels
