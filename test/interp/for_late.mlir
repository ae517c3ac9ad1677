// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --stop-after nests | FileCheck %s --check-prefix=NESTS
// kolam.for with states that change their leading extents: by what a turn gives, or by what comes behind. By hand.

// CHECK: all =
// CHECK-NEXT: [7 0 0 1 0 1 2]
// CHECK: empty =
// CHECK-NEXT: []
// NESTS: a = a + t, memory for [[ALL:b[0-9]+]], {{b[0-9]+}} behind what is in [[ALL]]

// Both new states are made of the old ones, whose memory may move where one grows.
// CHECK: long =
// CHECK-NEXT: [0 1 2 3 4]
// CHECK: short =
// CHECK-NEXT: [0 1]
// CHECK: twice =
// CHECK-NEXT: [5 6 5 6 5 6 5 6 5 6 5 6 5 6 5 6]
// CHECK: one_more =
// CHECK-NEXT: [6 7 6 7 6 7 6 7]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["a"]>>, tensor<?xi64, #kolam.extents<["e"]>>, tensor<?xi64, #kolam.extents<["l"]>>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["n"]>>) {
  %zero = kolam.constant dense<0> : tensor<i64>
  %three = kolam.constant dense<3> : tensor<i64>
  %four = kolam.constant dense<4> : tensor<i64>
  %seven = kolam.constant dense<[7]> : tensor<1xi64>
  %all = kolam.for from %zero to %four carry(%seven) {appended = array<i64: 0>, late = ["a"]} : (tensor<i64>, tensor<i64>, tensor<1xi64>) -> tensor<?xi64, #kolam.extents<["a"]>> {
  ^bb0(%i: tensor<i64>, %state: tensor<?xi64, #kolam.extents<["a"]>>):
    kolam.bind_extent "t", %i : tensor<i64>
    %behind = kolam.iota 0 : tensor<?xi64, #kolam.extents<["t"]>>
    kolam.yield %behind : tensor<?xi64, #kolam.extents<["t"]>>
  }
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %empty = kolam.for from %zero to %three carry(%nothing) {appended = array<i64: 0>, late = ["e"]} : (tensor<i64>, tensor<i64>, tensor<0xi64>) -> tensor<?xi64, #kolam.extents<["e"]>> {
  ^bb0(%i: tensor<i64>, %state: tensor<?xi64, #kolam.extents<["e"]>>):
    %none = kolam.constant dense<0> : tensor<i64>
    kolam.bind_extent "u", %none : tensor<i64>
    %behind = kolam.iota 0 : tensor<?xi64, #kolam.extents<["u"]>>
    kolam.yield %behind : tensor<?xi64, #kolam.extents<["u"]>>
  }
  %two = kolam.iota 0 : tensor<2xi64>
  %five = kolam.iota 0 : tensor<5xi64>
  %long, %short = kolam.for from %zero to %three carry(%two, %five) {late = ["l", "s"]} : (tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<5xi64>) -> (tensor<?xi64, #kolam.extents<["l"]>>, tensor<?xi64, #kolam.extents<["s"]>>) {
  ^bb0(%i: tensor<i64>, %x: tensor<?xi64, #kolam.extents<["l"]>>, %y: tensor<?xi64, #kolam.extents<["s"]>>):
    %x_length = kolam.extent "l" : tensor<i64>
    %y_length = kolam.extent "s" : tensor<i64>
    kolam.bind_extent "x", %x_length : tensor<i64>
    kolam.bind_extent "y", %y_length : tensor<i64>
    %x_own = kolam.reshape %x : tensor<?xi64, #kolam.extents<["l"]>> -> tensor<?xi64, #kolam.extents<["x"]>>
    %y_own = kolam.reshape %y : tensor<?xi64, #kolam.extents<["s"]>> -> tensor<?xi64, #kolam.extents<["y"]>>
    kolam.yield %y_own, %x_own : tensor<?xi64, #kolam.extents<["y"]>>, tensor<?xi64, #kolam.extents<["x"]>>
  }
  %pair = kolam.constant dense<[5, 6]> : tensor<2xi64>
  %twice, %one_more = kolam.for from %zero to %three carry(%pair, %seven) {late = ["m", "n"]} : (tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<1xi64>) -> (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["n"]>>) {
  ^bb0(%i: tensor<i64>, %x: tensor<?xi64, #kolam.extents<["m"]>>, %y: tensor<?xi64, #kolam.extents<["n"]>>):
    %x_twice = kolam.extent "2*m" : tensor<i64>
    %x_length = kolam.extent "m" : tensor<i64>
    kolam.bind_extent "v", %x_twice : tensor<i64>
    kolam.bind_extent "w", %x_length : tensor<i64>
    %both = kolam.concat %x, %x dim 0 : (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["m"]>>) -> tensor<?xi64, #kolam.extents<["2*m"]>>
    %x_own = kolam.reshape %both : tensor<?xi64, #kolam.extents<["2*m"]>> -> tensor<?xi64, #kolam.extents<["v"]>>
    %one = kolam.constant dense<1> : tensor<i64>
    %ones = kolam.broadcast %one [] : tensor<i64> -> tensor<?xi64, #kolam.extents<["m"]>>
    %more = kolam.elementwise "add" %x, %ones : (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["m"]>>) -> tensor<?xi64, #kolam.extents<["m"]>>
    %y_own = kolam.reshape %more : tensor<?xi64, #kolam.extents<["m"]>> -> tensor<?xi64, #kolam.extents<["w"]>>
    kolam.yield %x_own, %y_own : tensor<?xi64, #kolam.extents<["v"]>>, tensor<?xi64, #kolam.extents<["w"]>>
  }
  return %all, %empty, %long, %short, %twice, %one_more : tensor<?xi64, #kolam.extents<["a"]>>, tensor<?xi64, #kolam.extents<["e"]>>, tensor<?xi64, #kolam.extents<["l"]>>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["n"]>>
}
