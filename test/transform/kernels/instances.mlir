// RUN: kolam run %s --stop-after tensors | FileCheck %s
// The first axis counts instances: the rest of the call is converted by itself and batched, so that a step of its
// loop is one product of all instances.

// CHECK-COUNT-1: kolam.for from {{.*}} -> (tensor<3x8x12xf32>, tensor<3x8x12xf32>)
// CHECK: kolam.contract "amk,akn->amn" {{.*}} -> tensor<3x8x12xf32>
// CHECK-NOT: kolam.for
// CHECK-NOT: kolam.ref

func.func @main(%arg0: tensor<3x8x16xf32>, %arg1: tensor<3x16x12xf32>) -> tensor<3x8x12xf32> {
  %0 = kolam.kernel_call "kernel" grid <["3", "2", "2"]>(%arg0, %arg1) prefetch 0 blocks [{high = array<i64: 0, 0, 0>, kinds = ["squeezed", "blocked", "blocked"], low = array<i64: 0, 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = false, sizes = #kolam.extents<["1", "4", "8"]>}, {high = array<i64: 0, 0, 0>, kinds = ["squeezed", "blocked", "blocked"], low = array<i64: 0, 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = false, sizes = #kolam.extents<["1", "8", "12"]>}, {high = array<i64: 0, 0, 0>, kinds = ["squeezed", "blocked", "blocked"], low = array<i64: 0, 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = false, sizes = #kolam.extents<["1", "4", "12"]>}] scratch [tensor<4x12xf32>] aliases [-1] semantics [] {ref_names = ["args[0] 'x'", "args[1] 'y'", "outputs[0] 'o'", "scratch[0] 'a'"]} : (tensor<3x8x16xf32>, tensor<3x16x12xf32>) -> tensor<3x8x12xf32> {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: !kolam.ref<tensor<4x8xf32>>, %arg6: !kolam.ref<tensor<8x12xf32>>, %arg7: !kolam.ref<tensor<4x12xf32>>, %arg8: !kolam.ref<tensor<4x12xf32>>):
    %1 = kolam.constant dense<0> : tensor<i32>
    %2 = kolam.elementwise "equal" %arg4, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.cond %2 captures(%arg8) : (tensor<i1>, !kolam.ref<tensor<4x12xf32>>) -> () {
    ^bb0(%arg9: !kolam.ref<tensor<4x12xf32>>):
      kolam.yield
    }, {
    ^bb0(%arg9: !kolam.ref<tensor<4x12xf32>>):
      %10 = kolam.constant dense<0.000000e+00> : tensor<f32>
      %11 = kolam.broadcast %10 [] : tensor<f32> -> tensor<4x12xf32>
      kolam.ref_write %arg9, %11 : !kolam.ref<tensor<4x12xf32>>, tensor<4x12xf32>
      kolam.yield
    }
    %3 = kolam.ref_read %arg8 : (!kolam.ref<tensor<4x12xf32>>) -> tensor<4x12xf32>
    %4 = kolam.ref_read %arg5 : (!kolam.ref<tensor<4x8xf32>>) -> tensor<4x8xf32>
    %5 = kolam.ref_read %arg6 : (!kolam.ref<tensor<8x12xf32>>) -> tensor<8x12xf32>
    %6 = kolam.contract "mk,kn->mn" %4, %5 <"lanes<64>, chunk<4096>"> : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %7 = kolam.elementwise "add" %3, %6 : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    kolam.ref_write %arg8, %7 : !kolam.ref<tensor<4x12xf32>>, tensor<4x12xf32>
    %8 = kolam.constant dense<1> : tensor<i32>
    %9 = kolam.elementwise "equal" %arg4, %8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.cond %9 captures(%arg8, %arg7) : (tensor<i1>, !kolam.ref<tensor<4x12xf32>>, !kolam.ref<tensor<4x12xf32>>) -> () {
    ^bb0(%arg9: !kolam.ref<tensor<4x12xf32>>, %arg10: !kolam.ref<tensor<4x12xf32>>):
      kolam.yield
    }, {
    ^bb0(%arg9: !kolam.ref<tensor<4x12xf32>>, %arg10: !kolam.ref<tensor<4x12xf32>>):
      %10 = kolam.ref_read %arg9 : (!kolam.ref<tensor<4x12xf32>>) -> tensor<4x12xf32>
      kolam.ref_write %arg10, %10 : !kolam.ref<tensor<4x12xf32>>, tensor<4x12xf32>
      kolam.yield
    }
    kolam.yield
  } maps {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
    kolam.yield %arg2, %arg3, %arg4 : tensor<i32>, tensor<i32>, tensor<i32>
  }, {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
    %1 = kolam.constant dense<0> : tensor<i32>
    kolam.yield %arg2, %arg4, %1 : tensor<i32>, tensor<i32>, tensor<i32>
  }, {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
    %1 = kolam.constant dense<0> : tensor<i32>
    kolam.yield %arg2, %arg3, %1 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %0 : tensor<3x8x12xf32>
}


