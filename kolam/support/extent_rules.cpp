// The identities of the divisions and of min and max that keep extents in normal form.
#include <algorithm>
#include <numeric>

#include "kolam/support/checked.h"
#include "kolam/support/extent_node.h"

namespace kolam {
namespace {

using Kind = ExtentAtom::Kind;
using Node = Extent::Node;
using Term = ExtentTerm;

enum class Rounding : uint8_t { down, up };

/// The dividend and divisor of `floor((x + c - 1) / c)` or `floor(x / c)` where a term is one
/// division by a constant.
struct ConstantDivision {
  Extent dividend;
  int64_t divisor;
};

std::optional<ConstantDivision> as_constant_division(const Term& term) {
  if (term.coefficient != 1 || term.factors.size() != 1)
    return std::nullopt;
  const ExtentAtom& atom = *term.factors[0];
  if (atom.kind != Kind::floordiv && atom.kind != Kind::ceildiv)
    return std::nullopt;
  std::optional<int64_t> divisor = atom.operands[1].constant();
  if (!divisor)
    return std::nullopt;
  if (atom.kind == Kind::floordiv)
    return ConstantDivision{atom.operands[0], *divisor};
  return ConstantDivision{atom.operands[0] + (*divisor - 1), *divisor};
}

/// floor(x / c) for c > 0. One canonical form: multiples of c leave the division, coefficients and
/// constant end up in [0, c), a common factor cancels, a nested division merges, and `x + c - 1` is
/// written with ceildiv.
Extent floor_by_constant(const Extent& x, int64_t c) {
  if (c == 1)
    return x;
  std::vector<Term> whole, rest;
  for (const Term& term : Node::of(x).terms) {
    whole.push_back({floor_divide(term.coefficient, c), term.factors});
    if (int64_t remainder = floor_modulo(term.coefficient, c))
      rest.push_back({remainder, term.factors});
  }
  Extent outside = Node::sum(std::move(whole), floor_divide(Node::of(x).constant, c));
  int64_t constant = floor_modulo(Node::of(x).constant, c);
  if (rest.empty())
    return outside;

  int64_t common = c;
  for (const Term& term : rest)
    common = std::gcd(common, term.coefficient);
  for (Term& term : rest)
    term.coefficient /= common;
  c /= common;
  constant /= common;

  // floor((floor(y / a) + r) / c) = floor((y + a r) / (a c)), where just one term is such a
  // division.
  auto is_division = [](const Term& term) { return as_constant_division(term).has_value(); };
  auto found = std::find_if(rest.begin(), rest.end(), is_division);
  int64_t product;
  if (std::count_if(rest.begin(), rest.end(), is_division) == 1) {
    ConstantDivision inner = *as_constant_division(*found);
    if (!__builtin_mul_overflow(inner.divisor, c, &product)) {
      rest.erase(found);
      Extent others = Node::sum(std::move(rest), constant);
      return outside + floor_by_constant(inner.dividend + others * inner.divisor, product);
    }
  }
  if (constant == c - 1)
    return outside + Node::atom(Kind::ceildiv, {Node::sum(std::move(rest), 0), Extent(c)});
  return outside + Node::atom(Kind::floordiv, {Node::sum(std::move(rest), constant), Extent(c)});
}

/// The terms with the constant as a term without factors; the leading term comes first.
std::vector<Term> all_terms(const Extent& extent) {
  std::vector<Term> terms = Node::of(extent).terms;
  if (int64_t constant = Node::of(extent).constant)
    terms.push_back({constant, {}});
  return terms;
}

Extent as_extent(Term term) {
  if (term.factors.empty())
    return term.coefficient;
  return Node::sum({std::move(term)}, 0);
}

/// q with q * d = x, where polynomial division by the leading term finds one.
std::optional<Extent> divide_exactly(Extent x, const Extent& d) {
  const Term leading = all_terms(d).front();
  Extent result = 0;
  for (int step = 0; step < 64; ++step) {
    if (x == Extent(0))
      return result;
    Term quotient;
    if (!divide_factors(all_terms(x).front(), leading, quotient) || quotient.coefficient == 0 ||
        all_terms(x).front().coefficient % leading.coefficient != 0)
      return std::nullopt;
    result = result + as_extent(quotient);
    x = x - as_extent(quotient) * d;
  }
  return std::nullopt;
}

/// Moves the multiples of a one-term divisor out of the division; returns what stays.
Extent take_multiples(const Extent& x, const Extent& d, Extent& outside) {
  std::vector<Term> divisor = all_terms(d);
  if (divisor.size() != 1 || divisor[0].coefficient <= 0)
    return x;
  Extent inside = x;
  for (const Term& term : Node::of(x).terms) {
    Term quotient;
    if (!divide_factors(term, divisor[0], quotient))
      continue;
    outside = outside + as_extent(quotient);
    inside = inside - as_extent(quotient) * d;
  }
  return inside;
}

/// A factor >= 0 that divides every term of both: of the constants, or one atom. 1 where there is
/// none.
Extent common_factor(const Extent& x, const Extent& d) {
  std::vector<Term> terms = all_terms(x);
  for (const Term& term : all_terms(d))
    terms.push_back(term);
  int64_t divisor = 0;
  for (const Term& term : terms)
    divisor = std::gcd(divisor, term.coefficient == INT64_MIN ? 1 : term.coefficient);
  if (divisor > 1)
    return divisor;
  for (const auto& factor : terms.front().factors) {
    Term candidate{1, {factor}}, quotient;
    if (factor->nonnegative && std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
          return divide_factors(term, candidate, quotient);
        }))
      return as_extent(candidate);
  }
  return 1;
}

