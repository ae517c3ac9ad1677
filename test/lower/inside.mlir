// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s
// Of a box inside an array, rows that lie outside of it as a whole are asked for before lanes are: nothing is loaded there
// (lm: an x86-64 processor).

// CHECK-LABEL: // nest0
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %{{.*}} : i64
// CHECK: %[[LANES:.*]] = arith.cmpi ult, %{{.*}} : vector<16xi64>
// CHECK: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK: llvm.intr.masked.load
// CHECK: } else {
// CHECK-NOT: load
// CHECK: }
// CHECK: arith.select
func.func @main(%x: tensor<?x20xf32, #kolam.extents<["n", "20"]>>, %u: tensor<5x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>> {
  %n = kolam.elementwise "negative" %x : (tensor<?x20xf32, #kolam.extents<["n", "20"]>>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>>
  %0 = kolam.dynamic_update_slice %n, %u[%i, %j] : (tensor<?x20xf32, #kolam.extents<["n", "20"]>>, tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>>
  %1 = kolam.elementwise "exp" %0 : (tensor<?x20xf32, #kolam.extents<["n", "20"]>>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>>
  return %1 : tensor<?x20xf32, #kolam.extents<["n", "20"]>>
}
