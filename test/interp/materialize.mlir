// RUN: split-file %s %t
// RUN: kolam run %t/sums.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/sums.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %t/nests.mlir --stop-after nests | FileCheck %s --check-prefix=NESTS
// kolam.materialize gives its operand, in memory: what reads it loads. Of what is in memory already it is no copy.

// CHECK: sums =
// CHECK-NEXT: [3. 5. 7.]

//--- sums.mlir
func.func @main() -> tensor<3xf32> {
  %x = kolam.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = kolam.constant dense<1.0> : tensor<3xf32>
  %m = kolam.elementwise "add" %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %kept = kolam.materialize %m : tensor<3xf32> -> tensor<3xf32>
  %sums = kolam.elementwise "add" %kept, %one : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %sums : tensor<3xf32>
}

// One store for both, with the sum on the way; the neighbours are loaded.
// NESTS: nest0: [[M:b[0-9]+]] = materialize(b0) over [0:3] with {{(materialize )?}}add
// NESTS-NEXT: nest1: {{b[0-9]+}} = add([[M]]) over [0:3] with reverse

//--- nests.mlir
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %m = kolam.elementwise "add" %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %kept = kolam.materialize %m : tensor<3xf32> -> tensor<3xf32>
  %again = kolam.materialize %kept : tensor<3xf32> -> tensor<3xf32>
  %r = kolam.reverse %again [0] : tensor<3xf32> -> tensor<3xf32>
  %sums = kolam.elementwise "add" %again, %r : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %sums : tensor<3xf32>
}
