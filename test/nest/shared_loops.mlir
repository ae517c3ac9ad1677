// RUN: split-file %s %t
// RUN: kolam run %t/memory.mlir --stop-after nests | FileCheck %s --check-prefix=MEMORY
// RUN: kolam run %t/chain.mlir --stop-after nests | FileCheck %s --check-prefix=CHAIN
// RUN: kolam run %t/elsewhere.mlir --stop-after nests | FileCheck %s --check-prefix=ELSEWHERE
// RUN: kolam run %t/between.mlir --stop-after nests | FileCheck %s --check-prefix=BETWEEN
// RUN: kolam run %t/apart.mlir --stop-after nests | FileCheck %s --check-prefix=APART
// RUN: kolam run %t/checked.mlir --stop-after nests | FileCheck %s --check-prefix=CHECKED
// RUN: kolam run %t/behind.mlir --stop-after nests | FileCheck %s --check-prefix=BEHIND
// Which stored values share a loop nest.

// Two that read the same memory.
// MEMORY: nest0: {{b[0-9]+, b[0-9]+}} = together(b0, b1) over [0:64] with multiply add
// MEMORY-NOT: nest1: {{b[0-9]+}} =

//--- memory.mlir
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kolam.elementwise "add" %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %b = kolam.elementwise "multiply" %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// One that reads the other at its own index, through a fused op, which nobody else reads.
// CHAIN: nest0: {{b[0-9]+, b[0-9]+}} = together(b0) over [0:64] with sqrt negative exp
// CHAIN-NOT: nest1: {{b[0-9]+}} =

//--- chain.mlir
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  %n = kolam.elementwise "negative" %a : (tensor<64xf32>) -> tensor<64xf32>
  %b = kolam.elementwise "sqrt" %n : (tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// One that reads the other's neighbours does not.
// ELSEWHERE: nest0: {{b[0-9]+}} = exp(b0)
// ELSEWHERE: nest1: {{b[0-9]+}} = reverse(

//--- elsewhere.mlir
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  %b = kolam.reverse %a [0] : tensor<64xf32> -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// Nor do two with a stored value between them: the sum needs all of the first.
// BETWEEN: nest0: {{b[0-9]+}} = exp(b0)
// BETWEEN: nest1: {{b[0-9]+}} = divide(b0, {{b[0-9]+}}) over [0:64] with broadcast reduce

//--- between.mlir
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  %s = kolam.reduce "add" %a dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64xf32>) -> tensor<f32>
  %t = kolam.broadcast %s [] : tensor<f32> -> tensor<64xf32>
  %b = kolam.elementwise "divide" %x, %t : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// Nor those of other memory, of other shapes, or that lie across what they read.
// APART: nest0: {{b[0-9]+}} = exp(b0)
// APART: nest1: {{b[0-9]+}} = sqrt(b1)
// APART: nest2: {{b[0-9]+}} = slice(b0)
// APART: nest3: {{b[0-9]+}} = transpose(b0)

//--- apart.mlir
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>, tensor<64x64xf32>) {
  %a = kolam.elementwise "exp" %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = kolam.elementwise "sqrt" %y : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = kolam.slice %x <["0", "0"]> [8, 1] : tensor<64x64xf32> -> tensor<8x64xf32>
  %d = kolam.transpose %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  return %a, %b, %c, %d : tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>, tensor<64x64xf32>
}

// A check that reads the first stays where it is: checks fail in the order of the program.
// CHECKED: nest0: {{b[0-9]+}} = isfinite(b0)
// CHECKED: nest1: check(
// CHECKED: nest2: {{b[0-9]+}} = exp(b0)

//--- checked.mlir
func.func @main(%x: tensor<64xf32>) -> (tensor<64xi1>, tensor<64xf32>) {
  %a = kolam.elementwise "isfinite" %x : (tensor<64xf32>) -> tensor<64xi1>
  kolam.check %a "bad-value" "expected numbers" : tensor<64xi1>
  %b = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xi1>, tensor<64xf32>
}

// What reads the first and stands in front of the second comes behind both.
// BEHIND: nest0: [[A:b[0-9]+]], {{b[0-9]+}} = together(b0)
// BEHIND: nest1: {{b[0-9]+}} = reverse([[A]])

//--- behind.mlir
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %a = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  %r = kolam.reverse %a [0] : tensor<64xf32> -> tensor<64xf32>
  %b = kolam.elementwise "sqrt" %x : (tensor<64xf32>) -> tensor<64xf32>
  return %a, %b, %r : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
