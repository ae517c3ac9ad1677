/// Partitions: cutting an index space into pieces, and what each piece touches.
#pragma once

#include <vector>

#include "kolam/space/box.h"
#include "kolam/space/issue.h"
#include "kolam/space/signature.h"

namespace kolam::space {

/// {R_i} partitions R iff every non-empty R_i lies in R, they are pairwise disjoint, and their
/// sizes sum to |R|. All three are needed and all three are checked, always: [0:2], [0:1], [3:4] on
/// [0:4] has the right sum. Every break is an issue, of the pairs that overlap the first thousand.
/// (reference: 2.13)
std::vector<Issue> validate_partition(const Box& whole, const std::vector<Box>& pieces);

/// Cuts every dim into the given number of pieces, as evenly as possible (`split_evenly`);
/// row-major.
std::vector<Box> split_grid(const Box& box, const std::vector<int64_t>& counts);

/// One piece of an op's index space and the region of each operand that it touches, in the order of
/// the signature's operands. Regions are not clipped: elements outside a tensor are its policy's.
struct Shard {
  Box index;
  std::vector<Box> regions;
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The shard of one piece. Needs a signature of numbers (`[space-symbolic]`).
Shard make_shard(const Signature& signature, const Box& piece);
/// The shards of a partition of the op's index space. Refuses what is none (`[space-partition]`),
/// and a piece of a reduce dim too, unless `partial_reductions` are asked for: then the pieces of
/// outputs overlap and are to be merged by the monoid.
enum class PartialReductions : uint8_t { refused, allowed };
std::vector<Shard> make_shards(const Signature& signature, const std::vector<Box>& pieces,
                               PartialReductions partial = PartialReductions::refused);

} // namespace kolam::space
