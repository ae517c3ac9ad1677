// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/unequal.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not kolam run %t/unequal.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// kolam.list_map: a body for each element of lists of one length. By hand.

// CHECK: sums =
// CHECK-NEXT: [130 200 320]
// CHECK: same =
// CHECK-NEXT: [0 1 2 3 4]
// CHECK: same_starts =
// CHECK-NEXT: [0 3 3 5]
// UNEQUAL: [list-lengths]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %by = kolam.constant dense<10> : tensor<i64>
  %tens = kolam.constant dense<[100, 200, 300]> : tensor<3xi64>
  %others = kolam.pack %tens : (tensor<3xi64>) -> !kolam.list<tensor<i64>>
  %0:2 = kolam.list_map over(%rows, %others) captures(%by) : (!kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<tensor<i64>>, tensor<i64>) -> (!kolam.list<tensor<i64>>, !kolam.list<!kolam.list<tensor<i64>>>) {
  ^bb0(%row: !kolam.list<tensor<i64>>, %other: tensor<i64>, %factor: tensor<i64>):
    %1 = kolam.list_length %row : (!kolam.list<tensor<i64>>) -> tensor<i64>
    %2 = kolam.elementwise "multiply" %1, %factor : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %other : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3, %row : tensor<i64>, !kolam.list<tensor<i64>>
  }
  %sums = kolam.unpack %0#0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  %same, %same_starts = kolam.unpack %0#1 symbols ["t", "u"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>)
  return %sums, %same, %same_starts : tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>
}

//--- unequal.mlir
func.func @main() -> tensor<?xi64, #kolam.extents<["s"]>> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %more = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %others = kolam.pack %more : (tensor<5xi64>) -> !kolam.list<tensor<i64>>
  %0 = kolam.list_map over(%rows, %others) : (!kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<tensor<i64>>) -> !kolam.list<tensor<i64>> {
  ^bb0(%row: !kolam.list<tensor<i64>>, %other: tensor<i64>):
    kolam.yield %other : tensor<i64>
  }
  %r = kolam.unpack %0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  return %r : tensor<?xi64, #kolam.extents<["s"]>>
}
