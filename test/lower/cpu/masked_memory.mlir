// REQUIRES: lm
// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,HASWELL
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,AVX512
// Where a processor has masked moves and where lanes go one by one through memory (lm: an x86-64 processor).

// The end of a row, of which only the run knows the length: moves of 32 bits have masks from AVX2 on. Without, all lanes at once where the mask chooses all, or any of those in one page, or one after the other.
// CHECK-LABEL: // nest0
// NONE: %[[SLOTS:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// NONE-NOT: masked
// NONE: llvm.store %{{.*}} : vector<4xf32>
// NONE: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<4xi1> to i4
// NONE: %[[ANY:.*]] = arith.cmpi ne, %[[BITS]]
// NONE: %[[IN_PAGE:.*]] = arith.cmpi ule, %{{.*}}, %c4080_i64
// NONE: %[[THERE:.*]] = arith.andi %[[ANY]], %[[IN_PAGE]]
// NONE: %[[ALL:.*]] = arith.cmpi eq, %{{.*}} : i4
// NONE: %[[AT_ONCE:.*]] = arith.ori %[[ALL]], %[[THERE]]
// NONE: scf.if %[[AT_ONCE]] -> (vector<4xf32>)
// NONE: %[[WHOLE:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// NONE: arith.select %{{.*}}, %[[WHOLE]]
// NONE: } else {
// NONE: llvm.store %{{.*}}, %[[SLOTS]] {alignment = 4 : i64} : vector<4xf32>
// NONE: %[[COUNT:.*]] = math.ctpop
// NONE: scf.for %{{.*}} = %c0_i64{{.*}} to %[[COUNT]]
// NONE: math.cttz
// NONE-NOT: scf.if
// NONE: llvm.load %{{.*}} : !llvm.ptr -> f32
// NONE: llvm.store %{{.*}} : f32, !llvm.ptr
// NONE: llvm.load %[[SLOTS]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// NONE: math.sqrt
// NONE: } else {
// NONE: llvm.store %{{.*}}, %[[SLOTS]]
// NONE: scf.for
// HASWELL: llvm.intr.masked.load
// HASWELL: llvm.intr.masked.store
// AVX512: llvm.intr.masked.load
// AVX512: llvm.intr.masked.store

// Moves of 16 bits have masks from AVX-512 on.
// CHECK-LABEL: // nest1
// HASWELL-NOT: masked
// HASWELL: llvm.bitcast %{{.*}} : vector<8xi1> to i8
// AVX512: llvm.intr.masked.load
// AVX512: llvm.intr.masked.store

// Gathers of 32 bits with a mask are worth it where the processor is quick at them, of 16 bits never.
// CHECK-LABEL: // nest2
// HASWELL: scf.if
// HASWELL-NOT: masked.gather
// HASWELL: scf.for
// HASWELL: llvm.load %{{.*}} : !llvm.ptr -> i64
// AVX512: scf.if
// AVX512: llvm.intr.masked.gather
// CHECK-LABEL: // nest3
// AVX512: scf.if
// AVX512-NOT: masked.gather
// AVX512: scf.for

func.func @main(%x: tensor<4x?xf32, #kolam.extents<["4", "n"]>>, %w: tensor<?xf32, #kolam.extents<["n"]>>, %h: tensor<4x?xbf16, #kolam.extents<["4", "m"]>>, %v: tensor<?xbf16, #kolam.extents<["m"]>>, %y: tensor<42xf32>, %z: tensor<42xbf16>) -> (tensor<4x?xf32, #kolam.extents<["4", "n"]>>, tensor<4x?xbf16, #kolam.extents<["4", "m"]>>, tensor<21xf32>, tensor<21xbf16>) {
  %row = kolam.broadcast %w [1] : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<4x?xf32, #kolam.extents<["4", "n"]>>
  %sum = kolam.elementwise "add" %x, %row : (tensor<4x?xf32, #kolam.extents<["4", "n"]>>, tensor<4x?xf32, #kolam.extents<["4", "n"]>>) -> tensor<4x?xf32, #kolam.extents<["4", "n"]>>
  %0 = kolam.elementwise "sqrt" %sum : (tensor<4x?xf32, #kolam.extents<["4", "n"]>>) -> tensor<4x?xf32, #kolam.extents<["4", "n"]>>
  %rows = kolam.broadcast %v [1] : tensor<?xbf16, #kolam.extents<["m"]>> -> tensor<4x?xbf16, #kolam.extents<["4", "m"]>>
  %1 = kolam.elementwise "add" %h, %rows : (tensor<4x?xbf16, #kolam.extents<["4", "m"]>>, tensor<4x?xbf16, #kolam.extents<["4", "m"]>>) -> tensor<4x?xbf16, #kolam.extents<["4", "m"]>>
  %2 = kolam.slice %y <["0"]> [2] : tensor<42xf32> -> tensor<21xf32>
  %3 = kolam.slice %z <["0"]> [2] : tensor<42xbf16> -> tensor<21xbf16>
  return %0, %1, %2, %3 : tensor<4x?xf32, #kolam.extents<["4", "n"]>>, tensor<4x?xbf16, #kolam.extents<["4", "m"]>>, tensor<21xf32>, tensor<21xbf16>
}
