// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Scalar code as ops, for one element or for several: library calls are declared beside the nest, guarded ones run only
// where they are needed, and minimum tells -0 from +0 (lm: an x86-64 processor).

// A library function takes one element after another.
// CHECK-LABEL: // nest0
// CHECK: func.func private @[[LGAMMA:.*]](f64) -> f64
// CHECK: func.func @kolam_nest
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<8xf64>
// CHECK: %[[NONE:.*]] = llvm.mlir.poison : vector<8xf64>
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[CELL:.*]] = llvm.extractelement %[[X]][%[[FIRST]] : i32]
// CHECK: %[[VALUE:.*]] = func.call @[[LGAMMA]](%[[CELL]]) : (f64) -> f64
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[ONE:.*]] = llvm.insertelement %[[VALUE]], %[[NONE]][%[[FIRST]] : i32]
// CHECK: %[[SECOND:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[CELL:.*]] = llvm.extractelement %[[X]][%[[SECOND]] : i32]
// CHECK: %[[VALUE:.*]] = func.call @[[LGAMMA]](%[[CELL]])
// CHECK: llvm.insertelement %[[VALUE]], %[[ONE]]
// CHECK-COUNT-6: call @[[LGAMMA]]
// CHECK-NOT: call
// CHECK: llvm.store

// CHECK-LABEL: // nest1
// CHECK: func.func private @[[FMOD:.*]](f64, f64) -> f64
// CHECK: scf.if %{{.*}} -> (vector<8xf64>)
// CHECK-COUNT-8: call @[[FMOD]](%{{.*}}, %{{.*}}) : (f64, f64) -> f64

// CHECK-LABEL: // nest2
// CHECK-NOT: func.func private
// CHECK: arith.cmpf olt, %[[X:.*]], %[[Y:.*]] : vector<8xf32>
// CHECK: arith.cmpf olt, %[[Y]], %[[X]] : vector<8xf32>
// CHECK: arith.ori %{{.*}}, %{{.*}} : vector<8xi32>

// One branch for all lanes, behind which a function of the module goes through them.
// CHECK-LABEL: // nest3
// CHECK: func.func private @[[WHERE:.*_where8]](%[[BITS:.*]]: i64, %[[X:.*]]: vector<8xf32>, %[[OTHERWISE:.*]]: vector<8xf32>) -> vector<8xf32>
// CHECK: scf.for %[[LANE:.*]] = %{{.*}} iter_args(%[[STATE:.*]] = %[[OTHERWISE]])
// CHECK: arith.shrui %[[BITS]], %[[LANE]]
// CHECK: scf.if %{{.*}} -> (vector<8xf32>)
// CHECK-NEXT: %[[CELL:.*]] = llvm.extractelement %[[X]][%[[LANE]] : i64]
// CHECK-NEXT: %[[VALUE:.*]] = func.call @{{.*}}(%[[CELL]]) : (f32) -> f32
// CHECK-NEXT: llvm.insertelement %[[VALUE]], %[[STATE]][%[[LANE]] : i64]
// CHECK: func.func @kolam_nest
// CHECK: %[[LARGE:.*]] = llvm.bitcast %[[CONDITION:.*]] : vector<8xi1> to i8
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LARGE]]
// CHECK-NEXT: scf.if %[[ANY]] -> (vector<8xf32>)
// CHECK: func.call @[[WHERE]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield

// One element needs no lanes.
// CHECK-LABEL: // nest4
// CHECK-NOT: vector<
// CHECK: scf.if %{{.*}} -> (f32)
// CHECK-NEXT: call @
// CHECK-NOT: vector<

// Beside a vector a scalar stands for all lanes.
// CHECK-LABEL: // nest5
// CHECK: %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: %[[ONE:.*]] = llvm.insertelement %[[S]]
// CHECK-NEXT: %[[ALL:.*]] = llvm.shufflevector %[[ONE]], %[[ONE]] [0, 0, 0, 0, 0, 0, 0, 0]
// CHECK-NEXT: %[[TIMES:.*]] = arith.mulf %[[X]], %[[ALL]]
// CHECK: %[[THREE:.*]] = arith.constant dense<3.000000e+00> : vector<8xf32>
// CHECK-NEXT: arith.addf %[[TIMES]], %[[THREE]]

func.func @main(%x: tensor<16xf64>, %y: tensor<16xf64>, %s: tensor<f32>, %x_2: tensor<16xf32>, %z: tensor<16xf32>, %x_3: tensor<16xf32>, %s_5: tensor<f32>, %x_5: tensor<16xf32>) -> (tensor<16xf64>, tensor<16xf64>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>) {
  %0 = kolam.elementwise "lgamma" %x : (tensor<16xf64>) -> tensor<16xf64>
  %1 = kolam.elementwise "fmod" %y, %y : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xf64>
  %2 = kolam.elementwise "minimum" %x_2, %z : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = kolam.elementwise "sin" %x_3 : (tensor<16xf32>) -> tensor<16xf32>
  %4 = kolam.elementwise "sin" %s : (tensor<f32>) -> tensor<f32>
  %all = kolam.broadcast %s_5 [] : tensor<f32> -> tensor<16xf32>
  %three = kolam.constant dense<3.0> : tensor<16xf32>
  %times = kolam.elementwise "multiply" %x_5, %all : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = kolam.elementwise "add" %times, %three : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<16xf64>, tensor<16xf64>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>
}
