// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Arrays of a loop over elements and small arrays: in working memory, by vectors and their halves (lm: an x86-64
// processor).

// What the state starts from.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK: llvm.store %{{.*}} : vector<8xf32>

// A step writes the next state to memory of its own, 8, 8 and 4 elements, and then over the state.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c50_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: llvm.store %{{.*}} : vector<4xf32>
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<4xf32>

func.func @main(%m: tensor<20x20xf32>, %x: tensor<20xf32>) -> tensor<20xf32> {
  %first = kolam.constant dense<0> : tensor<i32>
  %last = kolam.constant dense<50> : tensor<i32>
  %r = kolam.for from %first to %last carry(%x) captures(%m) : (tensor<i32>, tensor<i32>, tensor<20xf32>, tensor<20x20xf32>) -> tensor<20xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<20xf32>, %own: tensor<20x20xf32>):
    %product = kolam.contract "mk,k->m" %own, %s <"lanes<64>, chunk<4096>"> : (tensor<20x20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %next = kolam.elementwise "add" %product, %s : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    kolam.yield %next : tensor<20xf32>
  }
  return %r : tensor<20xf32>
}
