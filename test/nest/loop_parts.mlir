// RUN: split-file %s %t
// RUN: kolam run %t/beside.mlir --stop-after nests | FileCheck %s --check-prefix=BESIDE
// RUN: kolam run %t/table.mlir --stop-after nests | FileCheck %s --check-prefix=TABLE
// RUN: kolam run %t/needed.mlir --stop-after nests | FileCheck %s --check-prefix=NEEDED
// Loops are taken apart, so that what is computed element by element stands in a nest.

// The counter is read behind the loop: a loop of its own gives it. That of the array carries it as well.
// BESIDE: {{^}}nest0: [[X:b[0-9]+]] = while(b0) over [0:4] with constant{{$}}
// BESIDE-NEXT: {{^}}nest1: [[I:b[0-9]+]] = while() over [0:1] with constant{{$}}
// BESIDE-NEXT: {{^nest0$}}

//--- beside.mlir
func.func @main(%x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %first = kolam.constant dense<0> : tensor<i32>
  %r:2 = kolam.while carry(%first, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %limit = kolam.constant dense<10> : tensor<i32>
    %holds = kolam.elementwise "less" %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %three = kolam.constant dense<3> : tensor<i32>
    %j = kolam.elementwise "add" %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = kolam.elementwise "multiply" %s, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %j, %t : tensor<i32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
}

// A table in a body is memory that the nest reads.
// TABLE: [[T:b[0-9]+]]: int32[4] constant 0
// TABLE: {{^}}nest0: {{b[0-9]+}} = scan(b1, b0, [[T]]) over [0:1]{{$}}
// TABLE-NEXT: {{^nest0$}}

//--- table.mlir
func.func @main(%x: tensor<9xi32>, %first: tensor<i32>) -> tensor<i32> {
  %r = kolam.scan carry(%first) over(%x) length <["9"]> reverse false : (tensor<i32>, tensor<9xi32>) -> tensor<i32> {
  ^bb0(%s: tensor<i32>, %e: tensor<i32>):
    %table = kolam.constant dense<[3, 1, 0, 2]> : tensor<4xi32>
    %at = kolam.elementwise "add" %s, %e : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %slice = kolam.dynamic_slice %table[%at] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %next = kolam.reshape %slice : tensor<1xi32> -> tensor<i32>
    kolam.yield %next : tensor<i32>
  }
  return %r : tensor<i32>
}

// Where the scalar needs the array the loop stays as it is.
// NEEDED: {{^}}while{{$}}

//--- needed.mlir
func.func @main(%x: tensor<4000xf32>) -> (tensor<f32>, tensor<4000xf32>) {
  %first = kolam.constant dense<0.0> : tensor<f32>
  %r:2 = kolam.while carry(%first, %x) : (tensor<f32>, tensor<4000xf32>) -> (tensor<f32>, tensor<4000xf32>) {
  ^bb0(%i: tensor<f32>, %s: tensor<4000xf32>):
    %limit = kolam.constant dense<10.0> : tensor<f32>
    %holds = kolam.elementwise "less" %i, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%i: tensor<f32>, %s: tensor<4000xf32>):
    %sum = kolam.reduce "add" %s dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4000xf32>) -> tensor<f32>
    %t = kolam.elementwise "add" %s, %s : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xf32>
    kolam.yield %sum, %t : tensor<f32>, tensor<4000xf32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<4000xf32>
}
