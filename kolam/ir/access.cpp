// kolam.access: elements of a list at places given by expressions.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {
namespace {

/// `what` names the expression, which may use `j` dims up to `dims`.
llvm::LogicalResult expect_expression(AccessOp op, mlir::Attribute attr, size_t dims,
                                      const llvm::Twine& what) {
  llvm::StringRef text = llvm::cast<mlir::StringAttr>(attr).getValue();
  auto extent = Extent::parse(text);
  if (!extent || extent->to_string() != text)
    return op.emitOpError("expected ")
           << what << " to be an extent expression in normal form, but got '" << text << "'";
  for (const std::string& symbol : extent->symbols()) {
    bool is_known = symbol == "L" || (symbol == "N" && op.getIndex().size() == 2);
    for (size_t dim = 0; dim < dims; ++dim)
      is_known |= symbol == "j" + std::to_string(dim);
    for (size_t number = 0; number < op.getScalars().size(); ++number)
      is_known |= symbol == "a" + std::to_string(number);
    if (!is_known)
      return op.emitOpError("expected ")
             << what << " to use only what is bound there, but got '" << symbol << "'";
  }
  return mlir::success();
}

} // namespace

Shape AccessOp::expressions(mlir::ArrayAttr attr) {
  Shape result;
  for (mlir::Attribute text : attr)
    result.push_back(*Extent::parse(llvm::cast<mlir::StringAttr>(text).getValue()));
  return result;
}

llvm::LogicalResult AccessOp::verify() {
  auto numbers = [](mlir::ArrayAttr attr) { return static_cast<int64_t>(attr.size()); };
  if (failed(expect_between(*this, {numbers(getLengths())}, 1, 2, "the number of lengths")) ||
      failed(expect_between(*this, {numbers(getIndex())}, 1, 2, "the number of indices")))
    return mlir::failure();
  for (auto [dim, length] : llvm::enumerate(getLengths()))
    if (failed(expect_expression(*this, length, dim, "length " + llvm::Twine(dim))))
      return mlir::failure();
  for (auto [level, index] : llvm::enumerate(getIndex()))
    if (failed(expect_expression(*this, index, getLengths().size(), "index " + llvm::Twine(level))))
      return mlir::failure();
  for (auto [number, operand] : llvm::enumerate(getScalars()))
    if (failed(expect_index(*this, operand, "scalar " + llvm::Twine(number))))
      return mlir::failure();
  mlir::Type type = getList().getType();
  for (size_t level = 0; level < getIndex().size(); ++level) {
    auto list = llvm::dyn_cast<ListType>(type);
    if (!list)
      return emitOpError("expected a list of depth 2 or more for two indices, but got ")
             << getList().getType();
    type = list.getElement();
  }
  if (getPad() && (getIndex().size() != 1 || getPad().getType() != type))
    return emitOpError("expected padding of the element's type and one index, but got ")
           << getPad().getType() << " for elements " << type;
  for (size_t dim = 0; dim < getLengths().size(); ++dim)
    type = list_of(type);
  return expect_type(*this, getResult(), type, "the result");
}

/// The expressions say which element each result element reads; a part of the elements is read.
space::Signature AccessOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> AccessOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places{operand_place(0), result_place(0)};
  if (getPad())
    places.push_back(operand_place(1 + getScalars().size()));
  return {tied(*this, std::move(places))};
}

} // namespace kolam::ir
