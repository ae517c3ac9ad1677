// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.list_scan: the last states and the list of all, from either end; of no elements the initial states. By hand.

// CHECK: f =
// CHECK-NEXT: 58
// CHECK: forward =
// CHECK-NEXT: [ 2  5 12 27 58]
// CHECK: b =
// CHECK-NEXT: 130
// CHECK: backward =
// CHECK-NEXT: [130  65  32  15   6]
// CHECK: e =
// CHECK-NEXT: 1

//--- program.mlir
func.func @main() -> (tensor<i64>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<i64>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<i64>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %list = kolam.pack %values : (tensor<5xi64>) -> !kolam.list<tensor<i64>>
  %start = kolam.constant dense<1> : tensor<i64>
  %f:2 = kolam.list_scan carry(%start) over(%list) reverse false associative false : (tensor<i64>, !kolam.list<tensor<i64>>) -> (tensor<i64>, !kolam.list<tensor<i64>>) {
  ^bb0(%state: tensor<i64>, %x: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %state, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  %b:2 = kolam.list_scan carry(%start) over(%list) reverse true associative false : (tensor<i64>, !kolam.list<tensor<i64>>) -> (tensor<i64>, !kolam.list<tensor<i64>>) {
  ^bb0(%state: tensor<i64>, %x: tensor<i64>):
    %1 = kolam.constant dense<2> : tensor<i64>
    %2 = kolam.elementwise "multiply" %state, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = kolam.elementwise "add" %2, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %3 : tensor<i64>
  }
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %empty = kolam.pack %nothing : (tensor<0xi64>) -> !kolam.list<tensor<i64>>
  %e:2 = kolam.list_scan carry(%start) over(%empty) reverse false associative false : (tensor<i64>, !kolam.list<tensor<i64>>) -> (tensor<i64>, !kolam.list<tensor<i64>>) {
  ^bb0(%state: tensor<i64>, %x: tensor<i64>):
    kolam.yield %x : tensor<i64>
  }
  %forward = kolam.unpack %f#1 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  %backward = kolam.unpack %b#1 symbols ["t"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["t"]>>
  return %f#0, %forward, %b#0, %backward, %e#0 : tensor<i64>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<i64>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<i64>
}
