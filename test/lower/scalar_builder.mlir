// RUN: kolam run %s --stop-after lowered | FileCheck %s
// Scalar code as ops: library calls are declared beside the nest, guarded ones run only where they are needed, and
// minimum is LLVM's own, which tells -0 from +0.

// CHECK-LABEL: // nest0
// CHECK: func.func private @[[SINH:.*]](f32) -> f32
// CHECK: func.func @kolam_nest
// CHECK: call @[[SINH]](%{{.*}}) : (f32) -> f32

// CHECK-LABEL: // nest1
// CHECK: func.func private @[[POW:.*]](f64, f64) -> f64
// CHECK: call @[[POW]](%{{.*}}, %{{.*}}) : (f64, f64) -> f64

// CHECK-LABEL: // nest2
// CHECK-NOT: func.func private
// CHECK: llvm.intr.minimum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32

// CHECK-LABEL: // nest3
// CHECK: scf.if
// CHECK-NEXT: call @
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>) {
  %0 = kolam.elementwise "sinh" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "pow" %y, %y : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = kolam.elementwise "minimum" %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = kolam.elementwise "sin" %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>
}
