/// Programs and what derivatives make of them.
#pragma once

#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/language/region.h"
#include "kolam/support/error.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/derive.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace kolam::transform {

using runtime::Array;
using Arrays = std::vector<Array>;
using language::Values;

inline Array numbers(const std::vector<int64_t>& shape, const std::vector<double>& elements) {
  Array array = Array::uninitialized(DType::f64, shape);
  std::ranges::copy(elements, array.mutable_values<double>().begin());
  return array;
}

inline std::vector<double> elements_of(const Array& array) {
  auto values = array.values<double>();
  return {values.begin(), values.end()};
}

/// A program and a function beside its first, `main`, which `make` fills: arguments of `types`.
struct DerivedProgram {
  driver::Module program;
  mlir::func::FuncOp derived;

  Arrays run(const Arrays& arguments) { return interp::interpret(derived, arguments); }
  std::string text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    derived.print(stream);
    return text;
  }
};

/// `make(builder, body, arguments)`: the body is `main`'s, the arguments are `main`'s, then `more`,
/// tensors of the shapes of `main`'s results or arguments.
enum class More { none, tangents, cotangents };
inline DerivedProgram derived_from(
    const std::string& text, More more,
    const std::function<Values(language::Builder&, mlir::Region&, mlir::ValueRange)>& make) {
  DerivedProgram made{driver::parse(text, "test").program, {}};
  mlir::func::FuncOp main = made.program.main();
  mlir::Region body;
  mlir::IRMapping map;
  main.getBody().cloneInto(&body, map);
  mlir::Operation* end = body.front().getTerminator();
  language::Builder b(mlir::UnknownLoc::get(main.getContext()), main.getContext());
  b.setInsertionPoint(end);
  ir::YieldOp::create(b, end->getOperands());
  end->erase();
  llvm::SmallVector<mlir::Type> types(main.getArgumentTypes());
  if (more == More::tangents)
    llvm::append_range(types, main.getArgumentTypes());
  if (more == More::cotangents)
    llvm::append_range(types, main.getResultTypes());
  b.setInsertionPointToEnd(made.program.module->getBody());
  made.derived = mlir::func::FuncOp::create(b, "derived", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(made.derived.addEntryBlock());
  Values results = make(b, body, made.derived.getArguments());
  mlir::func::ReturnOp::create(b, results);
  made.derived.setType(b.getFunctionType(types, mlir::ValueRange(results).getTypes()));
  take_bodies(*made.program.module, Composites::none);
  if (failed(mlir::verify(*made.program.module)))
    ADD_FAILURE() << "the derived program is not valid";
  return made;
}

inline NewSymbol new_symbols() {
  return [number = 0]() mutable { return "_s" + std::to_string(number++); };
}

/// (results..., tangents...) of a program's arguments and their tangents.
inline DerivedProgram pushed(const std::string& text) {
  return derived_from(
      text, More::tangents,
      [](language::Builder& b, mlir::Region& body, mlir::ValueRange arguments) {
        const size_t count = body.getNumArguments();
        Values tangents(arguments.begin() + static_cast<int64_t>(count), arguments.end());
        Pushed made = push_forward(b, body, arguments.take_front(count), tangents, new_symbols());
        Values all = made.results;
        all.insert(all.end(), made.tangents.begin(), made.tangents.end());
        return all;
      });
}

/// The cotangents of a program's arguments, of arguments and cotangents of its results.
inline DerivedProgram pulled(const std::string& text) {
  return derived_from(
      text, More::cotangents,
      [](language::Builder& b, mlir::Region& body, mlir::ValueRange arguments) {
        const size_t count = body.getNumArguments();
        llvm::SmallVector<bool> active(count, true);
        Linearised made = linearise(b, body, arguments.take_front(count), active, new_symbols());
        Values cotangents;
        for (size_t result : made.linear.results)
          cotangents.push_back(arguments[count + result]);
        return transpose_linear(b, made.linear, made.residuals, cotangents, new_symbols());
      });
}

} // namespace kolam::transform
