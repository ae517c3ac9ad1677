// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.flatten: the two outer levels as one. By hand.

// CHECK: flat =
// CHECK-NEXT: [7 8 9]
// CHECK: flat_starts =
// CHECK-NEXT: [0 1 3]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>) {
  %values = kolam.constant dense<[7, 8, 9]> : tensor<3xi64>
  %outer = kolam.constant dense<[0, 2, 2]> : tensor<3xi64>
  %inner = kolam.constant dense<[0, 1, 3]> : tensor<3xi64>
  %lists = kolam.pack %values offsets(%outer, %inner) : (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<!kolam.list<tensor<i64>>>>
  %0 = kolam.flatten %lists : (!kolam.list<!kolam.list<!kolam.list<tensor<i64>>>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %flat, %flat_starts = kolam.unpack %0 symbols ["s", "t"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>)
  return %flat, %flat_starts : tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>
}
