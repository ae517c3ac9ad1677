// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=znver4 kolam run %s --stop-after lowered | FileCheck %s --check-prefix=WIDE
// RUN: env KOLAM_TARGET=haswell kolam explain %s | FileCheck %s --check-prefix=WALK
// Which memory is asked for ahead, and how far (lm: an x86-64 processor).

// Sums over rows ask for the memory 8 KB behind every vector that they load.
// CHECK-LABEL: // nest0
// CHECK: scf.for %{{.*}} iter_args
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X:.*]][%[[I:.*]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %[[THERE:.*]] = llvm.getelementptr %[[AT]][%c8192_i64{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: "llvm.intr.prefetch"(%[[THERE]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]][%[[I]]]
// CHECK-NEXT: llvm.load %[[AT]] {{.*}} -> vector<8xf32>

// What the near caches hold needs none of that, nor does a walk without loops, which the processor foresees.
// CHECK-LABEL: // nest1
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return
// CHECK-LABEL: // nest2
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return

// The map behind an extreme of rows reads them again, and so asks for the next ones, and for the lines that it is to
// write; its weights stay where they are.
// CHECK-LABEL: // nest3
// CHECK: scf.for %{{.*}} iter_args
// CHECK: llvm.intr.prefetch
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} step %c8_i64
// CHECK: "llvm.intr.prefetch"({{.*}}) <{{{.*}} rw = 0 : i32}>
// CHECK-NOT: llvm.intr.prefetch
// CHECK: arith.divf
// CHECK: "llvm.intr.prefetch"({{.*}}) <{{{.*}} rw = 1 : i32}>
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return

// Where the walk goes by rows, what is asked for is rows away: four of 2 KB, at least two of 12 KB, so many as the
// extents say.
// CHECK-LABEL: // nest4
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%c8192_i64{{.*}}]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AT]])
// CHECK-LABEL: // nest5
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%c24000_i64{{.*}}]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AT]])
// CHECK-LABEL: // nest6
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c4_i64
// CHECK: %[[ROWS:.*]] = arith.maxsi %{{.*}}, %c2_i64
// CHECK-NEXT: %[[AHEAD:.*]] = arith.muli %[[ROW]], %[[ROWS]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[AHEAD]]]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AT]])

// Vectors of two lines ask for both.
// WIDE-LABEL: // nest7
// WIDE: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%c8192_i64{{.*}}]
// WIDE-NEXT: "llvm.intr.prefetch"(%[[AT]])
// WIDE: %[[NEXT:.*]] = llvm.getelementptr %[[AT]][%c64_i64{{.*}}]
// WIDE-NEXT: "llvm.intr.prefetch"(%[[NEXT]])
// WIDE: llvm.load %{{.*}} -> vector<16xf64>

// WALK: nest0 runs by 1 lane: lanes along the elements of an element, memory asked for ahead
// WALK-NEXT: nest1 runs by 1 lane: lanes along the elements of an element
// WALK-NEXT: nest2 runs by 8 lanes, dims 0 to 1 as one
// WALK-NEXT: nest3 runs by 8 lanes, memory asked for ahead
// WALK-NEXT: nest4 runs by 8 lanes, row by row, memory asked for ahead

func.func @main(%x: tensor<1000x512xf32>, %y: tensor<100x512xf32>, %w: tensor<512xf32>, %l: tensor<200x3000xf32>, %s: tensor<?x?xf32, #kolam.extents<["m", "n"]>>, %f: tensor<1000x512xf64>) -> (tensor<1000xf32>, tensor<100xf32>, tensor<1000x512xf32>, tensor<1000x512xf32>, tensor<512xf32>, tensor<3000xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<1000xf64>) {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000x512xf32>) -> tensor<1000xf32>
  %1 = kolam.reduce "add" %y dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<100x512xf32>) -> tensor<100xf32>
  %2 = kolam.elementwise "negative" %x : (tensor<1000x512xf32>) -> tensor<1000x512xf32>
  %sum = kolam.reduce "maximum" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000x512xf32>) -> tensor<1000xf32>
  %sums = kolam.broadcast %sum [0] : tensor<1000xf32> -> tensor<1000x512xf32>
  %ws = kolam.broadcast %w [1] : tensor<512xf32> -> tensor<1000x512xf32>
  %d = kolam.elementwise "divide" %x, %sums : (tensor<1000x512xf32>, tensor<1000x512xf32>) -> tensor<1000x512xf32>
  %3 = kolam.elementwise "multiply" %d, %ws : (tensor<1000x512xf32>, tensor<1000x512xf32>) -> tensor<1000x512xf32>
  %4 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<1000x512xf32>) -> tensor<512xf32>
  %5 = kolam.reduce "add" %l dims [0] commutative true <"chunk<64>"> : (tensor<200x3000xf32>) -> tensor<3000xf32>
  %6 = kolam.reduce "add" %s dims [0] commutative true <"chunk<64>"> : (tensor<?x?xf32, #kolam.extents<["m", "n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %7 = kolam.reduce "add" %f dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000x512xf64>) -> tensor<1000xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1000xf32>, tensor<100xf32>, tensor<1000x512xf32>, tensor<1000x512xf32>, tensor<512xf32>, tensor<3000xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<1000xf64>
}
