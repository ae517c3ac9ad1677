// Compares arguments with what a kernel says of them.
#include "kolam/kernels/argument_checks.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/shape.h"

#include <algorithm>
#include <sstream>

namespace kolam::kernels {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string in_brackets(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "[" : ", ") + word;
  return words.empty() ? "[]" : text + "]";
}

std::string argument(std::string_view name) { return "argument '" + std::string(name) + "': "; }

} // namespace

Tensor tensor_of(const Operand& operand) {
  return std::visit(
      [](const auto& value) -> Tensor {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return value;
        else if constexpr (std::is_same_v<T, Extent>)
          return extent(value);
        else
          return Array::scalar(value);
      },
      operand.value());
}

std::string describe(const Tensor& tensor) {
  return std::string(name(tensor.dtype())) + to_string(tensor.shape());
}

Extents bind_dims(const std::vector<Argument>& arguments) {
  Extents extents;
  for (const Argument& given : arguments) {
    const std::vector<std::string> words = words_of(given.dims);
    const Shape shape = given.tensor.shape();
    if (shape.size() != words.size())
      fail(ErrorKind::value, "rank-mismatch",
           argument(given.name) + "expected dims " + in_brackets(words) + ", but got " +
               describe(given.tensor) + "; reshape it to " + std::to_string(words.size()) +
               " dims");
    for (size_t dim = 0; dim < words.size(); ++dim) {
      const Extent& bound = extents.try_emplace(words[dim], shape[dim]).first->second;
      if (!(bound == shape[dim]))
        fail(ErrorKind::value, "shape-mismatch",
             argument(given.name) + "expected extent " + bound.to_string() + " in dim " +
                 std::to_string(dim) + " of " + in_brackets(words) + ", as " + words[dim] +
                 " is before, but got " + shape[dim].to_string() + " of " + describe(given.tensor));
    }
  }
  return extents;
}

void require_kind(Kind kind, const std::vector<Argument>& arguments) {
  for (const Argument& given : arguments) {
    const DType dtype = given.tensor.dtype();
    if ((kind != Kind::integers && is_float(dtype)) || (kind != Kind::floats && is_integer(dtype)))
      continue;
    const std::string words = kind == Kind::floats     ? "floats"
                              : kind == Kind::integers ? "integers"
                                                       : "numbers";
    const std::string advice = kind == Kind::integers ? "DType::i32" : "DType::f32";
    fail(ErrorKind::type, "dtype-mismatch",
         argument(given.name) + "expected " + words + ", but got " + describe(given.tensor) +
             "; write astype(" + std::string(given.name) + ", " + advice + ")");
  }
}

void require_count(std::string_view name, int64_t count) {
  if (count < 1)
    fail(ErrorKind::value, "bad-block",
         argument(name) + "expected an integer of at least 1, but got " + std::to_string(count));
}

int64_t block_of(const Extent& extent, int64_t most) {
  return std::max<int64_t>(1, std::min(extent.constant().value_or(most), most));
}

Tensor in_whole_blocks(const Tensor& x, const Shape& blocks) {
  const Shape shape = x.shape();
  std::vector<PadWidth> widths;
  for (size_t dim = 0; dim < blocks.size(); ++dim) {
    const Extent behind = ceildiv(shape[dim], blocks[dim]) * blocks[dim] - shape[dim];
    widths.push_back({0, behind.constant().value_or(0)});
  }
  auto fits = [](const PadWidth& width) { return width.after == 0; };
  return std::ranges::all_of(widths, fits) ? x : pad(x, widths);
}

Tensor within(const Tensor& number, const Extent& count) {
  return minimum(maximum(number, 0), count - 1);
}

bool is_empty(const Shape& extents) {
  return std::ranges::any_of(extents, [](const Extent& extent) { return extent == Extent(0); });
}

DType sums_of(DType dtype) { return is_narrow_float(dtype) ? DType::f32 : dtype; }
DType product_sums(DType operands, DType result) {
  return is_float(operands) ? sums_of(operands) : result;
}

pallas::BlockSpec block_at(std::vector<pallas::BlockDim> dims,
                           std::function<Point(const Point&)> map) {
  return {std::move(dims),
          [own = std::move(map)](const Point& at, const Refs&) { return own(at); }};
}

} // namespace kolam::kernels
