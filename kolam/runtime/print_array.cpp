// Prints arrays as NumPy's `str` does: shortest digits, one format for the whole array, summarised
// when large.
#include "kolam/runtime/array.h"

#include "kolam/support/error.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace kolam::runtime {
namespace {

constexpr int64_t kSummaryThreshold = 1000;
constexpr int64_t kEdgeItems = 3;
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;

/// A finite positive value as the fewest significant digits that name it: 0.d1 d2 d3... x 10^point.
struct Digits {
  std::string digits;
  int point = 0;
};

/// Reads the `d.ddde+xx` that to_chars and printf write.
Digits from_scientific(std::string_view text) {
  size_t exponent = text.find('e');
  Digits result;
  for (char c : text.substr(0, exponent))
    if (c != '.')
      result.digits += c;
  result.point = std::atoi(std::string(text.substr(exponent + 1)).c_str()) + 1;
  return result;
}

template <class T> Digits shortest_digits(T value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return from_scientific({text, end});
}

double widen(float value) { return value; }
double widen(double value) { return value; }
double widen(BFloat16 value) { return std::bit_cast<float>(uint32_t{value.bits} << 16); }
double widen(Float16 value) {
  const int exponent = (value.bits >> 10) & 31;
  const int mantissa = value.bits & 1023;
  double magnitude =
      std::ldexp(exponent ? mantissa + 1024 : mantissa, (exponent ? exponent : 1) - 25);
  if (exponent == 31)
    magnitude = mantissa ? NAN : INFINITY;
  return value.bits & 0x8000 ? -magnitude : magnitude;
}

/// The fewest digits whose value lies nearer to `value` than to its neighbours among the 16-bit
/// floats.
template <class T> Digits shortest_narrow_digits(T value) {
  const uint16_t magnitude = value.bits & 0x7fff;
  const double exact = widen(T{magnitude});
  const double below = exact - widen(T{static_cast<uint16_t>(magnitude - 1)});
  double above = widen(T{static_cast<uint16_t>(magnitude + 1)}) - exact;
  if (!std::isfinite(above))
    above = below;
  for (int places = 0;; ++places) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", places, exact);
    const double error = std::strtod(text, nullptr) - exact;
    if (places == 16 || (error < above / 2 && -error < below / 2))
      return from_scientific(text);
  }
}
Digits shortest_digits(Float16 value) { return shortest_narrow_digits(value); }
Digits shortest_digits(BFloat16 value) { return shortest_narrow_digits(value); }

/// Rounds to `count` digits, half up, which may carry into a new first digit; drops zeros at the
/// end.
Digits rounded(Digits value, int count) {
  if (count < 0)
    return {"", 0};
  if (static_cast<size_t>(count) < value.digits.size()) {
    const bool up = value.digits[static_cast<size_t>(count)] >= '5';
    value.digits.resize(static_cast<size_t>(count));
    size_t i = value.digits.size();
    while (up && i > 0 && value.digits[i - 1] == '9')
      value.digits[--i] = '0';
    if (up && i > 0)
      ++value.digits[i - 1];
    if (up && i == 0) {
      value.digits.insert(0, "1");
      ++value.point;
    }
  }
  while (!value.digits.empty() && value.digits.back() == '0')
    value.digits.pop_back();
  return value;
}

/// A number cut at its point, so that a column can be aligned there; nan and inf are words.
struct Cell {
  std::string left;
  std::string right = {};
  std::string exponent = {};
  bool is_word = false;
};

Cell fixed_cell(Digits value, int precision) {
  value = rounded(value, value.point + precision);
  const int size = static_cast<int>(value.digits.size());
  if (size == 0)
    return {"0"};
  if (value.point <= 0)
    return {"0", std::string(static_cast<size_t>(-value.point), '0') + value.digits};
  if (size <= value.point)
    return {value.digits + std::string(static_cast<size_t>(value.point - size), '0')};
  return {value.digits.substr(0, static_cast<size_t>(value.point)),
          value.digits.substr(static_cast<size_t>(value.point))};
}

