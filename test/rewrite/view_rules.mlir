// RUN: kolam run %s --stop-after rewritten | FileCheck %s
// Gathers at places that are affine functions of their index show elements where they lie.

// Windows that overlap; their quotient and remainder are the coordinates again.
// CHECK: kolam.view %arg0 <["0"]> [1, 1]
// The caller promises nothing, and the last place lies outside.
// CHECK: kolam.gather %arg0

func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<3x4xf32>, tensor<?xf32, #kolam.extents<["n"]>>) {
  %e = kolam.iota 0 : tensor<12xi64>
  %four = kolam.constant dense<4> : tensor<12xi64>
  %i = kolam.elementwise "floor_divide" %e, %four : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
  %j = kolam.elementwise "remainder" %e, %four : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
  %sum = kolam.elementwise "add" %i, %j : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
  %places = kolam.reshape %sum : tensor<12xi64> -> tensor<3x4x1xi64>
  %g = kolam.gather %x, %places "promise" dims [0] lengths [1] batched 0 : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<3x4x1xi64>) -> tensor<3x4x1xf32>
  %windows = kolam.squeeze %g [2] : tensor<3x4x1xf32> -> tensor<3x4xf32>
  %all = kolam.iota 0 : tensor<?x1xi64, #kolam.extents<["n", "1"]>>
  %one = kolam.constant dense<1> : tensor<i64>
  %ones = kolam.broadcast %one [] : tensor<i64> -> tensor<?x1xi64, #kolam.extents<["n", "1"]>>
  %next = kolam.elementwise "add" %all, %ones : (tensor<?x1xi64, #kolam.extents<["n", "1"]>>, tensor<?x1xi64, #kolam.extents<["n", "1"]>>) -> tensor<?x1xi64, #kolam.extents<["n", "1"]>>
  %h = kolam.gather %x, %next "clip" dims [0] lengths [1] batched 0 : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<?x1xi64, #kolam.extents<["n", "1"]>>) -> tensor<?x1xf32, #kolam.extents<["n", "1"]>>
  %moved = kolam.squeeze %h [1] : tensor<?x1xf32, #kolam.extents<["n", "1"]>> -> tensor<?xf32, #kolam.extents<["n"]>>
  return %windows, %moved : tensor<3x4xf32>, tensor<?xf32, #kolam.extents<["n"]>>
}
