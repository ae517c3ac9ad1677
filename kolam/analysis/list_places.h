/// Where the elements of lists lie: buffers read at expressions of the dims around and of the place
/// asked for, part by part.
#pragma once

#include "kolam/analysis/terms.h"
#include "kolam/space/affine_map.h"

namespace kolam::analysis {

/// lower <= value < upper; the opposite where it is `outside`.
struct PlaceBounds {
  Extent value, lower, upper;
  bool outside = false;
};

/// Some elements of a list: those whose ranges hold lie at buffer[index].
struct Part {
  int buffer = 0;
  Shape index;
  std::vector<PlaceBounds> where;
};

/// A list or a tensor: its element at place k0, k1, ... is in the part whose ranges hold there.
struct Places {
  std::vector<Part> parts;
  /// Of each level, as expressions over the places in the levels around. Below 0 counts as 0.
  Shape lengths;
  /// What each element, an integer, is known to be.
  std::optional<Extent> number;
};

/// The name of dim or iteration number `dim`: `i0`.
std::string dim_name(size_t dim);
/// The name of a place in level `level` of a list: `k0`.
std::string place_name(size_t level);
/// Whether a symbol names a dim or a place.
bool is_variable(const std::string& symbol);
/// The symbols of dims or of places up to a number: {i0, i1}.
Shape dim_symbols(size_t count);
Shape place_symbols(size_t count);

/// Bound: more parts than this are not followed: see `kUnlisted`.
inline constexpr size_t kMostParts = 256;
/// The buffer of a part that stands for more parts than can be listed, or whose index is too large.
inline constexpr int kUnlisted = -1;

/// How expressions of lists follow from others.
class Placing {
public:
  explicit Placing(Terms& terms) : terms_(terms) {}

  Extent substitute(const Extent& expression, const Replacements& replacements);
  Part substitute(const Part& part, const Replacements& replacements);
  Places substitute(const Places& places, const Replacements& replacements);
  /// Element `place` of a list.
  Places element(const Places& list, const Extent& place);
  /// The list of `length` elements whose element k0 is `element` with `replaced`, a dim's name, as
  /// given by `step`, an expression over k0.
  Places collected(const Places& element, const std::string& replaced, const Extent& step,
                   const Extent& length);
  /// The parts of lists one after the other.
  Places joined(const std::vector<Places>& lists);
  /// new[j0][j1] = list[index[0]][index[1]] as in kolam.access, whose names the expressions use;
  /// `symbols` gives those but j0 and j1.
  Places accessed(const Places& list, const Shape& lengths, const Shape& index,
                  const Replacements& symbols, const Places* pad);
  /// Parts of `inner` in place of those that lie in `buffer`, whose index begins with the dims.
  Places resolved(const Places& places, int buffer, const Places& inner, size_t dims);

private:
  Terms& terms_;
};

/// The parts without ranges that always hold; those whose ranges can't hold are left out.
void simplify(std::vector<Part>& parts);
/// The same of the ranges of one part; false where they can't hold.
bool simplify(std::vector<PlaceBounds>& where);

/// An index as an affine map of variables; nullopt where it divides or holds other symbols beside
/// numbers and `lengths`.
std::optional<space::AffineMap> affine_map_of(const Shape& index,
                                              const std::vector<std::string>& variables);

} // namespace kolam::analysis
