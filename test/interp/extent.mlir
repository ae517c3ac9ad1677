// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/five.npy --output 1=%t/none.npy
// RUN: kolam run %t/program.mlir --input x=%t/five.npy --backend interpret | FileCheck %s --check-prefix=FIVE --match-full-lines
// RUN: kolam run %t/program.mlir --input x=%t/five.npy --backend cpu | FileCheck %s --check-prefix=FIVE --match-full-lines
// RUN: kolam run %t/program.mlir --input x=%t/none.npy --backend interpret | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: kolam run %t/program.mlir --input x=%t/none.npy --backend cpu | FileCheck %s --check-prefix=NONE --match-full-lines
// kolam.extent: the value of an expression over the sizes of the call, which the argument's shape gives. By hand.

// FIVE: size =
// FIVE-NEXT: 5
// FIVE: negative =
// FIVE-NEXT: -4
// FIVE: quotient =
// FIVE-NEXT: 2
// FIVE: rounded_up =
// FIVE-NEXT: 3
// FIVE: clipped =
// FIVE-NEXT: 3
// FIVE: constant =
// FIVE-NEXT: 7

// NONE: size =
// NONE-NEXT: 0
// NONE: negative =
// NONE-NEXT: 1
// NONE: quotient =
// NONE-NEXT: 0
// NONE: rounded_up =
// NONE-NEXT: 0
// NONE: clipped =
// NONE-NEXT: 0
// NONE: constant =
// NONE-NEXT: 7

//--- arguments.mlir
func.func @main() -> (tensor<5xi8>, tensor<0xi8>) {
  %five = kolam.iota 0 : tensor<5xi8>
  %none = kolam.constant dense<> : tensor<0xi8>
  return %five, %none : tensor<5xi8>, tensor<0xi8>
}

//--- program.mlir
func.func @main(%x: tensor<?xi8, #kolam.extents<["n"]>>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %size = kolam.extent "n" : tensor<i64>
  %negative = kolam.extent "1 - n" : tensor<i64>
  %quotient = kolam.extent "floordiv(n, 2)" : tensor<i64>
  %rounded_up = kolam.extent "ceildiv(n, 2)" : tensor<i64>
  %clipped = kolam.extent "min(n, 3)" : tensor<i64>
  %constant = kolam.extent "7" : tensor<i64>
  return %size, %negative, %quotient, %rounded_up, %clipped, %constant : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
