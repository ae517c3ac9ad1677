// Fourier-Motzkin elimination with symbolic extents.
#include "kolam/space/loop_bounds.h"

#include <algorithm>
#include <set>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

/// coefficients . y + rest >= 0.
struct Constraint {
  std::vector<int64_t> coefficients;
  Extent rest;
};

/// Adds a constraint; of two that differ by a number the tighter one stays.
void put(std::vector<Constraint>& constraints, Constraint added) {
  for (Constraint& known : constraints) {
    if (known.coefficients != added.coefficients)
      continue;
    if (std::optional<int64_t> slack = (added.rest - known.rest).constant()) {
      if (*slack < 0)
        known.rest = added.rest;
      return;
    }
  }
  constraints.push_back(std::move(added));
}

/// What follows for the other variables from a lower and an upper bound of `variable`.
Constraint combined(const Constraint& below, const Constraint& above, size_t variable) {
  int64_t scale = multiply(-1, above.coefficients[variable]), other = below.coefficients[variable];
  Constraint result{{}, below.rest * Extent(scale) + above.rest * Extent(other)};
  for (size_t j = 0; j < below.coefficients.size(); ++j)
    result.coefficients.push_back(
        add(multiply(below.coefficients[j], scale), multiply(above.coefficients[j], other)));
  return result;
}

bool is_about_extents(const Constraint& constraint) {
  return std::all_of(constraint.coefficients.begin(), constraint.coefficients.end(),
                     [](int64_t c) { return c == 0; });
}

/// The bound that a constraint sets for `variable`, whose coefficient is not 0.
Extent bound(const Constraint& constraint, size_t variable, const std::vector<std::string>& names) {
  Extent rest = constraint.rest;
  for (size_t j = 0; j < variable; ++j)
    if (constraint.coefficients[j] != 0)
      rest = rest + Extent(constraint.coefficients[j]) * Extent::symbol(names[j]);
  int64_t coefficient = constraint.coefficients[variable];
  return coefficient > 0 ? ceildiv(Extent(0) - rest, Extent(coefficient))
                         : floordiv(rest, Extent(-coefficient)) + Extent(1);
}

/// The constraints start <= x < end in terms of y.
std::vector<Constraint> of_box(const Matrix& inverse, const Shape& start, const Shape& end) {
  std::vector<Constraint> constraints;
  for (size_t dim = 0; dim < start.size(); ++dim) {
    std::vector<int64_t> negated;
    for (int64_t value : inverse[dim])
      negated.push_back(multiply(-1, value));
    put(constraints, {inverse[dim], Extent(0) - start[dim]});
    put(constraints, {negated, end[dim] - Extent(1)});
  }
  return constraints;
}

/// Numbers first, then bounds by extents, then those that use loops' variables; or the reverse.
void sort_bounds(std::vector<Extent>& bounds, const std::vector<std::string>& names, bool reverse) {
  auto weight = [&](const Extent& bound) {
    std::set<std::string> symbols = bound.symbols();
    bool uses = std::any_of(names.begin(), names.end(),
                            [&](const std::string& name) { return symbols.contains(name); });
    int weight = symbols.empty() ? 0 : uses ? 2 : 1;
    return reverse ? -weight : weight;
  };
  std::sort(bounds.begin(), bounds.end(), [&](const Extent& a, const Extent& b) {
    return weight(a) != weight(b) ? weight(a) < weight(b) : a < b;
  });
}

std::string joined(const std::vector<Extent>& bounds, const std::string& function) {
  if (bounds.size() == 1)
    return bounds[0].to_string();
  std::string text;
  for (const Extent& bound : bounds)
    text += (text.empty() ? function + "(" : ", ") + bound.to_string();
  return text + ")";
}

} // namespace

std::vector<LoopBounds> loop_bounds(const Transformation& transformation, const Shape& start,
                                    const Shape& end, const std::vector<std::string>& names) {
  size_t rank = transformation.inverse.size();
  if (start.size() != rank || end.size() != rank || names.size() != rank)
    fail(ErrorKind::value, "space-rank",
         "expected a box and names of rank " + std::to_string(rank) + ", but got " +
             std::to_string(start.size()) + ", " + std::to_string(end.size()) + " and " +
             std::to_string(names.size()));
  std::vector<LoopBounds> loops(rank);
  std::vector<Constraint> constraints = of_box(transformation.inverse, start, end);
  for (size_t variable = rank; variable-- > 0;) {
    std::vector<Constraint> below, above, others;
    for (Constraint& constraint : constraints) {
      int64_t coefficient = constraint.coefficients[variable];
      (coefficient > 0 ? below : coefficient < 0 ? above : others).push_back(std::move(constraint));
    }
    loops[variable].name = names[variable];
    for (const Constraint& constraint : below)
      loops[variable].lower.push_back(bound(constraint, variable, names));
    for (const Constraint& constraint : above)
      loops[variable].upper.push_back(bound(constraint, variable, names));
    sort_bounds(loops[variable].lower, names, false);
    sort_bounds(loops[variable].upper, names, true);
    for (const Constraint& low : below)
      for (const Constraint& high : above)
        // What says only that the box is not empty: the inner loops run zero times where it is.
        if (Constraint made = combined(low, high, variable); !is_about_extents(made))
          put(others, std::move(made));
    constraints = std::move(others);
  }
  return loops;
}

std::string to_string(const std::vector<LoopBounds>& loops) {
  std::string text;
  for (const LoopBounds& loop : loops)
    text += (text.empty() ? "" : "; ") + joined(loop.lower, "max") + " <= " + loop.name + " < " +
            joined(loop.upper, "min");
  return text;
}

} // namespace kolam::space
