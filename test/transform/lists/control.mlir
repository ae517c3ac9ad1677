// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// RUN: kolam run %t/program.mlir --stop-after tensors | FileCheck %s --check-prefix=TENSORS
// A loop drops two elements of each row while it has more than one, and a branch puts two in place of none; then a loop of
// the whole list drops rows. By hand.

// CHECK: leaves =
// CHECK-NEXT: [5 7 7 1]
// CHECK: offsets =
// CHECK-NEXT: [0 1 3 4]
// CHECK: last =
// CHECK-NEXT: [1]

// All rows turn together: nothing goes one instance after the other.
// ORDER-NOT: one instance
// ORDER-DAG: while{{.*}}: its lists are allocated at each turn, as their lengths may change
// ORDER-DAG: while{{.*}}: instances turn together, those that stop keep their states
// ORDER-NOT: one instance

// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join|kolam.cond}}
// TENSORS: kolam.while
// TENSORS-SAME: late
// TENSORS-NOT: {{kolam.list|kolam.pack|kolam.join|kolam.cond}}

//--- arguments.mlir
func.func @main() -> (tensor<6xi32>, tensor<4xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5, 1]> : tensor<6xi32>
  %starts = kolam.constant dense<[0, 5, 5, 6]> : tensor<4xi64>
  return %numbers, %starts : tensor<6xi32>, tensor<4xi64>
}

//--- program.mlir
func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi32, #kolam.extents<["_2"]>>) {
  %two = kolam.constant dense<7> : tensor<2xi32>
  %rows = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
  %short = kolam.list_map over(%rows) captures(%two) : (!kolam.list<!kolam.list<tensor<i32>>>, tensor<2xi32>) -> !kolam.list<!kolam.list<tensor<i32>>> {
  ^bb0(%row: !kolam.list<tensor<i32>>, %sevens: tensor<2xi32>):
    %few = kolam.while carry(%row) : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>> {
    ^bb0(%s: !kolam.list<tensor<i32>>):
      %length = kolam.list_length %s : (!kolam.list<tensor<i32>>) -> tensor<i64>
      %one = kolam.constant dense<1> : tensor<i64>
      %goes_on = kolam.elementwise "greater" %length, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      kolam.yield %goes_on : tensor<i1>
    } do {
    ^bb0(%s: !kolam.list<tensor<i32>>):
      %rest = kolam.access %s lengths ["max(0, L - 2)"] index ["j0 + 2"] : (!kolam.list<tensor<i32>>) -> !kolam.list<tensor<i32>>
      kolam.yield %rest : !kolam.list<tensor<i32>>
    }
    %count = kolam.list_length %few : (!kolam.list<tensor<i32>>) -> tensor<i64>
    %result = kolam.cond %count captures(%few, %sevens) : (tensor<i64>, !kolam.list<tensor<i32>>, tensor<2xi32>) -> !kolam.list<tensor<i32>> {
    ^bb0(%s: !kolam.list<tensor<i32>>, %t: tensor<2xi32>):
      %filled = kolam.pack %t : (tensor<2xi32>) -> !kolam.list<tensor<i32>>
      kolam.yield %filled : !kolam.list<tensor<i32>>
    }, {
    ^bb0(%s: !kolam.list<tensor<i32>>, %t: tensor<2xi32>):
      kolam.yield %s : !kolam.list<tensor<i32>>
    }
    kolam.yield %result : !kolam.list<tensor<i32>>
  }
  %leaves, %offsets = kolam.unpack %short symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
  %last_row = kolam.while carry(%short) : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<!kolam.list<tensor<i32>>> {
  ^bb0(%s: !kolam.list<!kolam.list<tensor<i32>>>):
    %length = kolam.list_length %s : (!kolam.list<!kolam.list<tensor<i32>>>) -> tensor<i64>
    %one = kolam.constant dense<1> : tensor<i64>
    %goes_on = kolam.elementwise "greater" %length, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    kolam.yield %goes_on : tensor<i1>
  } do {
  ^bb0(%s: !kolam.list<!kolam.list<tensor<i32>>>):
    %rest = kolam.access %s lengths ["max(0, L - 1)"] index ["j0 + 1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    kolam.yield %rest : !kolam.list<!kolam.list<tensor<i32>>>
  }
  %flat = kolam.flatten %last_row : (!kolam.list<!kolam.list<tensor<i32>>>) -> !kolam.list<tensor<i32>>
  %last = kolam.unpack %flat symbols ["_2"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_2"]>>
  return %leaves, %offsets, %last : tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi32, #kolam.extents<["_2"]>>
}
