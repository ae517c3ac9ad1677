// RUN: split-file %s %t
// RUN: kolam run %t/restarts.mlir --stop-after nests | FileCheck %s --check-prefix=PARTS
// RUN: kolam run %t/last.mlir --stop-after nests | FileCheck %s --check-prefix=ONE
// RUN: kolam run %t/beside.mlir --stop-after nests | FileCheck %s --check-prefix=ONE
// RUN: kolam run %t/itself.mlir --stop-after nests | FileCheck %s --check-prefix=ONE
// Scans whose states start anew at some elements: parts between such elements go in lanes.

// PARTS: {{^}}nest0: {{b[0-9]+}} = scan(
// PARTS: {{^}}  y by elements lanes 16{{$}}

// Not where the last state is read, where a state is read beside its start, or where it starts from itself.
// ONE: {{^}}nest0: {{.*}} = scan(
// ONE: {{^}}  y by elements{{$}}

//--- restarts.mlir
func.func @main(%s: tensor<f32>, %starts: tensor<900xi1>, %x: tensor<900xf32>) -> tensor<900xf32> {
  %r:2 = kolam.scan carry(%s) over(%starts, %x) length <["900"]> reverse false : (tensor<f32>, tensor<900xi1>, tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  ^bb0(%state: tensor<f32>, %start: tensor<i1>, %e: tensor<f32>):
    %from = kolam.elementwise "where" %start, %e, %state : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "add" %from, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %next : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<900xf32>
}

//--- last.mlir
func.func @main(%s: tensor<f32>, %starts: tensor<900xi1>, %x: tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  %r:2 = kolam.scan carry(%s) over(%starts, %x) length <["900"]> reverse false : (tensor<f32>, tensor<900xi1>, tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  ^bb0(%state: tensor<f32>, %start: tensor<i1>, %e: tensor<f32>):
    %from = kolam.elementwise "where" %start, %e, %state : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "add" %from, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %next : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<900xf32>
}

//--- beside.mlir
func.func @main(%s: tensor<f32>, %starts: tensor<900xi1>, %x: tensor<900xf32>) -> tensor<900xf32> {
  %r:2 = kolam.scan carry(%s) over(%starts, %x) length <["900"]> reverse false : (tensor<f32>, tensor<900xi1>, tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  ^bb0(%state: tensor<f32>, %start: tensor<i1>, %e: tensor<f32>):
    %from = kolam.elementwise "where" %start, %e, %state : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "add" %from, %state : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %next : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<900xf32>
}

//--- itself.mlir
func.func @main(%s: tensor<f32>, %starts: tensor<900xi1>, %x: tensor<900xf32>) -> tensor<900xf32> {
  %r:2 = kolam.scan carry(%s) over(%starts, %x) length <["900"]> reverse false : (tensor<f32>, tensor<900xi1>, tensor<900xf32>) -> (tensor<f32>, tensor<900xf32>) {
  ^bb0(%state: tensor<f32>, %start: tensor<i1>, %e: tensor<f32>):
    %less = kolam.elementwise "negative" %state : (tensor<f32>) -> tensor<f32>
    %from = kolam.elementwise "where" %start, %less, %state : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "add" %from, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %next : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<900xf32>
}
