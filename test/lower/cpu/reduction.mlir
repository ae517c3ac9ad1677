// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s
// What a reduction combines: elements found from their number, a state wider than a narrow float, identities, regions.

// Element i of dims 0 and 2 has the coordinates i / 5 and i mod 5.
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[KEPT:.*]] = %arg3 to %arg4
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args
// CHECK: %[[INNER:.*]] = arith.remsi %[[I]]
// CHECK-NEXT: %[[OUTER:.*]] = arith.divsi %[[I]]
// CHECK: arith.muli %[[OUTER]]
// CHECK: arith.addi %{{.*}}, %[[KEPT]]
// CHECK: arith.addi %{{.*}}, %[[INNER]]

// Several kept elements at once, several elements of each in turn: the state is a vector of sums.
// CHECK-LABEL: // nest1
// CHECK: scf.for %[[KEPT:.*]] = %arg3 to
// CHECK: scf.for %{{.*}} = %c1_i64{{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (vector<[[LANES:[0-9]+]]xf32>)
// CHECK: arith.addi %{{.*}}, %[[KEPT]]
// CHECK: %[[ELEMENTS:.*]] = llvm.load %{{.*}} -> vector<[[LANES]]xf32>
// CHECK-NEXT: arith.addf %[[STATE]], %[[ELEMENTS]] : vector<[[LANES]]xf32>
// CHECK-NEXT: scf.yield

// The sum of f16 is an f32 that is rounded once, behind the loop.
// CHECK-LABEL: // nest2
// CHECK: scf.for %{{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (f32)
// CHECK-NOT: arith.trunci
// CHECK: arith.addf %[[STATE]]
// CHECK-NEXT: scf.yield
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: llvm.store %{{.*}} : i16

// No elements: the identity of the lesser of i8 is 127.
// CHECK-LABEL: // nest3
// CHECK: %[[NONE:.*]] = arith.constant 127 : i8
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]]) -> (i8)

// The regions of a monoid: wrap in front of the loop and in it, merge in it, unwrap behind it.
// CHECK-LABEL: // nest4
// CHECK: %[[FIRST:.*]] = math.absf
// CHECK: scf.for %{{.*}} iter_args(%[[STATE:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = math.absf
// CHECK: arith.mulf %[[STATE]], %[[NEXT]]
// CHECK-NEXT: scf.yield
// CHECK: math.sqrt

func.func @main(%x: tensor<3x3x5xf32>, %y: tensor<9x128xf32>, %h: tensor<8xf16>, %b: tensor<?xi8, #kolam.extents<["n"]>>, %v: tensor<8xf32>) -> (tensor<3xf32>, tensor<128xf32>, tensor<f16>, tensor<i8>, tensor<f32>) {
  %0 = kolam.reduce "add" %x dims [0, 2] commutative true <"chunk<64>"> : (tensor<3x3x5xf32>) -> tensor<3xf32>
  %1 = kolam.reduce "add" %y dims [0] commutative true <"chunk<64>"> : (tensor<9x128xf32>) -> tensor<128xf32>
  %2 = kolam.reduce "add" %h dims [0] commutative true <"chunk<64>"> : (tensor<8xf16>) -> tensor<f16>
  %3 = kolam.reduce "minimum" %b dims [0] commutative true <"chunk<64>"> : (tensor<?xi8, #kolam.extents<["n"]>>) -> tensor<i8>
  %4 = kolam.reduce "root" %v dims [0] commutative true <"chunk<64>"> : (tensor<8xf32>) -> tensor<f32> zero {
    %z = kolam.constant dense<1.0> : tensor<f32>
    kolam.yield %z : tensor<f32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    %w = kolam.elementwise "abs" %e : (tensor<f32>) -> tensor<f32>
    kolam.yield %w : tensor<f32>
  } merge {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = kolam.elementwise "multiply" %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %m : tensor<f32>
  } unwrap {
  ^bb0(%s: tensor<f32>):
    %u = kolam.elementwise "sqrt" %s : (tensor<f32>) -> tensor<f32>
    kolam.yield %u : tensor<f32>
  }
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<128xf32>, tensor<f16>, tensor<i8>, tensor<f32>
}
