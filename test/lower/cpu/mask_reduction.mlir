// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after lowered | FileCheck %s
// Booleans of segments go by masks of 32.

// A sum of integers that booleans are cast to counts bits.
// CHECK-LABEL: // nest0
// CHECK: scf.for %{{.*}} iter_args(%[[COUNT:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[MASK:.*]] = arith.cmpi ne, %{{.*}} : vector<32xi8>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[MASK]] : vector<32xi1> to i32
// CHECK: %[[HOLDING:.*]] = math.ctpop %[[BITS]] : i32
// CHECK: arith.addi %[[COUNT]], %{{.*}} : i64
// CHECK: scf.if
// CHECK: %[[REST:.*]] = arith.select %{{.*}} : vector<32xi1>, vector<32xi1>
// CHECK: llvm.bitcast %[[REST]]
// CHECK: math.ctpop

// Whether all hold: what does not count holds.
// CHECK-LABEL: // nest1
// CHECK: arith.andi %{{.*}} : i32
// CHECK: %[[OTHERS:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[OTHERS]]
// CHECK: arith.cmpi eq, %{{.*}}, %c-1_i32

func.func @main(%offsets: tensor<5xi64>, %x: tensor<100xi1>) -> (tensor<4xi64>, tensor<4xi1>) {
  %ones = kolam.cast %x : tensor<100xi1> -> tensor<100xi64>
  %0 = kolam.segment_reduce "add" of %offsets over %ones commutative true <"lanes<64>, chunk<4096>"> : (tensor<5xi64>, tensor<100xi64>) -> tensor<4xi64>
  %1 = kolam.segment_reduce "logical_and" of %offsets over %x commutative true <"lanes<64>, chunk<4096>"> : (tensor<5xi64>, tensor<100xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi64>, tensor<4xi1>
}
