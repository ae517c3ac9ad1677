// RUN: kolam run %s --stop-after lowered | FileCheck %s
// A scatter copies its destination, then takes update after update in one serial loop: the range that the nest is given
// is not used, so that equal places are met in order.

// CHECK-NOT: %arg3
// CHECK: func.func @kolam_nest(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64, %arg5: !llvm.ptr) -> i32
// CHECK-NOT: %arg{{[34]}}
// CHECK: scf.for %[[CELL:.*]] = %{{.*}} to
// CHECK: %[[OLD:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %[[RESULT:.*]][%[[CELL]]]
// CHECK-NEXT: llvm.store %[[OLD]]
// CHECK: scf.for %[[BATCH:.*]] = %{{.*}} to
// CHECK: llvm.getelementptr %{{.*}}[%[[BATCH]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: %[[START:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[START]]
// CHECK-NEXT: %[[HIGH:.*]] = arith.cmpi sle, %[[START]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: scf.if
// CHECK: scf.for %[[OFFSET:.*]] = %{{.*}} to
// CHECK: %[[PLACE:.*]] = arith.addi %[[START]], %[[OFFSET]]
// CHECK: llvm.getelementptr %[[RESULT]][%[[PLACE]]]
// CHECK-NEXT: %[[STATE:.*]] = llvm.load
// CHECK: %[[UPDATE:.*]] = llvm.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[STATE]], %[[UPDATE]]
// CHECK-NEXT: llvm.getelementptr %[[RESULT]][%[[PLACE]]]
// CHECK-NEXT: llvm.store %[[NEXT]]
// CHECK-NOT: %arg{{[34]}}

func.func @main(%x: tensor<4xf32>, %u: tensor<3x1xf32>, %i: tensor<3x1xi32>) -> tensor<4xf32> {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<4xf32>, tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
