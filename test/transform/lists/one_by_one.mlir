// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// A body whose tensors have other extents for each element runs for one after the other.

// CHECK: leaves =
// CHECK-NEXT: [6 9]
// CHECK: leaves_0 =
// CHECK-NEXT: [3 2 1 5 4]
// ORDER: one instance at a time in each thread: a tensor has other extents for each element

//--- arguments.mlir
func.func @main() -> (tensor<5xi32>, tensor<3xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %starts = kolam.constant dense<[0, 3, 5]> : tensor<3xi64>
  return %numbers, %starts : tensor<5xi32>, tensor<3xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi32, #kolam.extents<["_4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>) {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%arg2: !kolam.list<tensor<i32>>):
      %leaves_1 = kolam.unpack %arg2 symbols ["_0"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_0"]>>
      %3 = kolam.reduce "add" %leaves_1 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xi32, #kolam.extents<["_0"]>>) -> tensor<i32>
      kolam.yield %3 : tensor<i32>
    }
    %2 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<!kolam.list<tensor<i32>>> {
    ^bb0(%arg2: !kolam.list<tensor<i32>>):
      %leaves_1 = kolam.unpack %arg2 symbols ["_1"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_1"]>>
      %3 = kolam.reverse %leaves_1 [0] : tensor<?xi32, #kolam.extents<["_1"]>> -> tensor<?xi32, #kolam.extents<["_1"]>>
      %4 = kolam.pack %3 : (tensor<?xi32, #kolam.extents<["_1"]>>) -> !kolam.list<tensor<i32>>
      kolam.yield %4 : !kolam.list<tensor<i32>>
    }
    %leaves = kolam.unpack %1 symbols ["_2"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_2"]>>
    %leaves_0, %offsets = kolam.unpack %2 symbols ["_3", "_4"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>)
    return %leaves, %leaves_0, %offsets : tensor<?xi32, #kolam.extents<["_2"]>>, tensor<?xi32, #kolam.extents<["_4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>
  }
}
