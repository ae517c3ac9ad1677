// RUN: kolam run %s --stop-after program | FileCheck %s --check-prefix=NOTED
// RUN: kolam run %s --stop-after tensors | FileCheck %s
// RUN: kolam run %s --stop-after nests | FileCheck %s --check-prefix=NESTS
// Behind the program as it was traced no stage sees notes of kept dims, and no nest pins: these have been bound, also in bodies
// of loops.

// NOTED: kolam.pin
// NOTED: kolam.pin
// NOTED: kolam.expand_dims %{{.*}} [1] keeps_dims

// CHECK: kolam.pin
// CHECK: kolam.for
// CHECK: kolam.pin
// CHECK-NOT: keeps_dims
// CHECK: kolam.expand_dims %{{.*}} [1] :
// CHECK: return

// NESTS-NOT: pin

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %from = kolam.constant dense<0> : tensor<i32>
  %to = kolam.constant dense<2> : tensor<i32>
  %pinned = kolam.pin %x 1 ["rows", "columns"] : tensor<2x3xf32> -> tensor<2x3xf32>
  %y = kolam.for from %from to %to carry(%pinned) captures() : (tensor<i32>, tensor<i32>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%i: tensor<i32>, %state: tensor<2x3xf32>):
    %inside = kolam.pin %state 1 : tensor<2x3xf32> -> tensor<2x3xf32>
    %next = kolam.elementwise "tanh" %inside : (tensor<2x3xf32>) -> tensor<2x3xf32>
    kolam.yield %next : tensor<2x3xf32>
  }
  %sum = kolam.reduce "add" %y dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x3xf32>) -> tensor<2xf32>
  %kept = kolam.expand_dims %sum [1] keeps_dims : tensor<2xf32> -> tensor<2x1xf32>
  return %kept : tensor<2x1xf32>
}
