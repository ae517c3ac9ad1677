// Calls functions that move elements.
#include "kolam/frontend/array/shape.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/interp/convert.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/pad.h"
#include "kolam/language/repeat.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

namespace kolam {

using language::Builder;
using language::Values;

namespace {

/// The numbers 0 and 1 beside booleans are booleans.
Operand at_kind_of(const Operand& scalar, const Operand& x) {
  auto* number = std::get_if<int64_t>(&scalar.value());
  auto* tensor = std::get_if<Tensor>(&x.value());
  bool is_flag = number && (*number == 0 || *number == 1);
  if (is_flag && tensor && !tensor->is_empty() && tensor->dtype() == DType::boolean)
    return *number == 1;
  return scalar;
}

/// 0 counts[0] times, then 1 counts[1] times and so on.
Array repeated_places(const std::vector<int64_t>& counts) {
  int64_t total = 0;
  for (int64_t count : counts) {
    if (count < 0)
      language::fail_argument(ErrorKind::value, "negative-count", "repeats", "0 or more",
                              std::to_string(count));
    if (__builtin_add_overflow(total, count, &total))
      fail(ErrorKind::value, "extent-overflow",
           "argument 'repeats': expected counts whose sum is less than 2^63, but got more");
  }
  Array places = Array::uninitialized(DType::i64, {total});
  auto out = places.mutable_values<int64_t>().begin();
  for (size_t place = 0; place < counts.size(); ++place)
    out = std::fill_n(out, counts[place], static_cast<int64_t>(place));
  return places;
}

} // namespace

Tensor reshape(const Operand& x, const Shape& shape) {
  return apply_one("reshape", {traced_for(shape, x)},
                   [&](Builder& b, const Values& v) { return language::reshape(b, v[0], shape); });
}

Tensor permute_dims(const Operand& x, const Axes& axes) {
  return apply_one("permute_dims", {x}, [&](Builder& b, const Values& v) {
    return language::permute_dims(b, v[0], axes.values());
  });
}

Tensor matrix_transpose(const Operand& x) {
  return apply_one("matrix_transpose", {x},
                   [](Builder& b, const Values& v) { return language::matrix_transpose(b, v[0]); });
}

Tensor moveaxis(const Operand& x, const Axes& source, const Axes& destination) {
  return apply_one("moveaxis", {x}, [&](Builder& b, const Values& v) {
    return language::moveaxis(b, v[0], source.values(), destination.values());
  });
}

Tensor expand_dims(const Operand& x, const Axes& axis) {
  return apply_one("expand_dims", {x}, [&](Builder& b, const Values& v) {
    return language::expand_dims(b, v[0], axis.values());
  });
}

Tensor squeeze(const Operand& x, const Axes& axis) {
  return apply_one("squeeze", {x}, [&](Builder& b, const Values& v) {
    return language::squeeze(b, v[0], axis.values());
  });
}

Tensor squeeze(const Operand& x) {
  return apply_one("squeeze", {x}, [](Builder& b, const Values& v) {
    return language::squeeze(b, v[0], std::nullopt);
  });
}

Tensor atleast_1d(const Operand& x) {
  return apply_one("atleast_1d", {x}, [](Builder& b, const Values& v) {
    return ir::rank_of(v[0]) == 0 ? language::expand_dims(b, v[0], {0}) : v[0];
  });
}

Tensor atleast_2d(const Operand& x) {
  return apply_one("atleast_2d", {x}, [](Builder& b, const Values& v) {
    language::Axes axes;
    for (int64_t dim = ir::rank_of(v[0]); dim < 2; ++dim)
      axes.push_back(static_cast<int64_t>(axes.size()));
    return language::expand_dims(b, v[0], axes);
  });
}

Tensor broadcast_to(const Operand& x, const Shape& shape) {
  return apply_one("broadcast_to", {traced_for(shape, x)}, [&](Builder& b, const Values& v) {
    return language::broadcast_to(b, v[0], shape);
  });
}

std::vector<Tensor> broadcast_arrays(const Operands& arrays) {
  return apply("broadcast_arrays", arrays.values(),
               [](Builder& b, const Values& v) { return language::broadcast(b, v); });
}

Tensor concat(const Operands& arrays, std::optional<int64_t> axis) {
  return apply("concat", arrays.values(), [&](Builder& b, const Values& v) {
    return Values{language::concat(b, v, axis)};
  })[0];
}

Tensor stack(const Operands& arrays, int64_t axis) {
  return apply("stack", arrays.values(),
               [&](Builder& b, const Values& v) { return Values{language::stack(b, v, axis)}; })[0];
}

std::vector<Tensor> unstack(const Operand& x, int64_t axis) {
  return apply("unstack", std::span(&x, 1),
               [&](Builder& b, const Values& v) { return language::unstack(b, v[0], axis); });
}

std::vector<Tensor> split(const Operand& x, int64_t sections, int64_t axis) {
  return apply("split", std::span(&x, 1), [&](Builder& b, const Values& v) {
    return language::split_evenly(b, v[0], sections, axis);
  });
}

std::vector<Tensor> split(const Operand& x, const std::vector<int64_t>& indices, int64_t axis) {
  return apply("split", std::span(&x, 1), [&](Builder& b, const Values& v) {
    return language::split_at(b, v[0], indices, axis);
  });
}

Tensor flip(const Operand& x) {
  return apply_one("flip", {x}, [](Builder& b, const Values& v) {
    return language::flip(b, v[0], std::nullopt);
  });
}

Tensor flip(const Operand& x, const Axes& axis) {
  return apply_one("flip", {x}, [&](Builder& b, const Values& v) {
    return language::flip(b, v[0], axis.values());
  });
}

Tensor roll(const Operand& x, const Axes& shift, const Axes& axis) {
  return apply_one("roll", {x}, [&](Builder& b, const Values& v) {
    return language::roll(b, v[0], shift.values(), axis.values());
  });
}

Tensor roll(const Operand& x, int64_t shift) {
  return apply_one("roll", {x}, [&](Builder& b, const Values& v) {
    return language::roll(b, v[0], {shift}, std::nullopt);
  });
}

Tensor tile(const Operand& x, const Axes& repetitions) {
  return apply_one("tile", {x}, [&](Builder& b, const Values& v) {
    return language::tile(b, v[0], repetitions.values());
  });
}

Tensor repeat(const Operand& x, int64_t repeats, std::optional<int64_t> axis) {
  return apply_one("repeat", {x}, [&](Builder& b, const Values& v) {
    return language::repeat(b, v[0], repeats, axis);
  });
}

Tensor repeat(const Operand& x, const std::vector<int64_t>& repeats, std::optional<int64_t> axis) {
  CallScope scope("repeat", x.where());
  if (repeats.size() == 1)
    return repeat(x, repeats[0], axis);
  // Places as an array: a long one is an argument, not a part of the program.
  Array places = repeated_places(repeats);
  return apply_one("repeat", {x, places}, [&](Builder& b, const Values& v) {
    return language::repeat(b, v[0], v[1], static_cast<int64_t>(repeats.size()), axis);
  });
}

Tensor repeat(const Operand& x, const Tensor& repeats, std::optional<int64_t> axis) {
  CallScope scope("repeat", x.where());
  const Array& given = repeats.array();
  if (!is_integer(given.dtype()) || given.rank() > 1)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", "repeats",
                            "a number or a vector of integers",
                            std::string(name(given.dtype())) + to_string(repeats.shape()));
  Array counts = interp::convert(given, DType::i64);
  auto values = counts.values<int64_t>();
  if (given.rank() == 0)
    return repeat(x, values[0], axis);
  return repeat(x, std::vector<int64_t>(values.begin(), values.end()), axis);
}

Tensor pad(const Operand& x, const std::vector<PadWidth>& pad_width, const std::string& mode,
           const Operand& constant_values) {
  return apply_one("pad", {x, at_kind_of(constant_values, x)}, [&](Builder& b, const Values& v) {
    return language::pad(b, v[0], pad_width, mode, v[1]);
  });
}

Tensor swapaxes(const Operand& x, int64_t axis1, int64_t axis2) {
  return apply_one("swapaxes", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::swapaxes(b, v[0], axis1, axis2);
  });
}

} // namespace kolam
