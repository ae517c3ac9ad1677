/// What the ops on lists share: building lists from elements, and lists that must be equally long.
#pragma once

#include "kolam/interp/evaluation.h"

namespace kolam::interp {

/// The type of the lists of a type of the program.
runtime::ListType list_type_of(mlir::Type type, const Evaluation& e);
/// The list of `elements`; `type` is its.
List list_of(const Data& elements, mlir::Type type, const Evaluation& e);
Datum element(const List& list, int64_t i);
/// The elements i of all lists.
Data elements(const std::vector<List>& lists, int64_t i);
/// The lists that values stand for, of one length; raises `[list-lengths]`.
std::vector<List> equal_lists(mlir::ValueRange values, const Evaluation& e, mlir::Operation* op);
/// Raises an error in the name of the user's function at its user's line, which also names the
/// elements whose functions run: `message (at [2][0])`.
[[noreturn]] void fail_op(mlir::Operation* op, const Evaluation& e, ErrorKind kind,
                          std::string_view slug, const std::string& message);
Data joined(std::initializer_list<Data> parts);

} // namespace kolam::interp
