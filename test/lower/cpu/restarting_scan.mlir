// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Scans that start anew at some elements: parts side by side in lanes (lm: an x86-64 processor).

// Where the parts begin: first vectors of elements none of which starts, then one by one.
// CHECK: %[[CUTS:.*]] = llvm.alloca %c17_i64{{.*}} x i64
// CHECK: scf.for %{{.*}} = %c1_i64 to %c17_i64
// CHECK: llvm.load %{{.*}} -> vector<16xi8>
// CHECK: llvm.load %{{.*}} -> i8

// Squares: sixteen elements of each part, which are turned; a step of all parts; results, turned back.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 {{.*}} iter_args({{.*}}) -> (vector<16xf32>)
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<16xf32>

// What is left of each part.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64
// CHECK: arith.mulf %{{.*}} : f32

func.func @main(%s: tensor<f32>, %starts: tensor<900xi1>, %x: tensor<900xf32>) -> tensor<900xf32> {
  %r:2 = kolam.scan carry(%s) over(%starts, %x) length <["900"]> reverse false : (tensor<f32>, tensor<900xi1>, tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  ^bb0(%state: tensor<f32>, %start: tensor<i1>, %e: tensor<f32>):
    %from = kolam.elementwise "where" %start, %e, %state : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "multiply" %from, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %next : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<900xf32>
}
