// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// The parts every nest is made of: buffers, sizes, the parallel range, registers of each dtype, and elements that are
// computed once (lm: an x86-64 processor).

// Buffers and the sizes of symbols come in the order of the nest; element numbers are row-major, what a row adds to them
// stands in front of its loop; a bool is a byte in memory and i1 in registers.
// CHECK-LABEL: // nest0
// CHECK: llvm.getelementptr %arg1[0]
// CHECK-NEXT: %[[OUT:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %arg1[1]
// CHECK-NEXT: %[[IN:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %arg1[2]
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.getelementptr %arg2[0]
// CHECK-NEXT: %[[M:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK: %[[LEFT:.*]] = arith.remui %[[M]], %c32_i64
// CHECK: %[[WHOLE:.*]] = arith.subi %[[M]], %[[LEFT]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[M]]
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[WHOLE]]
// CHECK: %[[CELL:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[IN]][%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: %[[BYTES:.*]] = llvm.load %[[AT]] {{.*}} -> vector<32xi8>
// CHECK: %[[TRUTH:.*]] = arith.cmpi ne, %[[BYTES]]
// CHECK: %[[INVERSE:.*]] = arith.xori %[[TRUTH]]
// CHECK: %[[RESULT:.*]] = arith.extui %[[INVERSE]] : vector<32xi1> to vector<32xi8>
// CHECK: llvm.getelementptr %[[OUT]]
// CHECK-NEXT: llvm.store %[[RESULT]]

// An element that two consumers need is computed once for all its lanes; a fused producer has no memory.
// CHECK-LABEL: // nest1
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ROOT]], %[[ROOT]]
// CHECK-NOT: math.sqrt
// CHECK: llvm.store %[[SUM]]
// CHECK-NOT: llvm.store
// CHECK: scf.if

// bf16 is held as its bits.
// CHECK-LABEL: // nest2
// CHECK: llvm.load %{{.*}} -> vector<8xi16>
// CHECK: arith.addf
// CHECK: llvm.store %{{.*}} : vector<8xi16>

// Extents are expressions of the sizes; a divisor that is not positive gives 0.
// CHECK-LABEL: // nest3
// CHECK: %[[DEFINED:.*]] = arith.cmpi sgt
// CHECK: %[[DIVISOR:.*]] = arith.select %[[DEFINED]]
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %{{.*}}, %[[DIVISOR]]
// CHECK: arith.select %[[DEFINED]], %[[QUOTIENT]]

// An element is computed in front of the loops that its index does not depend on: that of a row in front of the row's loop,
// that of a scalar in front of all. Each is a scalar that all lanes share.
// CHECK-LABEL: // nest4
// CHECK: %[[S:.*]] = math.sqrt %{{.*}} : f32
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK: llvm.getelementptr %{{.*}}[%[[I]]]
// CHECK: %[[R:.*]] = math.absf %{{.*}} : f32
// CHECK: scf.for
// CHECK-NOT: math.
// CHECK: llvm.insertelement %[[R]]
// CHECK: llvm.insertelement %[[S]]

// The same place with another number of lanes is another element: a row of five fills eight lanes, its sum goes by four.
// CHECK-LABEL: // nest5
// CHECK: scf.for
// CHECK: %[[FOUR:.*]] = math.sqrt %{{.*}} : vector<4xf32>
// CHECK: arith.addf %[[FOUR]], %{{.*}} : vector<4xf32>
// CHECK: %[[EIGHT:.*]] = math.sqrt %{{.*}} : vector<8xf32>
// CHECK: arith.divf %[[EIGHT]]

// A chunk of a row is whole or not, and has a rest or none: either way its elements share those of the row, which are
// computed once in front of the chunks.
// CHECK-LABEL: // nest6
// CHECK: scf.for
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK-NOT: math.sqrt
// CHECK-LABEL: // nest7
// CHECK: scf.for
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: arith.mulf
// CHECK-NOT: math.sqrt

