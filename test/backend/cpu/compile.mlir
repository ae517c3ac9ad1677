// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after assembly | FileCheck %s
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after llvm | FileCheck %s --check-prefix=LLVM
// Code generation keeps every rounding: a product and a sum stay two instructions though the target could fuse them,
// and sums stay in their order (lm: an x86-64 processor).

// CHECK-LABEL: // nest0
// CHECK: kolam_nest:
// CHECK-NOT: vfmadd
// CHECK: vmulps
// CHECK: vaddps
// CHECK-NOT: vfmadd

// The lanes behind the last whole vector are masked where they meet memory.
// CHECK: vmaskmovps %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, (

// What is asked for fused is fused.
// CHECK-LABEL: // nest1
// CHECK: kolam_nest:
// CHECK: vfmadd{{.*}}ps

// One addition a turn: no partial sums side by side.
// CHECK-LABEL: // nest2
// CHECK: kolam_nest:
// CHECK-NOT: vaddps
// CHECK: vaddss
// CHECK-NOT: vaddps

// The same text as LLVM IR, optimised: nothing lives in memory that need not, and an unwinder can walk through.
// LLVM-LABEL: // nest2
// LLVM: define i32 @kolam_nest
// LLVM-NOT: alloca
// LLVM: phi float
// LLVM: fadd float
// LLVM: attributes #0 = { nounwind{{.*}}"frame-pointer"="all"

func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %x_1: tensor<8xf32>, %y_1: tensor<8xf32>, %x_2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
  %0 = kolam.elementwise "multiply" %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = kolam.elementwise "add" %0, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = kolam.elementwise "fma" %x_1, %x_1, %y_1 : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = kolam.reduce "add" %x_2 dims [0] commutative true <"chunk<64>"> : (tensor<8xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<f32>
}
