// Puts values into messages, and says which error came first.
#include "kolam/frontend/array/check_text.h"

#include "kolam/interp/check.h"
#include "kolam/interp/convert.h"

#include <bit>
#include <span>

namespace kolam::detail {

using runtime::Array;

std::vector<std::string> texts_between(const std::string& format, size_t count) {
  std::vector<std::string> texts(1);
  for (size_t i = 0; i < format.size(); ++i) {
    char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if ((format[i] == '{' || format[i] == '}') && next == format[i]) {
      texts.back() += format[i++];
    } else if (format[i] == '{' && next == '}') {
      texts.emplace_back();
      ++i;
    } else if (format[i] == '{' || format[i] == '}') {
      fail(ErrorKind::value, "bad-format",
           "expected {} for a value and {{ or }} for a brace, but got '" + format + "'");
    } else {
      texts.back() += format[i];
    }
  }
  if (texts.size() != count + 1)
    fail(ErrorKind::value, "bad-format",
         "expected one {} for each of " + std::to_string(count) + " values, but got '" + format +
             "'");
  return texts;
}

std::string filled(const std::vector<std::string>& texts, const std::vector<std::string>& values) {
  std::string text = texts[0];
  for (size_t i = 0; i < values.size(); ++i)
    text += values[i] + texts[i + 1];
  return text;
}

namespace {

/// An element as it lies in an error (transform/checkify.h).
std::string text_of(int64_t bits, DType dtype) {
  Array wide = is_float(dtype) ? Array::scalar(std::bit_cast<double>(bits)) : Array::scalar(bits);
  return interp::convert(wide, dtype).to_string();
}

} // namespace

std::optional<Error> first_error(const CheckTable& table, const Array& errors) {
  std::span<const int64_t> all = errors.values<int64_t>();
  const auto width = static_cast<size_t>(errors.shape().back());
  std::span<const int64_t> first;
  size_t number = 0;
  for (size_t at = 0; at + width <= all.size(); at += width)
    if (all[at] != 0 && (first.empty() || all[at] < first[0])) {
      first = all.subspan(at, width);
      number = at / width;
    }
  if (first.empty())
    return std::nullopt;
  const CheckRow& row = table.rows[static_cast<size_t>(first[0]) - 1];
  std::vector<int64_t> place(static_cast<size_t>(errors.rank()) - 1);
  for (size_t dim = place.size(); dim-- > 0;) {
    const auto extent = static_cast<size_t>(errors.shape()[dim]);
    place[dim] = static_cast<int64_t>(number % extent);
    number /= extent;
  }
  for (size_t slot = 0; slot < row.places; ++slot)
    place.push_back(first[1 + slot]);
  std::vector<std::string> values;
  for (size_t value = 0; value < row.values.size(); ++value)
    values.push_back(text_of(first[1 + table.places + value], row.values[value]));
  std::string text = filled(row.texts, values);
  if (!place.empty())
    text += " (" + interp::at_path(place) + ")";
  const bool is_index = row.slug.starts_with("index-");
  return Error(is_index ? ErrorKind::index : ErrorKind::value, row.slug, text, row.where);
}

} // namespace kolam::detail
