/// Running combination by a user's function, in a fixed order.
#pragma once

#include "kolam/frontend/array/control.h"

namespace kolam {

struct AssociativeScanOptions {
  int64_t axis = 0;
  bool reverse = false; ///< from the last element to the first; f's first argument still holds what
                        ///< came before
  /// One scalar per tensor of xs, whose dtype numbers take (`[scalar-does-not-fit]`). Where given,
  /// the scan is exclusive: it leaves x[i] out, and these stand where nothing comes before.
  std::vector<Operand> identity = {};
  /// A boolean vector along the axis: true where a segment starts. Each segment is scanned alone.
  std::optional<Tensor> segments = {};
};

namespace detail {
Leaves associative_scan(const Flat& xs, const AssociativeScanOptions& options,
                        const std::function<Flat(const Leaves&, const Leaves&)>& f,
                        Operand::Here where);
} // namespace detail

/// Running combination along an axis: `out[i] = f(...f(f(x[0], x[1]), x[2])..., x[i])`, up to the
/// grouping.
///
/// `f(a, b)` takes and gives pytrees like xs with the axis taken away; it should be associative.
/// The grouping is fixed, so that the bits are: elements come in chunks of 4096; with p the prefix
/// inside a chunk, left to right, out is p in the first chunk and f(carry, p) in others, where
/// carry is the last out of the chunk before. Segments restart p, and a restarted p takes no carry.
/// Throws `[carry-mismatch]` where f gives other dtypes or shapes than it takes,
/// `[axis-out-of-range]`, `[shape-mismatch]`.
template <class F, class Xs>
detail::Traceable<Xs> associative_scan(F&& f, const Xs& xs,
                                       const AssociativeScanOptions& options = {},
                                       Operand::Here where = Operand::Here::current()) {
  using X = detail::Traceable<Xs>;
  const detail::CallSite call{"associative_scan", detail::to_location(where)};
  const X whole(xs);
  auto combine = [&](const detail::Leaves& left, const detail::Leaves& right) {
    X both = f(detail::unflatten(whole, left, call), detail::unflatten(whole, right, call));
    return detail::flatten(both, call);
  };
  return detail::unflatten(
      whole, detail::associative_scan(detail::flatten(whole, call), options, combine, where), call);
}

} // namespace kolam
