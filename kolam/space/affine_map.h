/// Affine maps between integer spaces: x -> A x + b, with rows that may also divide and wrap.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kolam/space/box.h"
#include "kolam/support/extent.h"

namespace kolam::space {

/// One output coordinate: ((coefficients . x + offset) floordiv divisor) mod modulus.
///
/// divisor 1 and modulus 0 ("no mod") make the row affine; otherwise it is quasi-affine, as
/// dilation, interleaving, grouped heads and reshape need. The offset may hold symbols.
struct AffineRow {
  std::vector<int64_t> coefficients;
  Extent offset;
  int64_t divisor = 1;
  int64_t modulus = 0;
  friend bool operator==(const AffineRow&, const AffineRow&) = default;
};

/// x -> A x + b from Z^P to Z^K; A is K x P, a row for each output (reference: 2.3).
struct AffineMap {
  int input_rank = 0;
  std::vector<AffineRow> rows;

  int output_rank() const { return static_cast<int>(rows.size()); }
  friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

using Matrix = std::vector<std::vector<int64_t>>;

/// x -> A x + b. Refuses rows that are not `input_rank` long and unequal heights with
/// `[space-rank]`.
AffineMap affine_map(int input_rank, const Matrix& matrix, const Shape& offset);
AffineMap identity_map(int rank);
/// Refuses a map whose rows are not `input_rank` long, divisors < 1 and moduli < 0
/// (`[space-rank]`, `[space-divisor]`). Every function here checks its maps so.
void check_map(const AffineMap& map);

bool is_affine(const AffineRow& row);
bool is_affine(const AffineMap& map);
/// Whether the row is zero: the coordinate does not depend on the input.
bool is_constant(const AffineRow& row);

/// The image of a point. Needs numbers as offsets (`[space-symbolic]`).
Point image(const AffineMap& map, const Point& point);

/// The least and the greatest value that a row takes on the points of a non-empty box.
///
/// Exact for rows without mod. A row whose values cross a multiple of its modulus gives
/// [0, modulus - 1], which may be wider.
struct RowRange {
  int64_t least;
  int64_t greatest;
};
RowRange row_range(const AffineRow& row, const Box& box);

/// Input dim d of the result is input dim order[d] of the map: reorders columns.
AffineMap permute_inputs(const AffineMap& map, const std::vector<int>& order);
/// Output d of the result is output order[d] of the map: reorders rows and b.
AffineMap permute_outputs(const AffineMap& map, const std::vector<int>& order);
/// Adds to the image. Refuses to move a row with a mod (`[space-not-representable]`).
AffineMap translate(const AffineMap& map, const Shape& delta);
/// Counts input dim `dim` backwards: x_d -> (extent - 1) - x_d.
AffineMap reverse_input(const AffineMap& map, int dim, const Extent& extent);

/// What an affine map does with extra leading inputs: ignore them, or pass them through as extra
/// leading outputs.
enum class Embedding : uint8_t { clip, tile };
/// Applies the map to the last inputs of a longer point. Refuses a shorter one (`[space-rank]`).
AffineMap embed(const AffineMap& map, int input_rank, Embedding embedding);

/// x -> outer(inner(x)).
///
/// A row of `outer` over affine rows of `inner` always composes. Over a quasi-affine row of `inner`
/// it composes where it reads only that row, with coefficient 1, and the divisions and mods merge:
///
///     ((e floordiv a) + b) floordiv c   =   (e + a b) floordiv (a c)
///     (e mod m) floordiv c              =   (e floordiv c) mod (m / c)      where c divides m
///     (e mod m) mod c                   =   e mod c                         where c divides m
///
/// Otherwise `compose` refuses with `[space-not-representable]` and `try_compose` gives nullopt.
AffineMap compose(const AffineMap& outer, const AffineMap& inner);
std::optional<AffineMap> try_compose(const AffineMap& outer, const AffineMap& inner);
/// One row of `compose`, not yet simplified.
std::optional<AffineRow> compose_row(const AffineRow& outer, const AffineMap& inner);

/// The same row with common factors of numerator and divisor cancelled, and without the terms that
/// its mod removes.
AffineRow simplify(const AffineRow& row);
/// The same map on the points of `box`, with the divisions and mods removed that do nothing there:
///
///     (4 i + j) floordiv 4 for j < 4   =   i
AffineMap simplify(const AffineMap& map, const Box& box);

/// The map with its symbols replaced by numbers; `[extent-unbound]` where one is missing.
AffineMap instantiate(const AffineMap& map, const std::map<std::string, int64_t>& sizes);

/// `[1 0 | 4; 0 2 | n - 1]`; a quasi-affine row prints `(1 2 | 3) floordiv 4 mod 5`.
std::string to_string(const AffineMap& map);
std::string to_string(const AffineRow& row);

} // namespace kolam::space
