// RUN: split-file %s %t
// RUN: kolam run %t/chain.mlir --stop-after nests | FileCheck %s --check-prefix=CHAIN
// RUN: kolam run %t/loop.mlir --stop-after nests | FileCheck %s --check-prefix=LOOP
// RUN: kolam run %t/renamed.mlir --stop-after nests | FileCheck %s --check-prefix=RENAMED
// RUN: kolam explain %t/chain.mlir | FileCheck %s --check-prefix=EXPLAIN
// Scatters and dynamic_update_slices change memory in place where nobody needs it any more.

// An argument is changed where it is donated; what the second changes is dead behind it. A value that is read later is
// copied. An update that reads what is changed is made before.
// CHAIN: [[X:b[0-9]+]]: float32[16, 4] argument 0
// CHAIN: [[ONE:b[0-9]+]]: float32[16, 4] arena in [[TWO:b[0-9]+]]
// CHAIN: [[TWO]]: float32[16, 4] result 0
// CHAIN: nest0: [[ONE]] = dynamic_update_slice([[X]], {{.*}}) over [0:16]{{.*}}, in place of [[X]] where that is donated
// CHAIN: nest1: [[TWO]] = scatter([[ONE]], {{.*}}) over [0:1], in place of [[ONE]]
// CHAIN: scatter([[Y:b[0-9]+]], {{.*}}) over [0:1], on a copy of [[Y]]
// CHAIN: dynamic_update_slice([[Z:b[0-9]+]], {{.*}}) over [0:16]{{.*}}, in place of [[Z]] where that is donated
// EXPLAIN: nest0: {{.*}}, in place of {{b[0-9]+}} where that is donated
// EXPLAIN: nest1: {{.*}}, in place of
// EXPLAIN: slice {{.*}} -> {{.*}} dynamic_update_slice {{.*}}: not fused: it reads what its consumer changes

//--- chain.mlir
func.func @main(%x: tensor<16x4xf32>, %y: tensor<16x4xf32>, %z: tensor<16x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x4xf32>, %s: tensor<i32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
  %row = kolam.slice %u <["0", "0", "0"]> [1, 1, 1] : tensor<2x1x4xf32> -> tensor<1x1x4xf32>
  %flat = kolam.squeeze %row [0] : tensor<1x1x4xf32> -> tensor<1x4xf32>
  %one = kolam.dynamic_update_slice %x, %flat[%s, %s] : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
  %two = kolam.scatter "kAdd" "drop" (%one) updates(%u) at %i dims [0] batched 0 unique false : (tensor<16x4xf32>, tensor<2x1x4xf32>, tensor<2x1xi32>) -> tensor<16x4xf32>
  %three = kolam.scatter "kAdd" "drop" (%y) updates(%u) at %i dims [0] batched 0 unique false : (tensor<16x4xf32>, tensor<2x1x4xf32>, tensor<2x1xi32>) -> tensor<16x4xf32>
  %four = kolam.elementwise "add" %y, %three : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %own = kolam.slice %z <["0", "0"]> [1, 1] : tensor<16x4xf32> -> tensor<1x4xf32>
  %five = kolam.dynamic_update_slice %z, %own[%s, %s] : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
  return %two, %three, %four, %five : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}

// The state of a loop stays in the memory of the result: nothing is copied or exchanged in a turn, or behind the last.
// LOOP: [[X:b[0-9]+]]: float32[16, 4] argument
// LOOP: [[STATE:b[0-9]+]]: float32[16, 4] arena in [[R:b[0-9]+]]
// LOOP: [[NEXT:b[0-9]+]]: float32[16, 4] arena in [[R]]
// LOOP: [[R]]: float32[16, 4] result 0
// LOOP: [[STATE]] = copy [[X]]
// LOOP-NEXT: for
// LOOP-NEXT: [[NEXT]] = scatter([[STATE]], {{.*}}) over [0:1], in place of [[STATE]]
// LOOP-NOT: {{copy|swap}}

//--- loop.mlir
func.func @main(%x: tensor<16x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<16x4xf32> {
  %r = kolam.for from %from to %to carry(%x) captures(%i, %u) : (tensor<i32>, tensor<i32>, tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x1x4xf32>) -> tensor<16x4xf32> {
  ^bb0(%k: tensor<i32>, %s: tensor<16x4xf32>, %j: tensor<2x1xi32>, %v: tensor<2x1x4xf32>):
    %n = kolam.scatter "kAdd" "drop" (%s) updates(%v) at %j dims [0] batched 0 unique false : (tensor<16x4xf32>, tensor<2x1x4xf32>, tensor<2x1xi32>) -> tensor<16x4xf32>
    kolam.yield %n : tensor<16x4xf32>
  }
  return %r : tensor<16x4xf32>
}

// So does that of a result whose extent only has another name, one that is bound behind the loop.
// RENAMED: [[STATE:b[0-9]+]]: float32[n, 4] arena in [[R:b[0-9]+]]
// RENAMED: [[R]]: float32[n, 4] result 0
// RENAMED: for
// RENAMED: dynamic_update_slice([[STATE]], {{.*}}, in place of [[STATE]]
// RENAMED-NOT: {{copy|swap}}

//--- renamed.mlir
func.func @main(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>, %u: tensor<1x4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<?x4xf32, #kolam.extents<["m", "4"]>> {
  %r = kolam.for from %from to %to carry(%x) captures(%u) : (tensor<i32>, tensor<i32>, tensor<?x4xf32, #kolam.extents<["n", "4"]>>, tensor<1x4xf32>) -> tensor<?x4xf32, #kolam.extents<["n", "4"]>> {
  ^bb0(%k: tensor<i32>, %s: tensor<?x4xf32, #kolam.extents<["n", "4"]>>, %row: tensor<1x4xf32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %next = kolam.dynamic_update_slice %s, %row[%k, %zero] : (tensor<?x4xf32, #kolam.extents<["n", "4"]>>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>
    kolam.yield %next : tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  }
  %size = kolam.extent "n" : tensor<i64>
  kolam.bind_extent "m", %size : tensor<i64>
  %named = kolam.reshape %r : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?x4xf32, #kolam.extents<["m", "4"]>>
  return %named : tensor<?x4xf32, #kolam.extents<["m", "4"]>>
}
