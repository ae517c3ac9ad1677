// RUN: kolam run %s --stop-after lowered | FileCheck %s
// The order of a sum of six, as code: one chunk, lanes, a tree of chunks.

// One chunk: the first element, then a loop over the others that carries the sum, earlier + later.
// CHECK-LABEL: // nest0
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (f32)
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK-NEXT: arith.addf %[[SUM]], %[[NEXT]]
// CHECK-NOT: arith.addf
// CHECK-NOT: math.cttz

// Four lanes in scratch memory: filled, then one more row of as many as are left, then halved: lane l and l + 2, l and
// l + 1.
// CHECK-LABEL: // nest1
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: %[[LANES:.*]] = llvm.alloca %[[FOUR]] x f32
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %[[LANE:.*]] = %{{.*}} to
// CHECK-NOT: arith.addf
// CHECK: llvm.getelementptr %[[LANES]][%[[LANE]]]
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK: %[[BASE:.*]] = arith.muli %[[ROW]]
// CHECK: scf.for %[[LANE:.*]] = %{{.*}} to
// CHECK-NEXT: %[[ELEMENT:.*]] = arith.addi %[[BASE]], %[[LANE]]
// CHECK: %[[STATE:.*]] = llvm.load
// CHECK: %[[NEW:.*]] = llvm.load
// CHECK-NEXT: arith.addf %[[STATE]], %[[NEW]]
// CHECK: scf.for %[[LANE:.*]] = %{{.*}} to
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NEXT: %[[OTHER:.*]] = arith.addi %[[LANE]], %[[TWO]]
// CHECK: llvm.getelementptr %[[LANES]][%[[OTHER]]]
// CHECK: scf.for %[[LANE:.*]] = %{{.*}} to
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[OTHER:.*]] = arith.addi %[[LANE]], %[[ONE]]
// CHECK: llvm.getelementptr %[[LANES]][%[[OTHER]]]

// Chunks of two: a binary counter of states. A chunk merges as often as its number ends in ones; what is left at the
// end merges from the lowest slot up, earlier before later; no chunks give the identity.
// CHECK-LABEL: // nest2
// CHECK: %[[SLOTS:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: %[[CHUNKS:.*]] = arith.ceildivsi
// CHECK: %[[INVERTED:.*]] = arith.xori
// CHECK: %[[ONES:.*]] = math.cttz %[[INVERTED]]
// CHECK: scf.for %[[LEVEL:.*]] = %{{.*}} to %[[ONES]] step %{{.*}} iter_args(%[[LATER:.*]] = %{{.*}})
// CHECK: llvm.getelementptr %[[SLOTS]][%[[LEVEL]]]
// CHECK: %[[EARLIER:.*]] = llvm.load
// CHECK: arith.addf %[[EARLIER]], %[[LATER]]
// CHECK: llvm.getelementptr %[[SLOTS]][%[[ONES]]]
// CHECK: arith.cmpi sgt, %[[CHUNKS]]
// CHECK: scf.if
// CHECK: math.cttz %[[CHUNKS]]
// CHECK: scf.for {{.*}} iter_args(%[[LATER:.*]] = %{{.*}})
// CHECK: %[[EARLIER:.*]] = llvm.load
// CHECK: arith.addf %[[EARLIER]], %[[LATER]]
// CHECK: else
// CHECK: else
// CHECK-NEXT: arith.constant 0.000000e+00 : f32

func.func @main(%x: tensor<6xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<6xf32>) -> tensor<f32>
  %1 = kolam.reduce "add" %x dims [0] commutative true <"lanes<4>, chunk<8>"> : (tensor<6xf32>) -> tensor<f32>
  %2 = kolam.reduce "add" %x dims [0] commutative true <"chunk<2>"> : (tensor<6xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
