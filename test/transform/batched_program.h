/// Programs of one op, alone and for many instances, and what both give.
#pragma once

#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/support/error.h"
#include "kolam/transform/batch.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam::transform {

using runtime::Array;
using Arrays = std::vector<Array>;
using EachFlags = std::vector<bool>;

inline const std::map<std::string, int64_t> kSizes = {{"n", 3}};
inline const std::string kInstances = "instances";

/// A function of one op whose operands are its first arguments; others bind symbols.
struct Subject {
  driver::Module program;
  mlir::Operation* op;
};

inline Subject parse_subject(const std::string& text) {
  Subject result{driver::parse(text, "test").program, nullptr};
  result.op = &result.program.main().getBody().front().front();
  for (mlir::OpOperand& operand : result.op->getOpOperands())
    EXPECT_EQ(operand.get(), result.program.main().getArgument(operand.getOperandNumber()));
  return result;
}

/// Values for an operand; those of integers are small, so that they are places too.
inline Array random_operand(mlir::Type type, std::mt19937& random) {
  std::vector<int64_t> shape;
  for (const Extent& extent : ir::shape_of(type))
    shape.push_back(extent.evaluate(kSizes));
  Array array = Array::uninitialized(ir::dtype_of(type), shape);
  visit_dtype(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& cell : array.mutable_values<T>()) {
      auto number = static_cast<int64_t>(random() % 12) - 3;
      if constexpr (std::is_same_v<T, bool>)
        cell = number > 2;
      else if constexpr (std::is_floating_point_v<T>)
        cell = static_cast<T>(number) / static_cast<T>(7);
      else if constexpr (std::is_unsigned_v<T>)
        cell = static_cast<T>(std::max<int64_t>(number, 0));
      else if constexpr (std::is_integral_v<T>)
        cell = static_cast<T>(number);
      else // a number from -2 to 2
        cell = T{static_cast<uint16_t>((random() & 0x8000) | random() % 0x4000)};
    }
  });
  return array;
}

/// The slices one behind the other.
inline Array stacked(const Arrays& slices, DType dtype, std::vector<int64_t> shape) {
  shape.insert(shape.begin(), static_cast<int64_t>(slices.size()));
  Array all = Array::uninitialized(dtype, shape);
  auto* to = static_cast<std::byte*>(all.mutable_data());
  for (const Array& slice : slices)
    to = std::copy_n(static_cast<const std::byte*>(slice.data()), slice.byte_count(), to);
  return all;
}

/// The program of the op for `count` instances; argument i is of each where each[i].
struct BatchedProgram {
  driver::Module program;
  EachFlags each; ///< of its results
};

inline std::optional<BatchedProgram> batched(const Subject& subject, const EachFlags& each,
                                             const Extent& count, std::string* why) {
  mlir::MLIRContext* context = subject.program.context.get();
  mlir::Location loc = mlir::UnknownLoc::get(context);
  BatchedProgram made{{subject.program.context, mlir::ModuleOp::create(loc), true}, {}};
  language::Builder b(loc, context);
  llvm::SmallVector<mlir::Type> arguments, results;
  for (auto [type, is_each] : llvm::zip(subject.program.main().getArgumentTypes(), each)) {
    Shape shape = ir::shape_of(type);
    if (is_each)
      shape.insert(shape.begin(), count);
    arguments.push_back(ir::tensor_type(context, ir::dtype_of(type), shape));
  }
  b.setInsertionPointToStart(made.program.module->getBody());
  auto function = mlir::func::FuncOp::create(b, "main", b.getFunctionType(arguments, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  std::vector<Batched> operands;
  for (auto [argument, is_each] : llvm::zip(function.getArguments(), each))
    if (operands.size() < subject.op->getNumOperands())
      operands.push_back({argument, is_each});
  auto values = batch_op(b, subject.op, operands, count, why);
  if (!values) {
    EXPECT_TRUE(function.getBody().front().empty()) << "ops are left behind";
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> returned;
  for (const Batched& value : *values) {
    returned.push_back(value.value);
    results.push_back(value.value.getType());
    made.each.push_back(value.is_each);
  }
  mlir::func::ReturnOp::create(b, returned);
  function.setType(b.getFunctionType(arguments, results));
  if (failed(mlir::verify(*made.program.module)))
    ADD_FAILURE() << "the batched program is not valid";
  return made;
}

/// What a run gives, or the slug of its error.
struct Outcome {
  Arrays results;
  std::string slug;
};

template <class Run> Outcome outcome_of(Run run) {
  try {
    return {run(), ""};
  } catch (const Error& error) {
    return {{}, std::string(error.slug())};
  }
}

inline std::string text_of(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace kolam::transform
