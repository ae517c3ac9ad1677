// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/xs.npy --output 1=%t/ys.npy
// RUN: kolam run %t/program.mlir --input arg0=%t/xs.npy --input arg1=%t/ys.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input arg0=%t/xs.npy --input arg1=%t/ys.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// A grid of equal rows in waves of closed form: paths through it, by hand (binomials).

// CHECK: leaves =
// CHECK-NEXT: [ 2  3  4  5  3  6 10 15  4 10 20 35]
// ORDER: waves i0 + i1 of the nest scan i0, scan i1, in closed form

//--- arguments.mlir
func.func @main() -> (tensor<3xi32>, tensor<4xi32>) {
  %xs = kolam.constant dense<[0, 1, 2]> : tensor<3xi32>
  %ys = kolam.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  return %xs, %ys : tensor<3xi32>, tensor<4xi32>
}

//--- program.mlir
module {
  func.func @main(%arg0: tensor<?xi32, #kolam.extents<["n0"]>>, %arg1: tensor<?xi32, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) attributes {kolam.order = "waves"} {
    %0 = kolam.pack %arg0 : (tensor<?xi32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<i32>>
    %1 = kolam.pack %arg1 : (tensor<?xi32, #kolam.extents<["n1"]>>) -> !kolam.list<tensor<i32>>
    %2 = kolam.list_map over(%1) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%arg2: tensor<i32>):
      %4 = kolam.constant dense<0> : tensor<i32>
      %5 = kolam.elementwise "multiply" %arg2, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %6 = kolam.constant dense<1> : tensor<i32>
      %7 = kolam.elementwise "add" %5, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %7 : tensor<i32>
    }
    %3:2 = kolam.list_scan carry(%2) over(%0) captures(%1) reverse false associative false : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>) {
    ^bb0(%arg2: !kolam.list<tensor<i32>>, %arg3: tensor<i32>, %arg4: !kolam.list<tensor<i32>>):
      %4 = kolam.constant dense<1> : tensor<i32>
      %5:2 = kolam.list_scan carry(%4) over(%arg2, %arg4) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
      ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
        %6 = kolam.elementwise "add" %arg5, %arg6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %6 : tensor<i32>
      }
      kolam.yield %5#1 : !kolam.list<tensor<i32>>
    }
    %leaves, %offsets = kolam.unpack %3#1 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
