// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// RUN: kolam run %t/program.mlir --stop-after tensors | FileCheck %s --check-prefix=TENSORS
// The function gives lists of other lengths than it takes: rows, one behind the other, without the first of each before.

// CHECK: leaves =
// CHECK-NEXT: [3 4 5]
// ORDER: its state is allocated at each step, as its lengths may change
// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join}}
// TENSORS: kolam.for
// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join}}

//--- arguments.mlir
func.func @main() -> (tensor<5xi32>, tensor<4xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  return %numbers, %starts : tensor<5xi32>, tensor<4xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> tensor<?xi32, #kolam.extents<["_0"]>> {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1 = kolam.list_reduce from() over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%arg2: !kolam.list<tensor<i32>>, %arg3: !kolam.list<tensor<i32>>):
      %2 = kolam.access %arg2 lengths ["max(0, L - 1)"] index ["j0 + 1"] : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
      %3 = kolam.join %2, %arg3 : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
      kolam.yield %3 : !kolam.list<tensor<i32>>
    }
    %leaves = kolam.unpack %1 symbols ["_0"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_0"]>>
    return %leaves : tensor<?xi32, #kolam.extents<["_0"]>>
  }
}
