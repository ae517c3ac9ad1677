// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.while and kolam.cond with leading extents that they bind. By hand.

// CHECK: twice =
// CHECK-NEXT: [5 6 5 6 5 6 5 6]
// CHECK: short =
// CHECK-NEXT: [7]
// CHECK: long =
// CHECK-NEXT: [1 2 3]
// CHECK: in_turns =
// CHECK-NEXT: [0 1 2 3]
// CHECK: halved =
// CHECK-NEXT: 1
// CHECK: rows =
// CHECK-NEXT: {{\[\[40 41\]}}
// CHECK-NEXT: {{ \[20 21\]}}
// CHECK-NEXT: {{ \[10 11\]}}
// CHECK-NEXT: {{ \[ 5  6\]}}
// CHECK-NEXT: {{ \[ 2  3\]\]}}

func.func @main() -> (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["l"]>>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<i64>, tensor<?x2xi64, #kolam.extents<["r", "2"]>>) {
  %false = kolam.constant dense<false> : tensor<i1>
  %true = kolam.constant dense<true> : tensor<i1>
  %pair = kolam.constant dense<[5, 6]> : tensor<2xi64>
  %twice = kolam.while carry(%pair) {late = ["m"]} : (tensor<2xi64>) -> tensor<?xi64, #kolam.extents<["m"]>> {
  ^bb0(%x: tensor<?xi64, #kolam.extents<["m"]>>):
    %length = kolam.extent "m" : tensor<i64>
    %most = kolam.constant dense<5> : tensor<i64>
    %goes_on = kolam.elementwise "less" %length, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    kolam.yield %goes_on : tensor<i1>
  } do {
  ^bb0(%x: tensor<?xi64, #kolam.extents<["m"]>>):
    %twice = kolam.extent "2*m" : tensor<i64>
    kolam.bind_extent "v", %twice : tensor<i64>
    %both = kolam.concat %x, %x dim 0 : (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["m"]>>) -> tensor<?xi64, #kolam.extents<["2*m"]>>
    %own = kolam.reshape %both : tensor<?xi64, #kolam.extents<["2*m"]>> -> tensor<?xi64, #kolam.extents<["v"]>>
    kolam.yield %own : tensor<?xi64, #kolam.extents<["v"]>>
  }
  %short = kolam.cond %false {late = ["s"]} : (tensor<i1>) -> tensor<?xi64, #kolam.extents<["s"]>> {
    %0 = kolam.constant dense<[7]> : tensor<1xi64>
    kolam.yield %0 : tensor<1xi64>
  }, {
    %0 = kolam.constant dense<[1, 2, 3]> : tensor<3xi64>
    kolam.yield %0 : tensor<3xi64>
  }
  %long = kolam.cond %true {late = ["l"]} : (tensor<i1>) -> tensor<?xi64, #kolam.extents<["l"]>> {
    %0 = kolam.constant dense<[7]> : tensor<1xi64>
    kolam.yield %0 : tensor<1xi64>
  }, {
    %0 = kolam.constant dense<[1, 2, 3]> : tensor<3xi64>
    kolam.yield %0 : tensor<3xi64>
  }
  %zero = kolam.constant dense<0> : tensor<i64>
  %five = kolam.constant dense<5> : tensor<i64>
  %in_turns = kolam.for from %zero to %five carry(%pair) {late = ["t"]} : (tensor<i64>, tensor<i64>, tensor<2xi64>) -> tensor<?xi64, #kolam.extents<["t"]>> {
  ^bb0(%i: tensor<i64>, %x: tensor<?xi64, #kolam.extents<["t"]>>):
    %two = kolam.constant dense<2> : tensor<i64>
    %rest = kolam.elementwise "remainder" %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %y = kolam.cond %rest captures(%i, %x) {late = ["y"]} : (tensor<i64>, tensor<i64>, tensor<?xi64, #kolam.extents<["t"]>>) -> tensor<?xi64, #kolam.extents<["y"]>> {
    ^bb0(%j: tensor<i64>, %old: tensor<?xi64, #kolam.extents<["t"]>>):
      kolam.bind_extent "w", %j : tensor<i64>
      %0 = kolam.iota 0 : tensor<?xi64, #kolam.extents<["w"]>>
      kolam.yield %0 : tensor<?xi64, #kolam.extents<["w"]>>
    }, {
    ^bb0(%j: tensor<i64>, %old: tensor<?xi64, #kolam.extents<["t"]>>):
      kolam.yield %old : tensor<?xi64, #kolam.extents<["t"]>>
    }
    %length = kolam.extent "y" : tensor<i64>
    kolam.bind_extent "z", %length : tensor<i64>
    %own = kolam.reshape %y : tensor<?xi64, #kolam.extents<["y"]>> -> tensor<?xi64, #kolam.extents<["z"]>>
    kolam.yield %own : tensor<?xi64, #kolam.extents<["z"]>>
  }
  %forty = kolam.constant dense<40> : tensor<i64>
  %no_rows = kolam.constant dense<> : tensor<0x2xi64>
  %halved, %rows = kolam.while carry(%forty, %no_rows) {appended = array<i64: 1>, late = ["", "r"]} : (tensor<i64>, tensor<0x2xi64>) -> (tensor<i64>, tensor<?x2xi64, #kolam.extents<["r", "2"]>>) {
  ^bb0(%x: tensor<i64>, %so_far: tensor<?x2xi64, #kolam.extents<["r", "2"]>>):
    %one = kolam.constant dense<1> : tensor<i64>
    %goes_on = kolam.elementwise "greater" %x, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    kolam.yield %goes_on : tensor<i1>
  } do {
  ^bb0(%x: tensor<i64>, %so_far: tensor<?x2xi64, #kolam.extents<["r", "2"]>>):
    %two = kolam.constant dense<2> : tensor<i64>
    %half = kolam.elementwise "floor_divide" %x, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %behind = kolam.iota 1 : tensor<1x2xi64>
    %spread = kolam.broadcast %x [] : tensor<i64> -> tensor<1x2xi64>
    %row = kolam.elementwise "add" %behind, %spread : (tensor<1x2xi64>, tensor<1x2xi64>) -> tensor<1x2xi64>
    kolam.yield %half, %row : tensor<i64>, tensor<1x2xi64>
  }
  return %twice, %short, %long, %in_turns, %halved, %rows : tensor<?xi64, #kolam.extents<["m"]>>, tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["l"]>>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<i64>, tensor<?x2xi64, #kolam.extents<["r", "2"]>>
}