Cell scientific_cell(Digits value, int precision) {
  value = rounded(value, precision + 1);
  const int exponent = value.digits.empty() ? 0 : value.point - 1;
  if (value.digits.empty())
    value.digits = "0";
  char text[16];
  std::snprintf(text, sizeof text, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
  return {value.digits.substr(0, 1), value.digits.substr(1), text};
}

/// NumPy's choice: an exponent where digits would get lost or lines get wide.
template <class T> bool wants_exponent(const std::vector<T>& values) {
  double largest = 0;
  double smallest = INFINITY;
  for (T value : values) {
    const double magnitude = std::fabs(widen(value));
    if (magnitude == 0 || !std::isfinite(magnitude))
      continue;
    largest = std::max(largest, magnitude);
    smallest = std::min(smallest, magnitude);
  }
  return largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);
}

std::string sign_text(double value) { return std::signbit(value) && !std::isnan(value) ? "-" : ""; }

template <class T> Digits magnitude_digits(T value) {
  if (widen(value) == 0)
    return {};
  if constexpr (std::is_floating_point_v<T>)
    return shortest_digits(std::fabs(value));
  else
    return shortest_digits(value);
}

template <class T> Cell float_cell(T value, bool scientific) {
  const double wide = widen(value);
  if (!std::isfinite(wide))
    return {sign_text(wide) + (std::isnan(wide) ? "nan" : "inf"), "", "", true};
  const Digits digits = magnitude_digits(value);
  Cell cell = scientific ? scientific_cell(digits, kPrecision) : fixed_cell(digits, kPrecision);
  cell.left.insert(0, sign_text(wide));
  return cell;
}

template <class T> std::vector<std::string> float_texts(const std::vector<T>& values) {
  const bool scientific = wants_exponent(values);
  std::vector<Cell> cells;
  Cell widest;
  size_t width = 0;
  auto keep_longer = [](std::string& longest, const std::string& text) {
    if (text.size() > longest.size())
      longest = text;
  };
  for (T value : values) {
    const Cell& cell = cells.emplace_back(float_cell(value, scientific));
    if (cell.is_word) {
      width = std::max(width, cell.left.size());
      continue;
    }
    keep_longer(widest.left, cell.left);
    keep_longer(widest.right, cell.right);
    keep_longer(widest.exponent, cell.exponent);
  }
  if (!widest.left.empty())
    width = std::max(width, (widest.left + "." + widest.right + widest.exponent).size());
  std::vector<std::string> texts;
  for (const Cell& cell : cells) {
    std::string text = cell.left;
    if (!cell.is_word) {
      const size_t missing = widest.right.size() - cell.right.size();
      text += "." + cell.right + std::string(missing, scientific ? '0' : ' ') + cell.exponent;
    }
    texts.push_back(std::string(width - text.size(), ' ') + text);
  }
  return texts;
}

template <class T> std::vector<std::string> element_texts(const std::vector<T>& values) {
  std::vector<std::string> texts;
  if constexpr (std::is_integral_v<T>) {
    for (T value : values)
      texts.push_back(std::is_same_v<T, bool> ? (value ? "True" : "False") : std::to_string(value));
    size_t width = 0;
    for (const std::string& text : texts)
      width = std::max(width, text.size());
    for (std::string& text : texts)
      text.insert(0, width - text.size(), ' ');
  } else {
    texts = float_texts(values);
  }
  return texts;
}

/// Which indices of a dim are shown: all, or the edges.
struct Layout {
  const std::vector<int64_t>& shape;
  bool summarised;

  bool cuts(size_t dim) const { return summarised && shape[dim] > 2 * kEdgeItems; }
  int64_t skip(size_t dim, int64_t i) const {
    return cuts(dim) && i == kEdgeItems ? shape[dim] - kEdgeItems : i;
  }
};

