// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Running combinations along an outer dim, row by row (lm: an x86-64 processor).

// A block of columns: the first row, then the others by vectors, 64 rows between looks at the cancel flag. States lie in
// scratch memory; the memory two rows on is asked for.
// CHECK-LABEL: // nest0
// CHECK: %[[STATES:.*]] = llvm.alloca %c2048_i64{{.*}} x f32
// CHECK: scf.for %[[BLOCK:.*]] = %arg3 to %arg4 step %c2048_i64
// CHECK: scf.for %{{.*}} step %c8_i64
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: scf.for %{{.*}} = %c1_i64 to %c300_i64 step %c64_i64
// CHECK: llvm.load volatile
// CHECK: scf.if
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %{{.*}} step %c8_i64
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[STATES]]
// CHECK-NEXT: %[[STATE:.*]] = llvm.load %[[FROM]] {{.*}} -> vector<8xf32>
// CHECK: llvm.getelementptr %{{.*}}[%c16000_i64{{.*}}]
// CHECK-NEXT: "llvm.intr.prefetch"
// CHECK: %[[NEXT:.*]] = arith.addf %[[STATE]], %{{.*}} : vector<8xf32>
// CHECK: llvm.store %[[NEXT]]
// CHECK: llvm.store %[[NEXT]], %{{.*}} : vector<8xf32>

// Along the innermost dim, eight lines side by side: squares of eight steps are turned, and turned back; then step by step,
// and what is left of the lines line by line.
// CHECK-LABEL: // nest1
// CHECK: scf.for %{{.*}} step %c8_i64
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector
// CHECK-COUNT-7: arith.addf %{{.*}} : vector<8xf32>
// CHECK: llvm.shufflevector
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>
// CHECK: scf.for %{{.*}} step %c8_i64{{.*}} iter_args(%{{.*}}) -> (vector<8xf32>)
// CHECK-NOT: gather
// CHECK: scf.for %{{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (f32)
// CHECK: arith.addf %[[STATE]]
// CHECK: return

// By vectors where the grouping changes no bit: with what stands 1, 2 and 4 elements in front, then with the state.
// CHECK-LABEL: // nest2
// CHECK: scf.for %{{.*}} step %c8_i64{{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector %{{.*}}, %[[X]] [7, 8, 9, 10, 11, 12, 13, 14]
// CHECK: arith.cmpf ogt
// CHECK: llvm.shufflevector %{{.*}} [6, 7, 8, 9, 10, 11, 12, 13]
// CHECK: llvm.shufflevector %{{.*}} [4, 5, 6, 7, 8, 9, 10, 11]
// CHECK: arith.cmpf ogt, %[[STATE]], %{{.*}}
// CHECK: arith.cmpf uno, %[[STATE]], %{{.*}}
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: llvm.store %[[NEXT]], %{{.*}} : vector<8xf32>
// CHECK: llvm.shufflevector %[[NEXT]], %[[NEXT]] [7, 7, 7, 7, 7, 7, 7, 7]
// CHECK: scf.for

// Few lines go line by line.
// CHECK-LABEL: // nest3
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %{{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (f32)
// CHECK: arith.addf %[[STATE]]
// CHECK-NOT: vector
// CHECK: return

func.func @main(%x: tensor<300x2000xf32>, %y: tensor<30x200xf32>, %z: tensor<7x200xf32>) -> (tensor<300x2000xf32>, tensor<30x200xf32>, tensor<30x200xf32>, tensor<7x200xf32>) {
  %0 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<300x2000xf32> -> tensor<300x2000xf32>
  %1 = kolam.cumulative "add" %y dim 1 {exclusive = false, reverse = false} : tensor<30x200xf32> -> tensor<30x200xf32>
  %2 = kolam.cumulative "maximum" %y dim 1 {exclusive = false, reverse = false} : tensor<30x200xf32> -> tensor<30x200xf32>
  %3 = kolam.cumulative "add" %z dim 1 {exclusive = false, reverse = false} : tensor<7x200xf32> -> tensor<7x200xf32>
  return %0, %1, %2, %3 : tensor<300x2000xf32>, tensor<30x200xf32>, tensor<30x200xf32>, tensor<7x200xf32>
}
