// Follows the places of elements through accesses and bodies.
#include "kolam/analysis/list_places.h"

#include "kolam/support/error.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

Shape symbols(size_t count, std::string (*name)(size_t)) {
  Shape result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(Extent::symbol(name(i)));
  return result;
}

/// Places k0, k1, ... as those of lists `by` levels deeper.
Replacements shifted(const Places& places, int64_t by) {
  Replacements result;
  for (int64_t level = 0; level < std::ssize(places.lengths); ++level)
    if (level + by >= 0)
      result.emplace(place_name(static_cast<size_t>(level)),
                     Extent::symbol(place_name(static_cast<size_t>(level + by))));
  return result;
}

Places unlisted(Places places) {
  places.parts = {{kUnlisted, {}, {}}};
  return places;
}

/// The ends of a slice of a list of length L as constants where that makes no difference:
///
///     min(c, L) <= p < stop, stop <= L   is   c <= p < stop
///     start <= p < max(L - c, 0)         is   start <= p < L - c
///     max(L - 1, 0) <= p < L             is   L - 1 <= p < L, of which there are min(L, 1)
void simplify_slice(Extent& length, Extent& index, const std::vector<int64_t>& numbers) {
  Extent size = Extent::symbol("L"), start = index.substitute({{"j0", Extent(0)}});
  std::optional<int64_t> step = (index.substitute({{"j0", Extent(1)}}) - start).constant();
  if (!step || *step < 1 || !(index == start + Extent(*step) * Extent::symbol("j0")))
    return;
  Extent from = start, last = size - Extent(1);
  if (start == min(size, max(last, Extent(0))) && length == max(size - start, Extent(0))) {
    length = min(size, Extent(1));
    index = last + Extent(*step) * Extent::symbol("j0");
    return;
  }
  for (int64_t number : numbers)
    if (number >= 0 && start == min(Extent(number), size))
      from = Extent(number);
  auto length_to = [&](const Extent& stop, const Extent& first) {
    return ceildiv(max(stop - first, Extent(0)), Extent(*step));
  };
  std::vector<std::pair<Extent, Extent>> stops{{size, size}};
  for (int64_t number : numbers) {
    Extent end = size - Extent(number);
    if (number >= 0)
      stops.emplace_back(min(size, max(end, Extent(0))), end);
    stops.emplace_back(min(Extent(number), size), min(Extent(number), size));
  }
  for (const auto& [stop, simple] : stops)
    if (length == length_to(stop, start)) {
      length = length_to(simple, from);
      index = from + Extent(*step) * Extent::symbol("j0");
      return;
    }
}

/// The numbers in an expression, each also negated and one up and down.
std::vector<int64_t> numbers_of(const Extent& expression) {
  std::vector<int64_t> numbers;
  for (const Extent::Step& step : expression.steps())
    if (step.op == 'k' && step.value > -(1 << 30) && step.value < (1 << 30))
      for (int64_t by : {-1, 0, 1})
        for (int64_t sign : {1, -1})
          numbers.push_back(sign * step.value + by);
  return numbers;
}

} // namespace

bool is_variable(const std::string& symbol) {
  return symbol.size() > 1 && (symbol[0] == 'i' || symbol[0] == 'k') &&
         symbol.find_first_not_of("0123456789", 1) == std::string::npos;
}
std::string dim_name(size_t dim) { return "i" + std::to_string(dim); }
std::string place_name(size_t level) { return "k" + std::to_string(level); }
Shape dim_symbols(size_t count) { return symbols(count, dim_name); }
Shape place_symbols(size_t count) { return symbols(count, place_name); }

Extent Placing::substitute(const Extent& expression, const Replacements& replacements) {
  try {
    return terms_.substitute(expression, replacements);
  } catch (const Error&) {
    return terms_.value(terms_.function("an expression too large to list"), {});
  }
}

