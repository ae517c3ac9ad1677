// RUN: kolam run %s --stop-after nests | FileCheck %s --match-full-lines --strict-whitespace
// The whole text of a nest list: buffers with their place, the arena, then steps, two spaces a level.

//      CHECK:b0: float32[n] argument 0
// CHECK-NEXT:b1: int32[] argument 1
// CHECK-NEXT:b2: float32[9] constant 0
// CHECK-NEXT:b3: float32[9] arena in b9
// CHECK-NEXT:b4: float32[] view
// CHECK-NEXT:b5: float32[9] arena in b9
// CHECK-NEXT:b6: float32[9] arena at 0
// CHECK-NEXT:b7: float32[9] arena in b9
// CHECK-NEXT:b8: float32[n] result 1
// CHECK-NEXT:b9: float32[9] result 0
// CHECK-NEXT:arena: 64 bytes
// CHECK-NEXT:b3 = copy b2
// CHECK-NEXT:for [0:n] reversed
// CHECK-NEXT:  b4 = slice of b0
// CHECK-NEXT:  branch 0 of b1
// CHECK-NEXT:  branch 1 of b1
// CHECK-NEXT:    nest0: b6 = cumulative(b3) over [0:1]
// CHECK-NEXT:    nest1: b7 = multiply(b6, b4) over [0:9] with broadcast
// CHECK-NEXT:b8, _ = sort(b0)
// CHECK-NEXT:nest2: check(b8) over [0:1] with isfinite
// CHECK-NEXT:{{^nest0$}}

func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>, %which: tensor<i32>) -> (tensor<9xf32>, tensor<?xf32, #kolam.extents<["n"]>>) {
  %l = kolam.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]> : tensor<9xf32>
  %r = kolam.scan carry(%l) over(%x) captures(%which) length <["n"]> reverse true : (tensor<9xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<i32>) -> tensor<9xf32> {
  ^bb0(%s: tensor<9xf32>, %e: tensor<f32>, %w: tensor<i32>):
    %t = kolam.cond %w captures(%s, %e) : (tensor<i32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32> {
    ^bb0(%a: tensor<9xf32>, %f: tensor<f32>):
      kolam.yield %a : tensor<9xf32>
    }, {
    ^bb0(%a: tensor<9xf32>, %f: tensor<f32>):
      %b = kolam.broadcast %f [] : tensor<f32> -> tensor<9xf32>
      %p = kolam.cumulative "add" %a dim 0 {exclusive = false, reverse = false} : tensor<9xf32> -> tensor<9xf32>
      %m = kolam.elementwise "multiply" %p, %b : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
      kolam.yield %m : tensor<9xf32>
    }
    kolam.yield %t : tensor<9xf32>
  }
  %v, %o = kolam.sort %x {descending = false} : (tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xi64, #kolam.extents<["n"]>>)
  %c = kolam.elementwise "isfinite" %v : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xi1, #kolam.extents<["n"]>>
  kolam.check %c "bad-value" "expected numbers" : tensor<?xi1, #kolam.extents<["n"]>>
  return %r, %v : tensor<9xf32>, tensor<?xf32, #kolam.extents<["n"]>>
}
