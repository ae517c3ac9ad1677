// RUN: split-file %s %t
// RUN: kolam explain %t/slices.mlir | FileCheck %s --check-prefix=SLICES
// RUN: kolam explain %t/size.mlir | FileCheck %s --check-prefix=SIZE
// RUN: kolam explain %t/gathers.mlir | FileCheck %s --check-prefix=GATHERS
// RUN: kolam explain %t/lanes.mlir | FileCheck %s --check-prefix=LANES
// Elements computed where they are read, against elements in memory.

// What several slices show lies in memory once; no slice is copied. What is cheap beside memory is computed again.
// SLICES: nest0: [[E:b[0-9]+]] = exp(b0) over [0:64]
// SLICES-NEXT: nest1: {{b[0-9]+}} = add([[E]]) over [0:64] with slice add slice slice
// SLICES-NEXT: nest2: {{b[0-9]+}} = add(b0) over [0:64] with slice slice negative
// SLICES: exp ({{.*}}) -> %{{.*}} slice ({{.*}}): not fused: each element is read 3 times and costs 20 operations, in memory {{[0-9]+}}
// SLICES-COUNT-3: slice ({{.*}}) -> %{{.*}} add ({{.*}}): fused
// SLICES: negative ({{.*}}) -> %{{.*}} slice ({{.*}}): fused

//--- slices.mlir
func.func @main(%x: tensor<64x66xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<64x66xf32>) -> tensor<64x66xf32>
  %0 = kolam.slice %e <["0", "0"]> [1, 1] : tensor<64x66xf32> -> tensor<64x64xf32>
  %1 = kolam.slice %e <["0", "1"]> [1, 1] : tensor<64x66xf32> -> tensor<64x64xf32>
  %2 = kolam.slice %e <["0", "2"]> [1, 1] : tensor<64x66xf32> -> tensor<64x64xf32>
  %a = kolam.elementwise "add" %0, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = kolam.elementwise "add" %a, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %n = kolam.elementwise "negative" %x : (tensor<64x66xf32>) -> tensor<64x66xf32>
  %3 = kolam.slice %n <["0", "0"]> [1, 1] : tensor<64x66xf32> -> tensor<64x64xf32>
  %4 = kolam.slice %n <["0", "1"]> [1, 1] : tensor<64x66xf32> -> tensor<64x64xf32>
  %c = kolam.elementwise "add" %3, %4 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b, %c : tensor<64x64xf32>, tensor<64x64xf32>
}

// The same program: small values stay in the cache; what would go through memory is computed twice.
// SIZE: exp ({{.*}}) -> %{{.*}} slice ({{.*}}): not fused: each element is read 2 times
// SIZE: exp ({{.*}}) -> %{{.*}} slice ({{.*}}): fused

//--- size.mlir
func.func @main(%x: tensor<256x256xf32>, %y: tensor<8192x8192xf32>) -> (tensor<255x256xf32>, tensor<8191x8192xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = kolam.slice %e <["0", "0"]> [1, 1] : tensor<256x256xf32> -> tensor<255x256xf32>
  %1 = kolam.slice %e <["1", "0"]> [1, 1] : tensor<256x256xf32> -> tensor<255x256xf32>
  %a = kolam.elementwise "add" %0, %1 : (tensor<255x256xf32>, tensor<255x256xf32>) -> tensor<255x256xf32>
  %f = kolam.elementwise "exp" %y : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %2 = kolam.slice %f <["0", "0"]> [1, 1] : tensor<8192x8192xf32> -> tensor<8191x8192xf32>
  %3 = kolam.slice %f <["1", "0"]> [1, 1] : tensor<8192x8192xf32> -> tensor<8191x8192xf32>
  %b = kolam.elementwise "add" %2, %3 : (tensor<8191x8192xf32>, tensor<8191x8192xf32>) -> tensor<8191x8192xf32>
  return %a, %b : tensor<255x256xf32>, tensor<8191x8192xf32>
}

// A gather of what two values give would gather from both.
// GATHERS: multiply ({{.*}}) -> %{{.*}} gather ({{.*}}): not fused: each element is read 4 times and costs 1 operations and 2 loads
// GATHERS: negative ({{.*}}) -> %{{.*}} gather ({{.*}}): fused

//--- gathers.mlir
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %i: tensor<16384x1xi32>) -> (tensor<16384x1xf32>, tensor<16384x1xf32>) {
  %p = kolam.elementwise "multiply" %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %0 = kolam.gather %p, %i "clip" dims [0] lengths [1] batched 0 : (tensor<4096xf32>, tensor<16384x1xi32>) -> tensor<16384x1xf32>
  %n = kolam.elementwise "negative" %x : (tensor<4096xf32>) -> tensor<4096xf32>
  %1 = kolam.gather %n, %i "clip" dims [0] lengths [1] batched 0 : (tensor<4096xf32>, tensor<16384x1xi32>) -> tensor<16384x1xf32>
  return %0, %1 : tensor<16384x1xf32>, tensor<16384x1xf32>
}

// Single elements at places given by data in short rows are written one by one: what they take to compute is done by vectors
// before, unless it is little. Long rows compute it by vectors themselves.
// LANES: exp ({{.*}}) -> %{{.*}} scatter ({{.*}}): not fused: each element is read 1 times and costs 20 operations
// LANES: negative ({{.*}}) -> %{{.*}} scatter ({{.*}}): fused
// LANES: exp ({{.*}}) -> %{{.*}} scatter ({{.*}}): fused
// LANES: exp ({{.*}}) -> %{{.*}} scatter ({{.*}}): fused

//--- lanes.mlir
func.func @main(%x: tensor<64xf32>, %u: tensor<4096x1xf32>, %i: tensor<4096x1xi32>, %r: tensor<64x16xf32>, %v: tensor<4096x1x16xf32>, %s: tensor<512x8x1xf32>, %j: tensor<512x8x1xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
  %e = kolam.elementwise "exp" %u : (tensor<4096x1xf32>) -> tensor<4096x1xf32>
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%e) at %i dims [0] batched 0 unique false : (tensor<64xf32>, tensor<4096x1xf32>, tensor<4096x1xi32>) -> tensor<64xf32>
  %n = kolam.elementwise "negative" %u : (tensor<4096x1xf32>) -> tensor<4096x1xf32>
  %1 = kolam.scatter "kAdd" "drop" (%x) updates(%n) at %i dims [0] batched 0 unique false : (tensor<64xf32>, tensor<4096x1xf32>, tensor<4096x1xi32>) -> tensor<64xf32>
  %g = kolam.elementwise "exp" %s : (tensor<512x8x1xf32>) -> tensor<512x8x1xf32>
  %3 = kolam.scatter "kAdd" "drop" (%x) updates(%g) at %j dims [0] batched 0 unique false : (tensor<64xf32>, tensor<512x8x1xf32>, tensor<512x8x1xi32>) -> tensor<64xf32>
  %f = kolam.elementwise "exp" %v : (tensor<4096x1x16xf32>) -> tensor<4096x1x16xf32>
  %2 = kolam.scatter "kAdd" "drop" (%r) updates(%f) at %i dims [0] batched 0 unique false : (tensor<64x16xf32>, tensor<4096x1x16xf32>, tensor<4096x1xi32>) -> tensor<64x16xf32>
  return %0, %1, %3, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
}
