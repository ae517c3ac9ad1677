// kolam.check: stops at the lowest row-major index where the condition is false.
#include "kolam/interp/check.h"

#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

#include <algorithm>
#include <cctype>

namespace kolam::interp {

std::string said_of(std::string_view function, const std::string& message) {
  if (function.empty() || function == CallScope::current_function())
    return message;
  return std::string(function) + ": " + message;
}

Error check_error(const std::string& slug, const std::string& message, const std::string& place,
                  const SourceLocation& where) {
  ErrorKind kind =
      slug.starts_with("index-") || slug == "list-index" ? ErrorKind::index : ErrorKind::value;
  std::string words = message;
  std::string function = std::string(CallScope::current_function()) + ": ";
  if (words.starts_with(function)) // the error names it already
    words.erase(0, function.size());
  return Error(kind, slug, place.empty() ? words : words + " (" + place + ")", where);
}

std::string first_at(int64_t index) { return "first at row-major index " + std::to_string(index); }

std::string at_path(const std::vector<int64_t>& path) {
  std::string text = "at ";
  for (int64_t i : path)
    text += "[" + std::to_string(i) + "]";
  return text;
}

/// The list whose length a condition compares with something; null for another condition.
static mlir::Value measured_list(mlir::Value condition) {
  auto compared = condition.getDefiningOp<ir::ElementwiseOp>();
  if (!compared)
    return {};
  for (mlir::Value operand : compared->getOperands()) {
    auto length = operand.getDefiningOp<ir::ListLengthOp>();
    if (mlir::Value list = length ? length.getList() : measured_list(operand))
      return list;
  }
  return {};
}

/// A message with the numbers of the symbols that Kolam made, `_0` and its like.
static std::string with_sizes(const std::string& message, const Evaluation& e) {
  std::string result;
  for (size_t at = 0; at < message.size();) {
    size_t end = at + 1;
    bool is_inside = at > 0 && (std::isalnum(message[at - 1]) || message[at - 1] == '_');
    if (message[at] == '_' && !is_inside)
      while (end < message.size() && std::isdigit(message[end]))
        ++end;
    std::string word = message.substr(at, end - at);
    std::optional<int64_t> size = end > at + 1 ? e.bound(word) : std::nullopt;
    result += size ? std::to_string(*size) : word;
    at = end;
  }
  return result;
}

/// The message, with lengths where it speaks of lists that have other ones, or of a shorter one.
static std::string message_of(ir::CheckOp op, const Evaluation& e) {
  constexpr std::string_view kShorter = "got a shorter one";
  std::string message = op.getMessage().str();
  constexpr std::string_view kOne = "expected lists of one length, but some differ";
  if (auto lists = op.lists_of_one_length(); !lists.empty() && message.ends_with(kOne))
    return message.replace(message.size() - kOne.size(), kOne.size(),
                           "expected " + std::to_string(e.get_list(lists[0]).size()) +
                               " elements, but got " + std::to_string(e.get_list(lists[1]).size()));
  size_t at = message.find(kShorter);
  mlir::Value list = at == std::string::npos ? mlir::Value() : measured_list(op.getCondition());
  if (!list)
    return message;
  return message.replace(at, kShorter.size(),
                         "got one of " + std::to_string(e.get_list(list).size()));
}

void evaluate_op(ir::CheckOp op, Evaluation& e) {
  if (e.options().checker && e.options().checker->is_repeated())
    return;
  auto lists = op.lists_of_one_length();
  if (!lists.empty() && op.getSlug() == "list-lengths") {
    equal_lists(lists, e, op); // says both lengths
    return;
  }
  Array condition = e.get(op.getCondition());
  auto holds = condition.values<bool>();
  auto failed = std::find(holds.begin(), holds.end(), false);
  if (failed == holds.end())
    return;
  std::string place = lists.empty() ? first_at(failed - holds.begin()) : "";
  if (!e.path().empty())
    place = at_path(e.path()) + (condition.rank() > 0 ? ", " + place : "");
  throw check_error(op.getSlug().str(), with_sizes(message_of(op, e), e), place,
                    ir::to_source_location(op.getLoc()));
}

} // namespace kolam::interp
