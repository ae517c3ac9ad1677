// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/three.npy --output 1=%t/two.npy --output 2=%t/bytes.npy
// RUN: kolam run %t/program.mlir --input x=%t/three.npy --input y=%t/three.npy --backend interpret | FileCheck %s --check-prefix=SUM --match-full-lines
// RUN: kolam run %t/program.mlir --input x=%t/three.npy --input y=%t/three.npy --backend cpu | FileCheck %s --check-prefix=SUM --match-full-lines
// RUN: not kolam run %t/program.mlir --input x=%t/three.npy --input y=%t/two.npy --backend interpret 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not kolam run %t/program.mlir --input x=%t/three.npy --input y=%t/two.npy --backend cpu 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not kolam run %t/program.mlir --input x=%t/bytes.npy --input y=%t/three.npy --backend interpret 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not kolam run %t/program.mlir --input x=%t/bytes.npy --input y=%t/three.npy --backend cpu 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not kolam run %t/check.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: not kolam run %t/check.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=CHECKED
// A program that runs: arguments give the sizes and must fit them, and a check that fails is told alike by both
// backends, with the line it came from.

// SUM: r =
// SUM-NEXT: [2. 4. 6.]
// SUM: size =
// SUM-NEXT: 3
// SIZES: [argument-mismatch] argument %y ('{{.*}}two.npy'): expected extent n = 3 in dim 0, but got 2
// DTYPE: [argument-mismatch] argument %x ('{{.*}}bytes.npy'): expected dtype float32, but got int8
// CHECKED: [bad-value] expected truth (first at row-major index 1)
// CHECKED-NEXT: at {{.*}}check.mlir:3

//--- arguments.mlir
func.func @main() -> (tensor<3xf32>, tensor<2xf32>, tensor<3xi8>) {
  %0 = kolam.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = kolam.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = kolam.constant dense<[1, 2, 3]> : tensor<3xi8>
  return %0, %1, %2 : tensor<3xf32>, tensor<2xf32>, tensor<3xi8>
}

//--- program.mlir
func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>, %y: tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<i64>) {
  %r = kolam.elementwise "add" %x, %y : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %size = kolam.extent "n" : tensor<i64>
  return %r, %size : tensor<?xf32, #kolam.extents<["n"]>>, tensor<i64>
}

//--- check.mlir
func.func @main() -> tensor<2xi1> {
  %c = kolam.constant dense<[true, false]> : tensor<2xi1>
  kolam.check %c "bad-value" "expected truth" : tensor<2xi1>
  return %c : tensor<2xi1>
}
