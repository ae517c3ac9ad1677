// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// Loops and choices around several lanes, and what moves in front of them (lm: an x86-64 processor).

// A condition that all lanes share is a branch, where rows are too few to be cut: elements are loaded in it alone, and
// what it alone needs stays in it.
// CHECK-LABEL: // nest0
// CHECK: scf.for %{{.*}} = %arg3
// CHECK: scf.for
// CHECK-NOT: math.sqrt
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : i1
// CHECK: %[[CELLS:.*]] = scf.if %[[INSIDE]] -> (vector<8xf32>) {
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: } else {
// CHECK-NOT: math.sqrt
// CHECK: llvm.store %[[CELLS]]

// A condition that differs from lane to lane is none: both sides are computed, each touches its own lanes' memory only,
// and each lane takes its own. What is a number for all is loaded in front of the loop.
// CHECK-LABEL: // nest1
// CHECK: %[[NUMBER:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : vector<8xi1>
// CHECK: %[[CELLS:.*]] = llvm.intr.masked.gather %{{.*}}, %[[INSIDE]]
// CHECK: arith.xori %[[INSIDE]]
// CHECK: llvm.insertelement %[[NUMBER]]
// CHECK: %[[BOTH:.*]] = arith.select %[[INSIDE]], %[[CELLS]], %{{.*}} : vector<8xi1>
// CHECK: llvm.store %[[BOTH]]

// Behind the last whole vector both sides have no more than the lanes that count.
// CHECK: %[[COUNT:.*]] = arith.cmpi slt, %{{.*}} : vector<8xi32>
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : vector<8xi1>
// CHECK: %[[MASK:.*]] = arith.andi %[[COUNT]], %[[INSIDE]]
// CHECK: llvm.intr.masked.gather %{{.*}}, %[[MASK]]
// CHECK: %[[OUTSIDE:.*]] = arith.xori %[[INSIDE]]
// CHECK: %[[MASK:.*]] = arith.andi %[[COUNT]], %[[OUTSIDE]]
// CHECK: llvm.bitcast %[[MASK]] : vector<8xi1> to i8

// A row's element that perhaps no lane asks for does not move in front of the row's loop.
// CHECK-LABEL: // nest2
// CHECK: scf.for %{{.*}} = %arg3
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : vector<8xi1>
// CHECK: llvm.bitcast %[[INSIDE]] : vector<8xi1> to i8
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: math.sqrt %{{.*}} : vector<8xf32>

// One that all lanes need does, and so does what a loop inside of it adds up.
// CHECK-LABEL: // nest3
// CHECK: scf.for %{{.*}} = %arg3
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SUM]] : f32
// CHECK: scf.for
// CHECK: llvm.insertelement %[[ROOT]]

// What is known now is no loop and no branch: a row of one vector.
// CHECK-LABEL: // nest4
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %[[J:.*]] = %c0_i64{{.*}} to %c8_i64{{.*}} step %c8_i64
// CHECK-NOT: scf.
// CHECK: return

func.func @main(%x: tensor<64xf32>, %y: tensor<4x24xf32>, %z: tensor<64x8xf32>, %v: tensor<f32>, %w: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<50xf32>, tensor<64x12xf32>, tensor<4x24xf32>, tensor<64x8xf32>) {
  %root = kolam.elementwise "sqrt" %x : (tensor<64xf32>) -> tensor<64xf32>
  %rows = kolam.broadcast %root [0] : tensor<64xf32> -> tensor<64x16xf32>
  %some = kolam.slice %x <["0"]> [1] : tensor<64xf32> -> tensor<4xf32>
  %few = kolam.elementwise "sqrt" %some : (tensor<4xf32>) -> tensor<4xf32>
  %short = kolam.broadcast %few [0] : tensor<4xf32> -> tensor<4x16xf32>
  %0 = kolam.pad %short, %v "constant" low [2, 0] high [2, 0] : tensor<4x16xf32>, tensor<f32> -> tensor<8x16xf32>
  %line = kolam.pad %x, %v "constant" low [20] high [16] : tensor<64xf32>, tensor<f32> -> tensor<100xf32>
  %1 = kolam.view %line <["99"]> [-2] : tensor<100xf32> -> tensor<50xf32>
  %lines = kolam.pad %rows, %v "constant" low [0, 4] high [0, 4] : tensor<64x16xf32>, tensor<f32> -> tensor<64x24xf32>
  %2 = kolam.view %lines <["0", "23"]> [1, 0, 0, -2] : tensor<64x24xf32> -> tensor<64x12xf32>
  %sum = kolam.reduce "add" %y dims [1] commutative true <"chunk<64>"> : (tensor<4x24xf32>) -> tensor<4xf32>
  %sums = kolam.elementwise "sqrt" %sum : (tensor<4xf32>) -> tensor<4xf32>
  %all = kolam.broadcast %sums [0] : tensor<4xf32> -> tensor<4x24xf32>
  %3 = kolam.elementwise "subtract" %y, %all : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %row = kolam.broadcast %w [1] : tensor<8xf32> -> tensor<64x8xf32>
  %4 = kolam.elementwise "add" %z, %row : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0, %1, %2, %3, %4 : tensor<8x16xf32>, tensor<50xf32>, tensor<64x12xf32>, tensor<4x24xf32>, tensor<64x8xf32>
}
