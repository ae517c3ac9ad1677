// Finds who binds symbols, and computes expressions over them.
#include "kolam/transform/kernels/sizes_of_instances.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/visit.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/kernels/whole_grid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

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

/// The bodies that an op has.
llvm::SmallVector<mlir::Block*> blocks_of(mlir::Operation* op) {
  llvm::SmallVector<mlir::Block*> blocks;
  for (mlir::Region& region : op->getRegions())
    if (!region.empty())
      blocks.push_back(&region.front());
  return blocks;
}

/// Appends to what bodies of an op capture. Whether it can.
bool capture(mlir::Operation* op, llvm::ArrayRef<Value> values) {
  return ir::visit<bool>(
      op,
      [&](auto typed) {
        if constexpr (requires { typed.getCapturesMutable().append(mlir::ValueRange()); }) {
          if (!values.empty())
            typed.getCapturesMutable().append(values);
          return true;
        } else {
          return false;
        }
      },
      [](mlir::Operation*) { return false; });
}
bool can_capture(mlir::Operation* op) { return capture(op, {}); }

bool is_in_list_function(mlir::Operation* op) {
  for (mlir::Operation* around = op->getParentOp(); around; around = around->getParentOp())
    if (ir::facts_of(around).runs == ir::Runs::lists)
      return true;
  return false;
}

} // namespace

SizesOfInstances::SizesOfInstances(Builder& b, mlir::Operation* call)
    : b(b), function_(call->getParentOfType<mlir::func::FuncOp>()) {
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
  auto names = [&](mlir::Type type) {
    return !llvm::isa<ir::ListType>(type) &&
           llvm::any_of(ir::shape_of(llvm::isa<ir::RefType>(type)
                                         ? mlir::Type(llvm::cast<ir::RefType>(type).getValue())
                                         : type),
                        [&](const Extent& extent) { return differs(extent); });
  };
  region.walk([&](mlir::Operation* op) {
    if (auto size = llvm::dyn_cast<ir::ExtentOp>(op)) {
      const Extent extent = *Extent::parse(size.getExpression());
      if (!differs(extent))
        return;
      for (mlir::Operation* around = op->getParentOp(); around != region.getParentOp();
           around = around->getParentOp())
        if (!can_capture(around))
          throw Refusal{"a body in it names a size that differs from instance to instance"};
      if (!llvm::is_contained(replaced_, extent))
        replaced_.push_back(extent);
      return;
    }
    bool is_named = llvm::any_of(op->getResultTypes(), names);
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
        for (const Extent& extent : extents.shape())
          is_named |= differs(extent);
    for (mlir::Region& inner : op->getRegions())
      is_named |= llvm::any_of(inner.getArgumentTypes(), names);
    if (is_named)
      throw Refusal{"an array of it has other extents at each instance"};
  });
}

Values SizesOfInstances::replaced_values() {
  Values values;
  for (const Extent& extent : replaced_)
    values.push_back(value_of(extent));
  return values;
}

Value SizesOfInstances::replacement(mlir::Operation* op, const Values& values) const {
  auto size = llvm::dyn_cast<ir::ExtentOp>(op);
  if (!size)
    return {};
  auto found = llvm::find(replaced_, *Extent::parse(size.getExpression()));
  return found == replaced_.end() ? Value()
                                  : values[static_cast<size_t>(found - replaced_.begin())];
}

/// Bodies of an op, which use nothing from outside but what they capture, capture the sizes that
/// they name.
void SizesOfInstances::replace_inside(mlir::Operation* op, const Values& values) const {
  llvm::SetVector<Value> captured;
  for (mlir::Block* block : blocks_of(op))
    for (mlir::Operation& inner : llvm::make_early_inc_range(*block)) {
      replace_inside(&inner, values);
      for (Value operand : inner.getOperands())
        if (llvm::is_contained(values, operand))
          captured.insert(operand);
      if (Value size = replacement(&inner, values)) {
        captured.insert(size);
        inner.replaceAllUsesWith(mlir::ValueRange{size});
        inner.erase();
      }
    }
  if (captured.empty())
    return;
  capture(op, captured.getArrayRef());
  for (mlir::Block* block : blocks_of(op))
    for (Value size : captured) {
      Value own = block->addArgument(size.getType(), op->getLoc());
      for (mlir::Operation& inner : *block) // bodies in it capture the size themselves
        inner.replaceUsesOfWith(size, own);
    }
}

void SizesOfInstances::copy_ops(mlir::Block& block, const Values& values,
                                mlir::IRMapping& mapping) {
  for (mlir::Operation& op : block.without_terminator())
    if (Value size = replacement(&op, values))
      mapping.map(op.getResult(0), size);
    else
      replace_inside(b.clone(op, mapping), values);
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
  auto number = [&](int64_t value) { return language::integer_constant(b, value, DType::i64); };
  auto quotient = [&](Value x, Value y) { // 0 where the divisor is not above 0
    Value zero = number(0);
    Value is_above = language::elementwise(b, Fn::greater, {y, zero});
    Value divided = language::elementwise(b, Fn::floor_divide, {x, y});
    return language::elementwise(b, Fn::where, {is_above, divided, zero});
  };
  auto negative = [&](Value x) { return language::elementwise(b, Fn::negative, {x}); };
  return extent.visit<Value>(
      number, [&](const std::string& symbol) { return value_of(symbol); },
      [&](char op, Value x, Value y) {
        switch (op) {
        case '+':
          return language::elementwise(b, Fn::add, {x, y});
        case '*':
          return language::elementwise(b, Fn::multiply, {x, y});
        case 'f':
          return quotient(x, y);
        case 'c':
          return negative(quotient(negative(x), y));
        case 'm':
          return language::elementwise(b, Fn::minimum, {x, y});
        default:
          return language::elementwise(b, Fn::maximum, {x, y});
        }
      });
}

} // namespace kolam::transform::kernels