Part Placing::substitute(const Part& part, const Replacements& replacements) {
  try {
    Part result{part.buffer, {}, {}};
    for (const Extent& index : part.index)
      result.index.push_back(terms_.substitute(index, replacements));
    for (const PlaceBounds& range : part.where)
      result.where.push_back({terms_.substitute(range.value, replacements),
                              terms_.substitute(range.lower, replacements),
                              terms_.substitute(range.upper, replacements), range.outside});
    return result;
  } catch (const Error&) { // an expression of too many operations, or too large a number
    return {kUnlisted, {}, {}};
  }
}

Places Placing::substitute(const Places& places, const Replacements& replacements) {
  Places result;
  for (const Part& part : places.parts)
    result.parts.push_back(substitute(part, replacements));
  for (const Extent& length : places.lengths)
    result.lengths.push_back(substitute(length, replacements));
  if (places.number)
    result.number = substitute(*places.number, replacements);
  return result;
}

Places Placing::element(const Places& list, const Extent& place) {
  Replacements replacements = shifted(list, -1);
  replacements.emplace(place_name(0), place);
  Places result = substitute(list, replacements);
  result.lengths.erase(result.lengths.begin());
  return result;
}

Places Placing::collected(const Places& element, const std::string& replaced, const Extent& step,
                          const Extent& length) {
  Replacements replacements = shifted(element, 1);
  replacements.emplace(replaced, step);
  Places result = substitute(element, replacements);
  result.lengths.insert(result.lengths.begin(), length);
  return result;
}

Places Placing::joined(const std::vector<Places>& lists) {
  Places result;
  Extent place = Extent::symbol(place_name(0)), offset(0);
  for (const Places& list : lists) {
    Extent end = offset + list.lengths[0];
    for (const Part& part : list.parts) {
      Part moved = substitute(part, {{place_name(0), place - offset}});
      moved.where.push_back({place, offset, end});
      result.parts.push_back(std::move(moved));
    }
    offset = end;
  }
  result.lengths.push_back(offset);
  simplify(result.parts);
  return result.parts.size() > kMostParts ? unlisted(std::move(result)) : result;
}

Places Placing::accessed(const Places& list, const Shape& lengths, const Shape& index,
                         const Replacements& given, const Places* pad) {
  Shape new_lengths = lengths, at = index;
  if (lengths.size() == 1 && index.size() == 1)
    simplify_slice(new_lengths[0], at[0], numbers_of(lengths[0]));
  Replacements names = given;
  names.emplace("L", list.lengths[0]);
  for (size_t dim = 0; dim < lengths.size(); ++dim)
    names.emplace("j" + std::to_string(dim), Extent::symbol(place_name(dim)));
  for (Shape* expressions : {&new_lengths, &at})
    for (Extent& expression : *expressions)
      expression = substitute(expression, names);
  auto by = static_cast<int64_t>(lengths.size()) - static_cast<int64_t>(index.size());
  Replacements places = shifted(list, by);
  for (size_t level = 0; level < at.size(); ++level)
    places.insert_or_assign(place_name(level), at[level]);
  Places result = substitute(list, places);
  result.lengths.erase(result.lengths.begin(),
                       result.lengths.begin() + static_cast<int64_t>(index.size()));
  result.lengths.insert(result.lengths.begin(), new_lengths.begin(), new_lengths.end());
  if (pad) {
    for (Part& part : result.parts)
      part.where.push_back({at[0], Extent(0), list.lengths[0]});
    for (Part part : pad->parts) {
      part.where.push_back({at[0], Extent(0), list.lengths[0], true});
      result.parts.push_back(std::move(part));
    }
    result.number.reset();
  }
  simplify(result.parts);
  return result.parts.size() > kMostParts ? unlisted(std::move(result)) : result;
}

Places Placing::resolved(const Places& places, int buffer, const Places& inner, size_t dims) {
  Places result{{}, places.lengths, places.number};
  for (const Part& part : places.parts) {
    if (part.buffer != buffer) {
      result.parts.push_back(part);
      continue;
    }
    Replacements at;
    for (size_t i = 0; i < part.index.size(); ++i)
      at.emplace(i < dims ? dim_name(i) : place_name(i - dims), part.index[i]);
    for (const Part& found : inner.parts) {
      Part made = substitute(found, at);
      made.where.insert(made.where.end(), part.where.begin(), part.where.end());
      if (simplify(made.where))
        result.parts.push_back(std::move(made));
    }
    if (result.parts.size() > kMostParts)
      return unlisted(std::move(result));
  }
  return result;
}

