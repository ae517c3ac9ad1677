// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,AVX512
// What a mask keeps is packed by an instruction, by a table of permutations, or one by one (lm: an x86-64 processor).
// REQUIRES: lm

// CHECK-LABEL: // nest0
// NONE-NOT: vector<
// AVX2: llvm.mlir.global private constant @kolam_lanes_first(
// AVX2: %[[TABLE:.*]] = llvm.mlir.addressof @kolam_lanes_first
// AVX2: %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][
// AVX2: %[[LANES:.*]] = llvm.load %[[ENTRY]] {alignment = 8 : i64} : !llvm.ptr -> vector<8xi8>
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.permps"
// AVX512: llvm.call_intrinsic "llvm.experimental.vector.compress"

// Narrow elements are packed as wider ones.
// CHECK-LABEL: // nest1
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.permd"
// AVX512: llvm.call_intrinsic "llvm.experimental.vector.compress"

// A register of AVX2 holds four of these.
// CHECK-LABEL: // nest2
// AVX2-NOT: vector<
// AVX512: llvm.call_intrinsic "llvm.experimental.vector.compress"

func.func @main(%mask: tensor<100xi1>, %x: tensor<100xf32>, %y: tensor<100xi8>, %z: tensor<100xf64>) -> (tensor<50xf32>, tensor<50xi8>, tensor<50xf64>) {
  %0 = kolam.compress %mask, %x : (tensor<100xi1>, tensor<100xf32>) -> tensor<50xf32>
  %1 = kolam.compress %mask, %y : (tensor<100xi1>, tensor<100xi8>) -> tensor<50xi8>
  %2 = kolam.compress %mask, %z : (tensor<100xi1>, tensor<100xf64>) -> tensor<50xf64>
  return %0, %1, %2 : tensor<50xf32>, tensor<50xi8>, tensor<50xf64>
}
