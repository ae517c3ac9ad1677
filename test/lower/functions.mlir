// REQUIRES: lm
// RUN: split-file %s %t
// RUN: env KOLAM_TARGET=haswell kolam run %t/long.mlir --stop-after lowered | FileCheck %s --check-prefix=LONG
// RUN: env KOLAM_TARGET=haswell kolam run %t/side_by_side.mlir --stop-after lowered | FileCheck %s --check-prefix=SIDE
// RUN: env KOLAM_TARGET=haswell kolam explain %t/long.mlir | FileCheck %s --check-prefix=EXPLAIN
// Code of long functions stands inline until a nest has many copies; further ops call one function (lm: an x86-64
// processor).

// Vectors are arguments and results.
// LONG: func.func @kolam_nest
// LONG: scf.for
// LONG: math.fma
// LONG: call @kolam_tanh_float64_x8({{.*}}) : (vector<8xf64>) -> vector<8xf64>
// LONG: func.func private @kolam_tanh_float64_x8(%{{.*}}: vector<8xf64>) -> vector<8xf64> {
// LONG-NOT: func.func
// LONG: math.fma
// LONG: return %{{.*}} : vector<8xf64>
// LONG-NOT: func.func
// That is no library function.
// EXPLAIN: nest0 runs by 8 lanes{{$}}

// Vectors whose ops are dealt out go through one call.
// SIDE: call @kolam_tanh_float32_x8_by2(%{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>) -> (vector<8xf32>, vector<8xf32>)
// SIDE: func.func private @kolam_tanh_float32_x8_by2
// SIDE: math.fma
// SIDE-NEXT: math.fma

