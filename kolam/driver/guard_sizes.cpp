// Inserts checks of extents.
#include "kolam/driver/program_rules.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/space/region.h"
#include "kolam/support/error.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kolam::driver {
namespace {

bool is_never_negative(const Extent& extent) { return max(extent, Extent(0)) == extent; }

/// What is known of extents at a place of the program: what checks before it have made sure of.
class Facts {
public:
  void learn(ir::CheckOp check) { learn(check.getCondition()); }
  void learn(const ir::SizePromise& promise) {
    never_negative_.push_back(promise.greater - promise.smaller);
  }

  bool prove(const ir::SizePromise& promise) const {
    try {
      Extent slack = known(promise.greater - promise.smaller);
      return is_never_negative(slack) || llvm::any_of(never_negative_, [&](const Extent& fact) {
               return is_never_negative(slack - known(fact));
             });
    } catch (const Error&) {
      return false; // too large to compare
    }
  }

private:
  Extent known(const Extent& extent) const { return extent.substitute(values_); }

  static std::optional<Extent> extent_of(mlir::Value value) {
    if (auto extent = value.getDefiningOp<ir::ExtentOp>())
      return Extent::parse(extent.getExpression());
    if (auto constant = value.getDefiningOp<ir::ConstantOp>())
      if (auto literal = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
          literal && literal.getNumElements() == 1 &&
          ir::dtype_of(value) == DType::i64) // as extents are
        return Extent((*literal.begin()).getSExtValue());
    return std::nullopt;
  }

  void learn(mlir::Value condition) {
    auto op = condition.getDefiningOp<ir::ElementwiseOp>();
    if (!op || op->getNumOperands() != 2)
      return;
    mlir::Value x = op->getOperand(0), y = op->getOperand(1);
    llvm::StringRef function = op.getFunction();
    if (function == "logical_and") {
      learn(x);
      learn(y);
      return;
    }
    auto a = extent_of(x), b = extent_of(y);
    if (!a || !b)
      return;
    try {
      if (function == "less_equal")
        never_negative_.push_back(*b - *a);
      else if (function == "less")
        never_negative_.push_back(*b - *a - Extent(1));
      else if (function == "greater_equal")
        never_negative_.push_back(*a - *b);
      else if (function == "greater")
        never_negative_.push_back(*a - *b - Extent(1));
      else if (function == "equal")
        learn_equal(*a, *b);
    } catch (const Error&) {
      // too large to compare
    }
  }

  void learn_equal(const Extent& a, const Extent& b) {
    never_negative_.push_back(a - b);
    never_negative_.push_back(b - a);
    for (auto [symbol, value] : {std::pair(known(a), known(b)), std::pair(known(b), known(a))})
      if (auto name = symbol.as_symbol(); name && !value.symbols().contains(*name)) {
        for (auto& [other, extent] : values_)
          extent = extent.substitute({{*name, value}});
        values_[*name] = value;
        return;
      }
  }

  std::vector<Extent> never_negative_;
  std::map<std::string, Extent> values_; ///< of symbols, without any of these symbols
};

/// What every point reads by its own place lies inside the operand.
void add_bounds(const space::Signature& signature, std::vector<ir::SizePromise>& promises) {
  space::SymbolicBox points{Shape(signature.dims.size()), space::index_shape(signature)};
  // Without points nothing is read.
  Extent some = min(element_count(points.extent), Extent(1));
  for (const space::Operand& operand : signature.operands) {
    if (operand.policy.kind != space::Policy::Kind::forbid || operand.indirect)
      continue;
    space::SymbolicBox touched = space::region(operand.projection, points);
    for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
      if (!space::is_affine(operand.projection.map.rows[dim]))
        continue;
      Extent end = touched.start[dim] + touched.extent[dim];
      promises.push_back({0, touched.start[dim] * some});
      bool always = is_never_negative(operand.shape[dim] - end);
      promises.push_back({always ? end : end * some, operand.shape[dim]});
    }
  }
}

std::vector<ir::SizePromise> promises_of(ir::SignedOp op) {
  std::vector<ir::SizePromise> promises = op.size_promises();
  space::Signature signature = op.signature();
  if (!signature.opaque)
    add_bounds(signature, promises);
  for (const space::Operand& result : signature.operands)
    for (const Extent& extent : result.shape)
      promises.push_back({0, extent});
  return promises;
}

std::string words(const Extent& smaller, const Extent& greater) {
  return "expected " + smaller.to_string() + " to be at most " + greater.to_string() +
         ", but got more";
}

void insert_check(mlir::ImplicitLocOpBuilder& b, const ir::SizePromise& promise) {
  auto scalar = [&](DType dtype) { return ir::tensor_type(b.getContext(), dtype, {}); };
  auto value = [&](const Extent& extent) -> mlir::Value {
    return ir::ExtentOp::create(b, scalar(DType::i64), b.getStringAttr(extent.to_string()));
  };
  mlir::Value holds =
      ir::ElementwiseOp::create(b, scalar(DType::boolean), b.getStringAttr("less_equal"),
                                mlir::ValueRange{value(promise.smaller), value(promise.greater)});
  ir::CheckOp::create(b, holds, b.getStringAttr("shape-mismatch"),
                      b.getStringAttr(words(promise.smaller, promise.greater)));
}

/// Bodies that run element by element are guarded by the op they belong to.
bool runs_cell_by_cell(mlir::Operation* op) {
  return ir::facts_of(op).bodies == ir::Bodies::of_elements;
}

/// Where all is known now the verifier has refused what does not hold.
bool has_symbols(mlir::Operation* op) {
  auto is_symbolic = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), is_symbolic) ||
         llvm::any_of(op->getResultTypes(), is_symbolic) ||
         llvm::any_of(op->getAttrs(), [](mlir::NamedAttribute attr) {
           return llvm::isa<ir::ExtentsAttr>(attr.getValue());
         });
}

void guard(ir::SignedOp op, Facts& facts) {
  mlir::ImplicitLocOpBuilder builder(op.getLoc(), op);
  for (const ir::SizePromise& promise : promises_of(op))
    if (!facts.prove(promise)) {
      insert_check(builder, promise);
      facts.learn(promise);
    }
}

/// `facts` hold where the block starts.
void guard_block(mlir::Block& block, Facts facts) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (auto check = llvm::dyn_cast<ir::CheckOp>(op))
      facts.learn(check);
    if (auto signed_op = llvm::dyn_cast<ir::SignedOp>(op); signed_op && has_symbols(&op))
      guard(signed_op, facts);
    if (!runs_cell_by_cell(&op))
      for (mlir::Region& region : op.getRegions())
        for (mlir::Block& inner : region)
          guard_block(inner, facts);
  }
}

} // namespace

void check_sizes(mlir::ModuleOp module) {
  module.walk([](ir::SignedOp op) {
    if (llvm::isa<ir::YieldOp>(op) || runs_cell_by_cell(op->getParentOp()))
      return;
    for (const auto& [smaller, greater] : promises_of(op))
      if ((greater - smaller).constant().value_or(0) < 0)
        fail(ErrorKind::value, "shape-mismatch", ir::name_of(op) + ": " + words(smaller, greater));
  });
}

void guard_sizes(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    guard_block(function.getBody().front(), {});
}

} // namespace kolam::driver
