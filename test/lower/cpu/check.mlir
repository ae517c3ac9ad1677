// RUN: kolam run %s --stop-after lowered | FileCheck %s
// A check remembers the first element that is false; the status and the error record follow from it.

// CHECK: %[[LOWEST:.*]] = llvm.alloca
// CHECK: %[[NONE:.*]] = arith.constant -1 : i64
// CHECK: llvm.store %[[NONE]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[FAILS:.*]] = arith.xori
// CHECK: %[[FOUND:.*]] = llvm.load
// CHECK: %[[NONE_YET:.*]] = arith.cmpi slt, %[[FOUND]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.andi %[[FAILS]], %[[NONE_YET]]
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.store
// CHECK: %[[FOUND:.*]] = llvm.load
// CHECK: %[[PASSED:.*]] = arith.cmpi slt, %[[FOUND]]
// CHECK: %[[STATUS:.*]] = arith.select %[[PASSED]]
// CHECK: scf.if %[[PASSED]]
// CHECK: else
// CHECK: %[[INDEX:.*]] = llvm.load
// CHECK: llvm.getelementptr %arg5[0]
// CHECK: llvm.getelementptr %arg5[8]
// CHECK-NEXT: llvm.store %[[INDEX]]
// CHECK: return %[[STATUS]]

func.func @main(%c: tensor<2x3xi1>) {
  kolam.check %c "bad-value" "expected truth" : tensor<2x3xi1>
  return
}
