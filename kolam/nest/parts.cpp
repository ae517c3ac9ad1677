// Finds where indices cross the bounds of what they read.
#include "kolam/nest/parts.h"

#include "kolam/ir/literal_number.h"
#include "kolam/ir/ops.h"

#include <algorithm>
#include <optional>

namespace kolam::nest {
namespace {

using space::Policy;

/// Whether what lies outside is found elsewhere, or is a value.
bool may_lie_outside(const space::Operand& operand) {
  switch (operand.policy.kind) {
  case Policy::Kind::pad:
  case Policy::Kind::clamp:
  case Policy::Kind::wrap:
  case Policy::Kind::reflect:
    return !operand.indirect;
  default:
    return false;
  }
}

/// Where the box lies that an update changes; empty where only the run knows.
std::vector<int64_t> starts_of(ir::DynamicUpdateSliceOp update) {
  std::vector<int64_t> starts;
  const Shape shape = ir::shape_of(update.getOperand()), sizes = ir::shape_of(update.getUpdate());
  for (auto [start, extent, size] : llvm::zip(update.getStarts(), shape, sizes)) {
    auto literal = start.getDefiningOp<ir::ConstantOp>();
    std::optional<int64_t> number = literal ? ir::literal_number(literal) : std::nullopt;
    std::optional<int64_t> last = (extent - size).constant();
    if (!number || !last || *last < 0)
      return {};
    starts.push_back(std::clamp<int64_t>(*number, 0, *last));
  }
  return starts;
}

/// The least and the greatest number that the loops beside `dim` add to a place; nullopt where that
/// is not known.
std::optional<std::pair<int64_t, int64_t>>
added_by_others(const space::AffineRow& row, int dim,
                const std::vector<analysis::RelationLoop>& loops) {
  int64_t least = 0, most = 0;
  for (int loop = 0; loop < static_cast<int>(row.coefficients.size()); ++loop) {
    const int64_t coefficient = row.coefficients[loop];
    if (loop == dim || coefficient == 0)
      continue;
    std::optional<int64_t> extent = loops[loop].extent.constant();
    int64_t end = 0;
    if (!extent || *extent < 1 || __builtin_mul_overflow(coefficient, *extent - 1, &end) ||
        __builtin_add_overflow(end < 0 ? least : most, end, end < 0 ? &least : &most))
      return std::nullopt;
  }
  return std::pair(least, most);
}

/// Whether elements along the dim do not follow one another where they are read.
bool is_strided(const analysis::RelationUse& read, int dim) {
  for (size_t at = read.at.size(); at-- > 0;)
    if (read.at[at].depends_on(dim))
      return at + 1 < read.at.size() || !(read.at[at].steps_by_one(dim));
  return false;
}

class Cuts {
public:
  Cuts(int dim, Extent extent) : dim_(dim), extent_(std::move(extent)) {}

  /// The places of an operand are 0 up to `size`.
  void add(const space::AffineRow& row, const Extent& size,
           const std::vector<analysis::RelationLoop>& loops) {
    if (!space::is_affine(row) || static_cast<int>(row.coefficients.size()) <= dim_ ||
        row.coefficients[dim_] == 0)
      return;
    const int64_t step = row.coefficients[dim_];
    auto others = added_by_others(row, dim_, loops);
    if (!others)
      return;
    for (int64_t more : {others->first, others->second})
      for (const Extent& bound : {Extent(0), size}) {
        // The first i at which step i + offset + more reaches the bound.
        Extent left = bound - row.offset - Extent(more);
        if (step > 0)
          add(step == 1 ? left : ceildiv(left, Extent(step)));
        else if (step == -1) // ... or the first at which it is below
          add(Extent(1) - left);
      }
  }

  /// Lanes ask for elements that do not follow one another.
  void gathers() { gathers_ = true; }

