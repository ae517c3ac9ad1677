#include "kolam/transform/unread.h"

#include "kolam/ir/ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kolam::transform {
namespace {

/// `carries a, captures b` of each loop of a program, the outer one first, once what nobody reads
/// is out.
std::string loops_of(const std::string& body) {
  mlir::MLIRContext context;
  context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<f32>, %y: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {\n"
      "%zero = kolam.constant dense<0> : tensor<i32>\n" +
          body + "\n}",
      &context);
  EXPECT_TRUE(module);
  auto main = llvm::cast<mlir::func::FuncOp>(*module->getBody()->begin());
  drop_unread(main.getBody().front());
  EXPECT_TRUE(mlir::succeeded(module->verify()));
  std::string found;
  auto say = [&](auto loop) {
    found += "carries " + std::to_string(loop.getInits().size()) + ", captures " +
             std::to_string(loop.getCaptures().size()) + "; ";
  };
  main.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (auto loop = llvm::dyn_cast<ir::ForOp>(op))
      say(loop);
    else if (auto other = llvm::dyn_cast<ir::WhileOp>(op))
      say(other);
  });
  return found;
}

const std::string kTwo = " : (tensor<f32>, tensor<f32>) -> tensor<f32>\n";

/// s = exp(s), t = s * t + y; what is returned.
std::string two_states(const std::string& result) {
  return R"(
  %r:2 = kolam.for from %zero to %n carry(%x, %y) captures(%y) : (tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>, %c: tensor<f32>):
    %e = kolam.elementwise "exp" %s : (tensor<f32>) -> tensor<f32>
    %p = kolam.elementwise "multiply" %s, %t)" +
         kTwo + "    %u = kolam.elementwise \"add\" %p, %c" + kTwo + R"(
    kolam.yield %e, %u : tensor<f32>, tensor<f32>
  }
  return )" +
         result + " : tensor<f32>";
}

TEST(Unread, AStateThatOnlyItselfReadsGoesWithWhatItCaptures) {
  EXPECT_EQ(loops_of(two_states("%r#0")), "carries 1, captures 0; ");
}

TEST(Unread, AStateThatAnotherReadsStays) {
  EXPECT_EQ(loops_of(two_states("%r#1")), "carries 2, captures 1; ");
}

TEST(Unread, LoopsThatNobodyReadsGo) { EXPECT_EQ(loops_of(two_states("%x")), ""); }

TEST(Unread, StatesOfLoopsInside) {
  EXPECT_EQ(loops_of(R"(
  %r:2 = kolam.for from %zero to %n carry(%x, %y) captures(%zero, %n) : (tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>, %z: tensor<i32>, %m: tensor<i32>):
    %q:2 = kolam.for from %z to %m carry(%s, %t) : (tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    ^bb0(%j: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
      %e = kolam.elementwise "exp" %a : (tensor<f32>) -> tensor<f32>
      %p = kolam.elementwise "add" %a, %b)" +
                     kTwo + R"(
      kolam.yield %e, %p : tensor<f32>, tensor<f32>
    }
    kolam.yield %q#0, %q#1 : tensor<f32>, tensor<f32>
  }
  return %r#0 : tensor<f32>)"),
            "carries 1, captures 2; carries 1, captures 0; ");
}

/// A value that only a dead state of a later loop captures.
TEST(Unread, WhatDeadStatesCapture) {
  EXPECT_EQ(loops_of(R"(
  %r = kolam.for from %zero to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %e = kolam.elementwise "exp" %s : (tensor<f32>) -> tensor<f32>
    kolam.yield %e : tensor<f32>
  }
  %q:2 = kolam.for from %zero to %n carry(%x, %y) captures(%r) : (tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>, %c: tensor<f32>):
    %e = kolam.elementwise "exp" %s : (tensor<f32>) -> tensor<f32>
    %u = kolam.elementwise "add" %t, %c)" +
                     kTwo + R"(
    kolam.yield %e, %u : tensor<f32>, tensor<f32>
  }
  return %q#0 : tensor<f32>)"),
            "carries 1, captures 0; ");
}

/// A loop whose condition asks its first state; the second one is read by nobody.
TEST(Unread, StatesThatConditionsDoNotAsk) {
  EXPECT_EQ(loops_of(R"(
  %q:2 = kolam.while carry(%n, %x) captures(%zero, %y) : (tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %z: tensor<i32>, %c: tensor<f32>):
    %p = kolam.elementwise "greater" %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %z: tensor<i32>, %c: tensor<f32>):
    %h = kolam.elementwise "floor_divide" %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %u = kolam.elementwise "multiply" %s, %c)" +
                     kTwo + R"(
    kolam.yield %h, %u : tensor<i32>, tensor<f32>
  }
  %f = kolam.cast %q#0 : tensor<i32> -> tensor<f32>
  return %f : tensor<f32>)"),
            "carries 1, captures 1; ");
}

} // namespace
} // namespace kolam::transform
