// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Where the elements of several lanes lie: numbers as long as all lanes go in equal steps (lm: an x86-64 processor).

// Steps of a progression are multiplied and added beside its base; only the gather makes numbers of lanes. What the row
// adds stands in front of its loop.
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[I:.*]] = %arg3
// CHECK: %[[ROW:.*]] = arith.addi %[[I]], %c3_i64
// CHECK: %[[CELLS:.*]] = arith.muli %[[ROW]], %c128_i64
// CHECK: scf.for %[[J:.*]] = %c0_i64
// CHECK: %[[FAR:.*]] = arith.muli %[[J]], %c9_i64
// CHECK-NEXT: %[[COLUMN:.*]] = arith.addi %[[FAR]], %c1_i64
// CHECK-NEXT: %[[BASE:.*]] = arith.addi %[[CELLS]], %[[COLUMN]] : i64
// CHECK: llvm.insertelement %[[BASE]]
// CHECK: arith.constant dense<[0, 9, 18, 27, 36, 45, 54, 63]> : vector<8xi64>
// CHECK: llvm.intr.masked.gather

// Steps may go backwards, or away: a row that is turned around twice.
// CHECK-LABEL: // nest1
// CHECK: scf.for %[[J:.*]] = %arg3
// CHECK: %[[TURNED:.*]] = arith.subi %c63_i64{{.*}}, %[[J]]
// CHECK: %[[BACK:.*]] = arith.subi %c63_i64{{.*}}, %[[TURNED]]
// CHECK-NOT: vector<8xi64>
// CHECK: llvm.load %{{.*}} -> vector<8xf32>

// A place that is no progression is a vector of numbers: clipped lane by lane at both ends.
// CHECK-LABEL: // nest2
// CHECK: %[[PLACES:.*]] = arith.addi %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK: %[[LIFTED:.*]] = arith.maxsi %[[PLACES]], %{{.*}} : vector<8xi64>
// CHECK: %[[CLIPPED:.*]] = arith.minsi %[[LIFTED]], %{{.*}} : vector<8xi64>

// A coordinate becomes an element.
// CHECK-LABEL: // nest3
// CHECK: %[[NUMBERS:.*]] = arith.addi %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK-NEXT: arith.sitofp %[[NUMBERS]] : vector<8xi64> to vector<8xf32>

// Eight lanes that start at a multiple of eight lie in one row of 64: its place is a number. (All rows share elements, or
// the two dims would be walked as one.)
// CHECK-LABEL: // nest4
// CHECK: scf.for %[[STEP:.*]] = %c1_i64
// CHECK: %[[NUMBER:.*]] = arith.muli %[[STEP]], %c64_i64
// CHECK-NEXT: %[[COLUMN:.*]] = arith.remui %[[NUMBER]], %c64_i64
// CHECK-NEXT: %[[ROW:.*]] = arith.divui %[[NUMBER]], %c64_i64
// CHECK: arith.muli %[[ROW]], %c64_i64
// CHECK-NOT: vector<8xi64>
// CHECK: llvm.load %{{.*}} -> vector<8xf32>

// In rows of 6 each lane looks for its own, in 32 bits.
// CHECK-LABEL: // nest5
// CHECK: scf.for
// CHECK: arith.remsi %{{.*}} : vector<8xi32>
// CHECK: arith.divsi %{{.*}} : vector<8xi32>
// CHECK: llvm.intr.masked.gather

func.func @main(%x0: tensor<16x128xf32>, %x: tensor<16x64xf32>, %y: tensor<64xf32>, %z: tensor<60x6xf32>, %v: tensor<f32>, %w: tensor<6xf32>) -> (tensor<2x12xf32>, tensor<64xf32>, tensor<37xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) {
  %0 = kolam.slice %x0 <["3", "1"]> [1, 9] : tensor<16x128xf32> -> tensor<2x12xf32>
  %once = kolam.reverse %y [0] : tensor<64xf32> -> tensor<64xf32>
  %root = kolam.elementwise "abs" %once : (tensor<64xf32>) -> tensor<64xf32>
  %1 = kolam.reverse %root [0] : tensor<64xf32> -> tensor<64xf32>
  %padded = kolam.pad %y, %v "edge" low [5] high [5] : tensor<64xf32>, tensor<f32> -> tensor<74xf32>
  %2 = kolam.view %padded <["73"]> [-2] : tensor<74xf32> -> tensor<37xf32>
  %3 = kolam.iota 0 : tensor<64xf32>
  %ys = kolam.broadcast %y [1] : tensor<64xf32> -> tensor<16x64xf32>
  %xs = kolam.elementwise "add" %x, %ys : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %4 = kolam.reduce "add" %xs dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<16x64xf32>) -> tensor<f32>
  %ws = kolam.broadcast %w [1] : tensor<6xf32> -> tensor<60x6xf32>
  %zs = kolam.elementwise "add" %z, %ws : (tensor<60x6xf32>, tensor<60x6xf32>) -> tensor<60x6xf32>
  %5 = kolam.reduce "add" %zs dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<60x6xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x12xf32>, tensor<64xf32>, tensor<37xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>
}
