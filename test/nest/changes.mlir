// RUN: split-file %s %t
// RUN: kolam run %t/behind.mlir --stop-after nests | FileCheck %s --check-prefix=BEHIND
// RUN: kolam run %t/states.mlir --stop-after nests | FileCheck %s --check-prefix=STATES
// Changes come behind what reads the memory as it was; what they write lies in memory where it is computed from
// something that changes before.

// The sum, which is written later, reads x before it is changed.
// BEHIND: [[X:b[0-9]+]]: float32[16, 4] argument 0
// BEHIND: reduce([[X]]
// BEHIND: scatter([[X]], {{.*}}) over [0:1], in place of [[X]] where that is donated
// BEHIND-NOT: scatter

//--- behind.mlir
func.func @main(%x: tensor<16x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x4xf32>) -> (tensor<16x4xf32>, tensor<16xf32>) {
  %one = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<16x4xf32>, tensor<2x1x4xf32>, tensor<2x1xi32>) -> tensor<16x4xf32>
  %sum = kolam.reduce "add" %x dims [1] commutative true <"chunk<64>"> : (tensor<16x4xf32>) -> tensor<16xf32>
  return %one, %sum : tensor<16x4xf32>, tensor<16xf32>
}

// Two states, each changed by what is read of both: the rows of both lie in memory before the first is changed, and
// neither is copied.
// STATES: for
// STATES: {{b[0-9]+, b[0-9]+}} = together({{.*}} with subtract add
// STATES: dynamic_update_slice({{.*}}, in place of
// STATES: dynamic_update_slice({{.*}}, in place of
// STATES-NOT: {{copy|swap}}

//--- states.mlir
func.func @main(%x: tensor<16x2000xf32>, %y: tensor<16x2000xf32>, %from: tensor<i32>, %to: tensor<i32>, %zero: tensor<i32>) -> (tensor<16x2000xf32>, tensor<16x2000xf32>) {
  %r, %s = kolam.for from %from to %to carry(%x, %y) captures(%zero) : (tensor<i32>, tensor<i32>, tensor<16x2000xf32>, tensor<16x2000xf32>, tensor<i32>) -> (tensor<16x2000xf32>, tensor<16x2000xf32>) {
  ^bb0(%k: tensor<i32>, %a: tensor<16x2000xf32>, %b: tensor<16x2000xf32>, %c: tensor<i32>):
    %p = kolam.dynamic_slice %a[%k, %c] : (tensor<16x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2000xf32>
    %q = kolam.dynamic_slice %b[%k, %c] : (tensor<16x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2000xf32>
    %sum = kolam.elementwise "add" %p, %q : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<1x2000xf32>
    %na = kolam.dynamic_update_slice %a, %sum[%k, %c] : (tensor<16x2000xf32>, tensor<1x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<16x2000xf32>
    %difference = kolam.elementwise "subtract" %p, %q : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<1x2000xf32>
    %nb = kolam.dynamic_update_slice %b, %difference[%k, %c] : (tensor<16x2000xf32>, tensor<1x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<16x2000xf32>
    kolam.yield %na, %nb : tensor<16x2000xf32>, tensor<16x2000xf32>
  }
  return %r, %s : tensor<16x2000xf32>, tensor<16x2000xf32>
}
