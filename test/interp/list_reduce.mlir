// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/empty.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not kolam run %t/empty.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=EMPTY
// kolam.list_reduce: elements merged in order, the initial state first: 10 * 2 + 26. By hand.

// CHECK: all =
// CHECK-NEXT: 26
// CHECK: after =
// CHECK-NEXT: 46
// CHECK: none =
// CHECK-NEXT: 10
// EMPTY: [list-empty]

//--- program.mlir
func.func @main() -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %list = kolam.pack %values : (tensor<5xi64>) -> !kolam.list<tensor<i64>>
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %empty = kolam.pack %nothing : (tensor<0xi64>) -> !kolam.list<tensor<i64>>
  %start = kolam.constant dense<10> : tensor<i64>
  %all = kolam.list_reduce from() over(%list) : (!kolam.list<tensor<i64>>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %a, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  %after = kolam.list_reduce from(%start) over(%list) : (tensor<i64>, !kolam.list<tensor<i64>>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %a, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  %none = kolam.list_reduce from(%start) over(%empty) : (tensor<i64>, !kolam.list<tensor<i64>>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %a, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  return %all, %after, %none : tensor<i64>, tensor<i64>, tensor<i64>
}

//--- empty.mlir
func.func @main() -> tensor<i64> {
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %empty = kolam.pack %nothing : (tensor<0xi64>) -> !kolam.list<tensor<i64>>
  %none = kolam.list_reduce from() over(%empty) : (!kolam.list<tensor<i64>>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %a, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  return %none : tensor<i64>
}
