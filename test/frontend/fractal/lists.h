/// Lists written down in tests, and functions of lists run at once and traced, on every backend.
#pragma once

#include "kolam/frontend/fractal/access.h"
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam::fractal::test {

using detail::Parts;
using Nested = std::vector<std::vector<int64_t>>;

/// A list of int64 scalars.
inline List list_of(const std::vector<int64_t>& values) {
  return runtime::List::from_offsets(Array::of<int64_t>(values), {});
}

/// A list of lists of them.
inline List list_of(const Nested& rows) {
  std::vector<int64_t> values, offsets{0};
  for (const auto& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
    offsets.push_back(static_cast<int64_t>(values.size()));
  }
  return runtime::List::from_offsets(Array::of<int64_t>(values), {Array::of<int64_t>(offsets)});
}

using PartsFunction = std::function<Parts(const Parts&)>;

/// A program of lists: leaves and offsets in and out, whose numbers are symbols.
inline Program traced(const Parts& lists, const PartsFunction& function,
                      std::vector<Array>& arrays) {
  std::vector<TensorSpec> specs;
  for (const List& list : lists)
    for (const Tensor& part : detail::unpack(list)) {
      specs.push_back({part.dtype(), part.shape()});
      specs.back().shape[0] = Extent::symbol("n" + std::to_string(specs.size()));
      arrays.push_back(part.array());
    }
  return trace(specs, [&](const std::vector<Tensor>& parameters) {
    Parts given;
    auto next = parameters.begin();
    for (const List& list : lists) {
      given.push_back(detail::pack(*next, {next + 1, next + list.depth()}));
      next += list.depth();
    }
    std::vector<Tensor> results;
    for (const List& list : function(given))
      for (const Tensor& part : detail::unpack(list))
        results.push_back(part);
    return results;
  });
}

/// What `function` gives at once, to which interpreter and native code of the traced function are
/// equal.
inline Parts run(const Parts& lists, const PartsFunction& function) {
  Parts expected = function(lists);
  std::vector<Array> arrays;
  Program program = traced(lists, function, arrays);
  for (Backend backend : {Backend::interpret, Backend::cpu}) {
    std::vector<Array> parts = program.run(arrays, backend);
    size_t next = 0;
    for (const List& list : expected)
      for (const Tensor& part : detail::unpack(list)) {
        EXPECT_TRUE(runtime::same_bits(part.array(), parts[next]))
            << "part " << next << "\nat once\n"
            << part.to_string() << "\n"
            << (backend == Backend::cpu ? "native" : "interpreter") << "\n"
            << parts[next].to_string() << "\n"
            << program.as_text();
        ++next;
      }
    EXPECT_EQ(next, parts.size());
  }
  return expected;
}

/// `function` of one list gives one list.
inline void expect(const List& given, const std::function<Parts(const Parts&)>& function,
                   const List& expected) {
  Parts results = run({given}, function);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].host() == expected.host())
      << results[0].host().to_string() << "\nexpected\n"
      << expected.host().to_string();
}

/// The error that running `function` raises, on interpreter and native code alike.
inline std::string run_error(const Parts& lists, const PartsFunction& function) {
  std::vector<Array> arrays;
  Program program = traced(lists, function, arrays);
  std::string words;
  for (Backend backend : {Backend::interpret, Backend::cpu})
    try {
      program.run(arrays, backend);
      ADD_FAILURE() << "expected an Error";
    } catch (const Error& error) {
      std::string found = error.what();
      EXPECT_TRUE(words.empty() || words == found) << found;
      words = found;
    }
  return words;
}

} // namespace kolam::fractal::test
