// Chooses among the kinds of pictures.
#include "kolam/driver/picture.h"

#include "kolam/ir/argument_names.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"
#include "kolam/transform/layout_notes.h"

namespace kolam::driver {
namespace {

using analysis::ArgumentLength;
using analysis::BlockGraph;

/// The first length of a level: of leaves and offsets as `pack` takes them.
int64_t first_length(ir::PackOp pack, size_t level, std::span<const Array> arguments) {
  if (level == pack.getOffsets().size() && level == 0)
    return arguments[llvm::cast<mlir::BlockArgument>(pack.getLeaves()).getArgNumber()].shape()[0];
  auto offsets_of = [&](size_t of) {
    auto argument = llvm::cast<mlir::BlockArgument>(pack.getOffsets()[of]);
    return arguments[argument.getArgNumber()].values<int64_t>();
  };
  if (level == 0)
    return std::ssize(offsets_of(0)) - 1;
  auto offsets = offsets_of(level - 1);
  return offsets.size() < 2 ? 0 : offsets[1] - offsets[0];
}

void require_arguments(mlir::func::FuncOp main, std::span<const Array> arguments) {
  if (arguments.size() != main.getNumArguments())
    fail(ErrorKind::type, "argument-mismatch",
         "expected " + std::to_string(main.getNumArguments()) +
             " arguments, whose lengths 'domain' shows, but got " +
             std::to_string(arguments.size()));
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes()))
    if (arguments[number].dtype() != ir::dtype_of(type) ||
        arguments[number].shape().size() != ir::shape_of(type).size())
      fail(ErrorKind::type, "argument-mismatch",
           ir::argument_text(ir::argument_names(main)[number]) + ": expected " +
               std::string(name(ir::dtype_of(type))) + to_string(ir::shape_of(type)) +
               ", but got " + std::string(name(arguments[number].dtype())) + " of rank " +
               std::to_string(arguments[number].shape().size()));
}

Sizes sizes_of(const Module& program, const BlockGraph& graph, std::span<const Array> arguments) {
  mlir::func::FuncOp main = program.main();
  require_arguments(main, arguments);
  Sizes sizes;
  for (const auto& [symbol, length] : graph.argument_lengths)
    for (mlir::Operation* user : main.getArgument(length.argument).getUsers())
      if (auto pack = llvm::dyn_cast<ir::PackOp>(user);
          pack && pack.getLeaves() == main.getArgument(length.argument) &&
          pack->getParentOp() == main && length.level <= pack.getOffsets().size())
        sizes.try_emplace(symbol, first_length(pack, length.level, arguments));
  return sizes;
}

Module without_notes(const Module& program) {
  Module copy = program.clone();
  transform::drop_layout_notes(*copy.module);
  return copy;
}

} // namespace

Picture picture_kind(const std::string& name) {
  if (name == "cells")
    return Picture::cells;
  if (name == "structure")
    return Picture::structure;
  if (name == "blocks")
    return Picture::blocks;
  if (name == "domain")
    return Picture::domain;
  fail(ErrorKind::value, "unknown-picture",
       "expected one of cells, structure, blocks, domain, but got '" + name + "'");
}

std::string picture(const Module& noted, Picture kind, std::span<const Array> arguments) {
  Module program = without_notes(noted);
  BlockGraph graph = analysis::block_graph_of(program.main());
  switch (kind) {
  case Picture::cells:
    return cells_text(graph);
  case Picture::structure:
    return structure_text(program.main(), graph);
  case Picture::blocks:
    return analysis::to_string(graph);
  default:
    return domain_text(graph, sizes_of(program, graph, arguments));
  }
}

std::string picture_as_dot(const Module& noted, Picture kind, std::span<const Array> arguments) {
  Module program = without_notes(noted);
  BlockGraph graph = analysis::block_graph_of(program.main());
  switch (kind) {
  case Picture::cells:
    return cells_dot(graph);
  case Picture::structure:
    return structure_dot(program.main(), graph);
  case Picture::blocks:
    return blocks_dot(graph);
  default:
    return domain_dot(graph, sizes_of(program, graph, arguments));
  }
}

} // namespace kolam::driver
