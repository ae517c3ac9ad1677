// RUN: split-file %s %t
// RUN: kolam explain %t/reads.mlir | FileCheck %s --check-prefix=READS
// RUN: kolam explain %t/places.mlir | FileCheck %s --check-prefix=PLACES
// RUN: kolam explain %t/turned.mlir | FileCheck %s --check-prefix=TURNED
// RUN: kolam explain %t/free.mlir | FileCheck %s --check-prefix=FREE
// RUN: kolam explain %t/kept.mlir | FileCheck %s --check-prefix=KEPT
// RUN: kolam explain %t/chain.mlir | FileCheck %s --check-prefix=CHAIN
// RUN: kolam explain %t/grown.mlir | FileCheck %s --check-prefix=GROWN
// RUN: kolam explain %t/sums.mlir | FileCheck %s --check-prefix=SUMS
// RUN: kolam explain %t/scattered.mlir | FileCheck %s --check-prefix=SCATTERED
// RUN: env KOLAM_TARGET=skylake-avx512 kolam explain %t/rows.mlir | FileCheck %s --check-prefix=ROWS
// Which ops are computed inside their consumers, and why the others get memory.

// Read once: fused, however costly. Read by every row of a product: in memory, unless it costs nothing.
// READS: nest0: {{b[0-9]+}} = negative(b0) over [0:64] with exp
// READS-NEXT: nest1: [[T:b[0-9]+]] = tanh(b1) over [0:64]
// READS-NEXT: nest2: [[A:b[0-9]+]] = abs(b2) over [0:64]
// READS-NEXT: nest3: {{b[0-9]+}} = contract([[T]], [[A]]) over [0:64]
// READS: exp ({{.*}}) -> %{{.*}} negative ({{.*}}): fused
// READS: tanh ({{.*}}) -> %{{.*}} contract ({{.*}}): not fused: each element is read 64 times and costs {{[0-9]+}} operations
// READS: abs ({{.*}}) -> %{{.*}} contract ({{.*}}): not fused: each element is read 64 times and costs 1 operations, in memory {{[0-9]+}}

//--- reads.mlir
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %once = kolam.elementwise "exp" %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = kolam.elementwise "negative" %once : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %costly = kolam.elementwise "tanh" %y : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %cheap = kolam.elementwise "abs" %z : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = kolam.contract "ij,kj->ik" %costly, %cheap <"lanes<64>, chunk<4096>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %a, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// Nine elements around the result's: little work beside a nest of so few elements.
// PLACES: nest0: {{b[0-9]+}} = add(b0) over [0:8]
// PLACES: nest1: {{b[0-9]+}} = add(b1) over [0:8]
// PLACES-COUNT-9: abs ({{.*}}) -> %{{.*}} slice ({{.*}}): fused
// PLACES: negative ({{.*}}) -> %{{.*}} slice ({{.*}}): fused
// PLACES: negative ({{.*}}) -> %{{.*}} slice ({{.*}}): fused

