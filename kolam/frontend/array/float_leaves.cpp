// Tells floats from other leaves, and whether trees fit beside one another.
#include "kolam/frontend/array/float_leaves.h"

#include "kolam/frontend/array/jit.h"

#include <algorithm>

namespace kolam::detail {
namespace {

std::string describe(const Tensor& tensor) {
  return tensor.is_empty() ? "an empty handle"
                           : std::string(name(tensor.dtype())) + to_string(tensor.shape());
}

} // namespace

void require_float_result(const Leaves& results, const CallSite& call) {
  CallScope scope(call.function, call.where);
  std::string given;
  for (const Tensor& result : results) {
    if (!result.is_empty() && is_float(result.dtype()))
      return;
    given += (given.empty() ? "" : ", ") + describe(result);
  }
  fail(ErrorKind::type, "not-differentiable",
       "result: expected floats, but got " + (given.empty() ? "none" : given));
}

namespace {

/// How the user reaches each tensor of a pytree: of a tuple its parts, else the whole by its name.
Names names_of(const Flat& flat, std::string_view what, bool is_tuple) {
  const size_t count = flat.leaves.size();
  Names names = argument_paths(is_tuple ? flat.structure : "(" + flat.structure + ")", count);
  for (std::string& path : names) {
    const size_t end = std::min(path.find('['), path.size());
    path = std::string(what) + (is_tuple ? "[" + path.substr(0, end) + "]" : "") + path.substr(end);
  }
  return names;
}

} // namespace

Names require_alongside(const Flat& given, const Flat& like, std::string_view what,
                        const CallSite& call) {
  CallScope scope(call.function, call.where);
  const bool is_tuple = what == "tangents";
  const Names expected = names_of(like, what, is_tuple), names = names_of(given, what, is_tuple);
  const size_t count = like.leaves.size();
  if (given.leaves.size() != count || (!expected.empty() && !names.empty() && expected != names)) {
    const auto [first, other] =
        std::mismatch(expected.begin(), expected.end(), names.begin(), names.end());
    std::string place(what);
    if (first != expected.end() || other != names.end())
      place = first != expected.end() ? *first : *other;
    fail(ErrorKind::value, "tangent-mismatch",
         place + ": expected " + std::to_string(count) + " tensors at the places of what " +
             std::string(what) + (is_tuple ? " belong" : " belongs") + " to, but got " +
             std::to_string(given.leaves.size()));
  }
  int64_t offsets = 0; // of a list
  for (size_t number = 0; number < count; ++number) {
    const Tensor& own = like.leaves[number];
    if (int64_t depth = own.is_empty() ? 0 : own.list_depth())
      offsets = depth;
    const bool is_offsets = offsets-- > 0 && own.list_depth() == 0;
    const Tensor& tangent = given.leaves[number];
    if (tangent.is_empty() || is_offsets || (!own.is_empty() && is_float(own.dtype())))
      continue;
    fail(ErrorKind::value, "tangent-mismatch",
         (names.empty() ? std::string(what) : names[number]) + ": expected an empty handle, as " +
             describe(own) + " has no derivative, but got " + describe(tangent));
  }
  return names;
}

FloatLeaves::FloatLeaves(Flat arguments, const CallSite& call, const std::vector<size_t>& numbers)
    : arguments_(std::move(arguments)) {
  std::string given;
  for (const Tensor& leaf : arguments_.leaves) {
    is_float_.push_back(!leaf.is_empty() && is_float(leaf.dtype()));
    if (is_float_.back())
      floats_.push_back(leaf);
    given += (given.empty() ? "" : ", ") + describe(leaf);
  }
  CallScope scope(call.function, call.where);
  if (!floats_.empty())
    return;
  std::string where = "expected floats among the arguments";
  for (size_t place = 0; place < numbers.size(); ++place)
    where = (place == 0 ? numbers.size() == 1 ? "argument " : "arguments " : where + ", ") +
            std::to_string(numbers[place]);
  fail(ErrorKind::type, "not-differentiable",
       where + (numbers.empty() ? "" : ": expected floats") + ", but got " +
           (given.empty() ? "none" : given));
}

Leaves FloatLeaves::with(const Leaves& floats) const {
  Leaves all = arguments_.leaves;
  size_t next = 0;
  for (Tensor& leaf : all)
    if (!leaf.is_empty() && is_float(leaf.dtype())) {
      const int64_t depth = leaf.list_depth();
      leaf = depth > 0 ? floats[next++].of_list(depth) : floats[next++];
    }
  return all;
}

Leaves FloatLeaves::spread(const Leaves& floats) const {
  Leaves all;
  size_t next = 0;
  int64_t offsets = 0; // of a list: its gradient has the same
  for (const Tensor& leaf : arguments_.leaves) {
    const bool is_one = !leaf.is_empty() && is_float(leaf.dtype());
    if (int64_t depth = leaf.is_empty() ? 0 : leaf.list_depth()) {
      offsets = is_one ? depth - 1 : 0;
      all.push_back(is_one ? floats[next++].of_list(depth) : Tensor());
    } else if (offsets > 0) {
      all.push_back(leaf);
      --offsets;
    } else {
      all.push_back(is_one ? floats[next++] : Tensor());
    }
  }
  return all;
}

void require_scalar(const Tensor& result, const CallSite& call) {
  CallScope scope(call.function, call.where);
  if (result.rank() != 0 || !is_float(result.dtype()))
    fail(ErrorKind::value, "not-scalar",
         "result of the function: expected a scalar of floats, but got " + describe(result) +
             "; vjp takes a cotangent, jacrev gives the Jacobian");
}

} // namespace kolam::detail
