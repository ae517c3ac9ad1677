// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after nests | FileCheck %s
// Which scatters of single elements compute the places of their updates by vectors (lm: an x86-64 processor).

// Of those below the second, then the body of the user's, the moved windows and the short rows, the first, and that of rows.
// CHECK-LABEL: {{^}}nest0{{$}}
// CHECK: by whole lanes 8
// CHECK-LABEL: {{^}}nest1{{$}}
// CHECK: by whole lanes 8
// CHECK-LABEL: {{^}}nest2{{$}}
// CHECK: by whole lanes 8
// CHECK-LABEL: {{^}}nest3{{$}}
// CHECK: by whole{{$}}
// CHECK-LABEL: {{^}}nest4{{$}}
// CHECK: by whole lanes 8
// CHECK-LABEL: {{^}}nest5{{$}}
// CHECK: by whole lanes 8

func.func @main(%x: tensor<40xf32>, %y: tensor<4x9xi32>, %z: tensor<40x8xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>, %h: tensor<70x1xi32>, %v: tensor<3x20x1x1xi32>, %j: tensor<3x20x2xi32>, %s: tensor<9x8x1xf32>, %k: tensor<9x8x1xi32>, %w: tensor<70x1x8xf32>) -> (tensor<40xf32>, tensor<4x9xi32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40x8xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>

  // Places in two dims, updates in rows.
  %1 = kolam.scatter "kMax" "element" (%y) updates(%v) at %j dims [0, 1] batched 0 unique false : (tensor<4x9xi32>, tensor<3x20x1x1xi32>, tensor<3x20x2xi32>) -> tensor<4x9xi32>

  // Not rows that fill no vectors.
  %2 = kolam.scatter "kAdd" "drop" (%x) updates(%s) at %k dims [0] batched 0 unique false : (tensor<40xf32>, tensor<9x8x1xf32>, tensor<9x8x1xi32>) -> tensor<40xf32>

  // Windows that are moved to lie inside.
  %3 = kolam.scatter "kAdd" "clip" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>

  // A body of the user's.
  %4 = kolam.scatter "user" "drop" (%x) updates(%u) at %h dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32> {
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %half = kolam.elementwise "multiply" %old, %new : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %half : tensor<f32>
  }

  // Rows go by their own elements.
  %5 = kolam.scatter "kAdd" "drop" (%z) updates(%w) at %i dims [0] batched 0 unique false : (tensor<40x8xf32>, tensor<70x1x8xf32>, tensor<70x1xi32>) -> tensor<40x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<40xf32>, tensor<4x9xi32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40x8xf32>
}
