// Reads pins: dims, and words with a `!`.
#include "kolam/frontend/array/read_pin.h"

#include "kolam/space/data_dim_rules.h"

#include <algorithm>
#include <sstream>

namespace kolam::layout {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

bool is_number(const std::string& word) {
  return std::ranges::all_of(word, [](char of) { return of >= '0' && of <= '9'; });
}

/// `a b!`: the words, that of `dim` marked.
std::string marked(const std::vector<std::string>& words, size_t dim) {
  std::string text;
  for (size_t at = 0; at < words.size(); ++at)
    text += (at == 0 ? "" : " ") + words[at] + (at == dim ? "!" : "");
  return "'" + text + "'";
}

class Words {
public:
  Words(const std::string& of, const std::string& text, const Shape& shape)
      : of_(of), text_(text), shape_(shape), words_(words_of(text)) {}

  GivenPin read() {
    if (words_.size() != shape_.size())
      refuse(std::to_string(shape_.size()) + (shape_.size() == 1 ? " word" : " words") +
             ", one for each dim");
    GivenPin pin{static_cast<int64_t>(take_mark()), {}};
    for (size_t dim = 0; dim < words_.size(); ++dim)
      pin.names.push_back(name_of(dim));
    for (size_t dim = 0; dim < pin.names.size(); ++dim)
      if (!pin.names[dim].empty() && std::ranges::count(pin.names, pin.names[dim]) > 1)
        refuse("every name once", "; write '_' for a dim without a name");
    if (std::ranges::all_of(pin.names, [](const std::string& name) { return name.empty(); }))
      pin.names.clear();
    return pin;
  }

private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& advice = "") const {
    fail_pin(of_, expected, "'" + text_ + "'" + advice);
  }

  /// The dim whose word has a `!`, which goes.
  size_t take_mark() {
    std::vector<size_t> dims;
    for (size_t dim = 0; dim < words_.size(); ++dim)
      if (words_[dim].ends_with('!')) {
        words_[dim].pop_back();
        dims.push_back(dim);
      }
    const std::string advice = "; write " + marked(words_, words_.size() - 1) +
                               " where the data dimension is the last dim";
    if (dims.empty())
      refuse("a '!' behind one word", advice);
    if (dims.size() > 1)
      refuse("one '!'", advice);
    return dims[0];
  }

  std::string name_of(size_t dim) const {
    const std::string& word = words_[dim];
    if (word == "_")
      return "";
    if (space::is_dim_name(word))
      return word;
    if (word.empty() || !is_number(word))
      refuse("names of letters, digits and '_', extents, or '_' for a dim without a name");
    if (word != shape_[dim].to_string())
      refuse("extent " + shape_[dim].to_string() + " in dim " + std::to_string(dim));
    return "";
  }

  const std::string& of_;
  const std::string& text_;
  const Shape& shape_;
  std::vector<std::string> words_;
};

} // namespace

void fail_pin(const std::string& of, const std::string& expected, const std::string& given) {
  fail(ErrorKind::value, "layout-pin", of + ": expected " + expected + ", but got " + given);
}

GivenPin read_pin(const std::string& of, const Pin& pin, const Shape& shape) {
  if (shape.empty())
    fail_pin(of, "a tensor of rank 1 or more", "rank 0");
  if (const auto* text = std::get_if<std::string>(&pin))
    return Words(of, *text, shape).read();
  const int64_t dim = std::get<int64_t>(pin), rank = static_cast<int64_t>(shape.size());
  if (dim < -rank || dim >= rank)
    fail_pin(of, "a dim from " + std::to_string(-rank) + " to " + std::to_string(rank - 1),
             std::to_string(dim));
  return {dim < 0 ? dim + rank : dim, {}};
}

} // namespace kolam::layout
