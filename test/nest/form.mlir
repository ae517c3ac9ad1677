// RUN: split-file %s %t
// RUN: kolam run %t/results.mlir --stop-after nests | FileCheck %s --check-prefix=RESULTS
// RUN: kolam run %t/chain.mlir --stop-after nests | FileCheck %s --check-prefix=CHAIN
// RUN: kolam run %t/symbols.mlir --stop-after nests | FileCheck %s --check-prefix=SYMBOLS
// How a function becomes nests and buffers.

// What is not computed by a nest is copied: a value returned twice, an argument, a literal. Nothing is made for an op
// whose result nobody reads.
// RESULTS: [[X:b[0-9]+]]: float32[4, 8] argument 0
// RESULTS: [[Y:b[0-9]+]]: float32[8] argument 1
// RESULTS-DAG: [[LITERAL:b[0-9]+]]: int32[2] constant 0
// RESULTS-DAG: [[R0:b[0-9]+]]: float32[4] result 0
// RESULTS-DAG: [[R1:b[0-9]+]]: float32[4] result 1
// RESULTS-DAG: [[R2:b[0-9]+]]: float32[8] result 2
// RESULTS-DAG: [[R3:b[0-9]+]]: int32[2] result 3
// RESULTS: arena: 0 bytes
// RESULTS-NEXT: nest0: [[R0]] = reduce([[X]]) over [0:4] with exp
// RESULTS-NEXT: [[R1]] = copy [[R0]]
// RESULTS-NEXT: [[R2]] = copy [[Y]]
// RESULTS-NEXT: [[R3]] = copy [[LITERAL]]
// RESULTS-NEXT: {{^nest0$}}

//--- results.mlir
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<2xi32>) {
  %e = kolam.elementwise "exp" %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = kolam.reduce "add" %e dims [1] commutative true <"chunk<64>"> : (tensor<4x8xf32>) -> tensor<4xf32>
  %dead = kolam.elementwise "sin" %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = kolam.constant dense<[1, 2]> : tensor<2xi32>
  return %s, %s, %y, %l : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<2xi32>
}

// The third temporary lies in the result, which takes its place; what walks along dim 0 is shared along
// dim 1, what writes short rows at places that data decides not at all; all results of an op come from one nest.
// CHAIN: [[X:b[0-9]+]]: float32[16, 4] argument 0
// CHAIN: [[T0:b[0-9]+]]: float32[16, 4] arena at 0
// CHAIN: [[T1:b[0-9]+]]: float32[16, 4] arena at 256
// CHAIN: [[T2:b[0-9]+]]: float32[16, 4] arena in [[R:b[0-9]+]]
// CHAIN: arena: 512 bytes
// CHAIN-NEXT: nest0: [[T0]] = cumulative([[X]]) over [0:16]
// CHAIN-NEXT: nest1: [[T1]] = cumulative([[T0]]) over [0:4]
// CHAIN-NEXT: nest2: [[T2]] = cumulative([[T1]]) over [0:16]
// CHAIN-NEXT: nest3: [[R]] = scatter([[T2]], {{b[0-9]+}}, {{b[0-9]+}}) over [0:1], in place of [[T2]]
// CHAIN-NEXT: nest4: {{b[0-9]+}}, {{b[0-9]+}} = zip_map_reduce([[X]]) over [0:16]

//--- chain.mlir
func.func @main(%x: tensor<16x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
  %a = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<16x4xf32> -> tensor<16x4xf32>
  %b = kolam.cumulative "add" %a dim 0 {exclusive = false, reverse = false} : tensor<16x4xf32> -> tensor<16x4xf32>
  %c = kolam.cumulative "add" %b dim 1 {exclusive = false, reverse = true} : tensor<16x4xf32> -> tensor<16x4xf32>
  %d = kolam.scatter "kAdd" "drop" (%c) updates(%u) at %i dims [0] batched 0 unique false : (tensor<16x4xf32>, tensor<2x1x4xf32>, tensor<2x1xi32>) -> tensor<16x4xf32>
  %z:2 = kolam.zip_map_reduce (%x) space <["16", "4"]> dims [] commutative true <"chunk<64>"> : (tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  ^bb0(%p: tensor<f32>):
    %q = kolam.elementwise "exp" %p : (tensor<f32>) -> tensor<f32>
    kolam.yield %q, %p : tensor<f32>, tensor<f32>
  }
  return %d, %z#0, %z#1 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}

// Symbolic extents: ranges and offsets are expressions, and symbolic temporaries share no memory.
// SYMBOLS: [[T0:b[0-9]+]]: float32[n, 4] arena at 0
// SYMBOLS: [[T1:b[0-9]+]]: float32[n, 4] arena at 64*ceildiv(n, 4)
// SYMBOLS: arena: 128*ceildiv(n, 4) bytes
// SYMBOLS-NEXT: nest0: [[T0]] = cumulative({{b[0-9]+}}) over [0:n]
// SYMBOLS-NEXT: nest1: [[T1]] = cumulative([[T0]]) over [0:4]
// SYMBOLS-NEXT: nest2: {{b[0-9]+}} = reduce([[T1]]) over [0:1]
// SYMBOLS-NEXT: nest3: {{b[0-9]+}} = transpose({{b[0-9]+}}) over [0:4]

//--- symbols.mlir
func.func @main(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> (tensor<f32>, tensor<4x?xf32, #kolam.extents<["4", "n"]>>) {
  %a = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  %b = kolam.cumulative "add" %a dim 0 {exclusive = false, reverse = false} : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  %r = kolam.reduce "add" %b dims [0, 1] commutative true <"chunk<64>"> : (tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> tensor<f32>
  %t = kolam.transpose %x [1, 0] : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<4x?xf32, #kolam.extents<["4", "n"]>>
  return %r, %t : tensor<f32>, tensor<4x?xf32, #kolam.extents<["4", "n"]>>
}
