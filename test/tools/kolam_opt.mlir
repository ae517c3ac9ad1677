// RUN: kolam-opt --kolam-simplify --kolam-print-nests %s | FileCheck %s --check-prefix=NESTS
// RUN: kolam-opt --kolam-simplify --kolam-print-lowered %s | FileCheck %s --check-prefix=LOWERED
// RUN: kolam-opt --kolam-insert-checks %s | FileCheck %s --check-prefix=CHECKED
// kolam-opt prints what later stages make of a program, and the program itself behind that.

// NESTS: nest0: b1 = abs(b0) over [0:4]
// NESTS: func.func @main
// LOWERED: // nest0
// LOWERED: func.func @kolam_nest
// LOWERED: math.absf
// LOWERED: func.func @main
// CHECKED: kolam.elementwise "negative"
// CHECKED: kolam.check %{{.*}} "nan-created"

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.elementwise "negative" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "abs" %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
