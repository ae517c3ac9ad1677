/// What pictures of plans show: shards, edges, colours, texts. Internal.
#pragma once

#include "kolam/plan/blocks.h"
#include "kolam/plan/structure.h"

namespace kolam::plans {

/// Shards of a tensor, events of a timeline and moments of a worker's memory that are drawn; more
/// are counted, or thinned out: text that a reader can still take in.
constexpr size_t kDrawnShards = 256, kDrawnEvents = 4000, kDrawnMoments = 500;

struct Shard {
  Box box;
  int64_t worker = 0; ///< that makes it
};

/// A tensor that a stage reads or writes, and the rows of its projection.
struct DrawnEdge {
  int64_t tensor = 0;
  bool is_written = false;
  std::vector<std::string> rows; ///< `1 0 | 0 | 3`; none of a merge
};

/// A plan without breaks of structure, and what follows from it.
class Drawn {
public:
  /// Throws the breaks of the plan's structure.
  explicit Drawn(const Plan& plan);

  const Plan& plan;
  std::vector<Event> events;
  std::vector<std::vector<Shard>> shards;    ///< by tensor, by start
  std::vector<int64_t> tasks;                ///< by stage: how many
  std::vector<std::vector<DrawnEdge>> edges; ///< by stage

  const Stage& stage_of_family(int64_t family) const;
};

/// Shards by their starts along all dims but the last: one row below the other.
std::vector<std::vector<Shard>> rows_of_shards(const std::vector<Shard>& shards);

/// `stage 3: float32[4, 8]`.
std::string title_of(const Tensor& tensor);
/// `i0 < 4, i1 < 8`.
std::string dims_text(const space::Signature& signature);
/// The rows of [A | b | S]: point c of the index space has [A c + b, A c + b + S).
std::vector<std::string> projection_rows(const space::Projection& projection);
/// `#aabbcc`; neighbours differ.
std::string colour_of(int64_t number);
/// For HTML, SVG and the labels of Graphviz.
std::string escaped(const std::string& text);
/// `1,234,567`.
std::string grouped(int64_t number);

} // namespace kolam::plans
