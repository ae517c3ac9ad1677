// RUN: kolam layout %s --constants w | FileCheck %s --check-prefix=FOUND
// RUN: kolam layout %s --constants 0 --input "x=time! columns" --output 0=-1 --mode repair --profile relaxed --costs cpu | FileCheck %s --check-prefix=PINNED
// RUN: kolam layout %s --constants w --as dot | FileCheck %s --check-prefix=DOT
// RUN: kolam layout %s --constants w --as program | FileCheck %s --check-prefix=PROGRAM
// RUN: kolam layout %s --constants w --as program > %t.mlir && kolam layout %t.mlir --constants arg0 | FileCheck %s --check-prefix=FOUND
// RUN: kolam layout %s --constants w --as explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: kolam layout %s --constants w --as json | FileCheck %s --check-prefix=JSON
// RUN: not kolam layout %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not kolam layout %s --constants w --as xml 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not kolam layout %s --input x 2>&1 | FileCheck %s --check-prefix=PIN
// RUN: not kolam layout %s --output y=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not kolam layout --mode 2>&1 | FileCheck %s --check-prefix=VALUE
// `kolam layout` shows the data dimension of every value of a program.

// FOUND: profile seed, costs blocks
// FOUND: names rows 64, columns 8
// FOUND: contract {{.*}}[rows! columns]
// FOUND: pin [rows! columns]
// FOUND: total {{[0-9]+}}
// PROGRAM: // profile seed, costs blocks, total {{[0-9]+}}
// PROGRAM-NEXT: // names rows 64, columns 8
// PROGRAM-NEXT: // argument 1 [32! columns]  compute, time {{[0-9]+}}
// PROGRAM: kolam.contract {{.*}} // [32! columns] -> [rows! columns]  compute, dot, time {{[0-9]+}}, memory {{[0-9]+}}
// PROGRAM-NEXT: kolam.pin {{.*}} // [rows! columns]  free
// PROGRAM-NEXT: kolam.elementwise "tanh" {{.*}} // [rows! columns] -> [rows! columns]  compute
// PROGRAM-NEXT: return {{.*}} // result 0 [rows! columns]
// EXPLAIN: nest0
// EXPLAIN: data dimensions: profile seed, costs blocks
// EXPLAIN: total {{[0-9]+}}
// PINNED: profile relaxed, costs cpu
// PINNED: names time 32, columns 8, rows 64
// PINNED: argument 1 [time! columns]
// PINNED: total {{[0-9]+}}
// DOT: digraph
// JSON: "chosen"
// REFUSED: kolam: {{.*}}[data-dimension]
// FORM: kolam: [usage] --as: expected text, program, explain, dot or json, but got 'xml'
// PIN: kolam: [usage] --input: expected NAME=D, but got 'x'
// NUMBER: kolam: [usage] --output: expected the number of a result, but got 'y'
// VALUE: kolam: [usage] --mode: expected a value, but got none

func.func @main(%w: tensor<64x32xf32>, %x: tensor<32x8xf32>) -> tensor<64x8xf32> {
  %0 = kolam.contract "ij,jk->ik" %w, %x <"chain<512>"> : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  %pinned = kolam.pin %0 0 ["rows", "columns"] : tensor<64x8xf32> -> tensor<64x8xf32>
  %1 = kolam.elementwise "tanh" %pinned : (tensor<64x8xf32>) -> tensor<64x8xf32>
  return %1 : tensor<64x8xf32>
}