template <class T>
void collect(const Layout& layout, const T* data, int64_t size, size_t dim, std::vector<T>& shown) {
  if (dim == layout.shape.size()) {
    shown.push_back(*data);
    return;
  }
  const int64_t step = size / layout.shape[dim];
  for (int64_t i = layout.skip(dim, 0); i < layout.shape[dim]; i = layout.skip(dim, i + 1))
    collect(layout, data + i * step, step, dim + 1, shown);
}

/// Writes nested brackets around the shown elements, taking their texts in order.
class Writer {
public:
  Writer(const Layout& layout, const std::vector<std::string>& texts)
      : layout_(layout), texts_(texts) {}

  std::string write() {
    dims(0);
    return std::move(out_);
  }

private:
  void dims(size_t dim) {
    out_ += '[';
    ++column_;
    dim + 1 == layout_.shape.size() ? line(dim) : blocks(dim);
    out_ += ']';
  }

  void indent(size_t dim) {
    out_ += '\n' + std::string(dim + 1, ' ');
    column_ = dim + 1;
  }

  void blocks(size_t dim) {
    const size_t gaps = layout_.shape.size() - dim - 2;
    for (int64_t i = 0; i < layout_.shape[dim];) {
      if (i > 0) {
        out_ += std::string(gaps, '\n');
        indent(dim);
      }
      dims(dim + 1);
      const int64_t next = layout_.skip(dim, i + 1);
      if (next != i + 1) {
        out_ += std::string(gaps, '\n');
        indent(dim);
        out_ += "...";
      }
      i = next;
    }
  }

  void word(size_t dim, const std::string& text, bool first) {
    // The closing brackets need room, too.
    const size_t limit = kLineWidth - (dim + 1);
    if (!first && column_ + 1 + text.size() > std::max(limit, dim + 2))
      indent(dim);
    else if (!first) {
      out_ += ' ';
      ++column_;
    }
    out_ += text;
    column_ += text.size();
  }

  void line(size_t dim) {
    column_ = dim + 1;
    for (int64_t i = 0; i < layout_.shape[dim];) {
      word(dim, texts_[next_++], i == 0);
      const int64_t next = layout_.skip(dim, i + 1);
      if (next != i + 1)
        word(dim, "...", false);
      i = next;
    }
  }

  const Layout& layout_;
  const std::vector<std::string>& texts_;
  std::string out_;
  size_t next_ = 0;
  size_t column_ = 0;
};

template <class T> std::string scalar_text(T value) {
  if constexpr (std::is_integral_v<T>) {
    return element_texts(std::vector<T>{value})[0];
  } else {
    const double wide = widen(value);
    if (!std::isfinite(wide))
      return element_texts(std::vector<T>{value})[0];
    const Digits digits = magnitude_digits(value);
    const double size = std::fabs(wide);
    const bool scientific = size != 0 && (size < 1e-4 || size >= 1e16);
    const Cell cell = scientific ? scientific_cell(digits, 20) : fixed_cell(digits, 25);
    std::string text = sign_text(wide) + cell.left;
    if (!cell.right.empty() || !scientific)
      text += "." + (cell.right.empty() ? "0" : cell.right);
    return text + cell.exponent;
  }
}

} // namespace

std::string Array::to_string() const { return text(size_ > kSummaryThreshold); }

std::string Array::summary() const { return text(true); }

std::string Array::text(bool is_summarised) const {
  if (!buffer_)
    return "<empty handle>";
  return visit_dtype(dtype_, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T* elements = static_cast<const T*>(data());
    if (rank() == 0)
      return scalar_text(*elements);
    if (size_ == 0)
      return "[]";
    const Layout layout = {shape(), is_summarised};
    std::vector<T> shown;
    collect(layout, elements, size_, 0, shown);
    return Writer(layout, element_texts(shown)).write();
  });
}

} // namespace kolam::runtime
