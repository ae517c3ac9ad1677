// kolam.check: stops at the lowest row-major index where the condition is false.
#include "kolam/interp/check.h"

#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

#include <algorithm>

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
  return Error(kind, slug, words + " (" + place + ")", where);
}

std::string first_at(int64_t index) { return "first at row-major index " + std::to_string(index); }

std::string at_path(const std::vector<int64_t>& path) {
  std::string text = "at ";
  for (int64_t i : path)
    text += "[" + std::to_string(i) + "]";
  return text;
}

void evaluate_op(ir::CheckOp op, Evaluation& e) {
  if (auto lists = op.lists_of_one_length(); !lists.empty()) {
    equal_lists(lists, e, op); // says both lengths
    return;
  }
  Array condition = e.get(op.getCondition());
  auto holds = condition.values<bool>();
  auto failed = std::find(holds.begin(), holds.end(), false);
  if (failed == holds.end())
    return;
  std::string place = first_at(failed - holds.begin());
  if (!e.path().empty())
    place = at_path(e.path()) + (condition.rank() > 0 ? ", " + place : "");
  throw check_error(op.getSlug().str(), op.getMessage().str(), place,
                    ir::to_source_location(op.getLoc()));
}

} // namespace kolam::interp
