/// Pictures of programs on lists: as text, and in graphviz's language.
#pragma once

#include "kolam/analysis/block_graph.h"
#include "kolam/driver/compile.h"

namespace kolam::driver {

enum class Picture : uint8_t {
  cells,     ///< the expression trees of blocks' cells
  structure, ///< the parallel functions as boxes in one another
  blocks,    ///< blocks and buffers, with the access maps of edges
  domain,    ///< in which step each point of a nest of scans may run
};

/// The kind of this name; throws `[unknown-picture]`.
Picture picture_kind(const std::string& name);

/// The arguments are asked for by `domain` only: the lengths of their lists, of lists of lists
/// those of the first ones. Throws `[argument-mismatch]` where they are not those of the program.
std::string picture(const Module& program, Picture kind, std::span<const Array> arguments);
std::string picture_as_dot(const Module& program, Picture kind, std::span<const Array> arguments);

// One file for each kind.
std::string cells_text(const analysis::BlockGraph& graph);
std::string cells_dot(const analysis::BlockGraph& graph);
std::string structure_text(mlir::func::FuncOp function, const analysis::BlockGraph& graph);
std::string structure_dot(mlir::func::FuncOp function, const analysis::BlockGraph& graph);
std::string blocks_dot(const analysis::BlockGraph& graph);

/// Numbers for the lengths in a block graph.
using Sizes = std::map<std::string, int64_t>;
std::string domain_text(const analysis::BlockGraph& graph, const Sizes& sizes);
std::string domain_dot(const analysis::BlockGraph& graph, const Sizes& sizes);

} // namespace kolam::driver
