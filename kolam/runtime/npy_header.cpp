// Reads and writes the dict literal in a `.npy` file.
#include "kolam/runtime/npy_header.h"

#include <array>
#include <bit>
#include <optional>

namespace kolam::runtime {
namespace {

static_assert(std::endian::native == std::endian::little);

/// NumPy's own limit.
constexpr size_t kMaxRank = 64;

struct DescrRow {
  std::string_view kind;
  DType dtype;
};
constexpr std::array kDescrRows = {
    DescrRow{"b1", DType::boolean}, DescrRow{"i1", DType::i8},   DescrRow{"i2", DType::i16},
    DescrRow{"i4", DType::i32},     DescrRow{"i8", DType::i64},  DescrRow{"u1", DType::u8},
    DescrRow{"u2", DType::u16},     DescrRow{"u4", DType::u32},  DescrRow{"u8", DType::u64},
    DescrRow{"f2", DType::f16},     DescrRow{"V2", DType::bf16}, DescrRow{"f4", DType::f32},
    DescrRow{"f8", DType::f64}};

[[noreturn]] void refuse(std::string reason) { throw NpyHeaderError{std::move(reason)}; }

/// A text from the file, fit for a message: short and printable.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 40))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    if (!accept('{'))
      refuse("the header is no dict");
    while (!accept('}')) {
      entry();
      if (accept(','))
        continue;
      if (!accept('}'))
        refuse("expected ',' or '}' in the header");
      break;
    }
    skip_spaces();
    if (at_ < text_.size())
      refuse("the header goes on after its dict");
    if (!has_descr_ || !has_order_ || !has_shape_)
      refuse("expected the keys 'descr', 'fortran_order' and 'shape' in the header");
    return std::move(header_);
  }

private:
  void skip_spaces() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool accept(char c) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }

  void entry() {
    const std::string_view key = string("a key");
    if (!accept(':'))
      refuse("expected ':' after " + quoted(key) + " in the header");
    if (key == "descr")
      once(has_descr_, key), descr();
    else if (key == "fortran_order")
      once(has_order_, key), order();
    else if (key == "shape")
      once(has_shape_, key), shape();
    else
      refuse("unexpected key " + quoted(key) + " in the header");
  }

  static void once(bool& seen, std::string_view key) {
    if (seen)
      refuse("the header says " + quoted(key) + " twice");
    seen = true;
  }

  std::string_view string(std::string_view what) {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      refuse("expected " + std::string(what) + " in quotes in the header");
    const std::string_view result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return result;
  }

  void descr() {
    skip_spaces();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '('))
      refuse("structured dtypes are not supported");
    const std::string_view text = string("the value of 'descr'");
    const char order = text.empty() ? ' ' : text[0];
    const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
    const std::string_view kind = text.substr(has_order ? 1 : 0);
    if (kind.starts_with("O"))
      refuse("arrays of Python objects are not supported");
    for (const DescrRow& row : kDescrRows)
      if (kind == row.kind && !(row.dtype == DType::bf16 && order == '>')) {
        header_.dtype = row.dtype;
        header_.big_endian = order == '>';
        return;
      }
    refuse("dtype " + quoted(text) + " is not supported");
  }

  void order() {
    if (accept_word("True"))
      header_.fortran_order = true;
    else if (!accept_word("False"))
      refuse("expected True or False as 'fortran_order'");
  }

  void shape() {
    if (!accept('('))
      refuse("expected a tuple as 'shape'");
    while (!accept(')')) {
      header_.shape.push_back(extent());
      if (header_.shape.size() > kMaxRank)
        refuse("the shape has more than " + std::to_string(kMaxRank) + " dims");
      if (accept(','))
        continue;
      if (header_.shape.size() == 1 || !accept(')'))
        refuse("expected ',' or ')' in 'shape'");
      return;
    }
  }

  int64_t extent() {
    if (accept('-'))
      refuse("an extent is negative");
    skip_spaces();
    const size_t start = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        refuse("an extent is too large");
    if (at_ == start)
      refuse("expected integers in 'shape'");
    accept('L'); // Python 2 wrote long integers so
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

} // namespace

NpyHeader parse_npy_header(std::string_view text) {
  // Names of structured dtypes may be other than ASCII; no dtype of ours has one.
  for (char c : text)
    if (static_cast<unsigned char>(c) > 127 || c == '\0')
      refuse("the header holds bytes that are not ASCII text");
  return Parser(text).parse();
}

std::string npy_header_dict(DType dtype, const std::vector<int64_t>& shape) {
  std::string text = "{'descr': '";
  text += byte_width(dtype) == 1 ? '|' : '<';
  for (const DescrRow& row : kDescrRows)
    if (row.dtype == dtype)
      text += row.kind;
  text += "', 'fortran_order': False, 'shape': (";
  for (size_t k = 0; k < shape.size(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  text += shape.size() == 1 ? ",), }" : "), }";
  // NumPy leaves room for the first extent to grow to 21 digits in place.
  if (!shape.empty())
    text.append(21 - std::to_string(shape[0]).size(), ' ');
  return text;
}

} // namespace kolam::runtime
