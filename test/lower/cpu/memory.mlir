// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// Loads and stores of one element and of eight (lm: an x86-64 processor).

// Elements that follow one another are one load, aligned no better than an element; behind the last whole vector only the
// lanes that count are touched.
// CHECK-LABEL: // nest0
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[I:.*]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[I]]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[TO]] {alignment = 4 : i64} : vector<8xf32>
// CHECK: scf.if
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: %[[COUNT:.*]] = llvm.shufflevector %{{.*}} [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xi32>
// CHECK-NEXT: %[[MASK:.*]] = arith.cmpi slt, %[[LANES]], %[[COUNT]]
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]] {alignment = 4 : i32}

// A run backwards is loaded from its last lane on and turned around, its mask too.
// CHECK-LABEL: // nest1
// CHECK: scf.for
// CHECK: %[[BASE:.*]] = arith.subi %c15_i64
// CHECK: %[[FIRST:.*]] = arith.subi %[[BASE]], %c7_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[FIRST]]]
// CHECK-NEXT: %[[CELLS:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NEXT: llvm.shufflevector %[[CELLS]], %[[CELLS]] [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: scf.if
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: %[[TURNED:.*]] = llvm.shufflevector %[[MASK]], %[[MASK]] [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: %[[CELLS:.*]] = llvm.intr.masked.load %{{.*}}, %[[TURNED]]
// CHECK-NEXT: llvm.shufflevector %[[CELLS]], %[[CELLS]] [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]

// Every second element is taken out of two vectors, the second of which ends with the last; what lies further apart, and
// lanes that not all count, are gathered, each from an address of its own.
// CHECK-LABEL: // nest2
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK: %[[BEHIND:.*]] = arith.addi %{{.*}}, %c8_i64
// CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[BEHIND]]]
// CHECK-NEXT: %[[SECOND:.*]] = llvm.load %[[AT]]
// CHECK-NEXT: llvm.shufflevector %[[FIRST]], %[[SECOND]] [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK: scf.if
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: llvm.intr.masked.gather %{{.*}}, %[[MASK]]

// The same element for all lanes is one scalar.
// CHECK-LABEL: // nest3
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT: -> vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>

// A bool is a byte in memory, f16 two.
// CHECK-LABEL: // nest4
// CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<8xi8>
// CHECK: arith.cmpi ne, %[[BYTES]]
// CHECK: %[[BYTES:.*]] = arith.extui %{{.*}} : vector<8xi1> to vector<8xi8>
// CHECK: llvm.store %[[BYTES]], %{{.*}} {alignment = 1 : i64}
// CHECK-LABEL: // nest5
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>

// Scratch memory stands in front of the loops, an element for each lane: two states of 8 elements for each of 8 vectors side by
// side.
// CHECK-LABEL: // nest6
// CHECK: %[[SLOTS:.*]] = llvm.alloca %c16_i64{{.*}} x f32 {alignment = 64 : i64}
// CHECK: %[[SLOT:.*]] = math.cttz
// CHECK: %[[NUMBER:.*]] = arith.muli %[[SLOT]], %c8_i64
// CHECK: scf.if
// CHECK-NEXT: llvm.getelementptr %[[SLOTS]][%[[NUMBER]]]
// CHECK-NEXT: llvm.store {{.*}} : vector<8xf32>

func.func @main(%x: tensor<16xf32>, %s: tensor<f32>, %c: tensor<16xi1>, %h: tensor<16xf16>, %y: tensor<6x32xf32>, %x_1: tensor<16xf32>, %x_2: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xf16>, tensor<32xf32>) {
  %0 = kolam.elementwise "negative" %x : (tensor<16xf32>) -> tensor<16xf32>
  %1 = kolam.reverse %x_1 [0] : tensor<16xf32> -> tensor<16xf32>
  %2 = kolam.slice %x_2 <["1"]> [2] : tensor<16xf32> -> tensor<8xf32>
  %3 = kolam.broadcast %s [] : tensor<f32> -> tensor<16xf32>
  %4 = kolam.elementwise "logical_not" %c : (tensor<16xi1>) -> tensor<16xi1>
  %5 = kolam.elementwise "abs" %h : (tensor<16xf16>) -> tensor<16xf16>
  %6 = kolam.reduce "add" %y dims [0] commutative true <"chunk<2>"> : (tensor<6x32xf32>) -> tensor<32xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xf16>, tensor<32xf32>
}
