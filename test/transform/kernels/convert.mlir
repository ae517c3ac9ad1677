// RUN: kolam run %s --stop-after tensors | FileCheck %s
// A kernel that changes an input's memory, from its last row on, becomes loops: scratch that the first inner point of each outer one writes lies inside the outer loop, whose points
// are independent; a block that surely lies inside is a slice, one that may not is gathered and filled.

// CHECK: kolam.for {{.*}} {independent}
// CHECK-NOT: kolam.ref
// CHECK: kolam.for
// CHECK: kolam.cond
// CHECK-NOT: kolam.ref
// CHECK: kolam.gather
// CHECK: kolam.elementwise "where"
// CHECK: kolam.dynamic_update_slice

func.func @main() -> tensor<2x2xi32> {
    %arg0 = kolam.constant dense<[1, 10]> : tensor<2xi32>
    %arg1 = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %zero = kolam.constant dense<0> : tensor<2x2xi32>
    %0 = kolam.kernel_call "sums" grid <["2", "3"]>(%arg0, %arg1, %zero) prefetch 1 blocks [{high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<7> : tensor<i32>, sizes = #kolam.extents<["2"]>}, {high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["1", "2"]>}, {high = array<i64: 0, 0>, kinds = ["blocked", "blocked"], low = array<i64: 0, 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["1", "2"]>}] scratch [tensor<2xi32>] aliases [2] semantics [] : (tensor<2xi32>, tensor<5xi32>, tensor<2x2xi32>) -> tensor<2x2xi32> {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: !kolam.ref<tensor<2xi32>>, %arg5: !kolam.ref<tensor<2xi32>>, %before: !kolam.ref<tensor<1x2xi32>>, %arg6: !kolam.ref<tensor<1x2xi32>>, %arg7: !kolam.ref<tensor<2xi32>>):
      %1 = kolam.constant dense<0> : tensor<i32>
      %2 = kolam.elementwise "equal" %arg3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      kolam.cond %2 captures(%arg7) : (tensor<i1>, !kolam.ref<tensor<2xi32>>) -> () {
      ^bb0(%arg8: !kolam.ref<tensor<2xi32>>):
        kolam.yield
      }, {
      ^bb0(%arg8: !kolam.ref<tensor<2xi32>>):
        %28 = kolam.constant dense<0> : tensor<i32>
        %29 = kolam.broadcast %28 [] : tensor<i32> -> tensor<2xi32>
        kolam.ref_write %arg8, %29 : !kolam.ref<tensor<2xi32>>, tensor<2xi32>
        kolam.yield
      }
      %3 = kolam.ref_read %arg7 : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
      %4 = kolam.ref_read %arg5 : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
      %5 = kolam.elementwise "add" %3, %4 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      kolam.ref_write %arg7, %5 : !kolam.ref<tensor<2xi32>>, tensor<2xi32>
      %6 = kolam.constant dense<0> : tensor<i64>
      %7 = kolam.constant dense<0> : tensor<i64>
      %8 = kolam.ref_slice %arg6 at(%6, %7) steps [1, 1] : (!kolam.ref<tensor<1x2xi32>>, tensor<i64>, tensor<i64>) -> !kolam.ref<tensor<1x2xi32>>
      %9 = kolam.ref_reshape %8 : (!kolam.ref<tensor<1x2xi32>>) -> !kolam.ref<tensor<2xi32>>
      %10 = kolam.constant dense<1> : tensor<i64>
      %11 = kolam.ref_slice %arg7 at(%10) steps [-1] : (!kolam.ref<tensor<2xi32>>, tensor<i64>) -> !kolam.ref<tensor<2xi32>>
      %12 = kolam.ref_read %11 : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
      %13 = kolam.cast %arg2 : tensor<i32> -> tensor<i64>
      %14 = kolam.constant dense<0> : tensor<i64>
      %15 = kolam.elementwise "less" %13, %14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %16 = kolam.constant dense<2> : tensor<i64>
      %17 = kolam.elementwise "add" %13, %16 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %18 = kolam.elementwise "where" %15, %17, %13 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %19 = kolam.ref_slice %arg4 at(%18) steps [1] : (!kolam.ref<tensor<2xi32>>, tensor<i64>) -> !kolam.ref<tensor<1xi32>>
      %20 = kolam.ref_reshape %19 : (!kolam.ref<tensor<1xi32>>) -> !kolam.ref<tensor<i32>>
      %21 = kolam.ref_read %20 : (!kolam.ref<tensor<i32>>) -> tensor<i32>
      %22 = kolam.broadcast %21 [] : tensor<i32> -> tensor<2xi32>
      %23 = kolam.elementwise "multiply" %12, %22 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      %24 = kolam.iota 0 : tensor<2xi32>
      %25 = kolam.constant dense<2> : tensor<i32>
      %26 = kolam.broadcast %25 [] : tensor<i32> -> tensor<2xi32>
      %27 = kolam.elementwise "less" %24, %26 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      kolam.ref_write %9, %23 mask %27 : !kolam.ref<tensor<2xi32>>, tensor<2xi32>, tensor<2xi1>
      kolam.yield
    } maps {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: !kolam.ref<tensor<2xi32>>):
      kolam.yield %arg3 : tensor<i32>
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: !kolam.ref<tensor<2xi32>>):
      %1 = kolam.constant dense<0> : tensor<i32>
      %one = kolam.constant dense<1> : tensor<i32>
      %row = kolam.elementwise "subtract" %one, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %row, %1 : tensor<i32>, tensor<i32>
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: !kolam.ref<tensor<2xi32>>):
      %1 = kolam.constant dense<0> : tensor<i32>
      %one = kolam.constant dense<1> : tensor<i32>
      %row = kolam.elementwise "subtract" %one, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %row, %1 : tensor<i32>, tensor<i32>
    }
    return %0 : tensor<2x2xi32>
}
