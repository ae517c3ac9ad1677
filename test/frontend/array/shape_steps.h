/// Functions that move elements with random arguments, each with what it makes of a grid by brute
/// force.
#pragma once

#include "test/frontend/array/grid.h"

#include <algorithm>
#include <random>

namespace kolam::test {

/// One function with its arguments, and what it makes of the grid it was drawn for.
struct Step {
  std::string text;
  std::function<Tensor(Tensor)> apply;
  Grid result;
};

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool coin() { return between(0, 1) == 1; }
  int64_t axis(const Grid& x) { return between(0, x.rank() - 1); }
  /// The axis as a user may write it.
  int64_t written(int64_t axis, int64_t rank) { return coin() ? axis : axis - rank; }
  Place permutation(int64_t rank) {
    Place order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine_);
    return order;
  }

private:
  std::mt19937 engine_;
};

inline int64_t modulo(int64_t x, int64_t n) { return ((x % n) + n) % n; }

inline Step permute_step(const Grid& x, Random& random) {
  Place order = random.permutation(x.rank()), shape;
  for (int64_t dim : order)
    shape.push_back(x.shape[dim]);
  return {"permute_dims", [=](Tensor t) { return permute_dims(t, order); },
          build(shape, [&](const Place& at) {
            Place from(order.size());
            for (size_t d = 0; d < order.size(); ++d)
              from[order[d]] = at[d];
            return x.at(from);
          })};
}

inline Step reshape_step(const Grid& x, Random& random) {
  Place shape{1};
  int64_t left = size_of(x.shape);
  if (left == 0)
    shape = {0, 3};
  for (int64_t factor : {2, 3, 2, 5})
    if (left > 0 && left % factor == 0 && random.coin()) {
      left /= factor;
      shape.insert(shape.begin() + random.between(0, static_cast<int64_t>(shape.size())), factor);
    }
  if (left > 0)
    shape.push_back(left);
  Shape wanted(shape.begin(), shape.end());
  if (left > 0 && random.coin())
    wanted.back() = -1;
  return {"reshape", [=](Tensor t) { return reshape(t, wanted); }, Grid{shape, x.cells}};
}

inline Step expand_step(const Grid& x, Random& random) {
  int64_t axis = random.between(0, x.rank());
  Place shape = x.shape;
  shape.insert(shape.begin() + axis, 1);
  int64_t written = random.written(axis, x.rank() + 1);
  return {"expand_dims", [=](Tensor t) { return expand_dims(t, written); }, Grid{shape, x.cells}};
}

inline Step flip_step(const Grid& x, Random& random) {
  int64_t axis = random.axis(x);
  return {"flip", [=, w = random.written(axis, x.rank())](Tensor t) { return flip(t, w); },
          build(x.shape, [&](Place at) {
            at[axis] = x.shape[axis] - 1 - at[axis];
            return x.at(at);
          })};
}

inline Step roll_step(const Grid& x, Random& random) {
  int64_t first = random.axis(x), second = random.axis(x);
  int64_t a = random.between(-7, 7), b = random.between(-7, 7);
  return {"roll", [=](Tensor t) { return roll(t, {a, b}, {first, second}); },
          build(x.shape, [&](Place at) {
            at[first] = modulo(at[first] - a, x.shape[first]);
            at[second] = modulo(at[second] - b, x.shape[second]);
            return x.at(at);
          })};
}

inline Step flat_roll_step(const Grid& x, Random& random) {
  int64_t shift = random.between(-9, 9), count = size_of(x.shape);
  return {"flat roll", [=](Tensor t) { return roll(t, shift); },
          build(x.shape, [&](const Place& at) {
            return x.cells[modulo(static_cast<int64_t>(x.number(at)) - shift, count)];
          })};
}

