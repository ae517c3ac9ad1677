// RUN: split-file %s %t
// RUN: kolam run %t/parts.mlir --stop-after nests | FileCheck %s --check-prefix=PARTS
// RUN: kolam run %t/kept.mlir --stop-after nests | FileCheck %s --check-prefix=KEPT
// What a concat puts together is computed where it lies in the result.

// Each operand is the result of a nest, which others may share; parts of parts lie in the outermost whole, an argument is copied, a result of its own too.
// PARTS: [[X:b[0-9]+]]: float32[1000] argument 0
// PARTS: [[ALL:b[0-9]+]]: float32[4000] result 0
// PARTS: [[FIRST:b[0-9]+]]: float32[1000] arena in [[ALL]]{{$}}
// PARTS: [[INNER:b[0-9]+]]: float32[2000] arena in [[ALL]] at 4000
// PARTS: [[LAST:b[0-9]+]]: float32[1000] arena in [[ALL]] at 12000
// PARTS: [[NEGATIVE:b[0-9]+]]: float32[1000] arena in [[ALL]] at 4000
// PARTS: [[SAME:b[0-9]+]]: float32[1000] arena in [[ALL]] at 8000
// PARTS: [[ROOT:b[0-9]+]]: float32[1000] result 1
// PARTS: nest0: [[ROOT]], [[NEGATIVE]], [[FIRST]] = together([[X]]) over [0:1000] with exp negative sqrt
// PARTS-NEXT: [[SAME]] = copy [[X]]
// PARTS-NEXT: [[LAST]] = copy [[ROOT]]
// PARTS-NEXT: {{^nest0$}}

//--- parts.mlir
func.func @main(%x: tensor<1000xf32>) -> (tensor<4000xf32>, tensor<1000xf32>) {
  %s = kolam.elementwise "sqrt" %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %n = kolam.elementwise "negative" %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %i = kolam.concat %n, %x dim 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
  %e = kolam.elementwise "exp" %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %c = kolam.concat %e, %i, %s dim 0 : (tensor<1000xf32>, tensor<2000xf32>, tensor<1000xf32>) -> tensor<4000xf32>
  return %c, %s : tensor<4000xf32>, tensor<1000xf32>
}

// Not where elements of the operands lie between one another, nor where most is there already, nor of short operands.
// KEPT: = concat(
// KEPT: = concat(
// KEPT: = concat(

//--- kept.mlir
func.func @main(%x: tensor<40x50xf32>, %y: tensor<100xf32>) -> (tensor<40x100xf32>, tensor<120x50xf32>, tensor<200xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<40x50xf32>) -> tensor<40x50xf32>
  %0 = kolam.concat %e, %x dim 1 : (tensor<40x50xf32>, tensor<40x50xf32>) -> tensor<40x100xf32>
  %1 = kolam.concat %e, %x, %x dim 0 : (tensor<40x50xf32>, tensor<40x50xf32>, tensor<40x50xf32>) -> tensor<120x50xf32>
  %n = kolam.elementwise "negative" %y : (tensor<100xf32>) -> tensor<100xf32>
  %2 = kolam.concat %n, %n dim 0 : (tensor<100xf32>, tensor<100xf32>) -> tensor<200xf32>
  return %0, %1, %2 : tensor<40x100xf32>, tensor<120x50xf32>, tensor<200xf32>
}
