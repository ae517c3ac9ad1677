// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.bind_extent: sizes that only the running program knows; inside a loop at each turn anew. By hand.

// CHECK: three =
// CHECK-NEXT: [0 1 2]
// CHECK: none =
// CHECK-NEXT: []
// CHECK: sums =
// CHECK-NEXT: [ 0  0  1  4 10 20]
// CHECK: twice =
// CHECK-NEXT: {{\[}}[0 1 2]
// CHECK-NEXT:  [0 1 2]]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["z"]>>, tensor<6xi64>,
                      tensor<2x?xi64, #kolam.extents<["2", "s"]>>) {
  %size = kolam.constant dense<3> : tensor<i64>
  kolam.bind_extent "s", %size : tensor<i64>
  %three = kolam.iota 0 : tensor<?xi64, #kolam.extents<["s"]>>
  %below = kolam.constant dense<-2> : tensor<i64>
  kolam.bind_extent "z", %below : tensor<i64>
  %none = kolam.iota 0 : tensor<?xi64, #kolam.extents<["z"]>>
  %lengths = kolam.iota 0 : tensor<6xi64>
  %sums = kolam.scan carry() over(%lengths) length #kolam.extents<["6"]> reverse false : (tensor<6xi64>) -> tensor<6xi64> {
  ^bb0(%length: tensor<i64>):
    kolam.bind_extent "t", %length : tensor<i64>
    %numbers = kolam.iota 0 : tensor<?xi64, #kolam.extents<["t"]>>
    %running = kolam.cumulative "add" %numbers dim 0 {exclusive = false, reverse = false} : tensor<?xi64, #kolam.extents<["t"]>> -> tensor<?xi64, #kolam.extents<["t"]>>
    %sum = kolam.reduce "add" %running dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xi64, #kolam.extents<["t"]>>) -> tensor<i64>
    kolam.yield %sum : tensor<i64>
  }
  %twice = kolam.broadcast %three [1] : tensor<?xi64, #kolam.extents<["s"]>> -> tensor<2x?xi64, #kolam.extents<["2", "s"]>>
  return %three, %none, %sums, %twice : tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["z"]>>, tensor<6xi64>, tensor<2x?xi64, #kolam.extents<["2", "s"]>>
}
