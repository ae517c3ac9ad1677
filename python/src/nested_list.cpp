// Nested Python lists as arrays.
#include "convert.h"
#include "errors.h"
#include "interrupt.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace kolam::python {
namespace {

constexpr size_t kDeepest = 64;

bool is_list(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

/// Reads a nest whose leaves are numbers of Python.
class Nest {
public:
  explicit Nest(std::string_view argument) : argument_(argument) {}

  /// Reads what is below `object`, which lies at `depth`. False where a leaf is no number of
  /// Python.
  bool read(nb::handle object, size_t depth) {
    if (!is_list(object))
      return read_leaf(object, depth);
    if (depth >= kDeepest)
      fail_argument(ErrorKind::value, "ragged-nest", argument_, "at most 64 nested lists", object);
    auto count = static_cast<int64_t>(PySequence_Fast_GET_SIZE(object.ptr()));
    if (depth == shape_.size() && !reached_leaves_)
      shape_.push_back(count);
    else if (depth >= shape_.size())
      fail_ragged("a number", "a list");
    else if (shape_[depth] != count)
      fail_ragged(items(shape_[depth]), items(count));
    reached_leaves_ |= count == 0;
    for (int64_t i = 0; i < count; ++i)
      if (!read(PySequence_Fast_GET_ITEM(object.ptr(), i), depth + 1))
        return false;
    return true;
  }

  [[noreturn]] void fail_large(nb::handle object) const {
    fail_argument(ErrorKind::value, "scalar-does-not-fit", argument_,
                  kind_ == Kind::floating
                      ? "numbers that fit into float32 (or an array with its dtype)"
                      : "integers that fit into int32 (or an array with its dtype)",
                  object);
  }

  Array array() const {
    if (kind_ == Kind::boolean)
      return filled<bool>();
    if (kind_ == Kind::integer)
      return fits_int32() ? filled<int32_t>() : filled<int64_t>();
    return filled<float>();
  }

  /// The numbers as they are; null for an empty nest.
  std::shared_ptr<const Numbers> numbers() const {
    if (kind_ == Kind::none)
      return nullptr;
    if (kind_ == Kind::boolean)
      return numbers_of<bool>();
    if (kind_ == Kind::integer)
      return numbers_of<int64_t>();
    return numbers_of<double>();
  }

  /// Whether no number of a list is rounded to infinity by float32. A number alone may be, as the
  /// array API's tests ask.
  bool fits_float32() const {
    return kind_ != Kind::floating || shape_.empty() ||
           std::ranges::all_of(scalars_, [](const Scalar& scalar) {
             double value = as<double>(scalar);
             return std::isinf(static_cast<float>(value)) == std::isinf(value);
           });
  }

private:
  enum class Kind : uint8_t { none, boolean, integer, floating };
  using Scalar = std::variant<bool, int64_t, double>;

  bool read_leaf(nb::handle object, size_t depth) {
    auto operand = try_scalar(object, argument_);
    if (!operand)
      return false;
    if (depth != shape_.size())
      fail_ragged("a list", "a number");
    reached_leaves_ = true;
    poll_signals(std::ssize(scalars_));
    if (std::holds_alternative<uint64_t>(operand->value()))
      fail_large(object);
    Kind kinds[] = {Kind::none, Kind::boolean, Kind::integer, Kind::floating};
    kind_ = std::max(kind_, kinds[operand->value().index()]);
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (!std::is_same_v<T, Tensor> && !std::is_same_v<T, Extent> &&
                        !std::is_same_v<T, uint64_t>)
            scalars_.emplace_back(value);
        },
        operand->value());
    return true;
  }

  static std::string items(int64_t count) {
    return std::to_string(count) + (count == 1 ? " item" : " items");
  }

  [[noreturn]] void fail_ragged(const std::string& expected, const std::string& actual) const {
    fail(ErrorKind::value, "ragged-nest",
         argument_prefix(argument_) + "expected lists of equal lengths and depths, but got " +
             actual + " where the " + "first has " + expected);
  }

  template <class T> static T as(const Scalar& scalar) {
    return std::visit([](auto x) { return static_cast<T>(x); }, scalar);
  }

  /// The least and the greatest leave out what is not finite.
  template <class T> std::shared_ptr<const Numbers> numbers_of() const {
    T least{}, greatest{};
    for (const Scalar& scalar : scalars_) {
      T value = as<T>(scalar);
      if (!std::isfinite(static_cast<double>(value)))
        continue;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    return std::make_shared<const Numbers>(filled<T>(), least, greatest);
  }

  bool fits_int32() const {
    for (const Scalar& scalar : scalars_) {
      auto value = as<int64_t>(scalar);
      if (value != static_cast<int32_t>(value))
        return false;
    }
    return true;
  }

  template <class T> Array filled() const {
    Array result = Array::uninitialized(dtype_of<T>(), shape_);
    T* out = result.mutable_values<T>().data();
    for (const Scalar& scalar : scalars_)
      *out++ = as<T>(scalar);
    return result;
  }

  std::string_view argument_;
  std::vector<int64_t> shape_;
  std::vector<Scalar> scalars_;
  Kind kind_ = Kind::none;
  bool reached_leaves_ = false; ///< no list may lie deeper than those seen
};

} // namespace

/// A nest that holds other things than numbers of Python.
static Tensor stacked(nb::handle nest, std::string_view argument) {
  std::vector<Operand> items;
  for (nb::handle item : nb::borrow<nb::object>(nest)) {
    poll_signals(std::ssize(items));
    items.push_back(to_operand(item, argument));
  }
  return stack(items, 0);
}

Tensor from_nested_list(nb::handle nest, std::string_view argument) {
  Nest read(argument);
  if (!read.read(nest, 0))
    return stacked(nest, argument);
  Array array = read.array();
  if (array.dtype() == DType::i64 || !read.fits_float32())
    read.fail_large(nest);
  return array;
}

Operand numbers_from_nested_list(nb::handle nest, std::string_view argument) {
  Nest read(argument);
  if (!read.read(nest, 0))
    return stacked(nest, argument);
  return Operand(read.array(), read.numbers());
}

} // namespace kolam::python
