// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// The order of a sum, as code: one chunk, lanes, a tree of chunks (lm: an x86-64 processor).

// One chunk of six: the first element, then a loop over the others that carries the sum, earlier + later.
// CHECK-LABEL: // nest0
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (f32)
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK-NEXT: arith.addf %[[SUM]], %[[NEXT]]
// CHECK-NOT: arith.addf
// CHECK-NOT: math.cttz

// Four lanes in registers, whatever the target's registers hold: a whole row of elements, then a row of two, behind
// which the other lanes keep what they have; then halves: lane l and l + 2, l and l + 1.
// CHECK-LABEL: // nest1
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} -> vector<4xf32>
// CHECK: %[[HAS:.*]] = arith.cmpi slt, %{{.*}} : vector<4xi64>
// CHECK: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: %[[PART:.*]] = llvm.shufflevector {{.*}} [4, 5, 2, 3]
// CHECK: %[[SUMS:.*]] = arith.addf %[[ROW]], %[[PART]] : vector<4xf32>
// CHECK-NEXT: %[[LANES:.*]] = arith.select %[[HAS]], %[[SUMS]], %[[ROW]]
// CHECK-NEXT: %[[LOW:.*]] = llvm.shufflevector %[[LANES]], %[[LANES]] [0, 1]
// CHECK-NEXT: %[[HIGH:.*]] = llvm.shufflevector %[[LANES]], %[[LANES]] [2, 3]
// CHECK-NEXT: %[[TWO:.*]] = arith.addf %[[LOW]], %[[HIGH]] : vector<2xf32>
// CHECK-NEXT: %[[LOW:.*]] = llvm.extractelement %[[TWO]][%c0_i64
// CHECK-NEXT: %[[HIGH:.*]] = llvm.extractelement %[[TWO]][%c1_i64
// CHECK-NEXT: arith.addf %[[LOW]], %[[HIGH]] : f32
// CHECK-NOT: llvm.store {{.*}}vector

// A length that only the run knows: whole rows in a loop and the rest behind it, or fewer elements than lanes, where a
// lane without an element is neutral.
// CHECK-LABEL: // nest2
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[COUNT:.*]], %c4_i64
// CHECK: scf.if %[[MANY]]
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<4xf32>)
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: scf.if
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: llvm.shufflevector %{{.*}} [0, 1]
// CHECK: } else {
// CHECK: %[[SOME:.*]] = llvm.intr.masked.load
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[SOME]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[LOW:.*]] = llvm.shufflevector %[[ONE]], %[[ONE]] [0, 1]
// CHECK-NEXT: %[[HIGH:.*]] = llvm.shufflevector %[[ONE]], %[[ONE]] [2, 3]
// CHECK-NEXT: arith.addf %[[LOW]], %[[HIGH]] : vector<2xf32>

// Chunks of two: a binary counter of states. A chunk merges with the slots that the ones at the end of its number stand
// for, and waits in the slot of the zero in front of them; the last one merges with all that wait, the lowest slot
// first, earlier before later. No chunks give the identity.
// CHECK-LABEL: // nest3
// CHECK: %[[SLOTS:.*]] = llvm.alloca %c63_i64{{.*}} x f32
// CHECK: %[[CHUNKS:.*]] = arith.ceildivsi
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %{{.*}} iter_args(%[[NONE:.*]] = %[[ZERO]])
// CHECK: scf.for %[[CHUNK:.*]] = %c0_i64{{.*}} to %[[CHUNKS]] {{.*}} iter_args(%{{.*}} = %[[NONE]])
// CHECK: %[[NUMBER:.*]] = arith.addi %{{.*}}, %[[CHUNK]] : i64
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[NUMBER]], %c1_i64
// CHECK: %[[WAITS:.*]] = arith.cmpi ne, %[[NEXT]], %[[CHUNKS]]
// CHECK: %[[INVERTED:.*]] = arith.xori %[[NEXT]]
// CHECK: %[[ONES:.*]] = arith.andi %[[NUMBER]], %[[INVERTED]]
// CHECK: %[[MERGED:.*]] = arith.select %[[WAITS]], %[[ONES]], %[[NUMBER]]
// CHECK: %[[SLOT:.*]] = math.cttz %[[NEXT]]
// CHECK: %[[TIMES:.*]] = math.ctpop %[[MERGED]]
// CHECK: scf.for %{{.*}} to %[[TIMES]] {{.*}} iter_args(%[[LEFT:.*]] = %[[MERGED]], %[[LATER:.*]] = %{{.*}})
// CHECK: %[[LEVEL:.*]] = math.cttz %[[LEFT]]
// CHECK: llvm.getelementptr %[[SLOTS]][%[[LEVEL]]]
// CHECK: %[[EARLIER:.*]] = llvm.load
// CHECK: arith.addf %[[EARLIER]], %[[LATER]]
// CHECK: scf.if %[[WAITS]]
// CHECK: llvm.getelementptr %[[SLOTS]][%[[SLOT]]]
// CHECK: llvm.store

