// Prints and reads accumulation orders.
#include "kolam/support/accumulate.h"

#include <charconv>

namespace kolam {
namespace {

/// Takes `name<number>` from the front of `text`.
std::optional<int64_t> take_parameter(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || text.size() <= name.size() || text[name.size()] != '<')
    return std::nullopt;
  size_t close = text.find('>');
  if (close == std::string_view::npos)
    return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + close;
  auto [stop, error] = std::from_chars(text.data() + name.size() + 1, end, value);
  if (error != std::errc() || stop != end || value < 1)
    return std::nullopt;
  text.remove_prefix(close + 1);
  return value;
}

} // namespace

std::string to_string(const Accumulate& a) {
  switch (a.order) {
  case Order::chunk:
    return "chunk<" + std::to_string(a.chunk) + ">";
  case Order::chain:
    if (a == kOneChain)
      return "chain";
    return "chain<" + std::to_string(a.chunk) + (a.in_order ? ">, in order" : ">");
  case Order::lanes:
    break;
  }
  return "lanes<" + std::to_string(a.lanes) + ">, chunk<" + std::to_string(a.chunk) + ">";
}

std::optional<Accumulate> parse_accumulate(std::string_view text) {
  if (text == "chain")
    return kOneChain;
  Accumulate result;
  if (auto chain = take_parameter(text, "chain")) {
    result = {Order::chain, 1, *chain};
    constexpr std::string_view kInOrder = ", in order";
    if (text == kInOrder) {
      result.in_order = true;
      text.remove_prefix(kInOrder.size());
    }
  } else if (auto chunk = take_parameter(text, "chunk")) {
    result = {Order::chunk, 1, *chunk};
  } else {
    auto lanes = take_parameter(text, "lanes");
    if (!lanes || *lanes > 1024 || !std::has_single_bit(static_cast<uint64_t>(*lanes)) ||
        !text.starts_with(", "))
      return std::nullopt;
    text.remove_prefix(2);
    auto inner = take_parameter(text, "chunk");
    if (!inner)
      return std::nullopt;
    result = {Order::lanes, *lanes, *inner};
  }
  return text.empty() ? std::optional(result) : std::nullopt;
}

} // namespace kolam
