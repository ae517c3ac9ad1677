/// Accumulation order: how a reduction or contraction combines its elements, decided when the op is
/// made.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kolam {

enum class Order : uint8_t {
  chunk, ///< left to right in chunks
  lanes, ///< element i of a chunk in lane i mod lanes, then lanes merge l with l + lanes/2, ... + 1
  chain, ///< as chunk, each step acc = fma(a, b, acc) from +0.0
};

/// `chunk<64>`, `lanes<64>, chunk<4096>`, `chain<512>`, `chain<128>, in order` or `chain`, which is
/// one chain however many there are. Chunks merge
/// pairwise (2c with 2c+1), an odd last one moves up, or in order, each behind all before it; lanes
/// and chunks without elements are skipped.
struct Accumulate {
  Order order = Order::chunk;
  int64_t lanes = 1;
  int64_t chunk = 64;
  bool in_order = false;
  friend bool operator==(const Accumulate&, const Accumulate&) = default;
};

/// A chunk that no run of elements fills.
inline constexpr int64_t kEndless = int64_t{1} << 40;

inline constexpr Accumulate kReduceLast{Order::lanes, 64, 4096};
inline constexpr Accumulate kReduceKept{Order::chunk, 1, 64};
inline constexpr Accumulate kContractChain{Order::chain, 1, 512};
inline constexpr Accumulate kContractLanes{Order::lanes, 64, 4096};
inline constexpr Accumulate kOneChain{Order::chain, 1, kEndless};

std::string to_string(const Accumulate& accumulate);
/// Reads what `to_string` writes; nullopt for other text, lanes that are no power of two up to 1024
/// or a chunk < 1.
std::optional<Accumulate> parse_accumulate(std::string_view text);

/// Merges chunk states pairwise as they come, like a binary counter: `push` after each chunk,
/// `finish` at the end. The result equals merging (0,1), (2,3), ... level by level with an odd last
/// one moved up. `merge(a, b)` has a before b.
template <class State, class Merge> class ChunkTree {
public:
  explicit ChunkTree(Merge merge, bool in_order = false)
      : merge_(std::move(merge)), in_order_(in_order) {}

  void push(State state) {
    if (in_order_) {
      slots_[0] = count_ ? merge_(slots_[0], state) : std::move(state);
      count_ = 1;
      return;
    }
    int level = 0;
    for (; count_ >> level & 1; ++level)
      state = merge_(slots_[level], state);
    slots_[level] = std::move(state);
    ++count_;
  }

  /// The merged state of all chunks; nullopt for none.
  std::optional<State> finish() {
    std::optional<State> result;
    for (int level = 0; level < 64; ++level)
      if (count_ >> level & 1)
        result = result ? merge_(slots_[level], *result) : slots_[level];
    return result;
  }

private:
  Merge merge_;
  bool in_order_;
  uint64_t count_ = 0;
  State slots_[64];
};

} // namespace kolam
