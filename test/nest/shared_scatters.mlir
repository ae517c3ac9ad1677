// RUN: split-file %s %t
// RUN: kolam run %t/same.mlir --stop-after nests | FileCheck %s --check-prefix=SAME
// RUN: kolam run %t/combiners.mlir --stop-after nests | FileCheck %s --check-prefix=COMBINERS
// RUN: kolam run %t/behind.mlir --stop-after nests | FileCheck %s --check-prefix=BEHIND
// RUN: kolam run %t/needed.mlir --stop-after nests | FileCheck %s --check-prefix=NEEDED
// RUN: kolam run %t/apart.mlir --stop-after nests | FileCheck %s --check-prefix=APART
// Which scatters of single elements act together.

// Two with one combiner.
// SAME: nest0: {{b[0-9]+, b[0-9]+}} = scatter(
// SAME-NOT: nest1: {{.*}} = scatter

//--- same.mlir
func.func @main(%x: tensor<40xf32>, %y: tensor<40xi32>, %u: tensor<70x1xf32>, %v: tensor<70x1xi32>, %i: tensor<70x1xi32>) -> (tensor<40xf32>, tensor<40xi32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %1 = kolam.scatter "kAdd" "drop" (%y) updates(%v) at %i dims [0] batched 0 unique false : (tensor<40xi32>, tensor<70x1xi32>, tensor<70x1xi32>) -> tensor<40xi32>
  return %0, %1 : tensor<40xf32>, tensor<40xi32>
}

// Combiners of all kinds, of the user's with what it captures.
// COMBINERS: nest0: {{b[0-9]+, b[0-9]+, b[0-9]+, b[0-9]+}} = scatter(
// COMBINERS-NOT: nest1: {{.*}} = scatter

//--- combiners.mlir
func.func @main(%x: tensor<40xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>, %c: tensor<f32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %1 = kolam.scatter "kMax" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %2 = kolam.scatter "user" "drop" (%x) updates(%u) at %i captures(%c) dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>, tensor<f32>) -> tensor<40xf32> {
  ^bb0(%old: tensor<f32>, %new: tensor<f32>, %by: tensor<f32>):
    %a = kolam.elementwise "multiply" %old, %by : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = kolam.elementwise "add" %a, %new : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %b : tensor<f32>
  }
  %3 = kolam.scatter "kUpdate" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  return %0, %1, %2, %3 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// What reads the first moves behind.
// BEHIND: nest0: [[FIRST:b[0-9]+]], {{b[0-9]+}} = scatter(
// BEHIND: nest1: {{.*}} = exp([[FIRST]]

//--- behind.mlir
func.func @main(%x: tensor<40xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %e = kolam.elementwise "exp" %0 : (tensor<40xf32>) -> tensor<40xf32>
  %s = kolam.elementwise "exp" %u : (tensor<70x1xf32>) -> tensor<70x1xf32>
  %1 = kolam.scatter "kAdd" "drop" (%x) updates(%s) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  return %e, %1 : tensor<40xf32>, tensor<40xf32>
}

// Not one that needs the other.
// NEEDED: nest0: {{b[0-9]+}} = scatter(
// NEEDED: nest1: {{b[0-9]+}} = scatter(

//--- needed.mlir
func.func @main(%x: tensor<40xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %1 = kolam.scatter "kAdd" "drop" (%0) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  return %0, %1 : tensor<40xf32>, tensor<40xf32>
}

// Nor those whose places are others.
// APART: nest0: {{b[0-9]+}} = scatter(
// APART: nest1: {{b[0-9]+}} = scatter(

//--- apart.mlir
func.func @main(%x: tensor<40xf32>, %y: tensor<41xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>) -> (tensor<40xf32>, tensor<41xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  %1 = kolam.scatter "kAdd" "drop" (%y) updates(%u) at %i dims [0] batched 0 unique false : (tensor<41xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<41xf32>
  return %0, %1 : tensor<40xf32>, tensor<41xf32>
}