  /// In order, without short parts beside one another. Where masks are slow, lanes that choose are.
  std::vector<Extent> take(int64_t lanes, bool has_masks) {
    std::sort(places_.begin(), places_.end(),
              [&](const Extent& a, const Extent& b) { return lies_before(a, b); });
    if (!is_ordered_ || places_.empty())
      return {};
    std::vector<Extent> bounds{Extent(0)};
    bounds.insert(bounds.end(), places_.begin(), places_.end());
    bounds.push_back(extent_);
    auto length = [&](size_t part) {
      return (bounds[part + 1] - bounds[part]).constant().value_or(INT64_MAX);
    };
    auto is_short = [&](size_t part) { return length(part) < lanes / 2; };
    int64_t longest = 0;
    for (size_t part = 0; part + 1 < bounds.size(); ++part)
      longest = std::max(longest, length(part));
    if (longest < (gathers_ || !has_masks ? lanes / 2 : 2 * lanes))
      return {};
    std::vector<Extent> kept;
    for (size_t part = 1; part + 1 < bounds.size(); ++part)
      if (!is_short(part - 1) || !is_short(part))
        kept.push_back(bounds[part]);
    return kept;
  }

private:
  void add(const Extent& place) {
    auto from_start = place.constant(), from_end = (extent_ - place).constant();
    bool is_outside = (from_start && *from_start <= 0) || (from_end && *from_end <= 0);
    if (!is_outside && std::find(places_.begin(), places_.end(), place) == places_.end())
      places_.push_back(place);
  }

  bool lies_before(const Extent& a, const Extent& b) {
    if (auto distance = (b - a).constant())
      return *distance > 0;
    // A number is near the start, where the others move with the extent.
    if (a.is_constant() != b.is_constant())
      return a.is_constant();
    is_ordered_ = false;
    return a < b;
  }

  const int dim_;
  const Extent extent_;
  std::vector<Extent> places_;
  bool is_ordered_ = true, gathers_ = false;
};

} // namespace

static space::AffineRow behind(space::AffineRow row, int64_t start) {
  row.offset = row.offset - Extent(start);
  return row;
}

/// Where reads by such policies cross the bounds of what they read, and updates those of their box.
static Cuts crossings(int dim, const Nest& nest, const NestRelation& relation,
                      analysis::Signatures& signatures,
                      llvm::function_ref<bool(const space::Operand&)> may_cross) {
  Cuts cuts(dim, ir::shape_of(nest.root->getResult(0))[dim]);
  for (const analysis::RelationUse& use : relation.access().uses()) {
    auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(relation.op_of(use));
    if (update && use.operand == 0) // at the index of the op itself
      for (auto [at, start, size] :
           llvm::zip(use.at, starts_of(update), ir::shape_of(update.getUpdate())))
        if (at.row)
          cuts.add(behind(*at.row, start), size, relation.access().loops());
    const space::Signature& signature = signatures.of(relation.op_of(use));
    const space::Operand& operand = signature.operands[use.operand];
    if (!may_cross(operand))
      continue;
    if (operand.policy.kind != Policy::Kind::pad)
      cuts.gathers();
    Shape shape = ir::shape_of(relation.value_of(use));
    for (auto [at, size] : llvm::zip(use.at, shape))
      if (at.row)
        cuts.add(*at.row, size, relation.access().loops());
  }
  return cuts;
}

static std::vector<Extent> few(std::vector<Extent> places) {
  return static_cast<int64_t>(places.size()) < kMostParts ? places : std::vector<Extent>();
}

std::vector<Extent> cuts_along(int dim, const Nest& nest, const NestRelation& relation,
                               analysis::Signatures& signatures, const Machine& machine) {
  Cuts cuts = crossings(dim, nest, relation, signatures, may_lie_outside);
  if (llvm::any_of(relation.access().reads(),
                   [&](const analysis::RelationUse& read) { return is_strided(read, dim); }))
    cuts.gathers();
  return few(cuts.take(machine.lanes(), machine.has_avx512()));
}

std::vector<Extent> cuts_of_rows(int dim, const Nest& nest, const NestRelation& relation,
                                 analysis::Signatures& signatures) {
  auto is_padded = [](const space::Operand& operand) {
    return may_lie_outside(operand) && operand.policy.kind == Policy::Kind::pad;
  };
  return few(crossings(dim, nest, relation, signatures, is_padded).take(kFewRows, false));
}

} // namespace kolam::nest
