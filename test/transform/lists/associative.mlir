// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// A chunk is combined alone, then with what came before: 1 * 2 + ((1 * 2 + 2) * 2 + 3) = 13.

// CHECK: leaves =
// CHECK-NEXT: [ 3  6 13  6 15]
// ORDER: one pass over the elements of all lists

//--- arguments.mlir
func.func @main() -> (tensor<5xi32>, tensor<3xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %starts = kolam.constant dense<[0, 3, 5]> : tensor<3xi64>
  return %numbers, %starts : tensor<5xi32>, tensor<3xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<!kolam.list<tensor<i32>>> {
    ^bb0(%arg2: !kolam.list<tensor<i32>>):
      %2 = kolam.constant dense<1> : tensor<i32>
      %3:2 = kolam.list_scan carry(%2) over(%arg2) reverse false associative true : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
      ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
        %4 = kolam.constant dense<2> : tensor<i32>
        %5 = kolam.elementwise "multiply" %arg3, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %6 = kolam.elementwise "add" %5, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %6 : tensor<i32>
      }
      kolam.yield %3#1 : !kolam.list<tensor<i32>>
    }
    %leaves, %offsets = kolam.unpack %1 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