//--- places.mlir
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %nine = kolam.elementwise "abs" %x : (tensor<16xf32>) -> tensor<16xf32>
  %two = kolam.elementwise "negative" %y : (tensor<16xf32>) -> tensor<16xf32>
  %0 = kolam.slice %nine <["0"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %1 = kolam.slice %nine <["1"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %2 = kolam.slice %nine <["2"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %3 = kolam.slice %nine <["3"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %4 = kolam.slice %nine <["4"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %5 = kolam.slice %nine <["5"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %6 = kolam.slice %nine <["6"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %7 = kolam.slice %nine <["7"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %8 = kolam.slice %nine <["8"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %s1 = kolam.elementwise "add" %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s2 = kolam.elementwise "add" %s1, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s3 = kolam.elementwise "add" %s2, %3 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s4 = kolam.elementwise "add" %s3, %4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s5 = kolam.elementwise "add" %s4, %5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s6 = kolam.elementwise "add" %s5, %6 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s7 = kolam.elementwise "add" %s6, %7 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s8 = kolam.elementwise "add" %s7, %8 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n0 = kolam.slice %two <["0"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %n1 = kolam.slice %two <["1"]> [1] : tensor<16xf32> -> tensor<8xf32>
  %n = kolam.elementwise "add" %n0, %n1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %s8, %n : tensor<8xf32>, tensor<8xf32>
}

// Sums by lanes take their factors as they lie: what stands across is turned first, where it is read more than twice; what is
// computed of it elsewhere is computed of the turned one.
// TURNED: nest0: [[W:b[0-9]+]] = transpose(b1) over [0:10]
// TURNED: nest1: {{b[0-9]+}} = contract(b0, [[W]]) over [0:64]
// TURNED: nest2: {{b[0-9]+}} = contract({{.*}}, [[W]]) over [0:10] with negative
// TURNED: transpose ({{.*}}) -> %{{.*}} contract ({{.*}}): not fused: its elements would be gathered 65 times

//--- turned.mlir
func.func @main(%x: tensor<64x100xf32>, %w: tensor<100x10xf32>, %y: tensor<1x100xf32>) -> (tensor<64x10xf32>, tensor<1x10xf32>) {
  %0 = kolam.contract "ij,jk->ik" %x, %w <"lanes<64>, chunk<4096>"> : (tensor<64x100xf32>, tensor<100x10xf32>) -> tensor<64x10xf32>
  %n = kolam.elementwise "negative" %w : (tensor<100x10xf32>) -> tensor<100x10xf32>
  %1 = kolam.contract "ij,jk->ik" %y, %n <"lanes<64>, chunk<4096>"> : (tensor<1x100xf32>, tensor<100x10xf32>) -> tensor<1x10xf32>
  return %0, %1 : tensor<64x10xf32>, tensor<1x10xf32>
}

// Constants, and what repeats them, are nowhere read from memory.
// FREE: arena: 0 bytes
// FREE-COUNT-19: : fused
// FREE-NOT: fused{{$}}

//--- free.mlir
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %c = kolam.constant dense<2.0> : tensor<f32>
  %b = kolam.broadcast %c [] : tensor<f32> -> tensor<16xf32>
  %0 = kolam.elementwise "add" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = kolam.elementwise "subtract" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %2 = kolam.elementwise "multiply" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = kolam.elementwise "divide" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %4 = kolam.elementwise "maximum" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = kolam.elementwise "minimum" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %6 = kolam.elementwise "pow" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %7 = kolam.elementwise "atan2" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %8 = kolam.elementwise "hypot" %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// What something needs in memory: a result, a literal, an op without single elements, the operand of a step of its own.
// KEPT: nest0: [[E:b[0-9]+]] = exp(b0) over [0:4]
// KEPT: nest{{[0-9]+}}: {{b[0-9]+}} = square([[E]]) over [0:4]
// KEPT: exp ({{.*}}) -> %{{.*}} reverse ({{.*}}): not fused: it is a result
// KEPT: cumulative ({{.*}}) -> %{{.*}} floor ({{.*}}): not fused: its elements depend on those before
// KEPT: constant ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: it is a literal
// KEPT: floor ({{.*}}) -> %{{.*}} add ({{.*}}): fused
// KEPT: broadcast ({{.*}}) -> %{{.*}} add ({{.*}}): fused
// KEPT: sqrt ({{.*}}) -> %{{.*}} sort ({{.*}}): not fused: a step of its own needs it in memory

//--- kept.mlir
func.func @main(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = kolam.reverse %e [0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %q = kolam.elementwise "square" %r : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %sums = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<4x4xf32> -> tensor<4x4xf32>
  %b = kolam.elementwise "floor" %sums : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = kolam.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = kolam.broadcast %l [1] : tensor<4xf32> -> tensor<4x4xf32>
  %a = kolam.elementwise "add" %b, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %keys = kolam.elementwise "sqrt" %z : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %v, %o = kolam.sort %keys {descending = false} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi32>)
  return %e, %q, %a, %v : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A chain is one nest, also where each step reads its operand twice. What stands in a nest once more for other places is code
// that memory would save: each of these steps asks at twice as many.
// CHAIN: nest0: {{b[0-9]+}} = add(b0) over [0:8] with add add add add add negative
// CHAIN-NOT: not fused
// GROWN: nest0: [[N:b[0-9]+]] = negative(b0) over [0:135]
// GROWN-NEXT: nest1: {{b[0-9]+}} = add([[N]]) over [0:8]
// GROWN: negative ({{.*}}) -> %{{.*}} slice ({{.*}}): not fused: the nest would grow too large

//--- chain.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %1 = kolam.elementwise "negative" %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = kolam.elementwise "add" %1, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = kolam.elementwise "add" %2, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = kolam.elementwise "add" %3, %3 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = kolam.elementwise "add" %4, %4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = kolam.elementwise "add" %5, %5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = kolam.elementwise "add" %6, %6 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %7 : tensor<8xf32>
}

//--- grown.mlir
func.func @main(%x: tensor<135xf32>) -> tensor<8xf32> {
  %s0 = kolam.elementwise "negative" %x : (tensor<135xf32>) -> tensor<135xf32>
  %a0 = kolam.slice %s0 <["0"]> [1] : tensor<135xf32> -> tensor<71xf32>
  %b0 = kolam.slice %s0 <["64"]> [1] : tensor<135xf32> -> tensor<71xf32>
  %s1 = kolam.elementwise "add" %a0, %b0 : (tensor<71xf32>, tensor<71xf32>) -> tensor<71xf32>
  %a1 = kolam.slice %s1 <["0"]> [1] : tensor<71xf32> -> tensor<39xf32>
  %b1 = kolam.slice %s1 <["32"]> [1] : tensor<71xf32> -> tensor<39xf32>
  %s2 = kolam.elementwise "add" %a1, %b1 : (tensor<39xf32>, tensor<39xf32>) -> tensor<39xf32>
  %a2 = kolam.slice %s2 <["0"]> [1] : tensor<39xf32> -> tensor<23xf32>
  %b2 = kolam.slice %s2 <["16"]> [1] : tensor<39xf32> -> tensor<23xf32>
  %s3 = kolam.elementwise "add" %a2, %b2 : (tensor<23xf32>, tensor<23xf32>) -> tensor<23xf32>
  %a3 = kolam.slice %s3 <["0"]> [1] : tensor<23xf32> -> tensor<15xf32>
  %b3 = kolam.slice %s3 <["8"]> [1] : tensor<23xf32> -> tensor<15xf32>
  %s4 = kolam.elementwise "add" %a3, %b3 : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xf32>
  %a4 = kolam.slice %s4 <["0"]> [1] : tensor<15xf32> -> tensor<11xf32>
  %b4 = kolam.slice %s4 <["4"]> [1] : tensor<15xf32> -> tensor<11xf32>
  %s5 = kolam.elementwise "add" %a4, %b4 : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
  %a5 = kolam.slice %s5 <["0"]> [1] : tensor<11xf32> -> tensor<9xf32>
  %b5 = kolam.slice %s5 <["2"]> [1] : tensor<11xf32> -> tensor<9xf32>
  %s6 = kolam.elementwise "add" %a5, %b5 : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %a6 = kolam.slice %s6 <["0"]> [1] : tensor<9xf32> -> tensor<8xf32>
  %b6 = kolam.slice %s6 <["1"]> [1] : tensor<9xf32> -> tensor<8xf32>
  %s7 = kolam.elementwise "add" %a6, %b6 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %s7 : tensor<8xf32>
}

// Sums that a reduction reads one by one are computed before it, by vectors, unless they are of very few elements; so
// are those that a nest would compute twice. A sum of other elements is computed in front of the loop.
// SUMS: reduce ({{.*}}) -> %{{.*}} reduce ({{.*}}): not fused: its sums would be computed one by one in a reduction of them
// SUMS: reduce ({{.*}}) -> %{{.*}} reduce ({{.*}}): fused
// SUMS: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: each element is read 2 times and costs 80 operations
// SUMS: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): fused

//--- sums.mlir
func.func @main(%x: tensor<64x80x16xf32>, %y: tensor<64x80x4xf32>, %z: tensor<64x80xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<2x64xf32>, tensor<64x80xf32>) {
  %add = kolam.reduce "add" %x dims [2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80x16xf32>) -> tensor<64x80xf32>
  %0 = kolam.reduce "maximum" %add dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %few = kolam.reduce "add" %y dims [2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80x4xf32>) -> tensor<64x80xf32>
  %1 = kolam.reduce "maximum" %few dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %twice = kolam.reduce "add" %z dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %2 = kolam.broadcast %twice [1] : tensor<64xf32> -> tensor<2x64xf32>
  %own = kolam.reduce "maximum" %z dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %rows = kolam.broadcast %own [0] : tensor<64xf32> -> tensor<64x80xf32>
  %3 = kolam.elementwise "subtract" %z, %rows : (tensor<64x80xf32>, tensor<64x80xf32>) -> tensor<64x80xf32>
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<2x64xf32>, tensor<64x80xf32>
}

// What a scatter changes part of is computed in front of it, by all lanes; what only fills memory is not.
// SCATTERED: nest0: [[Y:b[0-9]+]] = multiply(b0) over [0:64]
// SCATTERED: nest1: {{b[0-9]+}} = scatter([[Y]], b1, b2)
// SCATTERED: nest2: {{b[0-9]+}} = scatter(b1, b2){{.*}} with broadcast constant
// SCATTERED: multiply ({{.*}}) -> %{{.*}} scatter ({{.*}}): not fused: its consumer changes it in place

//--- scattered.mlir
func.func @main(%x: tensor<64x64xf32>, %v: tensor<1x64x1xf32>, %k: tensor<1x1xi64>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %y = kolam.elementwise "multiply" %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = kolam.scatter "kUpdate" "drop" (%y) updates(%v) at %k dims [1] batched 0 unique false : (tensor<64x64xf32>, tensor<1x64x1xf32>, tensor<1x1xi64>) -> tensor<64x64xf32>
  %zero = kolam.constant dense<0.0> : tensor<f32>
  %zeros = kolam.broadcast %zero [] : tensor<f32> -> tensor<64x64xf32>
  %1 = kolam.scatter "kUpdate" "drop" (%zeros) updates(%v) at %k dims [1] batched 0 unique false : (tensor<64x64xf32>, tensor<1x64x1xf32>, tensor<1x1xi64>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Rows of two parts, one behind the other: computed over the rows, side by side, not over all of them.
// ROWS: nest0: {{b[0-9]+}} = subtract({{.*}}) over [0:40] with {{.*}}concat{{.*}}
// ROWS: {{^}}  y with all by interleaved lanes 16{{$}}

//--- rows.mlir
func.func @main(%x: tensor<40x64xf32>, %a: tensor<40x32x1xf32>, %b: tensor<40x32x1xf32>) -> tensor<40x64xf32> {
  %0 = kolam.concat %a, %b dim 2 : (tensor<40x32x1xf32>, tensor<40x32x1xf32>) -> tensor<40x32x2xf32>
  %1 = kolam.reshape %0 : tensor<40x32x2xf32> -> tensor<40x64xf32>
  %2 = kolam.elementwise "subtract" %x, %1 : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}
