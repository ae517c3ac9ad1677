// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam explain %s | FileCheck %s
// What goes from element to element is told behind the walk, and so is why elements do not come in vectors (lm: an x86-64
// processor).

// CHECK: nest0 runs by 8 lanes, dims 0 to 1 as one, calls kolam_lgamma_f64
// CHECK-NEXT: nest1 runs by 8 lanes, gathers lanes
// CHECK-NEXT: nest2 runs by 8 lanes, dims 0 to 1 as one{{$}}
// CHECK-NEXT: nest3 runs by 1 lane: a single element
// CHECK-NEXT: nest4 runs by 1 lane: rows too short for vectors
// CHECK-NEXT: nest5 runs by 1 lane: lanes along the elements of an element
// CHECK-NEXT: nest6 runs by loops of its own

func.func @main(%x: tensor<16x64xf64>, %s: tensor<f32>, %n: tensor<5x3xf32>, %t: tensor<3xf32>, %x_1: tensor<16x256xf32>, %x_2: tensor<16x64xf32>, %x_5: tensor<16x64xf32>, %x_6: tensor<16x64xf32>) -> (tensor<16x64xf64>, tensor<16x12xf32>, tensor<16x64xf32>, tensor<f32>, tensor<5x3xf32>, tensor<16xf32>, tensor<16x64xf32>) {
  %0 = kolam.elementwise "lgamma" %x : (tensor<16x64xf64>) -> tensor<16x64xf64>
  %1 = kolam.slice %x_1 <["0", "0"]> [1, 21] : tensor<16x256xf32> -> tensor<16x12xf32>
  %2 = kolam.elementwise "sqrt" %x_2 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %3 = kolam.elementwise "sqrt" %s : (tensor<f32>) -> tensor<f32>
  %three = kolam.broadcast %t [1] : tensor<3xf32> -> tensor<5x3xf32>
  %4 = kolam.elementwise "add" %n, %three : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %5 = kolam.reduce "add" %x_5 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<16x64xf32>) -> tensor<16xf32>
  %6 = kolam.cumulative "add" %x_6 dim 1 {exclusive = false, reverse = false} : tensor<16x64xf32> -> tensor<16x64xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<16x64xf64>, tensor<16x12xf32>, tensor<16x64xf32>, tensor<f32>, tensor<5x3xf32>, tensor<16xf32>, tensor<16x64xf32>
}
