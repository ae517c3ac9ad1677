// RUN: kolam run %s --stop-after lowered | FileCheck %s
// The parts every nest is made of: buffers, sizes, the parallel range, memory and registers of each dtype.

// Buffers and the sizes of symbols come in the order of the nest; cell numbers are row-major; a bool is a byte in
// memory and i1 in registers.
// CHECK-LABEL: // nest0
// CHECK: llvm.getelementptr %arg1[0]
// CHECK-NEXT: %[[OUT:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %arg1[1]
// CHECK-NEXT: %[[IN:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %arg2[0]
// CHECK-NEXT: %[[M:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[M]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[M]]
// CHECK-NEXT: %[[CELL:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %[[IN]][%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: %[[BYTE:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i8
// CHECK: %[[TRUTH:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK: %[[INVERSE:.*]] = arith.xori %[[TRUTH]]
// CHECK: %[[RESULT:.*]] = arith.extui %[[INVERSE]] : i1 to i8
// CHECK: llvm.getelementptr %[[OUT]]
// CHECK-NEXT: llvm.store %[[RESULT]]

// A cell that two consumers need is computed once; a fused producer has no memory.
// CHECK-LABEL: // nest1
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ROOT]], %[[ROOT]]
// CHECK-NOT: math.sqrt
// CHECK: llvm.store %[[SUM]]
// CHECK-NOT: llvm.store

// bf16 is held as its bits.
// CHECK-LABEL: // nest2
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: arith.addf
// CHECK: llvm.store %{{.*}} : i16

// Extents are expressions of the sizes; a divisor that is not positive gives 0.
// CHECK-LABEL: // nest3
// CHECK: %[[DEFINED:.*]] = arith.cmpi sgt
// CHECK: %[[DIVISOR:.*]] = arith.select %[[DEFINED]]
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %{{.*}}, %[[DIVISOR]]
// CHECK: arith.select %[[DEFINED]], %[[QUOTIENT]]

func.func @main(%c: tensor<?x?xi1, #kolam.extents<["n", "m"]>>, %x: tensor<4xf32>, %b: tensor<4xbf16>) -> (tensor<?x?xi1, #kolam.extents<["n", "m"]>>, tensor<4xf32>, tensor<4xbf16>, tensor<i64>) {
  %0 = kolam.elementwise "logical_not" %c : (tensor<?x?xi1, #kolam.extents<["n", "m"]>>) -> tensor<?x?xi1, #kolam.extents<["n", "m"]>>
  %1 = kolam.elementwise "sqrt" %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = kolam.elementwise "add" %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = kolam.elementwise "add" %b, %b : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %4 = kolam.extent "floordiv(n, m)" : tensor<i64>
  return %0, %2, %3, %4 : tensor<?x?xi1, #kolam.extents<["n", "m"]>>, tensor<4xf32>, tensor<4xbf16>, tensor<i64>
}
