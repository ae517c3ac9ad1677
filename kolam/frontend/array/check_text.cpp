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

std::string CheckTable::key() const {
  std::string key = std::to_string(places);
  for (const CheckRow& row : rows) {
    key += "\n" + row.slug + " " + row.where.file + ":" + std::to_string(row.where.line) + " " +
           std::to_string(row.path) + "," + std::to_string(row.grid) + "," +
           std::to_string(row.rank);
    for (const std::string& text : row.texts)
      key += " '" + text + "'";
    for (DType dtype : row.values)
      key += " " + std::string(name(dtype));
  }
  return key;
}

namespace {

/// An element as it lies in an error (transform/checkify.h).
std::string text_of(int64_t bits, DType dtype) {
  Array wide = is_float(dtype) ? Array::scalar(std::bit_cast<double>(bits)) : Array::scalar(bits);
  return interp::convert(wide, dtype).to_string();
}

/// "at [2][0]"; in a kernel "at [2], grid point (0, 1), element [3]".
std::string place_text(std::vector<int64_t> path, const std::vector<int64_t>& point,
                       const std::vector<int64_t>& index) {
  if (point.empty())
    path.insert(path.end(), index.begin(), index.end());
  std::string text = path.empty() ? "" : interp::at_path(path);
  if (point.empty())
    return text;
  text += text.empty() ? "grid point (" : ", grid point (";
  for (size_t axis = 0; axis < point.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(point[axis]);
  text += ")";
  if (!index.empty())
    text += ", element " + interp::at_path(index).substr(std::string_view("at ").size());
  return text;
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
  auto part = [&, next = size_t{1}](size_t count) mutable {
    std::span<const int64_t> own = first.subspan(next, count);
    next += count;
    return std::vector<int64_t>(own.begin(), own.end());
  };
  for (int64_t number_in_list : part(row.path))
    place.push_back(number_in_list);
  const std::vector<int64_t> point = part(row.grid), index = part(row.rank);
  std::vector<std::string> values;
  for (size_t value = 0; value < row.values.size(); ++value)
    values.push_back(text_of(first[1 + table.places + value], row.values[value]));
  std::string text = filled(row.texts, values);
  if (std::string where = place_text(std::move(place), point, index); !where.empty())
    text += " (" + where + ")";
  const bool is_index = row.slug.starts_with("index-");
  return Error(is_index ? ErrorKind::index : ErrorKind::value, row.slug, text, row.where);
}

} // namespace kolam::detail