func.func @main(%c: tensor<?x?xi1, #kolam.extents<["n", "m"]>>, %x: tensor<16xf32>, %b: tensor<16xbf16>, %y: tensor<4x16xf32>, %r: tensor<4xf32>, %s: tensor<f32>, %z: tensor<4x5xf32>, %t: tensor<?xi1, #kolam.extents<["m"]>>, %q: tensor<?x?xf32, #kolam.extents<["n", "m"]>>, %w: tensor<?xf32, #kolam.extents<["n"]>>, %v: tensor<4x21xf32>) -> (tensor<?x?xi1, #kolam.extents<["n", "m"]>>, tensor<16xf32>, tensor<16xbf16>, tensor<i64>, tensor<4x16xf32>, tensor<4x5xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<4xf32>) {
  %row = kolam.broadcast %t [1] : tensor<?xi1, #kolam.extents<["m"]>> -> tensor<?x?xi1, #kolam.extents<["n", "m"]>>
  %0 = kolam.elementwise "logical_xor" %c, %row : (tensor<?x?xi1, #kolam.extents<["n", "m"]>>, tensor<?x?xi1, #kolam.extents<["n", "m"]>>) -> tensor<?x?xi1, #kolam.extents<["n", "m"]>>
  %1 = kolam.elementwise "sqrt" %x : (tensor<16xf32>) -> tensor<16xf32>
  %2 = kolam.elementwise "add" %1, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = kolam.elementwise "add" %b, %b : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<16xbf16>
  %4 = kolam.extent "floordiv(n, m)" : tensor<i64>
  %5 = kolam.elementwise "abs" %r : (tensor<4xf32>) -> tensor<4xf32>
  %6 = kolam.broadcast %5 [0] : tensor<4xf32> -> tensor<4x16xf32>
  %7 = kolam.elementwise "sqrt" %s : (tensor<f32>) -> tensor<f32>
  %8 = kolam.broadcast %7 [] : tensor<f32> -> tensor<4x16xf32>
  %9 = kolam.elementwise "subtract" %y, %6 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %10 = kolam.elementwise "multiply" %9, %8 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %11 = kolam.elementwise "sqrt" %z : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %12 = kolam.reduce "add" %11 dims [1] commutative true <"lanes<4>, chunk<64>"> : (tensor<4x5xf32>) -> tensor<4xf32>
  %13 = kolam.broadcast %12 [0] : tensor<4xf32> -> tensor<4x5xf32>
  %14 = kolam.elementwise "divide" %11, %13 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %15 = kolam.elementwise "sqrt" %w : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %16 = kolam.broadcast %15 [0] : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<?x?xf32, #kolam.extents<["n", "m"]>>
  %17 = kolam.elementwise "multiply" %q, %16 : (tensor<?x?xf32, #kolam.extents<["n", "m"]>>, tensor<?x?xf32, #kolam.extents<["n", "m"]>>) -> tensor<?x?xf32, #kolam.extents<["n", "m"]>>
  %18 = kolam.reduce "add" %17 dims [1] commutative true <"lanes<4>, chunk<64>"> : (tensor<?x?xf32, #kolam.extents<["n", "m"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %19 = kolam.elementwise "sqrt" %r : (tensor<4xf32>) -> tensor<4xf32>
  %20 = kolam.broadcast %19 [0] : tensor<4xf32> -> tensor<4x21xf32>
  %21 = kolam.elementwise "multiply" %v, %20 : (tensor<4x21xf32>, tensor<4x21xf32>) -> tensor<4x21xf32>
  %22 = kolam.reduce "add" %21 dims [1] commutative true <"lanes<4>, chunk<64>"> : (tensor<4x21xf32>) -> tensor<4xf32>
  return %0, %2, %3, %4, %10, %14, %18, %22 : tensor<?x?xi1, #kolam.extents<["n", "m"]>>, tensor<16xf32>, tensor<16xbf16>, tensor<i64>, tensor<4x16xf32>, tensor<4x5xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<4xf32>
}
