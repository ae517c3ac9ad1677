// Checks partitions and shards index spaces.
#include "kolam/space/partition.h"

#include <algorithm>

#include "kolam/space/box_index.h"
#include "kolam/space/exact.h"
#include "kolam/space/region.h"

namespace kolam::space {
namespace {

constexpr size_t kMostOverlaps = 1000;

std::string subject_of(size_t piece) { return "piece " + std::to_string(piece); }

/// Reports pairs of `comparable` pieces with a common element.
void check_disjoint(const std::vector<Box>& pieces, const std::vector<size_t>& comparable,
                    std::vector<Issue>& issues) {
  std::vector<Box> boxes;
  for (size_t i : comparable)
    boxes.push_back(pieces[i]);
  for (const Overlap& pair : overlaps(boxes, kMostOverlaps))
    issues.push_back({"space-partition",
                      subject_of(std::max(comparable[pair.first], comparable[pair.second])),
                      "expected disjoint pieces, but " + to_string(boxes[pair.first]) + " and " +
                          to_string(boxes[pair.second]) + " overlap"});
}

} // namespace

std::vector<Issue> validate_partition(const Box& whole, const std::vector<Box>& pieces) {
  std::vector<Issue> issues;
  std::vector<size_t> comparable;
  int64_t sum = 0;
  bool overflows = false;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].rank() != whole.rank()) {
      issues.push_back({"space-rank", subject_of(i),
                        "expected rank " + std::to_string(whole.rank()) + ", but got " +
                            std::to_string(pieces[i].rank())});
      continue;
    }
    if (is_empty(pieces[i]))
      continue;
    comparable.push_back(i);
    if (!contains(whole, pieces[i]))
      issues.push_back(
          {"space-partition", subject_of(i),
           "expected a piece of " + to_string(whole) + ", but got " + to_string(pieces[i])});
    overflows |= __builtin_add_overflow(sum, size(pieces[i]), &sum);
  }
  check_disjoint(pieces, comparable, issues);
  if (overflows || sum != size(whole))
    issues.push_back({"space-partition", "the pieces",
                      "expected " + std::to_string(size(whole)) + " elements in all, but got " +
                          (overflows ? "more than 64 bits hold" : std::to_string(sum))});
  return issues;
}

std::vector<Box> split_grid(const Box& box, const std::vector<int64_t>& counts) {
  check_rank(static_cast<int64_t>(counts.size()), box.rank(), "the counts");
  std::vector<Box> pieces{box};
  for (int d = 0; d < box.rank(); ++d) {
    std::vector<Box> finer;
    for (const Box& piece : pieces)
      for (Box& part : split_evenly(piece, d, counts[d]))
        finer.push_back(std::move(part));
    pieces = std::move(finer);
  }
  return pieces;
}

Shard make_shard(const Signature& signature, const Box& piece) {
  Shard shard{piece, {}};
  for (const Operand& operand : signature.operands)
    shard.regions.push_back(region(operand.projection, piece));
  return shard;
}

std::vector<Shard> make_shards(const Signature& signature, const std::vector<Box>& pieces,
                               PartialReductions partial) {
  Box whole = index_box(signature);
  std::vector<Issue> issues = validate_partition(whole, pieces);
  fail_on(issues);
  std::vector<Shard> shards;
  for (const Box& piece : pieces) {
    for (int j = 0; j < whole.rank() && partial == PartialReductions::refused; ++j)
      if (signature.dims[j].kind == DimKind::reduce && piece.extent(j) != whole.extent(j))
        fail(ErrorKind::value, "space-partition",
             "expected reduce dim '" + signature.dims[j].name + "' whole, but got " +
                 to_string(piece));
    shards.push_back(make_shard(signature, piece));
  }
  return shards;
}

} // namespace kolam::space
