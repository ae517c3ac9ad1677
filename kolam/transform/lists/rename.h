/// The symbols that a region binds.
#pragma once

#include "kolam/transform/lists/integers.h"

#include <set>

namespace kolam::transform::lists {

/// Whether an op of the region binds the symbol.
bool binds(mlir::Region& region, llvm::StringRef symbol);

/// The symbols that the region's arguments, ops and their results use and none of its ops binds.
std::set<std::string> free_symbols(mlir::Region& region);

using Names = std::map<std::string, Extent>;

/// Gives symbols that ops of the region and its arguments bind or use new names; what loops bind
/// themselves is none of them.
void rename(mlir::Region& region, const Names& names);

/// Gives what ops of the region bind new names, as a symbol is bound by one op.
void rename_bound(mlir::Region& region, llvm::function_ref<std::string()> new_symbol);

/// A copy of a region whose ops bind symbols of their own.
std::unique_ptr<mlir::Region> renamed(mlir::Region& region,
                                      llvm::function_ref<std::string()> new_symbol);
std::unique_ptr<mlir::Region> renamed(mlir::Region& region, Integers& integers);

} // namespace kolam::transform::lists
