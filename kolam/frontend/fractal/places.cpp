// Checks arguments of the functions that read lists, and reads.
#include "kolam/frontend/fractal/places.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/language/builder.h"

namespace kolam::fractal::detail {

Extent modulo(const Extent& place, const Extent& divisor) {
  return place - divisor * floordiv(place, divisor);
}

Parts accessed(const Parts& xs, Access form, const std::vector<Tensor>& pads) {
  require_one_length(xs);
  Parts results;
  for (size_t part = 0; part < xs.size(); ++part) {
    if (!pads.empty())
      form.pad = pads[part];
    results.push_back(list_access(xs[part], form));
  }
  return results;
}

std::string describe(const Datum& datum) {
  if (auto* list = std::get_if<List>(&datum))
    return list->type_text();
  const Tensor& tensor = std::get<Tensor>(datum);
  return std::string(name(tensor.dtype())) + to_string(tensor.shape());
}

std::string describe(const Parts& xs) {
  std::string text;
  for (const List& list : xs)
    text += (text.empty() ? "" : ", ") + list.type_text();
  return text;
}

int64_t checked_place(int64_t place, int64_t length) {
  if (place >= -length && place < length)
    return place < 0 ? place + length : place;
  if (length == 0)
    fail(ErrorKind::index, "list-index", "expected a list with elements, but got an empty one");
  fail(ErrorKind::index, "list-index",
       "expected a place from -" + std::to_string(length) + " to " + std::to_string(length - 1) +
           ", but got " + std::to_string(place));
}

void require_at_least(const char* argument, int64_t number, int64_t least) {
  if (number < least)
    fail(ErrorKind::value, "list-argument",
         "argument '" + std::string(argument) + "': expected at least " + std::to_string(least) +
             ", but got " + std::to_string(number));
}

Tensor integer_scalar(const char* argument, const Operand& given) {
  auto* tensor = std::get_if<Tensor>(&given.value());
  bool is_integer_number = !std::holds_alternative<bool>(given.value()) &&
                           !std::holds_alternative<double>(given.value());
  Tensor scalar = tensor              ? *tensor
                  : is_integer_number ? full({}, given, DType::i64)
                                      : full({}, given);
  if (scalar.rank() != 0)
    language::fail_argument(ErrorKind::value, "shape-mismatch", argument, "an integer scalar",
                            describe(scalar));
  if (!is_integer(scalar.dtype()) || scalar.dtype() == DType::u64)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", argument,
                            "an integer that int64 holds", describe(scalar));
  return astype(scalar, DType::i64);
}

void require_one_length(const Parts& xs, const char* function) {
  for (const List& list : xs)
    if (list.is_traced() || xs[0].is_traced())
      require_one_length(xs[0], list, function);
}

void require_length(const Parts& xs, int64_t least, const char* name) {
  Tensor found = length(xs); // the run says it in place of "a shorter one" (interp/check.cpp)
  std::string got =
      found.is_traced() ? "a shorter one" : "one of " + std::to_string(found.item<int64_t>());
  require(found >= least, "window-too-large",
          "expected a list of at least " + std::to_string(least) + " elements, but got " + got,
          name);
}

} // namespace kolam::fractal::detail
