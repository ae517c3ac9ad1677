// RUN: kolam explain %s | FileCheck %s
// A pair of neighbours is told once, however often the one reads the other; and where a producer's elements cannot be
// computed one by one, why. The other reasons: test/nest/fusion.mlir, products.mlir, evaluations.mlir.

// CHECK: negative ({{.*}}) -> %{{.*}} multiply ({{.*}}): fused
// CHECK-NOT: negative ({{.*}}) -> %{{.*}} multiply
// CHECK: multiply ({{.*}}) -> %{{.*}} sort ({{.*}}): not fused: a step of its own needs it in memory
// CHECK: sort ({{.*}}) -> %{{.*}} abs ({{.*}}): not fused: it is a step of its own
// CHECK: scatter ({{.*}}) -> %{{.*}} abs ({{.*}}): not fused: data decides where its elements lie
// CHECK: cumulative ({{.*}}) -> %{{.*}} abs ({{.*}}): not fused: its elements depend on those before
// CHECK: attention ({{.*}}) -> %{{.*}} abs ({{.*}}): not fused: it cuts its work into tasks of its own
// CHECK: opaque_call ({{.*}}) -> %{{.*}} abs ({{.*}}): not fused: it is a step of its own

func.func @main(%x: tensor<16x24xf32>, %u: tensor<3x1x24xf32>, %i: tensor<3x1xi32>, %q: tensor<2x16x8xf32>) -> (tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<2x16x8xf32>, tensor<16x24xf32>) {
  %n = kolam.elementwise "negative" %x : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %m = kolam.elementwise "multiply" %n, %n : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  %s:2 = kolam.sort %m {descending = false} : (tensor<16x24xf32>) -> (tensor<16x24xf32>, tensor<16x24xi32>)
  %0 = kolam.elementwise "abs" %s#0 : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %t = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<16x24xf32>, tensor<3x1x24xf32>, tensor<3x1xi32>) -> tensor<16x24xf32>
  %1 = kolam.elementwise "abs" %t : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %c = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<16x24xf32> -> tensor<16x24xf32>
  %2 = kolam.elementwise "abs" %c : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %one = kolam.constant dense<1.0> : tensor<f32>
  %a = kolam.attention %q, %q, %q scale %one : (tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<f32>) -> tensor<2x16x8xf32>
  %3 = kolam.elementwise "abs" %a : (tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %h = kolam.opaque_call "host"(%x) : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %4 = kolam.elementwise "abs" %h : (tensor<16x24xf32>) -> tensor<16x24xf32>
  return %0, %1, %2, %3, %4 : tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<2x16x8xf32>, tensor<16x24xf32>
}
