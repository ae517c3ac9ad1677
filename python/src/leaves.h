// Leaves of pytrees: Python's objects as tensors, and back; lists are their leaves and offsets.
#pragma once

#include "bind.h"
#include "lists.h"

#include "kolam/frontend/array/derive.h"
#include "kolam/frontend/fractal/fractal_tensor.h"

namespace kolam::python {

using kolam::detail::Leaves;
using kolam::detail::LeavesFunction;

/// None is an empty tensor.
inline Leaves leaves_from(nb::handle objects, const char* argument) {
  Leaves leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(objects))
    if (is_list(leaf))
      fractal::detail::append_tensors({list_from(leaf, argument)}, leaves);
    else
      leaves.push_back(leaf.is_none() ? Tensor() : to_tensor(leaf, argument));
  return leaves;
}

/// How many leaves hold leaf number `number`, with those of its offsets where it is a list's.
inline size_t leaves_of(const Leaves& leaves, size_t number) {
  return static_cast<size_t>(std::max<int64_t>(1, leaves[number].list_depth()));
}

/// The leaves of objects, one for each of those that `like` is made of: None is as many empty
/// tensors as there are leaves of that one. What is behind them is by itself.
inline Leaves leaves_beside(nb::handle objects, const char* argument, const Leaves& like) {
  Leaves leaves;
  size_t next = 0;
  for (nb::handle object : nb::borrow<nb::object>(objects)) {
    const size_t count = next < like.size() ? leaves_of(like, next) : 1;
    next += count;
    nb::list one;
    one.append(object);
    Leaves own = object.is_none() ? Leaves(count) : leaves_from(one, argument);
    leaves.insert(leaves.end(), own.begin(), own.end());
  }
  return leaves;
}

inline nb::list objects_from(const Leaves& leaves) {
  nb::list objects;
  for (const Tensor* next = leaves.data(); next != leaves.data() + leaves.size();)
    if (next->is_empty()) {
      objects.append(nb::none());
      ++next;
    } else if (int64_t depth = next->list_depth()) {
      objects.append(to_object(fractal::detail::take_list(depth, next)));
    } else {
      objects.append(to_python(*next++));
    }
  return objects;
}

/// The objects of leaves which are empty, or like those of `like`.
inline nb::list objects_beside(const Leaves& leaves, const Leaves& like) {
  nb::list objects;
  for (size_t next = 0; next < like.size(); next += leaves_of(like, next)) {
    if (leaves[next].is_empty()) {
      objects.append(nb::none());
      continue;
    }
    const auto first = leaves.begin() + static_cast<int64_t>(next);
    objects.append(
        objects_from(Leaves(first, first + static_cast<int64_t>(leaves_of(like, next))))[0]);
  }
  return objects;
}

inline LeavesFunction function_of(const nb::callable& body) {
  return [body](const Leaves& leaves) {
    return leaves_from(body(objects_from(leaves)), "result of f");
  };
}

/// What `body` gives of the arguments, floats among them replaced; `like` keeps which of it are
/// lists.
inline LeavesFunction function_of(const nb::callable& body,
                                  const kolam::detail::FloatLeaves& arguments, Leaves& like) {
  return [&](const Leaves& floats) {
    like = leaves_from(body(objects_from(arguments.with(floats))), "result of f");
    return like;
  };
}

/// Results, as lists where the body gave lists.
inline nb::list results_from(Leaves results, const Leaves& like) {
  for (size_t number = 0; number < results.size(); ++number)
    if (int64_t depth = like[number].list_depth())
      results[number] = results[number].of_list(depth);
  return objects_from(results);
}

} // namespace kolam::python
