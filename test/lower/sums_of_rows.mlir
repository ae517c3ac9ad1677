// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// A sum over rows whose lengths are multiples of the lanes counts elements through all of them; its lanes lie in one row, and
// what each row shares is one element of theirs.
// CHECK-NOT: gather
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NOT: gather
func.func @main(%x: tensor<4096x1024xf32>, %m: tensor<4096x1xf32>, %w: tensor<4096x1024xf32>) -> tensor<f32> {
  %0 = kolam.broadcast %m [0, 1] : tensor<4096x1xf32> -> tensor<4096x1024xf32>
  %1 = kolam.elementwise "subtract" %x, %0 : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %2 = kolam.elementwise "multiply" %1, %w : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %3 = kolam.reduce "add" %2 dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4096x1024xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
