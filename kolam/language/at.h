/// Elements at an index: updated, or read with a rule for places outside.
#pragma once

#include "kolam/language/index.h"
#include "kolam/language/scatter.h"

#include <optional>

namespace kolam::language {

/// What is done with the elements at an index and the values given for them.
enum class Update : uint8_t { set, add, subtract, multiply, divide, power, min, max };

/// What becomes of places outside. `standard` drops updates, clips what is read, and refuses plain
/// integers outside; the others take plain integers as they take all places.
enum class Outside : uint8_t { standard, drop, clip, promise };

/// `x` with x[items...] = update(x[items...], value), `value` broadcast to the elements. Items are
/// those of `index_arrays`, and one mask beside full slices: a boolean value that keeps elements of
/// the dims it covers. Values that hit one element act in row-major order. Throws what
/// `index_arrays` throws, `[shape-mismatch]` where the value does not broadcast and
/// `[dtype-mismatch]` where it is of a kind above that of `x`.
Value update_at(Builder& b, Value x, const std::vector<IndexItem>& items, Value value,
                Update update, Outside outside);

/// `x` with x[items...] = function(x[items...]), once for every time that an element is hit. The
/// region takes an element and a value of its dtype that it is not to use.
Value apply_at(Builder& b, Value x, const std::vector<IndexItem>& items, CombinerRegion function,
               Outside outside);

/// x[items...]; where `outside` is `drop`, elements outside hold `fill`, a scalar, or where that is
/// null NaN, the lowest integer, the highest unsigned one or true.
Value get_at(Builder& b, Value x, const std::vector<IndexItem>& items, Outside outside, Value fill);

/// result[i..., indices[i..., j, k...], k...] = values[i..., j, k...] along `axis`, the rest as in
/// `x`; the other dims broadcast. Throws as `take_along_axis`.
Value put_along_axis(Builder& b, Value x, Value indices, Value values, int64_t axis);

} // namespace kolam::language
