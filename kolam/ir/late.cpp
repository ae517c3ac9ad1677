// Reads, makes and verifies the attributes `late` and `appended`.
#include "kolam/ir/late.h"

#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {
namespace {

constexpr llvm::StringLiteral kLate = "late";
constexpr llvm::StringLiteral kAppended = "appended";

mlir::ArrayAttr late_of(mlir::Operation* op) {
  if (!llvm::isa<ForOp, WhileOp, CondOp>(op))
    return {};
  return op->getAttrOfType<mlir::ArrayAttr>(kLate);
}

/// Whether two tensor types differ in their leading extents at most.
bool agree_but_rows(mlir::Type x, mlir::Type y) {
  if (!llvm::isa<mlir::RankedTensorType>(x) || !llvm::isa<mlir::RankedTensorType>(y))
    return false;
  Shape a = shape_of(x), b = shape_of(y);
  if (a.empty() || b.empty() || dtype_of(x) != dtype_of(y))
    return false;
  return llvm::ArrayRef(a).drop_front() == llvm::ArrayRef(b).drop_front();
}

llvm::LogicalResult expect_appended(mlir::Operation* op) {
  auto appended = op->getAttr(kAppended);
  if (!appended || !llvm::isa<ForOp, WhileOp>(op))
    return mlir::success();
  auto is_late = [&](int64_t state) {
    return state >= 0 && state < static_cast<int64_t>(op->getNumResults()) &&
           late_symbol(op, static_cast<size_t>(state));
  };
  auto states = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(appended);
  if (!states || !llvm::all_of(states.asArrayRef(), is_late))
    return op->emitOpError("expected numbers of states with late symbols as 'appended', but got ")
           << appended;
  return mlir::success();
}

} // namespace

std::optional<std::string> late_symbol(mlir::Operation* op, size_t result) {
  mlir::ArrayAttr late = late_of(op);
  if (!late)
    return std::nullopt;
  llvm::StringRef symbol = llvm::cast<mlir::StringAttr>(late[result]).getValue();
  return symbol.empty() ? std::nullopt : std::optional(symbol.str());
}

std::vector<std::string> late_symbols(mlir::Operation* op) {
  std::vector<std::string> symbols;
  for (size_t result = 0; late_of(op) && result < op->getNumResults(); ++result)
    if (auto symbol = late_symbol(op, result))
      symbols.push_back(*symbol);
  return symbols;
}

void set_late_symbols(mlir::Operation* op, llvm::ArrayRef<std::string> symbols) {
  if (llvm::all_of(symbols, [](const std::string& symbol) { return symbol.empty(); }))
    return;
  llvm::SmallVector<llvm::StringRef> texts(symbols.begin(), symbols.end());
  op->setAttr(kLate, mlir::Builder(op->getContext()).getStrArrayAttr(texts));
}

bool is_appended(mlir::Operation* op, size_t state) {
  auto states = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kAppended);
  return states && llvm::is_contained(states.asArrayRef(), static_cast<int64_t>(state));
}

void set_appended(mlir::Operation* op, llvm::ArrayRef<int64_t> states) {
  if (!states.empty())
    op->setAttr(kAppended, mlir::DenseI64ArrayAttr::get(op->getContext(), states));
}

llvm::LogicalResult expect_late(mlir::Operation* op) {
  mlir::ArrayAttr late = late_of(op);
  if (!late)
    return expect_appended(op);
  if (failed(
          expect_count(op, static_cast<int64_t>(late.size()), op->getNumResults(), "late symbols")))
    return mlir::failure();
  for (auto [result, attr] : llvm::zip(op->getResults(), late)) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(attr);
    if (text && text.empty())
      continue;
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
    Shape shape = tensor ? shape_of(tensor) : Shape();
    if (!text || shape.empty() || shape[0].as_symbol() != text.getValue())
      return op->emitOpError("expected a state with the leading extent ")
             << attr << ", but got " << result.getType();
  }
  return expect_appended(op);
}

llvm::LogicalResult expect_carried(mlir::Operation* op, mlir::ValueRange inits) {
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    mlir::Value init = inits[number];
    if (late_symbol(op, number) && agree_but_rows(init.getType(), result.getType()))
      continue;
    if (failed(expect_type_of(op, result, init, "result " + llvm::Twine(number))))
      return mlir::failure();
  }
  return mlir::success();
}

llvm::LogicalResult expect_late_yields(mlir::Operation* op, mlir::Region& region,
                                       llvm::StringRef what) {
  llvm::SmallVector<mlir::Type> yields(op->getResultTypes());
  mlir::TypeRange actual = yielded_types(region);
  std::vector<std::string> own = late_symbols(op);
  for (size_t state = 0; state < std::min(yields.size(), actual.size()); ++state) {
    if (!late_symbol(op, state) || !agree_but_rows(actual[state], yields[state]))
      continue;
    for (const std::string& symbol : shape_of(actual[state])[0].symbols())
      if (llvm::is_contained(own, symbol))
        return op->emitOpError("expected the next state ")
               << state << " to have an extent that the body binds, but got " << actual[state];
    yields[state] = actual[state];
  }
  return expect_yields(op, region, yields, what);
}

} // namespace kolam::ir
