// Solves the index of a part for the places.
#include "kolam/analysis/written_part.h"

#include <algorithm>

namespace kolam::analysis {

std::optional<Part> written_part(const Part& shown, size_t depth, Placing& placing) {
  Replacements place_of;
  std::vector<PlaceBounds> where = shown.where;
  std::set<size_t> divided; ///< dims that a place mod d and div d decide
  // The d for which an index is place mod d and another one place div d.
  auto divisor = [&](const Extent& index, const Extent& place) -> std::optional<Extent> {
    for (const Extent& other : shown.index)
      for (const Extent::Step& step : other.steps())
        if (step.op == 'k' && step.value > 1)
          if (Extent d(step.value); other == floordiv(place, d) && index == place - d * other)
            return d;
    return std::nullopt;
  };
  Part write{kUnlisted, {}, {}};
  for (size_t level = 0; level < depth; ++level) {
    Extent place = Extent::symbol(place_name(level));
    std::optional<Extent> found;
    for (size_t j = 0; j < shown.index.size() && !found; ++j) {
      const Extent& index = shown.index[j];
      Extent dim = Extent::symbol(dim_name(j)), by = index - place, sum = index + place;
      auto is_free = [&](const Extent& rest) {
        std::set<std::string> symbols = rest.symbols();
        return std::none_of(symbols.begin(), symbols.end(), is_variable);
      };
      if (is_free(by))
        found = dim - by;
      else if (is_free(sum))
        found = sum - dim;
      else if (std::optional<Extent> d = divisor(index, place))
        for (size_t k = 0; k < shown.index.size(); ++k)
          if (shown.index[k] == floordiv(place, *d)) {
            found = dim + *d * Extent::symbol(dim_name(k));
            where.push_back({dim, Extent(0), *d});
            divided.insert({j, k});
          }
    }
    if (!found)
      return std::nullopt;
    write.index.push_back(placing.substitute(*found, place_of)); // lengths depend on outer places
    place_of.emplace(place_name(level), write.index.back());
  }
  // What the places do not decide is a condition on the points: the last step of a fold.
  for (size_t j = 0; j < shown.index.size(); ++j) {
    Extent dim = Extent::symbol(dim_name(j)), index = placing.substitute(shown.index[j], place_of);
    if (!(index == dim) && !divided.contains(j))
      where.push_back({dim, index, index + Extent(1)});
  }
  for (PlaceBounds& range : where)
    range = {placing.substitute(range.value, place_of), placing.substitute(range.lower, place_of),
             placing.substitute(range.upper, place_of), range.outside};
  if (!simplify(where))
    return std::nullopt;
  write.where = std::move(where);
  return write;
}

} // namespace kolam::analysis