// Where eight elements are computed at once and only some of them ask for the sum, a state is a vector of eight, and the
// lanes of the order lie in scratch memory: four slots of eight elements.
// CHECK-LABEL: // nest4
// CHECK: %[[LANES:.*]] = llvm.alloca %c32_i64{{.*}} x f32
// CHECK: scf.for %[[LANE:.*]] = %c0_i64{{.*}} step %c1_i64
// CHECK: %[[SLOT:.*]] = arith.muli %[[LANE]], %c8_i64
// CHECK-NEXT: llvm.getelementptr %[[LANES]][%[[SLOT]]]
// CHECK-NEXT: llvm.intr.masked.store {{.*}} : vector<8xf32>
// CHECK: %[[STATE:.*]] = llvm.intr.masked.load
// CHECK: scf.if %{{.*}} -> (f32)
// CHECK: arith.addf %[[STATE]], %{{.*}} : vector<8xf32>
// CHECK: scf.for %[[LANE:.*]] = %c0_i64{{.*}} step %c1_i64
// CHECK: arith.addi %[[LANE]], %c2_i64
// CHECK: scf.for %[[LANE:.*]] = %c0_i64{{.*}} step %c1_i64
// CHECK: arith.addi %[[LANE]], %c1_i64

// A known number of chunks, five, needs as many slots as its number has bits.
// CHECK-LABEL: // nest5
// CHECK: llvm.alloca %c3_i64{{.*}} x f32
// CHECK-NOT: llvm.alloca

// Eight lanes and more go by vectors of eight, side by side: sixteen by two, of which the second has five lanes more in
// the last row. They merge first vector with second, then within.
// CHECK-LABEL: // nest6
// CHECK: %[[A:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: %[[B:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: %[[ALL:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NEXT: %[[A2:.*]] = arith.addf %[[A]], %[[ALL]] : vector<8xf32>
// CHECK: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: %[[FIVE:.*]] = llvm.insertelement
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[B]], %[[FIVE]]
// CHECK-NEXT: %[[B2:.*]] = arith.select %{{.*}}, %[[SUM]], %[[B]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[A2]], %[[B2]]
// CHECK-NEXT: llvm.shufflevector %[[BOTH]], %[[BOTH]] [0, 1, 2, 3]

// Of eleven elements the second vector has three: the other lanes keep what the first has.
// CHECK-LABEL: // nest7
// CHECK: %[[A:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: %[[THREE:.*]] = llvm.insertelement
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[THREE]]
// CHECK: arith.select %{{.*}}, %[[SUM]], %[[A]]

func.func @main(%x: tensor<6xf32>, %n: tensor<?xf32, #kolam.extents<["n"]>>, %z: tensor<3x6xf32>, %v: tensor<f32>, %w: tensor<29xf32>, %e: tensor<11xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<6xf32>) -> tensor<f32>
  %1 = kolam.reduce "add" %x dims [0] commutative true <"lanes<4>, chunk<8>"> : (tensor<6xf32>) -> tensor<f32>
  %2 = kolam.reduce "add" %n dims [0] commutative true <"lanes<4>, chunk<8>"> : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<f32>
  %3 = kolam.reduce "add" %n dims [0] commutative true <"chunk<2>"> : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<f32>
  %rows = kolam.reduce "add" %z dims [1] commutative true <"lanes<4>, chunk<8>"> : (tensor<3x6xf32>) -> tensor<3xf32>
  %wide = kolam.broadcast %rows [0] : tensor<3xf32> -> tensor<3x12xf32>
  %padded = kolam.pad %wide, %v "constant" low [0, 2] high [0, 2] : tensor<3x12xf32>, tensor<f32> -> tensor<3x16xf32>
  %4 = kolam.view %padded <["0", "15"]> [1, 0, 0, -2] : tensor<3x16xf32> -> tensor<3x8xf32>
  %5 = kolam.reduce "add" %w dims [0] commutative true <"chunk<6>"> : (tensor<29xf32>) -> tensor<f32>
  %6 = kolam.reduce "add" %w dims [0] commutative true <"lanes<16>, chunk<64>"> : (tensor<29xf32>) -> tensor<f32>
  %7 = kolam.reduce "add" %e dims [0] commutative true <"lanes<16>, chunk<64>"> : (tensor<11xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
