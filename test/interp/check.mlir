// RUN: split-file %s %t
// RUN: kolam run %t/passes.mlir --backend interpret | FileCheck %s --check-prefix=PASSES --match-full-lines
// RUN: kolam run %t/passes.mlir --backend cpu | FileCheck %s --check-prefix=PASSES --match-full-lines
// RUN: not kolam run %t/lowest.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=LOWEST
// RUN: not kolam run %t/lowest.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=LOWEST
// RUN: not kolam run %t/order.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not kolam run %t/order.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=ORDER
// kolam.check stops the program at the lowest row-major index where its condition is false; no elements are no failure.

// PASSES: r =
// PASSES-NEXT: [True True]
// LOWEST: [bad-value] expected truth (first at row-major index 4)
// ORDER: [index-of-first] expected the first (first at row-major index 0)

//--- passes.mlir
func.func @main() -> tensor<2xi1> {
  %r = kolam.constant dense<true> : tensor<2xi1>
  kolam.check %r "bad-value" "expected truth" : tensor<2xi1>
  %nothing = kolam.constant dense<> : tensor<0x3xi1>
  kolam.check %nothing "bad-value" "expected truth" : tensor<0x3xi1>
  return %r : tensor<2xi1>
}

//--- lowest.mlir
func.func @main() -> tensor<2x3xi1> {
  %c = kolam.constant dense<[[true, true, true], [true, false, false]]> : tensor<2x3xi1>
  kolam.check %c "bad-value" "expected truth" : tensor<2x3xi1>
  return %c : tensor<2x3xi1>
}

//--- order.mlir
// Both fail; the one that comes first in the program is told.
func.func @main() -> tensor<i1> {
  %no = kolam.constant dense<false> : tensor<i1>
  kolam.check %no "index-of-first" "expected the first" : tensor<i1>
  kolam.check %no "bad-value" "expected the second" : tensor<i1>
  return %no : tensor<i1>
}
