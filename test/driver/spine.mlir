// RUN: kolam run %s --stop-after lowered | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: kolam run %s --stop-after llvm | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: kolam run %s --stop-after assembly | FileCheck %s --check-prefix=NONE --match-full-lines
// A program that the runtime alone runs has no code, and its stages say so.

// NONE: // no nests: every step is of the runtime
// NONE-NOT: {{.}}

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %p = kolam.sort %x {descending = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %v : tensor<4xf32>
}
