// Prints points and boxes, and reads boxes.
#include <cctype>
#include <charconv>

#include "kolam/space/box.h"
#include "kolam/support/error.h"

namespace kolam::space {
namespace {

/// Takes pieces of text from the front of `rest`, blanks skipped.
struct BoxReader {
  std::string_view rest;

  void skip_blanks() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t'))
      rest.remove_prefix(1);
  }

  bool accept(std::string_view word) {
    skip_blanks();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }

  bool read(int64_t& value) {
    skip_blanks();
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(end - rest.data());
    return error == std::errc();
  }
};

} // namespace

std::string to_string(const Point& point) {
  std::string text = "(";
  for (size_t d = 0; d < point.size(); ++d)
    text += (d ? ", " : "") + std::to_string(point[d]);
  return text + ")";
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (int d = 0; d < box.rank(); ++d)
    text += (d ? ", " : "") + std::to_string(box.start()[d]) + ":" + std::to_string(box.end()[d]);
  return text + "]";
}

std::optional<Box> parse_box(std::string_view text) {
  BoxReader reader{text};
  reader.accept("zr");
  if (!reader.accept("["))
    return std::nullopt;
  Point start, end;
  if (!reader.accept("]")) {
    do {
      start.push_back(0);
      end.push_back(0);
      int64_t extent;
      if (!reader.read(start.back()) || !reader.accept(":") || !reader.read(end.back()) ||
          start.back() > end.back() || __builtin_sub_overflow(end.back(), start.back(), &extent))
        return std::nullopt;
    } while (reader.accept(","));
    if (!reader.accept("]"))
      return std::nullopt;
  }
  reader.skip_blanks();
  if (!reader.rest.empty())
    return std::nullopt;
  return Box(std::move(start), std::move(end));
}

} // namespace kolam::space
