/// Leading extents of what loops carry and branches give that the op itself binds: the attribute
/// `late`, one text for each result; states to which turns append rows.
#pragma once

#include "kolam/ir/expectations.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::ir {

/// The symbol of a result's leading extent, where `op`, a loop or branch, binds it.
std::optional<std::string> late_symbol(mlir::Operation* op, size_t result);
/// All that `op` binds so; none where it is no loop or branch.
std::vector<std::string> late_symbols(mlir::Operation* op);
/// One text for each result, empty where its extents are bound elsewhere.
void set_late_symbols(mlir::Operation* op, llvm::ArrayRef<std::string> symbols);

/// Whether a turn of `op`, a loop, gives what comes behind the rows of a state, which has a late
/// symbol: the attribute `appended`, the numbers of such states.
bool is_appended(mlir::Operation* op, size_t state);
void set_appended(mlir::Operation* op, llvm::ArrayRef<int64_t> states);

/// That `late` names the leading extents of results, and `appended` some of these.
llvm::LogicalResult expect_late(mlir::Operation* op);
/// That a loop's results are of the types of what it starts from, late extents apart.
llvm::LogicalResult expect_carried(mlir::Operation* op, mlir::ValueRange inits);
/// That a region yields the types of the results, late extents apart. Those of a loop are extents
/// that the region binds: memory of a state goes with its symbol.
llvm::LogicalResult expect_late_yields(mlir::Operation* op, mlir::Region& region,
                                       llvm::StringRef what);

} // namespace kolam::ir
