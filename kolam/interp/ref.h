/// Refs in the interpreter: which elements of an array a view is of.
#pragma once

#include "kolam/interp/elements.h"

#include <memory>

namespace kolam::interp {

struct Shadow;

/// A view of an array: by element its place in the array, row-major, or one of those below.
struct Ref {
  static constexpr int64_t kOutside = -1; ///< a view that the Ref around it does not have
  static constexpr int64_t kTail = -2;    ///< of a block, outside of its array

  runtime::Array memory;          ///< whose elements change
  runtime::Array pad;             ///< what is read outside, a scalar
  runtime::Array tail;            ///< the same of a block's elements outside of the array
  std::shared_ptr<Shadow> shadow; ///< of the memory, for the checker; null: nothing is checked
  DType dtype;                    ///< of the view: as wide as the array's
  std::vector<int64_t> shape;
  std::vector<int64_t> places;

  /// All elements of an array.
  static Ref of(const runtime::Array& elements, const runtime::Array& pad);
  /// Zeros, padded with zero.
  static Ref zeros(DType dtype, const std::vector<int64_t>& shape);

  /// The elements [starts + steps * i], i in [0, sizes).
  Ref sliced(const std::vector<int64_t>& starts, const std::vector<int64_t>& steps,
             const std::vector<int64_t>& sizes) const;
  Ref transposed(const std::vector<int64_t>& permutation) const;
  /// The element for each index of `sizes` at the index of this Ref that `source` gives.
  template <class F> Ref at(const std::vector<int64_t>& sizes, F source) const;

  /// The bits of an element; those of the pad value outside. A view of floats as integers shows
  /// NaN as `bitcast` does.
  void load(int64_t place, std::byte* element) const;
  void store(int64_t place, const std::byte* element) const;
};

template <class F> Ref Ref::at(const std::vector<int64_t>& sizes, F source) const {
  Ref view{memory, pad, tail, shadow, dtype, sizes, {}};
  for_each_index(sizes, [&](const Index& index) {
    Index own = source(index);
    int64_t number = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (own[dim] < 0 || own[dim] >= shape[dim]) {
        view.places.push_back(kOutside);
        return;
      }
      number = number * shape[dim] + own[dim];
    }
    view.places.push_back(places[static_cast<size_t>(number)]);
  });
  return view;
}

} // namespace kolam::interp