inline Step tile_step(const Grid& x, Random& random) {
  Place counts(random.between(1, x.rank() + 1));
  for (int64_t& count : counts)
    count = random.between(0, 5) % 3;
  Place own = x.shape, all = counts;
  own.insert(own.begin(), std::max<int64_t>(0, counts.size() - own.size()), 1);
  all.insert(all.begin(), own.size() - all.size(), 1);
  Place shape = own;
  for (size_t d = 0; d < own.size(); ++d)
    shape[d] *= all[d];
  return {"tile", [=](Tensor t) { return tile(t, counts); }, build(shape, [&](Place at) {
            for (size_t d = 0; d < own.size(); ++d)
              at[d] %= own[d];
            return Grid{own, x.cells}.at(at);
          })};
}

inline Step repeat_step(const Grid& x, Random& random) {
  int64_t axis = random.axis(x), count = random.between(0, 3);
  Place shape = x.shape;
  shape[axis] *= count;
  return {"repeat", [=](Tensor t) { return repeat(t, count, axis); }, build(shape, [&](Place at) {
            at[axis] /= count;
            return x.at(at);
          })};
}

/// The place that NumPy's mode shows beyond the edge, walked to element by element.
inline int64_t walk(int64_t place, int64_t n, const std::string& mode) {
  int64_t at = place < 0 ? 0 : std::min(place, n - 1);
  int64_t direction = place < 0 ? -1 : 1;
  if (mode == "edge" || n == 1)
    return at;
  for (int64_t left = std::abs(place - at); left > 0; --left) {
    if (mode == "wrap") {
      at = modulo(at + direction, n);
      continue;
    }
    if (at + direction < 0 || at + direction >= n)
      direction = -direction;
    at += direction;
  }
  return at;
}

inline Step pad_step(const Grid& x, Random& random) {
  const std::string mode =
      std::vector<std::string>{"constant", "edge", "reflect", "wrap"}[random.between(0, 3)];
  std::vector<PadWidth> widths;
  Place shape = x.shape;
  for (int64_t& extent : shape) {
    bool none = random.coin() || (extent == 0 && mode != "constant");
    widths.push_back(none ? PadWidth{} : PadWidth{random.between(0, 6), random.between(0, 6)});
    extent += widths.back().before + widths.back().after;
  }
  return {"pad " + mode, [=](Tensor t) { return pad(t, widths, mode, -3); },
          build(shape, [&](Place at) {
            for (size_t d = 0; d < at.size(); ++d) {
              at[d] -= widths[d].before;
              if (mode != "constant")
                at[d] = walk(at[d], x.shape[d], mode);
              else if (at[d] < 0 || at[d] >= x.shape[d])
                return -3;
            }
            return x.at(at);
          })};
}

/// CPython's own way to the places that a slice takes.
inline Place python_places(const Slice& slice, int64_t n) {
  auto bound = [&](const std::optional<Extent>& given, int64_t otherwise) {
    if (!given)
      return otherwise;
    int64_t place = *given->constant();
    if (place < 0) {
      place += n;
      return place >= 0 ? place : slice.step < 0 ? -1 : 0;
    }
    return place < n ? place : slice.step < 0 ? n - 1 : n;
  };
  int64_t start = bound(slice.start, slice.step < 0 ? n - 1 : 0);
  int64_t stop = bound(slice.stop, slice.step < 0 ? -1 : n);
  Place places;
  for (int64_t place = start; slice.step < 0 ? place > stop : place < stop; place += slice.step)
    places.push_back(place);
  return places;
}

