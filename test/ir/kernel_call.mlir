// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// Calls of kernels and what is done to Refs parse back what they print, in their own form.

// CHECK-NOT: "kolam.
// CHECK: kolam.kernel_call "all" grid <["2"]>
// CHECK: kolam.ref_slice
// CHECK: kolam.ref_gather
// CHECK: kolam.ref_reshape
// CHECK: kolam.ref_transpose
// CHECK: kolam.ref_bitcast
// CHECK: kolam.ref_select
// CHECK: kolam.ref_alloc
// CHECK: kolam.ref_read {{%[a-z0-9]+}} mask {{%[a-z0-9]+}} other
// CHECK: kolam.ref_update "add"
// CHECK: kolam.ref_update "compare_exchange"
// CHECK: kolam.ref_write
// CHECK: kolam.for
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: kernel_call{{$}}
// SIGN-NEXT: dim i0: scan 2 forward distance 1
// SIGN-NEXT: in input0 [2]: [0 | 0 | 2]
// SIGN-NEXT{LITERAL}: in input1 [4, 2]: [2 | 0 | 2; 2 | 0 | 2] pad(0)
// SIGN-NEXT: in capture0 [2]: [0 | 0 | 2]
// SIGN-NEXT{LITERAL}: out result0 [4, 2]: [2 | 0 | 2; 1 | -1 | 2] drop
// SIGN-NOT: [space-

func.func @kernel(%x: tensor<4x2xf32>, %p: tensor<2xi32>) -> tensor<4x2xf32> {
  %0 = kolam.kernel_call "all" grid <["2"]>(%p, %x) captures(%p) prefetch 1 blocks [{high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0.0> : tensor<f32>, sizes = #kolam.extents<["2", "2"]>}, {high = array<i64: 0, 1>, kinds = ["blocked", "element"], low = array<i64: 0, 1>, pad = dense<0.0> : tensor<f32>, sizes = #kolam.extents<["2", "2"]>}] scratch [tensor<2x2xf32>] aliases [1] semantics ["parallel"] : (tensor<2xi32>, tensor<4x2xf32>, tensor<2xi32>) -> tensor<4x2xf32> {
  ^bb0(%i: tensor<i32>, %pref: !kolam.ref<tensor<2xi32>>, %xref: !kolam.ref<tensor<2x2xf32>>, %oref: !kolam.ref<tensor<2x2xf32>>, %acc: !kolam.ref<tensor<2x2xf32>>, %c: tensor<2xi32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %a = kolam.ref_slice %xref at(%zero, %i) steps [1, -1] : (!kolam.ref<tensor<2x2xf32>>, tensor<i32>, tensor<i32>) -> !kolam.ref<tensor<2x1xf32>>
    %places = kolam.reshape %c : tensor<2xi32> -> tensor<2x1xi32>
    %b = kolam.ref_gather %oref at %places dims [1] : (!kolam.ref<tensor<2x2xf32>>, tensor<2x1xi32>) -> !kolam.ref<tensor<2x2xf32>>
    %d = kolam.ref_reshape %b : (!kolam.ref<tensor<2x2xf32>>) -> !kolam.ref<tensor<4x1xf32>>
    %e = kolam.ref_transpose %d permutation [1, 0] : (!kolam.ref<tensor<4x1xf32>>) -> !kolam.ref<tensor<1x4xf32>>
    %f = kolam.ref_bitcast %e : (!kolam.ref<tensor<1x4xf32>>) -> !kolam.ref<tensor<1x4xi32>>
    %g = kolam.ref_select %i of %oref, %acc : (tensor<i32>, !kolam.ref<tensor<2x2xf32>>, !kolam.ref<tensor<2x2xf32>>) -> !kolam.ref<tensor<2x2xf32>>
    %h = kolam.ref_alloc : !kolam.ref<tensor<1x4xi32>>
    %mask = kolam.constant dense<true> : tensor<1x4xi1>
    %other = kolam.constant dense<1> : tensor<1x4xi32>
    %r = kolam.ref_read %f mask %mask other %other : (!kolam.ref<tensor<1x4xi32>>, tensor<1x4xi1>, tensor<1x4xi32>) -> tensor<1x4xi32>
    %old = kolam.ref_update "add" %h, %r mask %mask : (!kolam.ref<tensor<1x4xi32>>, tensor<1x4xi32>, tensor<1x4xi1>) -> tensor<1x4xi32>
    %found = kolam.ref_update "compare_exchange" %h, %r compare %old : (!kolam.ref<tensor<1x4xi32>>, tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    %v = kolam.ref_read %g : (!kolam.ref<tensor<2x2xf32>>) -> tensor<2x2xf32>
    kolam.ref_write %acc, %v : !kolam.ref<tensor<2x2xf32>>, tensor<2x2xf32>
    kolam.for from %zero to %i carry() captures(%a, %oref) : (tensor<i32>, tensor<i32>, !kolam.ref<tensor<2x1xf32>>, !kolam.ref<tensor<2x2xf32>>) -> () {
    ^bb0(%j: tensor<i32>, %inner: !kolam.ref<tensor<2x1xf32>>, %outer: !kolam.ref<tensor<2x2xf32>>):
      %w = kolam.ref_read %outer : (!kolam.ref<tensor<2x2xf32>>) -> tensor<2x2xf32>
      kolam.ref_write %outer, %w : !kolam.ref<tensor<2x2xf32>>, tensor<2x2xf32>
      kolam.yield
    }
    kolam.yield
  } maps {
  ^bb0(%i: tensor<i32>, %pref: !kolam.ref<tensor<2xi32>>, %c: tensor<2xi32>):
    kolam.yield %i, %i : tensor<i32>, tensor<i32>
  }, {
  ^bb0(%i: tensor<i32>, %pref: !kolam.ref<tensor<2xi32>>, %c: tensor<2xi32>):
    kolam.yield %i, %i : tensor<i32>, tensor<i32>
  }
  return %0 : tensor<4x2xf32>
}
