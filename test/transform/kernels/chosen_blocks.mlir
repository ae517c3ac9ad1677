// RUN: kolam run %s --stop-after tensors | FileCheck %s
// RUN: kolam run %s | FileCheck %s --check-prefix=RESULT
// A block whose number data choose, and minimum and maximum hold within the array, is read where it lies.

// CHECK-NOT: kolam.elementwise "where"
// CHECK: kolam.gather {{.*}} lengths [2]
// CHECK-NOT: kolam.elementwise "where"

// RESULT: [4 5 0 1]
func.func @main() -> tensor<4xi32> {
  %numbers = kolam.constant dense<[7, -3]> : tensor<2xi32>
  %x = kolam.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
  %y = kolam.kernel_call "chosen" grid <["2"]>(%numbers, %x) prefetch 1 blocks [{high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["2"]>}, {high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["2"]>}] scratch [] aliases [-1] semantics [] : (tensor<2xi32>, tensor<6xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i32>, %chosen: !kolam.ref<tensor<2xi32>>, %block: !kolam.ref<tensor<2xi32>>, %out: !kolam.ref<tensor<2xi32>>):
    %elements = kolam.ref_read %block : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
    kolam.ref_write %out, %elements : !kolam.ref<tensor<2xi32>>, tensor<2xi32>
    kolam.yield
  } maps {
  ^bb0(%i: tensor<i32>, %chosen: !kolam.ref<tensor<2xi32>>):
    %place = kolam.cast %i : tensor<i32> -> tensor<i64>
    %one = kolam.ref_slice %chosen at(%place) steps [1] : (!kolam.ref<tensor<2xi32>>, tensor<i64>) -> !kolam.ref<tensor<1xi32>>
    %scalar = kolam.ref_reshape %one : (!kolam.ref<tensor<1xi32>>) -> !kolam.ref<tensor<i32>>
    %number = kolam.ref_read %scalar : (!kolam.ref<tensor<i32>>) -> tensor<i32>
    %least = kolam.constant dense<0> : tensor<i32>
    %most = kolam.constant dense<2> : tensor<i32>
    %above = kolam.elementwise "maximum" %number, %least : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %within = kolam.elementwise "minimum" %above, %most : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %within : tensor<i32>
  }, {
  ^bb0(%i: tensor<i32>, %chosen: !kolam.ref<tensor<2xi32>>):
    kolam.yield %i : tensor<i32>
  }
  return %y : tensor<4xi32>
}
