// Reads which arguments are sequences, and refuses arrays of other types.
#include "kolam/frontend/array/stream_arguments.h"

#include <algorithm>

namespace kolam::layout {

std::string text_of(const Array& array) {
  if (!array)
    return "an empty handle";
  return std::string(name(array.dtype())) + runtime::shape_text(array.shape());
}

std::string text_of(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + to_string(spec.shape);
}

bool is_of(const Array& array, const TensorSpec& spec) {
  return array && array.dtype() == spec.dtype &&
         std::ranges::equal(spec.shape, array.shape(),
                            [](const Extent& x, int64_t y) { return x == Extent(y); });
}

namespace {

/// Whether `name` is argument `of`, or a part of it.
bool is_part_of(const std::string& name, const std::string& of) {
  return name == of || (name.starts_with(of) && (name[of.size()] == '[' || name[of.size()] == '.'));
}

[[noreturn]] void fail_axis(const std::string& text) {
  fail(ErrorKind::value, "stream-axis", text);
}

} // namespace

std::vector<std::optional<int64_t>> sequence_dims(const std::vector<std::string>& names,
                                                  const std::vector<TensorSpec>& specs,
                                                  const StreamOptions& options) {
  std::vector<std::optional<int64_t>> dims(names.size());
  auto set = [&](size_t number, int64_t axis) {
    const auto rank = static_cast<int64_t>(specs[number].shape.size());
    if (axis < -rank || axis >= rank)
      fail_axis("argument '" + names[number] + "': expected a tensor that has axis " +
                std::to_string(axis) + ", but got " + text_of(specs[number]));
    dims[number] = axis < 0 ? axis + rank : axis;
  };
  if (options.axes.empty())
    for (size_t number = 0; number < names.size(); ++number)
      set(number, options.axis);
  for (const auto& [of, axis] : options.axes) {
    bool found = false;
    for (size_t number = 0; number < names.size(); ++number)
      if (is_part_of(names[number], of) || std::to_string(number) == of) {
        set(number, axis);
        found = true;
      }
    if (found)
      continue;
    std::string known;
    for (const std::string& name : names)
      known += (known.empty() ? "" : ", ") + name;
    fail_axis("option 'axis': expected one of the arguments " + known + ", but got '" + of + "'");
  }
  std::optional<size_t> first;
  for (size_t number = 0; number < names.size(); ++number) {
    if (!dims[number])
      continue;
    auto extent = [&](size_t of) { return specs[of].shape[static_cast<size_t>(*dims[of])]; };
    if (!extent(number).is_constant())
      fail_axis("argument '" + names[number] +
                "': expected an extent that is a number along axis " +
                std::to_string(*dims[number]) + ", but got " + text_of(specs[number]));
    if (extent(number).constant().value_or(2) < 2)
      fail_axis("argument '" + names[number] + "': expected two or more elements along axis " +
                std::to_string(*dims[number]) +
                ", as a dim of one repeats beside others, but got " + text_of(specs[number]));
    if (!first)
      first = number;
    else if (!(extent(number) == extent(*first)))
      fail_axis("argument '" + names[number] + "': expected " + extent(*first).to_string() +
                " elements along axis " + std::to_string(*dims[number]) + ", as '" + names[*first] +
                "' has, but got " + extent(number).to_string());
  }
  if (!first)
    fail_axis("expected an argument that is a sequence, but got none");
  return dims;
}

void require_count(size_t expected, const char* what, size_t given) {
  if (given != expected)
    fail(ErrorKind::value, "argument-mismatch",
         "expected " + std::to_string(expected) + " " + what + ", one for each sequence, but got " +
             std::to_string(given));
}

void require_argument(const std::string& name, const Array& given, const TensorSpec& spec,
                      const std::string& when) {
  if (!is_of(given, spec))
    fail(ErrorKind::value, "argument-mismatch",
         "argument '" + name + "': expected " + text_of(spec) + when + ", but got " +
             text_of(given));
}

} // namespace kolam::layout
