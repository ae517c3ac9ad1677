// kolam.for: a counted loop that carries a state.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

namespace {

constexpr llvm::StringLiteral kLate = "late";
constexpr llvm::StringLiteral kAppended = "appended";

/// The type without its leading extent, which may differ.
mlir::Type without_rows(mlir::Type type) {
  Shape shape = shape_of(type);
  if (!shape.empty())
    shape[0] = Extent(0);
  return tensor_type(type.getContext(), dtype_of(type), shape);
}

llvm::LogicalResult expect_late(ForOp op) {
  auto late = op->getAttrOfType<mlir::ArrayAttr>(kLate);
  if (!late)
    return mlir::success();
  if (failed(expect_count(op, static_cast<int64_t>(late.size()), op.getInits().size(),
                          "late symbols")))
    return mlir::failure();
  for (auto [number, attr] : llvm::enumerate(late)) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(attr);
    if (text && text.empty())
      continue;
    Shape shape = shape_of(op.getResult(number));
    if (!text || shape.empty() || shape[0].as_symbol() != text.getValue())
      return op.emitOpError("expected a state with the leading extent ")
             << attr << ", but got " << op.getResult(number).getType();
  }
  return mlir::success();
}

llvm::LogicalResult expect_appended(ForOp op) {
  auto appended = op->getAttr(kAppended);
  if (!appended)
    return mlir::success();
  auto is_late = [&](int64_t state) {
    return state >= 0 && state < static_cast<int64_t>(op.getInits().size()) &&
           op.late_symbol(state);
  };
  auto states = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(appended);
  if (!states || !llvm::all_of(states.asArrayRef(), is_late))
    return op.emitOpError("expected numbers of states with late symbols as 'appended', but got ")
           << appended;
  return mlir::success();
}

} // namespace

std::optional<std::string> ForOp::late_symbol(size_t state) {
  auto late = (*this)->getAttrOfType<mlir::ArrayAttr>(kLate);
  if (!late)
    return std::nullopt;
  llvm::StringRef symbol = llvm::cast<mlir::StringAttr>(late[state]).getValue();
  return symbol.empty() ? std::nullopt : std::optional(symbol.str());
}

void ForOp::set_late_symbols(llvm::ArrayRef<std::string> symbols) {
  llvm::SmallVector<llvm::StringRef> texts(symbols.begin(), symbols.end());
  (*this)->setAttr(kLate, mlir::Builder(getContext()).getStrArrayAttr(texts));
}

bool ForOp::is_appended(size_t state) {
  auto states = (*this)->getAttrOfType<mlir::DenseI64ArrayAttr>(kAppended);
  return states && llvm::is_contained(states.asArrayRef(), static_cast<int64_t>(state));
}

void ForOp::set_appended(llvm::ArrayRef<int64_t> states) {
  if (!states.empty())
    (*this)->setAttr(kAppended, mlir::DenseI64ArrayAttr::get(getContext(), states));
}

llvm::LogicalResult ForOp::verify() {
  auto is_counter = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
  if (failed(
          expect_dtype(*this, getLower(), is_counter, "dtype int32 or int64", "the lower bound")) ||
      failed(expect_type_of(*this, getUpper(), getLower(), "the upper bound")) ||
      failed(expect_count(*this, getResults().size(), getInits().size(), "results")) ||
      failed(expect_late(*this)) || failed(expect_appended(*this)))
    return mlir::failure();
  for (auto [number, result] : llvm::enumerate(getResults())) {
    mlir::Value init = getInits()[number];
    if (late_symbol(number) && without_rows(init.getType()) == without_rows(result.getType()))
      continue;
    if (failed(expect_type_of(*this, result, init, "result " + llvm::Twine(number))))
      return mlir::failure();
  }
  return mlir::success();
}

llvm::LogicalResult ForOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments{getLower().getType()};
  llvm::append_range(arguments, getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  llvm::SmallVector<mlir::Type> yields(getResultTypes());
  mlir::TypeRange actual = yielded_types(getBody());
  for (size_t state = 0; state < std::min(yields.size(), actual.size()); ++state)
    if (late_symbol(state) && llvm::isa<mlir::RankedTensorType>(actual[state]) &&
        without_rows(actual[state]) == without_rows(yields[state])) {
      // The state's memory goes with its symbol: what replaces it must not.
      for (const std::string& symbol : shape_of(actual[state])[0].symbols())
        for (size_t other = 0; other < yields.size(); ++other)
          if (late_symbol(other) == symbol)
            return emitOpError("expected the next state ")
                   << state << " to have an extent that the body binds, but got " << actual[state];
      yields[state] = actual[state];
    }
  return expect_yields(*this, getBody(), yields, "the body");
}

space::Signature ForOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