namespace {

/// Moves what does not depend on dims and places, and signs, from the value of a range to its
/// bounds.
void normalize(PlaceBounds& range) {
  Replacements zeros;
  for (const std::string& symbol : range.value.symbols())
    if (is_variable(symbol))
      zeros.emplace(symbol, Extent(0));
  if (zeros.empty())
    return;
  Extent constant = range.value.substitute(zeros);
  range.value = range.value - constant;
  range.lower = range.lower - constant;
  range.upper = range.upper - constant;
  if (!range.value.is_constant() && range.value.to_string()[0] == '-') {
    Extent lower = range.lower;
    range.value = Extent(0) - range.value;
    range.lower = Extent(1) - range.upper;
    range.upper = Extent(1) - lower;
  }
}

/// Whether a <= b for all values of the symbols, which are 0 or more: the difference has no
/// negative terms. False where that is not seen.
bool is_at_most(const Extent& a, const Extent& b) {
  Extent difference = b - a;
  if (std::optional<int64_t> number = difference.constant())
    return *number >= 0;
  return difference.to_string().find('-') == std::string::npos;
}

enum class Truth : uint8_t { always, never, sometimes };

Truth truth(const PlaceBounds& range) {
  Extent one(1);
  bool inside = is_at_most(range.lower, range.value) && is_at_most(range.value + one, range.upper);
  bool outside = is_at_most(range.value + one, range.lower) ||
                 is_at_most(range.upper, range.value) || is_at_most(range.upper, range.lower);
  if (!inside && !outside)
    return Truth::sometimes;
  return outside == range.outside ? Truth::always : Truth::never;
}

/// The larger of two lower bounds (the smaller of two upper ones) where that is seen; else both
/// stay.
Extent tighter(const Extent& a, const Extent& b, bool is_lower) {
  if (is_at_most(a, b))
    return is_lower ? b : a;
  if (is_at_most(b, a))
    return is_lower ? a : b;
  return is_lower ? max(a, b) : min(a, b);
}

} // namespace

bool simplify(std::vector<PlaceBounds>& where) {
  std::vector<PlaceBounds> kept;
  for (PlaceBounds range : where) {
    normalize(range);
    auto same = std::find_if(kept.begin(), kept.end(), [&](const PlaceBounds& other) {
      return !range.outside && !other.outside && other.value == range.value;
    });
    if (same == kept.end()) {
      kept.push_back(std::move(range));
      continue;
    }
    // A lower bound at or above any upper one: nothing holds.
    if (is_at_most(range.upper, same->lower) || is_at_most(same->upper, range.lower))
      return false;
    same->lower = tighter(same->lower, range.lower, true);
    same->upper = tighter(same->upper, range.upper, false);
  }
  where.clear();
  for (PlaceBounds& range : kept) {
    Truth known = truth(range);
    if (known == Truth::never)
      return false;
    if (known == Truth::sometimes)
      where.push_back(std::move(range));
  }
  return true;
}

void simplify(std::vector<Part>& parts) {
  std::erase_if(parts, [](Part& part) { return !simplify(part.where); });
}

std::optional<space::AffineMap> affine_map_of(const Shape& index,
                                              const std::vector<std::string>& variables) {
  space::AffineMap map{static_cast<int>(variables.size()), {}};
  for (const Extent& expression : index) {
    space::AffineRow row;
    Extent rest = expression;
    for (const std::string& variable : variables) {
      Extent symbol = Extent::symbol(variable);
      Extent slope = expression.substitute({{variable, symbol + Extent(1)}}) - expression;
      if (!slope.is_constant())
        return std::nullopt;
      row.coefficients.push_back(*slope.constant());
      rest = rest - slope * symbol;
    }
    for (const std::string& symbol : rest.symbols())
      if (std::find(variables.begin(), variables.end(), symbol) != variables.end())
        return std::nullopt;
    row.offset = rest;
    map.rows.push_back(std::move(row));
  }
  return map;
}

} // namespace kolam::analysis
