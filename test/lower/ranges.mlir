// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// What is known of places decides conditions now (lm: an x86-64 processor).

// Inside, an element of a padded row is that of the row: nothing is compared, and neighbours are one load. In front and
// behind it is the value.
// CHECK-LABEL: // nest0
// CHECK-NOT: llvm.intr.masked.load
// CHECK: scf.for %{{.*}} = %c16_i64{{.*}} to
// CHECK-NOT: cmpi
// CHECK-NOT: select
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.store
// CHECK-LABEL: // nest1

// A row that is turned round at its ends: places run backwards there.
// CHECK: llvm.shufflevector
// CHECK-NOT: remsi
// CHECK-NOT: gather
// CHECK: return

func.func @main(%x: tensor<64x100xf32>, %v: tensor<f32>) -> (tensor<64x132xf32>, tensor<32x132xf32>) {
  %0 = kolam.pad %x, %v "constant" low [0, 16] high [0, 16] : tensor<64x100xf32>, tensor<f32> -> tensor<64x132xf32>
  %y = kolam.slice %x <["0", "0"]> [2, 1] : tensor<64x100xf32> -> tensor<32x100xf32>
  %1 = kolam.pad %y, %v "reflect" low [0, 16] high [0, 16] : tensor<32x100xf32>, tensor<f32> -> tensor<32x132xf32>
  %2 = kolam.elementwise "negative" %1 : (tensor<32x132xf32>) -> tensor<32x132xf32>
  return %0, %2 : tensor<64x132xf32>, tensor<32x132xf32>
}
