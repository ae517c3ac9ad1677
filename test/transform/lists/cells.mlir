// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// Nests of scans as waves of cells: paths through a grid, by hand (binomials).

// CHECK: leaves =
// CHECK-NEXT: [ 2  3  4  3  6 10  4 10 20  2  3  3  6]
// ORDER: waves i1 + i2 of the nest scan i1, scan i2

//--- arguments.mlir
func.func @main() -> (tensor<5xi32>, tensor<3xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %starts = kolam.constant dense<[0, 3, 5]> : tensor<3xi64>
  return %numbers, %starts : tensor<5xi32>, tensor<3xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>) attributes {kolam.order = "waves"} {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<!kolam.list<!kolam.list<tensor<i32>>>> {
    ^bb0(%arg2: !kolam.list<tensor<i32>>):
      %2 = kolam.list_length %arg2 : (!kolam.list<tensor<i32>>) -> tensor<i64>
      %3 = kolam.access %arg2 scalars(%2) lengths ["a0", "L"] index ["j1"] : (!kolam.list<tensor<i32>>, tensor<i64>) -> !kolam.list<!kolam.list<tensor<i32>>>
      %4 = kolam.list_length %arg2 : (!kolam.list<tensor<i32>>) -> tensor<i64>
      %5 = kolam.access %arg2 scalars(%4) lengths ["L", "a0"] index ["j0"] : (!kolam.list<tensor<i32>>, tensor<i64>) -> !kolam.list<!kolam.list<tensor<i32>>>
      %6 = kolam.list_map over(%arg2) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
      ^bb0(%arg3: tensor<i32>):
        %8 = kolam.constant dense<0> : tensor<i32>
        %9 = kolam.elementwise "multiply" %arg3, %8 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %10 = kolam.constant dense<1> : tensor<i32>
        %11 = kolam.elementwise "add" %9, %10 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %11 : tensor<i32>
      }
      %7:2 = kolam.list_scan carry(%6) over(%3) reverse false associative false : (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>) -> (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>) {
      ^bb0(%arg3: !kolam.list<tensor<i32>>, %arg4: !kolam.list<tensor<i32>>):
        %8 = kolam.constant dense<1> : tensor<i32>
        %9:2 = kolam.list_scan carry(%8) over(%arg3, %arg4) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
        ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
          %10 = kolam.elementwise "add" %arg5, %arg6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
          kolam.yield %10 : tensor<i32>
        }
        kolam.yield %9#1 : !kolam.list<tensor<i32>>
      }
      kolam.yield %7#1 : !kolam.list<!kolam.list<tensor<i32>>>
    }
    %leaves, %offsets:2 = kolam.unpack %1 symbols ["_0", "_1", "_2"] : (!kolam.list<!kolam.list<!kolam.list<tensor<i32>>>>) -> (tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>)
    return %leaves, %offsets#0, %offsets#1 : tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>
  }
}
