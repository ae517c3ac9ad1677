// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.reduce parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.reduce{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}reduce{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @named(%x: tensor<?x8xf16, #kolam.extents<["n", "8"]>>) -> tensor<?xf16, #kolam.extents<["n"]>> {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?x8xf16, #kolam.extents<["n", "8"]>>) -> tensor<?xf16, #kolam.extents<["n"]>>
  return %0 : tensor<?xf16, #kolam.extents<["n"]>>
}

func.func @user(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = kolam.reduce "last" %x dims [0] commutative false <"chunk<64>"> : (tensor<4x8xf32>) -> tensor<8xf32> zero {
    %z = kolam.constant dense<0.000000e+00> : tensor<f32>
    kolam.yield %z, %z : tensor<f32>, tensor<f32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    kolam.yield %e, %e : tensor<f32>, tensor<f32>
  } merge {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %m = kolam.elementwise "add" %a, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %m, %d : tensor<f32>, tensor<f32>
  } unwrap {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kolam.yield %a : tensor<f32>
  } wrap_all {
  ^bb0(%c: tensor<?xf32, #kolam.extents<["chunk"]>>):
    %r = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (tensor<?xf32, #kolam.extents<["chunk"]>>) -> tensor<f32>
    kolam.yield %r, %r : tensor<f32>, tensor<f32>
  }
  return %0 : tensor<8xf32>
}
