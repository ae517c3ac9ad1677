// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/xs.npy --output 1=%t/ys.npy --output 2=%t/zs.npy
// RUN: kolam run %t/program.mlir --input arg0=%t/xs.npy --input arg1=%t/ys.npy --input arg2=%t/zs.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input arg0=%t/xs.npy --input arg1=%t/ys.npy --input arg2=%t/zs.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// Three scans, whose cells an inspector sorts: each cell is the sum of its three neighbours, which are 1 outside.

// CHECK: leaves =
// CHECK-NEXT: [  3   5   5  11   7  19   9  29   5  11  11  33  19  71  29 129   7  19
// CHECK-NEXT:   19  71  39 181  69 379]
// ORDER: waves i0 + i1 + i2 of the nest scan i0, scan i1, scan i2, sorted by an inspector

//--- arguments.mlir
func.func @main() -> (tensor<3xi32>, tensor<4xi32>, tensor<2xi32>) {
  %xs = kolam.constant dense<[0, 1, 2]> : tensor<3xi32>
  %ys = kolam.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zs = kolam.constant dense<[0, 1]> : tensor<2xi32>
  return %xs, %ys, %zs : tensor<3xi32>, tensor<4xi32>, tensor<2xi32>
}

//--- program.mlir
module {
  func.func @main(%arg0: tensor<?xi32, #kolam.extents<["n0"]>>, %arg1: tensor<?xi32, #kolam.extents<["n1"]>>, %arg2: tensor<?xi32, #kolam.extents<["n2"]>>) -> (tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>) attributes {kolam.order = "waves"} {
    %0 = kolam.pack %arg0 : (tensor<?xi32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<i32>>
    %1 = kolam.pack %arg1 : (tensor<?xi32, #kolam.extents<["n1"]>>) -> !kolam.list<tensor<i32>>
    %2 = kolam.pack %arg2 : (tensor<?xi32, #kolam.extents<["n2"]>>) -> !kolam.list<tensor<i32>>
    %3 = kolam.list_map over(%1) captures(%2) : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> !kolam.list<!kolam.list<tensor<i32>>> {
    ^bb0(%arg3: tensor<i32>, %arg4: !kolam.list<tensor<i32>>):
      %6 = kolam.list_map over(%arg4) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
      ^bb0(%arg5: tensor<i32>):
        %7 = kolam.constant dense<0> : tensor<i32>
        %8 = kolam.elementwise "multiply" %arg5, %7 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %9 = kolam.constant dense<1> : tensor<i32>
        %10 = kolam.elementwise "add" %8, %9 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %10 : tensor<i32>
      }
      kolam.yield %6 : !kolam.list<tensor<i32>>
    }
    %4 = kolam.list_map over(%2) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%arg3: tensor<i32>):
      %6 = kolam.constant dense<0> : tensor<i32>
      %7 = kolam.elementwise "multiply" %arg3, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %8 = kolam.constant dense<1> : tensor<i32>
      %9 = kolam.elementwise "add" %7, %8 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %9 : tensor<i32>
    }
    %5:2 = kolam.list_scan carry(%3) over(%0) captures(%4, %1, %2) reverse false associative false : (!kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (!kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<!kolam.list<!kolam.list<tensor<i32>>>>) {
    ^bb0(%arg3: !kolam.list<!kolam.list<tensor<i32>>>, %arg4: tensor<i32>, %arg5: !kolam.list<tensor<i32>>, %arg6: !kolam.list<tensor<i32>>, %arg7: !kolam.list<tensor<i32>>):
      %6:2 = kolam.list_scan carry(%arg5) over(%arg3, %arg6) captures(%arg7) reverse false associative false : (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>) {
      ^bb0(%arg8: !kolam.list<tensor<i32>>, %arg9: !kolam.list<tensor<i32>>, %arg10: tensor<i32>, %arg11: !kolam.list<tensor<i32>>):
        %7 = kolam.constant dense<1> : tensor<i32>
        %8:2 = kolam.list_scan carry(%7) over(%arg9, %arg8, %arg11) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
        ^bb0(%arg12: tensor<i32>, %arg13: tensor<i32>, %arg14: tensor<i32>, %arg15: tensor<i32>):
          %9 = kolam.elementwise "add" %arg12, %arg13 : (tensor<i32>, tensor<i32>) -> tensor<i32>
          %10 = kolam.elementwise "add" %9, %arg14 : (tensor<i32>, tensor<i32>) -> tensor<i32>
          kolam.yield %10 : tensor<i32>
        }
        kolam.yield %8#1 : !kolam.list<tensor<i32>>
      }
      kolam.yield %6#1 : !kolam.list<!kolam.list<tensor<i32>>>
    }
    %leaves, %offsets:2 = kolam.unpack %5#1 symbols ["_0", "_1", "_2"] : (!kolam.list<!kolam.list<!kolam.list<tensor<i32>>>>) -> (tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>)
    return %leaves, %offsets#0, %offsets#1 : tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>
  }
}
