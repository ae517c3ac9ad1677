// RUN: split-file %s %t
// RUN: kolam run %t/most.mlir --stop-after rewritten | FileCheck %s --check-prefix=MOST
// RUN: kolam run %t/kept.mlir --stop-after rewritten | FileCheck %s --check-prefix=KEPT
// Updates of most of a value by arithmetic with what they change.

// MOST-NOT: dynamic_update_slice
// MOST: %[[Y:.*]] = kolam.pad %arg1, %{{.*}} "constant" low [1] high [0]
// MOST: %[[SUM:.*]] = kolam.elementwise "add" %arg0, %[[Y]]
// MOST: kolam.elementwise "where" %{{.*}}, %[[SUM]], %arg0
// MOST-NOT: dynamic_update_slice

//--- most.mlir
func.func @main(%x: tensor<8xf32>, %y: tensor<7xf32>) -> tensor<8xf32> {
  %i = kolam.constant dense<1> : tensor<i64>
  %0 = kolam.slice %x <["1"]> [1] : tensor<8xf32> -> tensor<7xf32>
  %1 = kolam.elementwise "add" %0, %y : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %r = kolam.dynamic_update_slice %x, %1[%i] : (tensor<8xf32>, tensor<7xf32>, tensor<i64>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A small box stays an update in place, and so does what does not read what it changes, or where the run says.
// KEPT-COUNT-3: kolam.dynamic_update_slice

//--- kept.mlir
func.func @main(%x: tensor<8xf32>, %y: tensor<7xf32>, %j: tensor<i64>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %i = kolam.constant dense<1> : tensor<i64>
  %0 = kolam.slice %x <["1"]> [1] : tensor<8xf32> -> tensor<2xf32>
  %1 = kolam.elementwise "exp" %0 : (tensor<2xf32>) -> tensor<2xf32>
  %r = kolam.dynamic_update_slice %x, %1[%i] : (tensor<8xf32>, tensor<2xf32>, tensor<i64>) -> tensor<8xf32>
  %2 = kolam.slice %x <["0"]> [1] : tensor<8xf32> -> tensor<7xf32>
  %3 = kolam.elementwise "exp" %y : (tensor<7xf32>) -> tensor<7xf32>
  %s = kolam.dynamic_update_slice %x, %3[%i] : (tensor<8xf32>, tensor<7xf32>, tensor<i64>) -> tensor<8xf32>
  %4 = kolam.elementwise "sin" %2 : (tensor<7xf32>) -> tensor<7xf32>
  %t = kolam.dynamic_update_slice %x, %4[%j] : (tensor<8xf32>, tensor<7xf32>, tensor<i64>) -> tensor<8xf32>
  return %r, %s, %t : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
