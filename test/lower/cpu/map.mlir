// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// Walks by vectors and by tiles, and their ends (lm: an x86-64 processor).

// Tiles go by blocks of four, columns within rows within blocks; each row of a tile is stored at its place.
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[BLOCK:.*]] = %c0_i64{{.*}} to %c67_i64{{.*}} step %c32_i64
// CHECK: arith.minsi
// CHECK: %[[LEFT:.*]] = arith.remui %{{.*}}, %c8_i64
// CHECK: %[[ROWS:.*]] = arith.subi %arg4, %[[LEFT]]
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %[[ROWS]] step %c8_i64
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %c8_i64
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>

// Three columns behind the last tile are tiles of four lanes, stored by two and one. Rows behind it are gathered.
// CHECK: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: llvm.store %{{.*}} : vector<2xf32>
// CHECK: llvm.store %{{.*}} : f32
// CHECK: scf.for %{{.*}} = %[[ROWS]] to %arg4 step %c1_i64
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store %{{.*}} : vector<8xf32>

// What a row's sum walks over and the row asks for again is kept in scratch memory, not computed twice.
// CHECK-LABEL: // nest1
// CHECK: %[[ROW:.*]] = llvm.alloca %c40_i64{{.*}} x f32
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK-COUNT-5: llvm.getelementptr %[[ROW]]
// CHECK: scf.for %[[J:.*]] = %c0_i64{{.*}} to %c40_i64
// CHECK-NOT: arith.mulf
// CHECK: llvm.getelementptr %[[ROW]][%[[J]]]
// CHECK-NEXT: %[[CELLS:.*]] = llvm.load
// CHECK: arith.divf %[[CELLS]]
// CHECK: return

// What costs little is computed again.
// CHECK-LABEL: // nest2
// CHECK-NOT: llvm.alloca %c40_i64
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK: return

// Two elements that share a loop are computed one after another.
// CHECK-LABEL: // nest3
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-2: llvm.store {{.*}} : f32, !llvm.ptr
// CHECK: return

// Of a row of 60 bytes 28 are left behind a vector: half of one, a quarter, four by themselves. No mask.
// CHECK-LABEL: // nest4
// CHECK-NOT: masked
// CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c32_i64
// CHECK: llvm.store %{{.*}} : vector<32xi8>
// CHECK: llvm.store %{{.*}} : vector<16xi8>
// CHECK: llvm.store %{{.*}} : vector<8xi8>
// CHECK: scf.for %{{.*}} = %c56_i64 to %c60_i64 step %c1_i64
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr
// CHECK: return

func.func @main(%x: tensor<67x40xf32>, %y: tensor<67xf32>, %v: tensor<67x192xf32>, %bytes: tensor<3x60xui8>, %row: tensor<60xui8>) -> (tensor<40x67xf32>, tensor<67x40xf32>, tensor<67x40xf32>, tensor<67x2xf32>, tensor<3x60xui8>) {
  %0 = kolam.transpose %x [1, 0] : tensor<67x40xf32> -> tensor<40x67xf32>
  %exp = kolam.elementwise "exp" %x : (tensor<67x40xf32>) -> tensor<67x40xf32>
  %sum = kolam.reduce "add" %exp dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<67x40xf32>) -> tensor<67xf32>
  %sums = kolam.broadcast %sum [0] : tensor<67xf32> -> tensor<67x40xf32>
  %1 = kolam.elementwise "divide" %exp, %sums : (tensor<67x40xf32>, tensor<67x40xf32>) -> tensor<67x40xf32>
  %ys = kolam.broadcast %y [0] : tensor<67xf32> -> tensor<67x40xf32>
  %less = kolam.elementwise "subtract" %x, %ys : (tensor<67x40xf32>, tensor<67x40xf32>) -> tensor<67x40xf32>
  %least = kolam.reduce "add" %less dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<67x40xf32>) -> tensor<67xf32>
  %leasts = kolam.broadcast %least [0] : tensor<67xf32> -> tensor<67x40xf32>
  %2 = kolam.elementwise "divide" %less, %leasts : (tensor<67x40xf32>, tensor<67x40xf32>) -> tensor<67x40xf32>
  %total = kolam.reduce "add" %v dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<67x192xf32>) -> tensor<67xf32>
  %root = kolam.elementwise "sqrt" %total : (tensor<67xf32>) -> tensor<67xf32>
  %a = kolam.expand_dims %total [1] : tensor<67xf32> -> tensor<67x1xf32>
  %b = kolam.expand_dims %root [1] : tensor<67xf32> -> tensor<67x1xf32>
  %3 = kolam.concat %a, %b dim 1 : (tensor<67x1xf32>, tensor<67x1xf32>) -> tensor<67x2xf32>
  %rows = kolam.broadcast %row [1] : tensor<60xui8> -> tensor<3x60xui8>
  %4 = kolam.elementwise "add" %bytes, %rows : (tensor<3x60xui8>, tensor<3x60xui8>) -> tensor<3x60xui8>
  return %0, %1, %2, %3, %4 : tensor<40x67xf32>, tensor<67x40xf32>, tensor<67x40xf32>, tensor<67x2xf32>, tensor<3x60xui8>
}
