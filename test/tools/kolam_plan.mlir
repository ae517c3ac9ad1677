// RUN: kolam plan %s --workers 4 --steps 0 --output %t.json | FileCheck %s --check-prefix=FOUND
// RUN: kolam check-plan %t.json | FileCheck %s --check-prefix=SOUND
// RUN: kolam check-plan %t.json --program %s | FileCheck %s --check-prefix=SOUND
// RUN: sed 's/"workers": *4/"workers": 0/' %t.json > %t.broken.json
// RUN: not kolam check-plan %t.broken.json | FileCheck %s --check-prefix=BROKEN
// RUN: kolam simulate-plan %t.json | FileCheck %s --check-prefix=SIMULATED
// RUN: not kolam run-plan %t.json 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not kolam plan %s --workers 0 2>&1 | FileCheck %s --check-prefix=WORKERS
// RUN: not kolam plan %s --worker 2 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not kolam plan %s --memory 10 --steps 0 2>&1 | FileCheck %s --check-prefix=LIMIT
// `kolam plan` and its kin find, check and simulate plans.

// FOUND: cost: bytes_in {{.*}}, peak_memory {{.*}}, time
// FOUND: cut contract at {{.*}}: grid {{.*}}
// SOUND: the plan is sound
// BROKEN: [plan-structure]
// SIMULATED: time {{[0-9]}}
// SIMULATED: peak_memory
// ARGUMENTS: [argument-mismatch] expected 2 arguments, but got 0
// WORKERS: [plan-option] option 'workers': expected at least 1, but got 0
// OPTION: [usage] plan: expected the options that `kolam help` lists, but got '--worker'
// LIMIT: [plan-limit]
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %y = kolam.contract "mk,kn->mn" %x, %w <"chain<512>"> : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