inline Step index_step(const Grid& x, Random& random) {
  std::vector<Index> items;
  std::vector<Place> taken; // for each dim of x, the places
  std::vector<int> roles;   // for each dim of the result, the dim of x; -1 for a new one
  Place shape;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    int64_t n = x.shape[dim], kind = random.between(0, 5);
    if (kind == 0) {
      items.push_back(newaxis);
      roles.push_back(-1);
      shape.push_back(1);
    }
    if (kind == 1 && n > 0) {
      int64_t place = random.between(0, n - 1);
      items.push_back(random.written(place, n));
      taken.push_back({place});
      continue;
    }
    if (kind == 2 && n > 0) {
      int64_t place = random.between(-n - 2, n + 1);
      items.push_back(Tensor(Array::scalar(place)));
      taken.push_back({std::clamp<int64_t>(place < 0 ? place + n : place, 0, n - 1)});
      continue;
    }
    Slice slice;
    if (random.coin())
      slice.start = random.between(-n - 2, n + 2);
    if (random.coin())
      slice.stop = random.between(-n - 2, n + 2);
    slice.step = random.between(1, 3) * (random.coin() ? 1 : -1);
    items.push_back(slice);
    taken.push_back(python_places(slice, n));
    roles.push_back(static_cast<int>(dim));
    shape.push_back(static_cast<int64_t>(taken.back().size()));
  }
  if (random.coin())
    items.push_back(ellipsis);
  return {"index", [=](Tensor t) { return index(t, items); }, build(shape, [&](const Place& at) {
            Place from;
            for (const Place& places : taken)
              from.push_back(places[0]);
            for (size_t d = 0; d < at.size(); ++d)
              if (roles[d] >= 0)
                from[roles[d]] = taken[roles[d]][at[d]];
            return x.at(from);
          })};
}

/// x, a slice of x and x reversed, joined.
inline Step concat_step(const Grid& x, Random& random) {
  int64_t axis = random.axis(x), n = x.shape[axis], cut = random.between(0, n);
  Place shape = x.shape;
  shape[axis] += cut + n;
  return {"concat",
          [=](Tensor t) {
            std::vector<Index> items(axis, Slice{});
            items.push_back(Slice{{}, cut});
            return concat({t, index(t, items), flip(t, axis)}, axis);
          },
          build(shape, [&](Place at) {
            int64_t& place = at[axis];
            if (place >= n + cut)
              place = n - 1 - (place - n - cut);
            else if (place >= n)
              place -= n;
            return x.at(at);
          })};
}

inline Step stack_step(const Grid& x, Random& random) {
  int64_t axis = random.between(0, x.rank());
  Place shape = x.shape;
  shape.insert(shape.begin() + axis, 2);
  return {"stack", [=](Tensor t) { return stack({t, flip(t)}, axis); }, build(shape, [&](Place at) {
            int64_t which = at[axis];
            at.erase(at.begin() + axis);
            if (which == 1)
              for (size_t d = 0; d < at.size(); ++d)
                at[d] = x.shape[d] - 1 - at[d];
            return x.at(at);
          })};
}

inline Step dynamic_slice_step(const Grid& x, Random& random) {
  std::vector<Operand> starts;
  Place clipped, shape;
  for (int64_t n : x.shape) {
    shape.push_back(random.between(0, n));
    int64_t start = random.between(-3, n + 3);
    clipped.push_back(std::clamp<int64_t>(start, 0, n - shape.back()));
    starts.push_back(Array::scalar(static_cast<int16_t>(start)));
  }
  Shape sizes(shape.begin(), shape.end());
  return {"dynamic_slice", [=](Tensor t) { return dynamic_slice(t, starts, sizes); },
          build(shape, [&](Place at) {
            for (size_t d = 0; d < at.size(); ++d)
              at[d] += clipped[d];
            return x.at(at);
          })};
}

inline Step dynamic_update_slice_step(const Grid& x, Random& random) {
  Step cut = dynamic_slice_step(x, random);
  Grid update = cut.result;
  std::vector<Operand> starts;
  Place clipped;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    int64_t start = random.between(-3, x.shape[d] + 3);
    clipped.push_back(std::clamp<int64_t>(start, 0, x.shape[d] - update.shape[d]));
    starts.push_back(start);
  }
  return {"dynamic_update_slice",
          [=](Tensor t) { return dynamic_update_slice(t, cut.apply(t), starts); },
          build(x.shape, [&](const Place& at) {
            Place inner = at;
            for (size_t d = 0; d < at.size(); ++d) {
              inner[d] -= clipped[d];
              if (inner[d] < 0 || inner[d] >= update.shape[d])
                return x.at(at);
            }
            return update.at(inner);
          })};
}

} // namespace kolam::test
