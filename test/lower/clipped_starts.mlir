// RUN: kolam run %s --stop-after lowered | FileCheck %s
// A start that only the run knows is widened by its own sign and clipped to [0, extent - size], here [0, 9 - 2]. Of
// unsigned 64 bits, what int64 does not hold becomes its highest first, so that it is clipped to the end, not to 0. All this stands in front of the elements' loop.

// CHECK-LABEL: // nest0
// CHECK-DAG: %[[LAST:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[START:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK: %[[LIFTED:.*]] = arith.maxsi %[[WIDE]], %[[ZERO]]
// CHECK-NEXT: %[[CLIPPED:.*]] = arith.minsi %[[LIFTED]], %[[LAST]]
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[CLIPPED]], %[[I]]
// CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]]

// CHECK-LABEL: // nest1
// CHECK: arith.extui %{{.*}} : i8 to i64

// CHECK-LABEL: // nest2
// CHECK: %[[START:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK-NOT: arith.ext
// CHECK-NOT: arith.minui
// CHECK: arith.maxsi %[[START]]

// CHECK-LABEL: // nest3
// CHECK: %[[HIGHEST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK: %[[START:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK-NEXT: %[[IS_HIGH:.*]] = arith.cmpi slt, %[[START]], %c0_i64
// CHECK-NEXT: %[[SIGNED:.*]] = arith.select %[[IS_HIGH]], %[[HIGHEST]], %[[START]]
// CHECK: arith.maxsi %[[SIGNED]]

func.func @main(%x: tensor<9xf32>, %a: tensor<i32>, %b: tensor<ui8>, %c: tensor<i64>, %d: tensor<ui64>, %x_1: tensor<9xf32>, %x_2: tensor<9xf32>, %x_3: tensor<9xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = kolam.dynamic_slice %x[%a] : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = kolam.dynamic_slice %x_1[%b] : (tensor<9xf32>, tensor<ui8>) -> tensor<2xf32>
  %2 = kolam.dynamic_slice %x_2[%c] : (tensor<9xf32>, tensor<i64>) -> tensor<2xf32>
  %3 = kolam.dynamic_slice %x_3[%d] : (tensor<9xf32>, tensor<ui64>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