//--- long.mlir
func.func @main(%0: tensor<64xf64>, %y: tensor<64xf64>) -> tensor<64xf64> {
  %1 = kolam.elementwise "tanh" %0 : (tensor<64xf64>) -> tensor<64xf64>
  %2 = kolam.elementwise "add" %1, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %3 = kolam.elementwise "tanh" %2 : (tensor<64xf64>) -> tensor<64xf64>
  %4 = kolam.elementwise "add" %3, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %5 = kolam.elementwise "tanh" %4 : (tensor<64xf64>) -> tensor<64xf64>
  %6 = kolam.elementwise "add" %5, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %7 = kolam.elementwise "tanh" %6 : (tensor<64xf64>) -> tensor<64xf64>
  %8 = kolam.elementwise "add" %7, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %9 = kolam.elementwise "tanh" %8 : (tensor<64xf64>) -> tensor<64xf64>
  %10 = kolam.elementwise "add" %9, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %11 = kolam.elementwise "tanh" %10 : (tensor<64xf64>) -> tensor<64xf64>
  %12 = kolam.elementwise "add" %11, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %13 = kolam.elementwise "tanh" %12 : (tensor<64xf64>) -> tensor<64xf64>
  %14 = kolam.elementwise "add" %13, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %15 = kolam.elementwise "tanh" %14 : (tensor<64xf64>) -> tensor<64xf64>
  %16 = kolam.elementwise "add" %15, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %17 = kolam.elementwise "tanh" %16 : (tensor<64xf64>) -> tensor<64xf64>
  %18 = kolam.elementwise "add" %17, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %19 = kolam.elementwise "tanh" %18 : (tensor<64xf64>) -> tensor<64xf64>
  %20 = kolam.elementwise "add" %19, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %21 = kolam.elementwise "tanh" %20 : (tensor<64xf64>) -> tensor<64xf64>
  %22 = kolam.elementwise "add" %21, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %23 = kolam.elementwise "tanh" %22 : (tensor<64xf64>) -> tensor<64xf64>
  %24 = kolam.elementwise "add" %23, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %25 = kolam.elementwise "tanh" %24 : (tensor<64xf64>) -> tensor<64xf64>
  %26 = kolam.elementwise "add" %25, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %27 = kolam.elementwise "tanh" %26 : (tensor<64xf64>) -> tensor<64xf64>
  %28 = kolam.elementwise "add" %27, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %29 = kolam.elementwise "tanh" %28 : (tensor<64xf64>) -> tensor<64xf64>
  %30 = kolam.elementwise "add" %29, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %31 = kolam.elementwise "tanh" %30 : (tensor<64xf64>) -> tensor<64xf64>
  %32 = kolam.elementwise "add" %31, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %33 = kolam.elementwise "tanh" %32 : (tensor<64xf64>) -> tensor<64xf64>
  %34 = kolam.elementwise "add" %33, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %35 = kolam.elementwise "tanh" %34 : (tensor<64xf64>) -> tensor<64xf64>
  %36 = kolam.elementwise "add" %35, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %37 = kolam.elementwise "tanh" %36 : (tensor<64xf64>) -> tensor<64xf64>
  %38 = kolam.elementwise "add" %37, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %39 = kolam.elementwise "tanh" %38 : (tensor<64xf64>) -> tensor<64xf64>
  %40 = kolam.elementwise "add" %39, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %41 = kolam.elementwise "tanh" %40 : (tensor<64xf64>) -> tensor<64xf64>
  %42 = kolam.elementwise "add" %41, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %43 = kolam.elementwise "tanh" %42 : (tensor<64xf64>) -> tensor<64xf64>
  %44 = kolam.elementwise "add" %43, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %45 = kolam.elementwise "tanh" %44 : (tensor<64xf64>) -> tensor<64xf64>
  %46 = kolam.elementwise "add" %45, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %47 = kolam.elementwise "tanh" %46 : (tensor<64xf64>) -> tensor<64xf64>
  %48 = kolam.elementwise "add" %47, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %49 = kolam.elementwise "tanh" %48 : (tensor<64xf64>) -> tensor<64xf64>
  %50 = kolam.elementwise "add" %49, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %51 = kolam.elementwise "tanh" %50 : (tensor<64xf64>) -> tensor<64xf64>
  %52 = kolam.elementwise "add" %51, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %53 = kolam.elementwise "tanh" %52 : (tensor<64xf64>) -> tensor<64xf64>
  %54 = kolam.elementwise "add" %53, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %55 = kolam.elementwise "tanh" %54 : (tensor<64xf64>) -> tensor<64xf64>
  %56 = kolam.elementwise "add" %55, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %57 = kolam.elementwise "tanh" %56 : (tensor<64xf64>) -> tensor<64xf64>
  %58 = kolam.elementwise "add" %57, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %59 = kolam.elementwise "tanh" %58 : (tensor<64xf64>) -> tensor<64xf64>
  %60 = kolam.elementwise "add" %59, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %61 = kolam.elementwise "tanh" %60 : (tensor<64xf64>) -> tensor<64xf64>
  %62 = kolam.elementwise "add" %61, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %63 = kolam.elementwise "tanh" %62 : (tensor<64xf64>) -> tensor<64xf64>
  %64 = kolam.elementwise "add" %63, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %65 = kolam.elementwise "tanh" %64 : (tensor<64xf64>) -> tensor<64xf64>
  %66 = kolam.elementwise "add" %65, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %67 = kolam.elementwise "tanh" %66 : (tensor<64xf64>) -> tensor<64xf64>
  %68 = kolam.elementwise "add" %67, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %69 = kolam.elementwise "tanh" %68 : (tensor<64xf64>) -> tensor<64xf64>
  %70 = kolam.elementwise "add" %69, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %71 = kolam.elementwise "tanh" %70 : (tensor<64xf64>) -> tensor<64xf64>
  %72 = kolam.elementwise "add" %71, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %73 = kolam.elementwise "tanh" %72 : (tensor<64xf64>) -> tensor<64xf64>
  %74 = kolam.elementwise "add" %73, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %75 = kolam.elementwise "tanh" %74 : (tensor<64xf64>) -> tensor<64xf64>
  %76 = kolam.elementwise "add" %75, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %77 = kolam.elementwise "tanh" %76 : (tensor<64xf64>) -> tensor<64xf64>
  %78 = kolam.elementwise "add" %77, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %79 = kolam.elementwise "tanh" %78 : (tensor<64xf64>) -> tensor<64xf64>
  %80 = kolam.elementwise "add" %79, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %81 = kolam.elementwise "tanh" %80 : (tensor<64xf64>) -> tensor<64xf64>
  %82 = kolam.elementwise "add" %81, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %83 = kolam.elementwise "tanh" %82 : (tensor<64xf64>) -> tensor<64xf64>
  %84 = kolam.elementwise "add" %83, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %85 = kolam.elementwise "tanh" %84 : (tensor<64xf64>) -> tensor<64xf64>
  %86 = kolam.elementwise "add" %85, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  %87 = kolam.elementwise "tanh" %86 : (tensor<64xf64>) -> tensor<64xf64>
  %88 = kolam.elementwise "add" %87, %y : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  return %88 : tensor<64xf64>
}

