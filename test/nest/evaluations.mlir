// RUN: split-file %s %t
// RUN: kolam explain %t/loops.mlir | FileCheck %s --check-prefix=LOOPS
// RUN: kolam explain %t/uses.mlir | FileCheck %s --check-prefix=USES
// RUN: kolam explain %t/shares.mlir | FileCheck %s --check-prefix=SHARES
// RUN: kolam explain %t/data.mlir | FileCheck %s --check-prefix=DATA
// RUN: kolam explain %t/rows.mlir | FileCheck %s --check-prefix=ROWS
// RUN: kolam explain %t/moves.mlir | FileCheck %s --check-prefix=MOVES
// RUN: kolam explain %t/choices.mlir | FileCheck %s --check-prefix=CHOICES
// How often an element would be computed inside its consumers. A reduction over 256 elements is dear enough to get memory
// wherever that is more than once.

// An element stands in front of the innermost loop that its index depends on: what lies along the rows is computed once for
// each, what lies along the columns again in every row. A size that is not known counts as 1000.
// LOOPS: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): fused
// LOOPS: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: each element is read 64 times and costs 256 operations
// LOOPS: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: each element is read 1000 times and costs 256 operations

//--- loops.mlir
func.func @main(%x: tensor<64x256xf32>, %w: tensor<64x256xf32>, %y: tensor<64x64xf32>, %z: tensor<?x64xf32, #kolam.extents<["n", "64"]>>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<?x64xf32, #kolam.extents<["n", "64"]>>) {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %rows = kolam.broadcast %0 [0] : tensor<64xf32> -> tensor<64x64xf32>
  %1 = kolam.elementwise "subtract" %y, %rows : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = kolam.reduce "maximum" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %columns = kolam.broadcast %2 [1] : tensor<64xf32> -> tensor<64x64xf32>
  %3 = kolam.elementwise "subtract" %y, %columns : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = kolam.reduce "minimum" %w dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %unknown = kolam.broadcast %4 [1] : tensor<64xf32> -> tensor<?x64xf32, #kolam.extents<["n", "64"]>>
  %5 = kolam.elementwise "subtract" %z, %unknown : (tensor<?x64xf32, #kolam.extents<["n", "64"]>>, tensor<?x64xf32, #kolam.extents<["n", "64"]>>) -> tensor<?x64xf32, #kolam.extents<["n", "64"]>>
  return %1, %3, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<?x64xf32, #kolam.extents<["n", "64"]>>
}

// Consumers in one nest that ask for the same index share the element. The neighbour's index is another, and so are those of
// two loops over all elements, and that of another nest.
// USES: reduce ({{.*}}) -> %{{.*}} negative ({{.*}}): fused
// USES-NEXT: reduce ({{.*}}) -> %{{.*}} abs ({{.*}}): fused
// USES: reduce ({{.*}}) -> %{{.*}} slice ({{.*}}): not fused: each element is read 2 times and costs 256 operations
// USES: reduce ({{.*}}) -> %{{.*}} reduce ({{.*}}): not fused: each element is read 2 times and costs 256 operations
// USES: reduce ({{.*}}) -> %{{.*}} square ({{.*}}): not fused: each element is read 2 times and costs 256 operations
// USES-NEXT: reduce ({{.*}}) -> %{{.*}} sqrt ({{.*}}): not fused: each element is read 2 times and costs 256 operations

//--- uses.mlir
func.func @main(%x: tensor<64x256xf32>, %v: tensor<64x256xf32>, %w: tensor<64x256xf32>, %u: tensor<64x256xf32>) -> (tensor<64xf32>, tensor<63xf32>, tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %a = kolam.elementwise "negative" %0 : (tensor<64xf32>) -> tensor<64xf32>
  %b = kolam.elementwise "abs" %0 : (tensor<64xf32>) -> tensor<64xf32>
  %1 = kolam.elementwise "add" %a, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = kolam.reduce "maximum" %v dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %c = kolam.slice %2 <["0"]> [1] : tensor<64xf32> -> tensor<63xf32>
  %d = kolam.slice %2 <["1"]> [1] : tensor<64xf32> -> tensor<63xf32>
  %3 = kolam.elementwise "add" %c, %d : (tensor<63xf32>, tensor<63xf32>) -> tensor<63xf32>
  %4 = kolam.reduce "minimum" %w dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %e = kolam.reduce "add" %4 dims [0] commutative true <"chunk<64>"> : (tensor<64xf32>) -> tensor<f32>
  %f = kolam.reduce "maximum" %4 dims [0] commutative true <"chunk<64>"> : (tensor<64xf32>) -> tensor<f32>
  %5 = kolam.elementwise "add" %e, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = kolam.reduce "multiply" %u dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %7 = kolam.elementwise "square" %6 : (tensor<64xf32>) -> tensor<64xf32>
  %8 = kolam.elementwise "sqrt" %6 : (tensor<64xf32>) -> tensor<64xf32>
  return %1, %3, %5, %7, %8 : tensor<64xf32>, tensor<63xf32>, tensor<f32>, tensor<64xf32>, tensor<64xf32>
}

// Of two pieces that lie one behind the other each is computed at its own places only, and padding asks for no element.
// SHARES: reduce ({{.*}}) -> %{{.*}} concat ({{.*}}): fused
// SHARES: reduce ({{.*}}) -> %{{.*}} concat ({{.*}}): fused
// SHARES: reduce ({{.*}}) -> %{{.*}} pad ({{.*}}): fused

//--- shares.mlir
func.func @main(%x: tensor<64x256xf32>, %v: tensor<f32>) -> (tensor<128xf32>, tensor<640xf32>) {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %1 = kolam.reduce "maximum" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %2 = kolam.concat %0, %1 dim 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %3 = kolam.reduce "minimum" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %4 = kolam.pad %3, %v "constant" low [0] high [576] : tensor<64xf32>, tensor<f32> -> tensor<640xf32>
  return %2, %4 : tensor<128xf32>, tensor<640xf32>
}

// A place that data decides may be any: the element is computed wherever one is gathered.
// DATA: reduce ({{.*}}) -> %{{.*}} gather ({{.*}}): not fused: each element is read 10 times and costs 256 operations

//--- data.mlir
func.func @main(%x: tensor<64x256xf32>, %i: tensor<640x1xi32>) -> tensor<640x1xf32> {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %1 = kolam.gather %0, %i "clip" dims [0] lengths [1] batched 0 : (tensor<64xf32>, tensor<640x1xi32>) -> tensor<640x1xf32>
  return %1 : tensor<640x1xf32>
}

// Rows of a product that data chooses are read where they lie; where these are summed they would be looked up for each tile.
// ROWS: gather ({{.*}}) -> %{{.*}} squeeze ({{.*}}): fused
// ROWS: gather ({{.*}}) -> %{{.*}} squeeze ({{.*}}): not fused: each element would be packed

//--- rows.mlir
func.func @main(%x: tensor<512x256xf32>, %w: tensor<256x512xf32>, %y: tensor<512x512xf32>, %i: tensor<512x1xi32>, %j: tensor<512x1xi32>) -> (tensor<512x512xf32>, tensor<256x512xf32>) {
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<512x256xf32>, tensor<512x1xi32>) -> tensor<512x1x256xf32>
  %1 = kolam.squeeze %0 [1] : tensor<512x1x256xf32> -> tensor<512x256xf32>
  %2 = kolam.contract "mk,kn->mn" %1, %w <"chain<512>"> : (tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32>
  %3 = kolam.gather %x, %j "clip" dims [0] lengths [1] batched 0 : (tensor<512x256xf32>, tensor<512x1xi32>) -> tensor<512x1x256xf32>
  %4 = kolam.squeeze %3 [1] : tensor<512x1x256xf32> -> tensor<512x256xf32>
  %5 = kolam.contract "sk,sn->kn" %4, %y <"chain<512>"> : (tensor<512x256xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  return %2, %5 : tensor<512x512xf32>, tensor<256x512xf32>
}

// Places that two ways reach by steps of one sum are one index.
// MOVES: reduce ({{.*}}) -> %{{.*}} slice ({{.*}}): fused
// MOVES: reduce ({{.*}}) -> %{{.*}} slice ({{.*}}): fused

//--- moves.mlir
func.func @main(%x: tensor<64x256xf32>) -> tensor<60xf32> {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %one = kolam.slice %0 <["1"]> [1] : tensor<64xf32> -> tensor<62xf32>
  %two = kolam.slice %one <["1"]> [1] : tensor<62xf32> -> tensor<60xf32>
  %there = kolam.slice %0 <["2"]> [1] : tensor<64xf32> -> tensor<60xf32>
  %1 = kolam.elementwise "add" %two, %there : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
  return %1 : tensor<60xf32>
}

// What an op computes in a branch stays in it: again for every vector of a row, here eight neighbours at once.
// CHOICES: reduce ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: each element is read 8 times and costs 256 operations

//--- choices.mlir
func.func @main(%x: tensor<64x256xf32>, %y: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x256xf32>) -> tensor<64xf32>
  %rows = kolam.broadcast %0 [0] : tensor<64xf32> -> tensor<64x64xf32>
  %1 = kolam.concat %rows, %y dim 1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
