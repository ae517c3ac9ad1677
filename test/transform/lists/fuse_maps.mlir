// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// A map over the states of a scan is part of its steps: twice each running sum and the number. One whose states
// something else reads stays by itself.

// CHECK: [ 3  8 15 24]
// CHECK: [ 1  3  6 10  1  3  6 10]

// ORDER: list_map{{.*}}: in the steps of the scan whose states it reads
// ORDER-NOT: list_map{{.*}}: in the steps

//--- arguments.mlir
func.func @main() -> tensor<4xi32> {
  %numbers = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %numbers : tensor<4xi32>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>) -> (tensor<?xi32, #kolam.extents<["_0"]>>, tensor<?xi32, #kolam.extents<["_1"]>>) {
    %zero = kolam.constant dense<0> : tensor<i32>
    %list = kolam.pack %numbers : (tensor<?xi32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<i32>>
    %sums:2 = kolam.list_scan carry(%zero) over(%list) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
    ^bb0(%state: tensor<i32>, %x: tensor<i32>):
      %next = kolam.elementwise "add" %state, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %next : tensor<i32>
    }
    %doubled = kolam.list_map over(%sums#1, %list) : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%sum: tensor<i32>, %x: tensor<i32>):
      %twice = kolam.elementwise "add" %sum, %sum : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %both = kolam.elementwise "add" %twice, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %both : tensor<i32>
    }
    %other:2 = kolam.list_scan carry(%zero) over(%list) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
    ^bb0(%state: tensor<i32>, %x: tensor<i32>):
      %next = kolam.elementwise "add" %state, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %next : tensor<i32>
    }
    %same = kolam.list_map over(%other#1) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%sum: tensor<i32>):
      kolam.yield %sum : tensor<i32>
    }
    %joined = kolam.join %same, %other#1 : (!kolam.list<tensor<i32>>, !kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
    %a = kolam.unpack %doubled symbols ["_0"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_0"]>>
    %b = kolam.unpack %joined symbols ["_1"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_1"]>>
    return %a, %b : tensor<?xi32, #kolam.extents<["_0"]>>, tensor<?xi32, #kolam.extents<["_1"]>>
  }
}
