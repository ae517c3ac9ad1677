/// Kernels over blocks: a function over Refs, run for each point of a grid.
///
/// Source: Pallas, the kernel language of JAX; what it leaves open is decided in docs/kernels.md.
#pragma once

#include "kolam/frontend/pallas/estimate_cost.h"
#include "kolam/frontend/pallas/ref.h"

#include <functional>
#include <map>

namespace kolam::pallas {

/// A dim of a block.
struct BlockDim {
  enum class Kind : uint8_t { blocked, squeezed, element, bounded, indirect };

  template <std::integral T> BlockDim(T elements) : size(static_cast<int64_t>(elements)) {}
  BlockDim(Extent elements) : size(std::move(elements)) {}
  BlockDim(Kind own, Extent elements, int64_t before = 0, int64_t behind = 0)
      : kind(own), size(std::move(elements)), low(before), high(behind) {}

  Kind kind = Kind::blocked;
  Extent size;
  int64_t low = 0, high = 0;
};

/// A dim of one element that the Ref does not have.
inline const BlockDim squeezed{BlockDim::Kind::squeezed, 1};
/// A window of so many elements whose first is where the map says, in the array with elements in
/// front of it and behind: windows may overlap.
struct Element : BlockDim {
  Element(Extent elements, int64_t before = 0, int64_t behind = 0)
      : BlockDim(Kind::element, std::move(elements), before, behind) {}
};
/// At most so many elements: the map gives an int32 tensor [start, size], and the elements behind
/// `size` lie outside.
struct BoundedSlice : BlockDim {
  explicit BoundedSlice(Extent elements) : BlockDim(Kind::bounded, std::move(elements)) {}
};
/// So many elements anywhere: the map gives an integer tensor of their places.
struct Indirect : BlockDim {
  explicit Indirect(Extent elements) : BlockDim(Kind::indirect, std::move(elements)) {}
};

/// Which block of an array a point of the grid sees.
///
/// The map takes the coordinates of the point, and the prefetched arrays as Refs, and gives for
/// each dim the number of the block: its first element is number * size, or for `element` dims the
/// number itself. Without a shape the block is the whole array; without a map its number is 0.
/// Elements of a block that lie outside of the array are read as `pad`, and writes to them are
/// dropped.
struct BlockSpec {
  using Map =
      std::function<std::vector<Tensor>(const std::vector<Tensor>&, const std::vector<Ref>&)>;

  std::optional<std::vector<BlockDim>> block_shape = {};
  Map index_map = {};
  std::optional<Operand> pad = {}; ///< 0 unless given; under checks then poison
  std::string map_name = {};       ///< for errors
};

/// How the interpreter runs a kernel.
struct InterpretParams {
  /// Of points that differ along axes that are "parallel": "given", "reversed" or "random".
  std::string order = "given";
  int64_t random_seed = 0;
};

/// What a call needs beside its kernel and operands.
struct Call {
  std::vector<TensorSpec> out_shape;
  /// By axis: a number, an extent, or a scalar of the program.
  std::vector<Operand> grid = {};
  std::vector<std::string> grid_names = {}; ///< of all axes, or none
  std::vector<BlockSpec> in_specs = {};     ///< one for each input that is not prefetched, or none
  std::vector<BlockSpec> out_specs = {};    ///< one for each result, or none
  std::vector<TensorSpec> scratch_shapes = {};
  int64_t num_scalar_prefetch = 0;
  /// Results that are the memory of an input: by number of the input that of the result.
  std::map<int64_t, int64_t> input_output_aliases = {};
  std::vector<std::string> dimension_semantics = {}; ///< "parallel" or "arbitrary", by axis
  std::string name = "kernel";
  std::optional<CostEstimate> cost_estimate = {}; ///< what `estimate_cost` counts for the call
  std::vector<std::string> input_names = {};      ///< for errors; args[0], ... unless given
  std::vector<std::string> ref_names = {};        ///< for errors: of the kernel's parameters
  /// By the interpreter, whatever runs the program around it, save where that is differentiated.
  std::optional<InterpretParams> interpret = {};
  /// Whether the run looks for blocks and elements outside, for what is read and was never written
  /// and, in the interpreter, for races along "parallel" axes. Results, scratch arrays and what
  /// lies outside of arrays hold poison at first.
  bool checks = false;
};

/// Runs `kernel` for each point of the grid, the last axis fastest, one after the other, and gives
/// the results.
///
/// Its arguments are Refs: the prefetched inputs whole, a block of each other input and of each
/// result, the scratch arrays. Results and scratch arrays hold zeros before they are written;
/// scratch arrays keep what they hold from point to point. Points run at the same time only where
/// that cannot show. Throws `[bad-kernel]` for specs, aliases or shapes that do not fit, and what
/// the kernel throws when it is traced, once for the shapes; `[block-outside]` for a block that is
/// surely outside of its array; under checks `[block-outside]`, `[index-out-of-range]`,
/// `[undefined-element]`, `[kernel-race]` and `[debug-check]`.
///
///     auto sum = pallas_call([](const std::vector<Ref>& refs) {
///       refs[2].set(refs[0].get() + refs[1].get());
///     }, {.out_shape = {{DType::f32, {8}}}}, {x, y})[0];
std::vector<Tensor> pallas_call(const std::function<void(const std::vector<Ref>&)>& kernel,
                                const Call& call, const std::vector<Operand>& inputs,
                                std::source_location here = std::source_location::current());

/// In a kernel or a map: the coordinate of the point along an axis of the grid, an int32 scalar.
/// Throws `[outside-kernel]`, `[axis-out-of-range]`.
Tensor program_id(int64_t axis, std::source_location here = std::source_location::current());
/// The extent of an axis of the grid.
Extent num_programs(int64_t axis, std::source_location here = std::source_location::current());

/// As `program_id` and `num_programs`, of an axis by its name in `grid_names`. Throws
/// `[outside-kernel]`, `[bad-kernel]`.
Tensor axis_index(const std::string& axis_name,
                  std::source_location here = std::source_location::current());
Extent axis_size(const std::string& axis_name,
                 std::source_location here = std::source_location::current());

/// Under checks: stops the run with `[debug-check]` and the message unless `condition` holds.
void debug_check(const Operand& condition, const std::string& message);

/// `body()` where `condition`, a boolean scalar, holds.
void when(const Operand& condition, const std::function<void()>& body);
/// `body(i)` for i from `lower` to `upper` - 1.
void loop(const Operand& lower, const Operand& upper, const std::function<void(Tensor)>& body);
/// `body` with a Ref of zeros for each of the specs, gone when it returns.
void run_scoped(const std::vector<TensorSpec>& specs,
                const std::function<void(const std::vector<Ref>&)>& body,
                std::source_location here = std::source_location::current());

} // namespace kolam::pallas
