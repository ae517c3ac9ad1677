// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// The places of a block of updates are computed first, eight at once, as i32, also what they are computed from; elements are then
// combined one after the other, without a question where all of a block lie inside; else those outside act on memory that
// nobody reads, without a branch (lm: an x86-64 processor).

// CHECK-LABEL: // nest0
// CHECK: %[[PLACES:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[UPDATES:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: %[[NOWHERE:.*]] = llvm.alloca %c8_i64 x f32
// CHECK: scf.for %{{.*}} step %c256_i64
// CHECK: scf.for %{{.*}} step %c8_i64{{.*}} -> (i1)
// CHECK: %[[STARTS:.*]] = llvm.load %{{.*}} -> vector<8xi32>
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[STARTS]]
// CHECK: %[[HIGH:.*]] = arith.cmpi sle, %[[STARTS]]
// CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[PLACED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: llvm.store %[[PLACED]]
// CHECK: %[[NEGATED:.*]] = arith.negf %{{.*}} : vector<8xf32>
// CHECK: llvm.store %[[NEGATED]]
// CHECK: scf.for %{{.*}} -> (i1)
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[NOWHERE]]
// CHECK: llvm.select
// CHECK: arith.addf %{{.*}} : f32
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-COUNT-8: arith.addf %{{.*}} : f32
// CHECK: scf.for
// CHECK: arith.addf %{{.*}} : f32
// CHECK: return
func.func @main(%x: tensor<40xf32>, %u: tensor<70x1xf32>, %i: tensor<70x1xi32>) -> tensor<40xf32> {
  %n = kolam.elementwise "negative" %u : (tensor<70x1xf32>) -> tensor<70x1xf32>
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%n) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<70x1xf32>, tensor<70x1xi32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
