// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// RUN: kolam run %t/program.mlir --stop-after tensors | FileCheck %s --check-prefix=TENSORS
// States whose lengths change: each step doubles the list.

// CHECK: leaves =
// CHECK-NEXT: [1 2 1 2 3 4 1 2 3 4 4 5 6 7]
// CHECK: offsets =
// CHECK-NEXT: [ 0  2  6 14]
// ORDER: its state is allocated at each step, as its lengths may change; what it leaves goes behind that of the steps before
// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join}}
// TENSORS: appended = array<i64
// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join}}

//--- arguments.mlir
func.func @main() -> (tensor<3xi32>, tensor<3xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %starts = kolam.constant dense<[0, 3, 5]> : tensor<3xi64>
  return %numbers, %starts : tensor<3xi32>, tensor<3xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %numbers : (tensor<?xi32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<i32>>
    %1 = kolam.access %0 lengths ["min(1, L)"] index ["j0"] : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
    %2:2 = kolam.list_scan carry(%1) over(%0) reverse false associative false : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> (!kolam.list<tensor<i32>>, !kolam.list<!kolam.list<tensor<i32>>>) {
    ^bb0(%arg1: !kolam.list<tensor<i32>>, %arg2: tensor<i32>):
      %3 = kolam.list_map over(%arg1) captures(%arg2) : (!kolam.list<tensor<i32>>, tensor<i32>) -> !kolam.list<tensor<i32>> {
      ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
        %5 = kolam.elementwise "add" %arg3, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %5 : tensor<i32>
      }
      %4 = kolam.join %arg1, %3 : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
      kolam.yield %4 : !kolam.list<tensor<i32>>
    }
    %leaves, %offsets = kolam.unpack %2#1 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
