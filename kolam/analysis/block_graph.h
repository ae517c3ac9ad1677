/// The dataflow graph of a program on lists: blocks of tensor ops, each repeated over the dims of
/// the parallel functions around it, and the buffers that they read and write, with the access map
/// of each edge.
///
/// Accesses, zips and the lists that parallel functions give are no blocks: their maps are composed
/// into those of the edges.
/// Source: FractalTensor, "extended task dependence graph".
#pragma once

#include "kolam/analysis/list_places.h"
#include "kolam/space/loop_bounds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::analysis {

enum class DimKind : uint8_t {
  map,    ///< independent instances
  scan,   ///< carries a state, all of which are kept
  fold,   ///< carries a state, of which the last is kept
  reduce, ///< merges states in any bracketing
};

struct Dim {
  DimKind kind = DimKind::map;
  /// The number of steps; below 0 counts as 0. It may depend on the dims around.
  Extent length;
  bool reverse = false; ///< step 0 is at the last element
  /// Of all the lists that are read side by side, which are equal when the program runs.
  Shape lengths;
};

/// A list [length]...[leaf shape] or a tensor.
struct Buffer {
  enum class Kind : uint8_t { argument, written, constant };
  Kind kind = Kind::argument;
  std::string name;
  std::string leaf; ///< `float32[1, 4]`
  Shape lengths;    ///< of its list dims
};

/// What a block reads of one value of its cell: one of the parts, by the dims. Places k0, k1, ...
/// in an index: all of that dim is read.
struct Read {
  std::string leaf;
  std::vector<Part> parts;
  mlir::Value value = {}; ///< an operand of the cell; none where a state is moved
};

/// Where a block writes: `part.buffer[part.index]` where the ranges hold. `source` is the buffer
/// whose cells these are, the same as that of the part where it is the block's own.
struct Write {
  Part part;
  int source = 0;
};

/// A distance of dependence; a component is none where it is not the same for all points.
using Distance = std::vector<std::optional<int64_t>>;

/// The cell for each point of the dims i0, i1, ...
struct Block {
  std::string name;
  std::vector<Dim> dims;
  /// Its ops in order, but for constants; none where it moves a state that no op computes.
  std::vector<mlir::Operation*> cell;
  std::vector<Read> reads;
  std::vector<Write> writes;
  /// From its own buffers to itself.
  std::vector<Distance> distances;
  /// Whether it also depends on itself by way of other blocks.
  bool depends_through_others = false;
};

/// A length of the lists in level `level` of the list whose leaves are argument `argument`.
struct ArgumentLength {
  unsigned argument;
  size_t level;
};

struct BlockGraph {
  std::vector<Buffer> buffers;
  std::vector<Block> blocks;
  /// Results of the program that are no writes of blocks: buffers and the parts they show.
  std::vector<std::pair<int, std::vector<Part>>> shown;
  /// Results whose elements are known: the positions of a list.
  std::vector<std::pair<int, Extent>> known;
  /// What the symbols of lengths and of places by data are: {"L0", "length of arg0"}.
  std::vector<std::pair<std::string, std::string>> symbols;
  /// Symbols that stand for what data says at a point: `data0.1` is {"data0", [i0, i3]}.
  std::map<std::string, std::pair<std::string, Shape>> data;
  /// The symbols of lengths of arguments.
  std::map<std::string, ArgumentLength> argument_lengths;
  /// Symbols of lengths that differ from element to element of the dims around.
  std::set<std::string> ragged;
};

/// The graph of a verified function with list ops.
BlockGraph block_graph_of(mlir::func::FuncOp function);

/// The function of an elementwise op, else the op's name without its dialect.
std::string label_of(mlir::Operation* op);

/// `arg0[i0][i2]`, `arg0[data0(i0)]`; of data at a point with its dims replaced.
std::string to_string(const BlockGraph& graph, const Part& part, const Replacements& replaced = {});
/// ` where i1 = 0`, of a block with these dims; empty where there are no ranges.
std::string to_string(const std::vector<PlaceBounds>& where, const std::vector<Dim>& dims);
/// `arg0[i0][i2] where i1 = 0, or b0.0[i0][i1 - 1][i2] where i1 >= 1`.
std::string to_string(const BlockGraph& graph, const Read& read, const std::vector<Dim>& dims,
                      const Replacements& replaced = {});
/// `map i0 < L0, fold i1 < L1`.
std::string to_string(const std::vector<Dim>& dims);
/// `(0, 1, *)`.
std::string to_string(const Distance& distance);
/// Symbols, buffers, blocks and their edges.
std::string to_string(const BlockGraph& graph);
/// For each block its dims, and each list it reads with its map but for the conditions.
std::string short_text(const BlockGraph& graph);

} // namespace kolam::analysis
