/// What verifiers expect of ops on lists, and the parts of their signatures.
#pragma once

#include "kolam/ir/dialect.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

inline mlir::Type element_of(mlir::Value list) {
  return llvm::cast<ListType>(list.getType()).getElement();
}
inline ListType list_of(mlir::Type element) { return ListType::get(element.getContext(), element); }

llvm::LogicalResult expect_type(mlir::Operation* op, mlir::Value value, mlir::Type type,
                                const llvm::Twine& what);
/// An i64 scalar.
llvm::LogicalResult expect_index(mlir::Operation* op, mlir::Value value, const llvm::Twine& what);

/// Each point of index dim 0 owns one element.
space::Operand elements(std::string name, mlir::Value list, space::Role role);
/// Every point owns the whole value.
space::Operand shared(std::string name, mlir::Value value, space::Role role);
/// Of an op with a body for each element: the `lists` are read and the results behind the first
/// `states` written one element a point, all else is shared.
space::Signature over_elements(mlir::Operation* op, space::IndexDim dim, mlir::OperandRange lists,
                               size_t states);

} // namespace kolam::ir
