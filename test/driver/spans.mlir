// RUN: env KOLAM_TRACE=%t.json kolam run %s
// RUN: FileCheck %s --input-file %t.json
// RUN: env KOLAM_TRACE=%t.json kolam run %s --backend interpret
// RUN: FileCheck %s --input-file %t.json --check-prefix=INTERPRETED
// KOLAM_TRACE: the stages of a compile, the nests by the names that explain gives them, steps of the runtime, and of an
// interpreted program its ops. Spans are written in the order in which they end.

//      CHECK: "name":"verify","cat":"compile"
// CHECK-NEXT: "name":"guard","cat":"compile"
// CHECK-NEXT: "name":"rewrite","cat":"compile"
// CHECK-NEXT: "name":"axis orders","cat":"compile"
// CHECK-NEXT: "name":"nests","cat":"compile"
// CHECK-NEXT: "name":"key","cat":"compile"
// CHECK-NEXT: "name":"find","cat":"compile"
// CHECK-NEXT: "name":"lower","cat":"compile"
// CHECK-NEXT: "name":"llvm","cat":"compile"
// CHECK-NEXT: "name":"nest0","cat":"compile"
//      CHECK: "name":"codegen","cat":"compile"
// CHECK-NEXT: "name":"load","cat":"compile"
//      CHECK: "name":"compile","cat":"compile"
// CHECK-NEXT: "name":"nest0","cat":"run"
// CHECK-NEXT: "name":"sort","cat":"run"

// INTERPRETED-NOT: "cat":"run"
// INTERPRETED: "name":"iota","cat":"interpret"
// INTERPRETED-NEXT: "name":"negative","cat":"interpret"
// INTERPRETED-NEXT: "name":"sort","cat":"interpret"

func.func @main() -> tensor<4xf32> {
  %0 = kolam.iota 0 : tensor<4xf32>
  %1 = kolam.elementwise "negative" %0 : (tensor<4xf32>) -> tensor<4xf32>
  %v, %p = kolam.sort %1 {descending = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %v : tensor<4xf32>
}
