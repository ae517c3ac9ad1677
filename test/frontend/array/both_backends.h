/// Running a function of tensors on every backend: traced with static and with symbolic extents,
/// all bit-equal.
#pragma once

#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam::test {

using TensorFunction = std::function<std::vector<Tensor>(std::vector<Tensor>)>;

inline std::vector<TensorSpec> static_specs(const std::vector<Array>& arrays) {
  std::vector<TensorSpec> specs;
  for (const Array& array : arrays)
    specs.push_back({array.dtype(), Shape(array.shape().begin(), array.shape().end())});
  return specs;
}

/// The results on `arrays` of a program traced with `specs`: the interpreter's, to which native
/// code is bit-equal.
inline std::vector<Array> run_both(const std::vector<TensorSpec>& specs,
                                   const std::vector<Array>& arrays,
                                   const TensorFunction& function) {
  Program program = trace(specs, function);
  std::vector<Array> expected = program.run(arrays, Backend::interpret);
  std::vector<Array> native = program.run(arrays, Backend::cpu);
  EXPECT_EQ(expected.size(), native.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(runtime::same_bits(expected[i], native[i]))
        << "result " << i << "\ninterpreter\n"
        << expected[i].to_string() << "\nnative\n"
        << native[i].to_string() << "\n"
        << program.as_text();
  return expected;
}

inline std::vector<Array> run_both(const std::vector<Array>& arrays,
                                   const TensorFunction& function) {
  return run_both(static_specs(arrays), arrays, function);
}

/// The error that `call` throws.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ErrorKind::internal, "none", "none");
}

/// The error that running `function` raises, which interpreter and native code raise alike.
inline Error run_error(const std::vector<TensorSpec>& specs, const std::vector<Array>& arrays,
                       const TensorFunction& function) {
  Program program = trace(specs, function);
  Error expected = error_of([&] { program.run(arrays, Backend::interpret); });
  Error native = error_of([&] { program.run(arrays, Backend::cpu); });
  EXPECT_EQ(std::string(expected.what()), native.what());
  EXPECT_EQ(expected.kind(), native.kind());
  return native;
}

} // namespace kolam::test
