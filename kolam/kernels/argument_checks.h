/// What the kernels ask of their arguments, and what they say where it does not hold.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

#include <map>

namespace kolam::kernels {

using Point = std::vector<Tensor>;
using Refs = std::vector<pallas::Ref>;

/// An argument, with a word for each dim.
struct Argument {
  std::string_view name;
  Tensor tensor;
  std::string_view dims; ///< "m k"
};
using Extents = std::map<std::string, Extent, std::less<>>;

/// An operand as a tensor; a number has rank 0.
Tensor tensor_of(const Operand& operand);

/// The extents that the words stand for: `bind_dims({{"x", x, "m k"}, {"y", y, "k n"}})` has m, k
/// and n. Throws `[rank-mismatch]` for a tensor of other rank, `[shape-mismatch]` for two extents
/// of one word.
Extents bind_dims(const std::vector<Argument>& arguments);

enum class Kind : uint8_t { floats, integers, numbers };
/// Throws `[dtype-mismatch]` for an argument whose dtype is of another kind.
void require_kind(Kind kind, const std::vector<Argument>& arguments);
/// Throws `[bad-block]` for a number below 1.
void require_count(std::string_view name, int64_t count);

/// The size of blocks along a dim: as asked for, or all elements where those are fewer.
int64_t block_of(const Extent& extent, int64_t most);
/// x with zeros behind each dim of a known extent up to whole blocks: blocks that data choose lie
/// inside then. A block of 1 leaves a dim as it is.
Tensor in_whole_blocks(const Tensor& x, const Shape& blocks);
/// `number`, clipped to the numbers below `count`.
Tensor within(const Tensor& number, const Extent& count);
/// Whether an extent is surely 0, so that there is nothing to do.
bool is_empty(const Shape& extents);
/// The dtype in which elements are computed and summed: f32 for narrower floats.
DType sums_of(DType dtype);
/// Of a product: integers are summed in the dtype of the result.
DType product_sums(DType operands, DType result);

/// `float32[2, 3]`.
std::string describe(const Tensor& tensor);

/// A block whose numbers the point alone says.
pallas::BlockSpec block_at(std::vector<pallas::BlockDim> dims,
                           std::function<Point(const Point&)> map);

} // namespace kolam::kernels
