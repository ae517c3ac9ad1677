// RUN: kolam run %s --stop-after llvm | FileCheck %s
// Loops, branches and arithmetic become LLVM's; nothing is folded across roundings.

// CHECK: define i32 @kolam_nest(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4, ptr %5)
// CHECK: %[[I:.*]] = phi i64
// CHECK: icmp slt i64 %[[I]], %4
// CHECK: %[[PRODUCT:.*]] = fmul float
// CHECK: fadd float %[[PRODUCT]]
// CHECK-NOT: fmuladd
// CHECK: ret i32 0
// CHECK-NOT: scf.
// CHECK-NOT: arith.

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.elementwise "multiply" %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "add" %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
