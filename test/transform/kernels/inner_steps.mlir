// RUN: kolam run %s --stop-after tensors | FileCheck %s
// Steps of a loop whose slices lie inside have a loop of their own, without masks; the last one, half outside, reads its block
// from a part of the array with pad values behind it, which is made once.

// CHECK: %[[PART:.*]] = kolam.slice
// CHECK: kolam.pad %[[PART]], {{.*}} high [0, 40] : tensor<128x40xf32>
// CHECK: %[[COUNT:.*]] = kolam.constant dense<12>
// CHECK: %[[INSIDE:.*]] = kolam.for from {{.*}} to %[[COUNT]]
// CHECK: kolam.dynamic_slice {{.*}} : (tensor<128x1000xf32>
// CHECK-NEXT: kolam.constant
// CHECK-NOT: kolam.gather
// CHECK: kolam.for from %[[COUNT_AGAIN:.*]] to {{.*}} carry(%[[INSIDE]])
// CHECK-NOT: kolam.gather
// CHECK: kolam.dynamic_slice {{.*}} : (tensor<128x80xf32>
// CHECK-NOT: kolam.gather

func.func @main(%arg0: tensor<128x1000xf32>, %arg1: tensor<80x64xf32>) -> tensor<128x64xf32> {
  %0 = kolam.kernel_call "kernel" grid <["2"]>(%arg0, %arg1) prefetch 0 blocks [{high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = true, sizes = #kolam.extents<["64", "1000"]>}, {high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = false, sizes = #kolam.extents<["80", "64"]>}, {high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0.000000e+00> : tensor<f32>, padded = false, sizes = #kolam.extents<["64", "64"]>}] scratch [] aliases [-1] semantics [] {ref_names = ["args[0] 'x'", "args[1] 'w'", "outputs[0] 'o'"]} : (tensor<128x1000xf32>, tensor<80x64xf32>) -> tensor<128x64xf32> {
  ^bb0(%arg2: tensor<i32>, %arg3: !kolam.ref<tensor<64x1000xf32>>, %arg4: !kolam.ref<tensor<80x64xf32>>, %arg5: !kolam.ref<tensor<64x64xf32>>):
    %1 = kolam.constant dense<0.000000e+00> : tensor<f32>
    %2 = kolam.broadcast %1 [] : tensor<f32> -> tensor<64x64xf32>
    %3 = kolam.constant dense<0> : tensor<i32>
    %4 = kolam.constant dense<13> : tensor<i32>
    %5 = kolam.for from %3 to %4 carry(%2) captures(%arg3, %arg4) : (tensor<i32>, tensor<i32>, tensor<64x64xf32>, !kolam.ref<tensor<64x1000xf32>>, !kolam.ref<tensor<80x64xf32>>) -> tensor<64x64xf32> {
    ^bb0(%arg6: tensor<i32>, %arg7: tensor<64x64xf32>, %arg8: !kolam.ref<tensor<64x1000xf32>>, %arg9: !kolam.ref<tensor<80x64xf32>>):
      %6 = kolam.constant dense<80> : tensor<i32>
      %7 = kolam.elementwise "multiply" %arg6, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %8 = kolam.constant dense<0> : tensor<i64>
      %9 = kolam.cast %7 : tensor<i32> -> tensor<i64>
      %10 = kolam.ref_slice %arg8 at(%8, %9) steps [1, 1] : (!kolam.ref<tensor<64x1000xf32>>, tensor<i64>, tensor<i64>) -> !kolam.ref<tensor<64x80xf32>>
      %11 = kolam.ref_read %10 : (!kolam.ref<tensor<64x80xf32>>) -> tensor<64x80xf32>
      %12 = kolam.ref_read %arg9 : (!kolam.ref<tensor<80x64xf32>>) -> tensor<80x64xf32>
      %13 = kolam.contract "mk,kn->mn" %11, %12 <"chain<512>"> : (tensor<64x80xf32>, tensor<80x64xf32>) -> tensor<64x64xf32>
      %14 = kolam.elementwise "maximum" %arg7, %13 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      kolam.yield %14 : tensor<64x64xf32>
    }
    kolam.ref_write %arg5, %5 : !kolam.ref<tensor<64x64xf32>>, tensor<64x64xf32>
    kolam.yield
  } maps {
  ^bb0(%arg2: tensor<i32>):
    %1 = kolam.constant dense<0> : tensor<i32>
    kolam.yield %arg2, %1 : tensor<i32>, tensor<i32>
  }, {
  ^bb0(%arg2: tensor<i32>):
    %1 = kolam.constant dense<0> : tensor<i32>
    %2 = kolam.constant dense<0> : tensor<i32>
    kolam.yield %1, %2 : tensor<i32>, tensor<i32>
  }, {
  ^bb0(%arg2: tensor<i32>):
    %1 = kolam.constant dense<0> : tensor<i32>
    kolam.yield %arg2, %1 : tensor<i32>, tensor<i32>
  }
  return %0 : tensor<128x64xf32>
}
