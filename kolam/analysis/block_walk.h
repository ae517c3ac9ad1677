/// The walk over a program on lists that finds its blocks; used by block_graph.cpp.
#pragma once

#include "kolam/analysis/block_graph.h"

#include "llvm/ADT/DenseMap.h"

namespace kolam::analysis {

/// What the walk finds. Parts may lie in buffers of states, which later give way to what the bodies
/// of the scans yield.
struct Walked {
  struct ReadValue {
    mlir::Value value;
    Places places;
  };
  struct Block {
    std::vector<int> order; ///< of its first op: numbers of the ops around and of itself
    std::vector<Dim> dims;
    std::vector<mlir::Operation*> cell;
    std::vector<ReadValue> reads;
  };
  struct Buffer {
    analysis::Buffer buffer;
    size_t dims = 0;                   ///< how many dims of blocks its index begins with
    mlir::Operation* writer = nullptr; ///< an op of a block
    bool is_state = false;
  };
  /// What state `buffer` is after the step at its dims; `order` and `around` are of its scan.
  struct State {
    int buffer;
    std::vector<Dim> around;
    std::vector<int> order;
    Places next;
  };
  struct Result {
    std::string leaf;
    Places places;
  };

  Terms terms;
  std::vector<Buffer> buffers;
  std::vector<Block> blocks;
  llvm::DenseMap<mlir::Operation*, size_t> block_of; ///< of elements' ops
  std::vector<State> states;
  std::vector<Result> results;
  std::map<int, Places> data; ///< what decides the values of a function of places
  std::map<int, ArgumentLength> argument_lengths; ///< functions that are lengths of arguments
};

Walked walk_blocks(mlir::func::FuncOp function);

} // namespace kolam::analysis
