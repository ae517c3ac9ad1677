// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after llvm | FileCheck %s
// Loops, branches, vectors and arithmetic become LLVM's; nothing is folded across roundings (lm: an x86-64 processor).

// CHECK: define i32 @kolam_nest(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4, ptr %5)
// CHECK: %[[LEFT:.*]] = and i64 %{{.*}}, 7
// CHECK: %[[WHOLE:.*]] = sub i64 %4, %[[LEFT]]
// CHECK: %[[I:.*]] = phi i64
// CHECK: icmp slt i64 %[[I]], %[[WHOLE]]
// CHECK: %[[PRODUCT:.*]] = fmul <8 x float>
// CHECK: %[[SUM:.*]] = fadd <8 x float> %[[PRODUCT]]
// CHECK: store <8 x float> %[[SUM]]
// CHECK: icmp {{eq|ne}} i64 %[[LEFT]], 0
// CHECK: %[[PRODUCT:.*]] = fmul <8 x float>
// CHECK: %[[SUM:.*]] = fadd <8 x float> %[[PRODUCT]]
// CHECK: call void @llvm.masked.store{{.*}}(<8 x float> %[[SUM]]
// CHECK-NOT: fmuladd
// CHECK: ret i32 0
// CHECK-NOT: scf.
// CHECK-NOT: arith.

func.func @main(%x: tensor<40xf32>, %y: tensor<40xf32>) -> tensor<40xf32> {
  %0 = kolam.elementwise "multiply" %x, %x : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %1 = kolam.elementwise "add" %0, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %1 : tensor<40xf32>
}