//--- side_by_side.mlir
func.func @main(%0: tensor<8192xf32>, %y: tensor<8192xf32>) -> tensor<8192xf32> {
  %1 = kolam.elementwise "tanh" %0 : (tensor<8192xf32>) -> tensor<8192xf32>
  %2 = kolam.elementwise "add" %1, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %3 = kolam.elementwise "tanh" %2 : (tensor<8192xf32>) -> tensor<8192xf32>
  %4 = kolam.elementwise "add" %3, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %5 = kolam.elementwise "tanh" %4 : (tensor<8192xf32>) -> tensor<8192xf32>
  %6 = kolam.elementwise "add" %5, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %7 = kolam.elementwise "tanh" %6 : (tensor<8192xf32>) -> tensor<8192xf32>
  %8 = kolam.elementwise "add" %7, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %9 = kolam.elementwise "tanh" %8 : (tensor<8192xf32>) -> tensor<8192xf32>
  %10 = kolam.elementwise "add" %9, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %11 = kolam.elementwise "tanh" %10 : (tensor<8192xf32>) -> tensor<8192xf32>
  %12 = kolam.elementwise "add" %11, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %13 = kolam.elementwise "tanh" %12 : (tensor<8192xf32>) -> tensor<8192xf32>
  %14 = kolam.elementwise "add" %13, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %15 = kolam.elementwise "tanh" %14 : (tensor<8192xf32>) -> tensor<8192xf32>
  %16 = kolam.elementwise "add" %15, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %17 = kolam.elementwise "tanh" %16 : (tensor<8192xf32>) -> tensor<8192xf32>
  %18 = kolam.elementwise "add" %17, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %19 = kolam.elementwise "tanh" %18 : (tensor<8192xf32>) -> tensor<8192xf32>
  %20 = kolam.elementwise "add" %19, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %21 = kolam.elementwise "tanh" %20 : (tensor<8192xf32>) -> tensor<8192xf32>
  %22 = kolam.elementwise "add" %21, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %23 = kolam.elementwise "tanh" %22 : (tensor<8192xf32>) -> tensor<8192xf32>
  %24 = kolam.elementwise "add" %23, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %25 = kolam.elementwise "tanh" %24 : (tensor<8192xf32>) -> tensor<8192xf32>
  %26 = kolam.elementwise "add" %25, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %27 = kolam.elementwise "tanh" %26 : (tensor<8192xf32>) -> tensor<8192xf32>
  %28 = kolam.elementwise "add" %27, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %29 = kolam.elementwise "tanh" %28 : (tensor<8192xf32>) -> tensor<8192xf32>
  %30 = kolam.elementwise "add" %29, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %31 = kolam.elementwise "tanh" %30 : (tensor<8192xf32>) -> tensor<8192xf32>
  %32 = kolam.elementwise "add" %31, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %33 = kolam.elementwise "tanh" %32 : (tensor<8192xf32>) -> tensor<8192xf32>
  %34 = kolam.elementwise "add" %33, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %35 = kolam.elementwise "tanh" %34 : (tensor<8192xf32>) -> tensor<8192xf32>
  %36 = kolam.elementwise "add" %35, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %37 = kolam.elementwise "tanh" %36 : (tensor<8192xf32>) -> tensor<8192xf32>
  %38 = kolam.elementwise "add" %37, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %39 = kolam.elementwise "tanh" %38 : (tensor<8192xf32>) -> tensor<8192xf32>
  %40 = kolam.elementwise "add" %39, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %41 = kolam.elementwise "tanh" %40 : (tensor<8192xf32>) -> tensor<8192xf32>
  %42 = kolam.elementwise "add" %41, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %43 = kolam.elementwise "tanh" %42 : (tensor<8192xf32>) -> tensor<8192xf32>
  %44 = kolam.elementwise "add" %43, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %45 = kolam.elementwise "tanh" %44 : (tensor<8192xf32>) -> tensor<8192xf32>
  %46 = kolam.elementwise "add" %45, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  %47 = kolam.elementwise "tanh" %46 : (tensor<8192xf32>) -> tensor<8192xf32>
  %48 = kolam.elementwise "add" %47, %y : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  return %48 : tensor<8192xf32>
}
