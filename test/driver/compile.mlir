// RUN: kolam stages | FileCheck %s --check-prefix=STAGES --match-full-lines
// RUN: rm -rf %t && kolam run %s --dump-dir %t --stop-after program | FileCheck %s --check-prefix=PROGRAM
// RUN: ls %t | FileCheck %s --check-prefix=FILES --match-full-lines
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file %t/1_program.txt
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file %t/2_tensors.txt
// RUN: FileCheck %s --check-prefix=REWRITTEN --input-file %t/3_rewritten.txt
// RUN: FileCheck %s --check-prefix=NESTS --input-file %t/4_nests.txt
// RUN: FileCheck %s --check-prefix=LOWERED --input-file %t/5_lowered.txt
// RUN: FileCheck %s --check-prefix=LLVM --input-file %t/6_llvm.txt
// RUN: FileCheck %s --check-prefix=ASSEMBLY --input-file %t/7_assembly.txt
// RUN: not kolam run %s --stop-after nowhere 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// The road of a program can stop after any stage, whose text is the same on paper and in a folder.

//      STAGES: program
// STAGES-NEXT: tensors
// STAGES-NEXT: rewritten
// STAGES-NEXT: nests
// STAGES-NEXT: lowered
// STAGES-NEXT: llvm
// STAGES-NEXT: assembly
//  STAGES-NOT: {{.}}

//      FILES: 1_program.txt
// FILES-NEXT: 2_tensors.txt
// FILES-NEXT: 3_rewritten.txt
// FILES-NEXT: 4_nests.txt
// FILES-NEXT: 5_lowered.txt
// FILES-NEXT: 6_llvm.txt
// FILES-NEXT: 7_assembly.txt
//  FILES-NOT: {{.}}

// PROGRAM-COUNT-2: kolam.elementwise "negative"
// PROGRAM: kolam.elementwise "abs"
// REWRITTEN-NOT: "negative"
// REWRITTEN: kolam.elementwise "abs"
// NESTS: nest0: b1 = abs(b0) over [0:4]
// LOWERED: math.absf
// LLVM: define i32 @kolam_nest
// ASSEMBLY: kolam_nest:
// UNKNOWN: [unknown-stage] expected one of program, tensors, rewritten, nests, lowered, llvm, assembly, but got 'nowhere'

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.elementwise "negative" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "negative" %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = kolam.elementwise "abs" %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
