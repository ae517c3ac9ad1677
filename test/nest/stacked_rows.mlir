// RUN: split-file %s %t
// RUN: kolam run %t/filled.mlir --stop-after nests | FileCheck %s --check-prefix=FILLED
// RUN: kolam run %t/filled.mlir | FileCheck %s --check-prefix=VALUES
// RUN: kolam run %t/read.mlir --stop-after nests | FileCheck %s --check-prefix=LOOP
// RUN: kolam run %t/part.mlir --stop-after nests | FileCheck %s --check-prefix=PART
// Counted loops that fill arrays row by row are scans where these stand in a nest.

// FILLED: {{^}}nest0: {{b[0-9]+}} = scan() over [0:1] with iota constant{{$}}
// FILLED-NEXT: {{^nest0$}}
// VALUES: [ 2 4 8 16 32]

//--- filled.mlir
func.func @main() -> tensor<5xi32> {
  %x = kolam.constant dense<1> : tensor<i32>
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<5> : tensor<i32>
  %out = kolam.constant dense<7> : tensor<5xi32>
  %r:2 = kolam.for from %l to %u carry(%x, %out) captures() : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xi32>) -> (tensor<i32>, tensor<5xi32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<i32>, %o: tensor<5xi32>):
    %t = kolam.elementwise "add" %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %row = kolam.reshape %t : tensor<i32> -> tensor<1xi32>
    %p = kolam.dynamic_update_slice %o, %row[%i] : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
    kolam.yield %t, %p : tensor<i32>, tensor<5xi32>
  }
  return %r#1 : tensor<5xi32>
}

// Where the array is read in the loop it is changed in memory. Where not all of its rows are written, the others stay as they are.
// LOOP: {{^}}nest0: {{.*}} = for(
// PART: nest0: [[ROWS:b[0-9]+]] = scan({{.*}})
// PART-NEXT: nest1: {{b[0-9]+}} = dynamic_update_slice({{.*}}[[ROWS]])

//--- read.mlir
func.func @main(%x: tensor<i32>, %out: tensor<5xi32>) -> tensor<5xi32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<5> : tensor<i32>
  %r:2 = kolam.for from %l to %u carry(%x, %out) captures() : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xi32>) -> (tensor<i32>, tensor<5xi32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<i32>, %o: tensor<5xi32>):
    %old = kolam.dynamic_slice %o[%s] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
    %t = kolam.elementwise "add" %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = kolam.dynamic_update_slice %o, %old[%i] : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
    kolam.yield %t, %p : tensor<i32>, tensor<5xi32>
  }
  return %r#1 : tensor<5xi32>
}

//--- part.mlir
func.func @main(%x: tensor<i32>, %out: tensor<5xi32>) -> tensor<5xi32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<4> : tensor<i32>
  %r:2 = kolam.for from %l to %u carry(%x, %out) captures() : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xi32>) -> (tensor<i32>, tensor<5xi32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<i32>, %o: tensor<5xi32>):
    %t = kolam.elementwise "add" %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %row = kolam.reshape %t : tensor<i32> -> tensor<1xi32>
    %p = kolam.dynamic_update_slice %o, %row[%i] : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
    kolam.yield %t, %p : tensor<i32>, tensor<5xi32>
  }
  return %r#1 : tensor<5xi32>
}
