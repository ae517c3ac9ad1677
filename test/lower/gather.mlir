// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam explain %s | FileCheck %s --check-prefix=WALK
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s
// Rows at places that data gives (lm: an x86-64 processor).

// A sum of rows holds the columns in registers over the rows; one place and one load of it for all of them.
// WALK: nest0 runs by 4 vectors of 16 lanes
// CHECK-LABEL: // nest0
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[PLACE:.*]] = llvm.load %{{.*}} -> i32
// CHECK-NOT: -> i32
// CHECK-COUNT-4: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.addf
// CHECK: scf.yield

// A row of a result is copied by vectors behind the load of its place; a result as large as the caches goes past them.
// WALK-NEXT: nest1 runs by 16 lanes, past the caches
// CHECK-LABEL: // nest1
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %arg4
// CHECK: llvm.getelementptr %[[PLACES:.*]][%[[ROW]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT: llvm.load %{{.*}} -> i32
// CHECK: scf.for
// CHECK-NOT: llvm.load %{{.*}} -> i32
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.store %{{.*}} nontemporal} : vector<16xf32>

// Places along the lanes: a load of any elements.
// WALK-NEXT: nest2 runs by 16 lanes
// CHECK-LABEL: // nest2
// CHECK: llvm.load %{{.*}} -> vector<16xi32>
// CHECK: llvm.intr.masked.gather

func.func @main(%x: tensor<1000x64xf32>, %i: tensor<4096x32x1xi32>, %y: tensor<1000x64xf32>, %j: tensor<131072x1xi32>, %z: tensor<500xf32>, %k: tensor<640x1xi32>) -> (tensor<4096x64xf32>, tensor<131072x1x64xf32>, tensor<640xf32>) {
  %rows = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<1000x64xf32>, tensor<4096x32x1xi32>) -> tensor<4096x32x1x64xf32>
  %bags = kolam.squeeze %rows [2] : tensor<4096x32x1x64xf32> -> tensor<4096x32x64xf32>
  %0 = kolam.reduce "add" %bags dims [1] commutative true <"chunk<64>"> : (tensor<4096x32x64xf32>) -> tensor<4096x64xf32>
  %1 = kolam.gather %y, %j "clip" dims [0] lengths [1] batched 0 : (tensor<1000x64xf32>, tensor<131072x1xi32>) -> tensor<131072x1x64xf32>
  %cells = kolam.gather %z, %k "clip" dims [0] lengths [1] batched 0 : (tensor<500xf32>, tensor<640x1xi32>) -> tensor<640x1xf32>
  %2 = kolam.squeeze %cells [1] : tensor<640x1xf32> -> tensor<640xf32>
  return %0, %1, %2 : tensor<4096x64xf32>, tensor<131072x1x64xf32>, tensor<640xf32>
}
