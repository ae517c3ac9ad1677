// Central differences beside jvp, vjp and those of the gradient.
#include "kolam/frontend/array/check_grads.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/reduction.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

namespace kolam::detail {
namespace {

using Numbers = std::vector<double>;

Numbers numbers_of(const Tensor& tensor) {
  const Array array = astype(tensor, DType::f64).array();
  auto values = array.values<double>();
  return {values.begin(), values.end()};
}

Tensor tensor_like(const Numbers& numbers, const Tensor& like) {
  std::vector<int64_t> shape = like.array().shape();
  return astype(Tensor(Array::of<double>(numbers, shape)), like.dtype());
}

/// The floats among the results.
std::vector<Numbers> floats_at(const LeavesFunction& body, const Leaves& arguments) {
  std::vector<Numbers> found;
  for (const Tensor& result : body(arguments))
    if (is_float(result.dtype()))
      found.push_back(numbers_of(result));
  return found;
}

/// Random numbers between -1 and 1, as many as each has elements; the same at each call.
std::vector<Numbers> directions(const Leaves& like, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Numbers> found;
  for (const Tensor& each : like) {
    Numbers own(numbers_of(each).size());
    for (double& number : own)
      number = static_cast<double>(random()) / 2147483648.0 - 1;
    found.push_back(numbers_of(tensor_like(own, each)));
  }
  return found;
}

Leaves tensors(const std::vector<Numbers>& numbers, const Leaves& like) {
  Leaves found;
  for (size_t place = 0; place < like.size(); ++place)
    found.push_back(tensor_like(numbers[place], like[place]));
  return found;
}

Leaves moved(const Leaves& arguments, const std::vector<Numbers>& along, double distance) {
  Leaves found;
  for (size_t place = 0; place < arguments.size(); ++place) {
    Numbers own = numbers_of(arguments[place]);
    for (size_t i = 0; i < own.size(); ++i)
      own[i] += distance * along[place][i];
    found.push_back(tensor_like(own, arguments[place]));
  }
  return found;
}

double dot(const std::vector<Numbers>& left, const std::vector<Numbers>& right) {
  double sum = 0;
  for (size_t place = 0; place < left.size(); ++place)
    for (size_t i = 0; i < left[place].size(); ++i)
      sum += left[place][i] * right[place][i];
  return sum;
}

void compare(const std::string& mode, size_t result, const Numbers& found, const Numbers& expected,
             double tolerance) {
  for (size_t i = 0; i < found.size(); ++i) {
    const double scale = std::max({1.0, std::abs(found[i]), std::abs(expected[i])});
    if (std::abs(found[i] - expected[i]) <= tolerance * scale)
      continue;
    std::ostringstream text;
    text << mode << ", result " << result << ", element " << i << ": expected " << expected[i]
         << " by finite differences, but got " << found[i];
    fail(ErrorKind::value, "wrong-gradient", text.str());
  }
}

/// The gradient of the sum of all results.
LeavesFunction gradient_of_sum(const LeavesFunction& body, Operand::Here where) {
  return [body, where](const Leaves& arguments) {
    auto total = [&](const Leaves& values) {
      Tensor found;
      for (const Tensor& result : body(values))
        if (is_float(result.dtype()))
          found = found.is_empty() ? sum(result) : add(found, sum(result));
      return Leaves{found};
    };
    return gradients("grad", arguments, total, where).gradients;
  };
}

} // namespace

void check_grads(const Leaves& arguments, const LeavesFunction& body,
                 const CheckGradsOptions& options, Operand::Here where) {
  CallScope scope("check_grads", to_location(where));
  const bool is_wide = std::all_of(arguments.begin(), arguments.end(), [](const Tensor& argument) {
    return argument.dtype() == DType::f64;
  });
  const double step = is_wide ? 1e-5 : 1e-2;
  const double tolerance = options.tolerance > 0 ? options.tolerance : is_wide ? 1e-5 : 2e-2;
  const std::vector<Numbers> along = directions(arguments, 1);
  std::vector<Numbers> expected = floats_at(body, moved(arguments, along, step));
  const std::vector<Numbers> below = floats_at(body, moved(arguments, along, -step));
  for (size_t place = 0; place < expected.size(); ++place)
    for (size_t i = 0; i < expected[place].size(); ++i)
      expected[place][i] = (expected[place][i] - below[place][i]) / (2 * step);
  if (options.forward) {
    size_t result = 0;
    for (const Tensor& tangent :
         push_forward("jvp", arguments, tensors(along, arguments), body, where).tangents)
      if (!tangent.is_empty()) {
        compare("fwd", result, numbers_of(tangent), expected[result], tolerance);
        ++result;
      }
  }
  if (options.reverse) {
    LinearisedLeaves made = linearise("vjp", arguments, body, where);
    Leaves floats;
    for (const Tensor& result : made.results)
      if (is_float(result.dtype()))
        floats.push_back(result);
    const std::vector<Numbers> weights = directions(floats, 2);
    Leaves cotangents(made.results.size()), given = tensors(weights, floats);
    size_t next = 0;
    for (size_t place = 0; place < cotangents.size(); ++place)
      if (is_float(made.results[place].dtype()))
        cotangents[place] = given[next++];
    std::vector<Numbers> found;
    for (const Tensor& each : made.linear.transposed(cotangents, where))
      found.push_back(numbers_of(each));
    compare("rev", 0, {dot(found, along)}, {dot(weights, expected)}, tolerance);
  }
  if (options.order > 1) {
    CheckGradsOptions next = options;
    next.order -= 1;
    next.tolerance = tolerance * 10;
    check_grads(arguments, gradient_of_sum(body, where), next, where);
  }
}

} // namespace kolam::detail
