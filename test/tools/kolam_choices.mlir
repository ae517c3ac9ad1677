// RUN: kolam choices %s --allow reassociate | FileCheck %s --check-prefix=FOUND
// RUN: kolam choices %s --workers 3 --choice split_op | FileCheck %s --check-prefix=NAMED
// RUN: kolam choices | FileCheck %s --check-prefix=TABLE
// RUN: kolam plan %s --allow reassociate --steps 0 --choice "associate_products 1 factor=1 side=0" --output %t.json | FileCheck %s --check-prefix=PLAN
// RUN: kolam check-plan %t.json --program %s | FileCheck %s --check-prefix=SOUND
// RUN: sed 's/associate_products/split_op/' %t.json > %t.other.json
// RUN: not kolam check-plan %t.other.json --program %s | FileCheck %s --check-prefix=TRACE
// RUN: not kolam plan %s --steps 0 --choice "associate_products" 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: not kolam choices %s --choice split 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not kolam choices %s --workers 0 2>&1 | FileCheck %s --check-prefix=WORKERS
// Choices are listed, taken by plans, and replayed.

// FOUND: associate_products 1 factor=1 side=0: contract at {{.*}}, reassociates
// NAMED: split_op 0 cuts=3,6 dim=0: contract at
// TABLE: associate_products (reassociates), searched
// TABLE-NEXT: (A B) x = A (B x)
// PLAN: associate_products contract at {{.*}}: factor 1 op 1 side 0, in other groups of sums
// SOUND: the plan is sound
// TRACE: trace: [plan-trace] choice 'split_op
// EXACT: [plan-choice] choice 'associate_products': expected an op with a product
// NAME: [plan-choice] expected the name of a choice, one of {{.*}}, but got 'split'
// WORKERS: [plan-option] option 'workers': expected at least 1, but got 0
func.func @main(%x: tensor<9x4xf32>, %y: tensor<4x5xf32>, %z: tensor<5x1xf32>) -> tensor<9x1xf32> {
  %0 = kolam.contract "mk,kn->mn" %x, %y <"chain<512>"> : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  %1 = kolam.contract "mk,kn->mn" %0, %z <"chain<512>"> : (tensor<9x5xf32>, tensor<5x1xf32>) -> tensor<9x1xf32>
  return %1 : tensor<9x1xf32>
}