Extent divide(const Extent& x, const Extent& d, Rounding rounding) {
  if (std::optional<int64_t> c = d.constant()) {
    if (*c <= 0)
      fail(ErrorKind::value, "extent-divisor",
           "expected a positive divisor, but got " + std::to_string(*c));
    if (std::optional<int64_t> value = x.constant())
      return rounding == Rounding::down ? floor_divide(*value, *c) : ceil_divide(*value, *c);
    return floor_by_constant(rounding == Rounding::down ? x : x + (*c - 1), *c);
  }
  if (std::optional<Extent> exact = divide_exactly(x, d))
    return *exact;
  Extent outside = 0;
  Extent inside = take_multiples(x, d, outside);
  Extent common = common_factor(inside, d);
  if (!(common == Extent(1))) {
    std::optional<Extent> smaller = divide_exactly(inside, common);
    std::optional<Extent> divisor = divide_exactly(d, common);
    KOLAM_CHECK(smaller && divisor);
    if (divisor->constant().value_or(1) <= 0)
      return 0; // never positive, as -2*n
    return outside + divide(*smaller, *divisor, rounding);
  }
  Kind kind = rounding == Rounding::down ? Kind::floordiv : Kind::ceildiv;
  return outside + Node::atom(kind, {inside, d});
}

/// The operands of a min (max) that `extent` is, or just itself.
std::vector<Extent> flatten(Kind kind, const Extent& extent) {
  const Node& node = Node::of(extent);
  if (node.constant != 0 || node.terms.size() != 1 || node.terms[0].coefficient != 1 ||
      node.terms[0].factors.size() != 1 || node.terms[0].factors[0]->kind != kind)
    return {extent};
  return node.terms[0].factors[0]->operands;
}

/// The extent with divisions that are taken away replaced by their dividends, which are no less
/// where they are not negative: it may be smaller, so that where it is >= 0 the extent is.
Extent without_divisions(Extent extent) {
  auto is_division = [](const auto& factor) {
    return (factor->kind == Kind::floordiv || factor->kind == Kind::ceildiv) &&
           provably_nonnegative(factor->operands[0]);
  };
  constexpr int kMost = 8; // bound: of divisions in one another
  for (int step = 0; step < kMost; ++step) {
    const std::vector<Term> terms = Node::of(extent).terms;
    auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
      return term.coefficient < 0 &&
             std::any_of(term.factors.begin(), term.factors.end(), is_division) &&
             std::all_of(
                 term.factors.begin(), term.factors.end(),
                 [](const auto& factor) { return factor->nonnegative; });
    });
    if (found == terms.end())
      break;
    Term others{found->coefficient, found->factors};
    auto division = std::find_if(others.factors.begin(), others.factors.end(), is_division);
    const Extent dividend = (*division)->operands[0];
    others.factors.erase(division);
    extent = extent - as_extent(*found) + as_extent(others) * dividend;
  }
  return extent;
}

Extent extreme(Kind kind, const Extent& a, const Extent& b) {
  std::vector<Extent> operands = flatten(kind, a);
  for (const Extent& operand : flatten(kind, b))
    operands.push_back(operand);
  // An operand stays unless another one is always at least as extreme.
  std::vector<Extent> kept;
  for (const Extent& candidate : operands) {
    auto beats = [&](const Extent& x, const Extent& y) {
      if (x.is_constant() && y.is_constant())
        return kind == Kind::min ? *x.constant() <= *y.constant() : *x.constant() >= *y.constant();
      return provably_nonnegative(without_divisions(kind == Kind::min ? y - x : x - y));
    };
    if (std::any_of(kept.begin(), kept.end(), [&](const Extent& x) { return beats(x, candidate); }))
      continue;
    std::erase_if(kept, [&](const Extent& x) { return beats(candidate, x); });
    kept.push_back(candidate);
  }
  if (kept.size() == 1)
    return kept[0];
  std::sort(kept.begin(), kept.end());
  return Node::atom(kind, std::move(kept));
}

} // namespace

bool divide_factors(const Term& term, const Term& divisor, Term& quotient) {
  quotient = {floor_divide(term.coefficient, divisor.coefficient), {}};
  if (divisor.coefficient < 0)
    quotient.coefficient = divisor.coefficient == INT64_MIN || term.coefficient == INT64_MIN
                               ? 0
                               : floor_divide(-term.coefficient, -divisor.coefficient);
  auto next = divisor.factors.begin();
  for (const auto& factor : term.factors) {
    if (next != divisor.factors.end() && (*next)->text == factor->text)
      ++next;
    else
      quotient.factors.push_back(factor);
  }
  return next == divisor.factors.end();
}

Extent floordiv(const Extent& a, const Extent& b) { return divide(a, b, Rounding::down); }
Extent ceildiv(const Extent& a, const Extent& b) { return divide(a, b, Rounding::up); }
Extent min(const Extent& a, const Extent& b) { return extreme(Kind::min, a, b); }
Extent max(const Extent& a, const Extent& b) { return extreme(Kind::max, a, b); }

} // namespace kolam
