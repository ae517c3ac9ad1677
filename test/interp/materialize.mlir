// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %s --stop-after nests | FileCheck %s --check-prefix=NESTS
// kolam.materialize gives its operand, in memory: what reads it loads. Of what is in memory already it is no copy.

// CHECK: sums =
// CHECK-NEXT: [3. 5. 7.]
// NESTS: nest0: [[M:b[0-9]+]] = materialize({{.*}}) over [0:3] with add
// NESTS-NEXT: nest1: {{b[0-9]+}} = add([[M]]
// NESTS-NOT: nest2: {{b[0-9]+}} =

func.func @main() -> tensor<3xf32> {
  %x = kolam.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = kolam.constant dense<1.0> : tensor<3xf32>
  %m = kolam.elementwise "add" %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %kept = kolam.materialize %m : tensor<3xf32> -> tensor<3xf32>
  %again = kolam.materialize %kept : tensor<3xf32> -> tensor<3xf32>
  %sums = kolam.elementwise "add" %again, %one : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %sums : tensor<3xf32>
}
