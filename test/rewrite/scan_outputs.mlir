// RUN: kolam run %s --stop-after rewritten | FileCheck %s
// Outputs of scans of numbers that are long work are computed behind them.

// The output needs the next state, an element and a capture: the state is stacked in its place.
// CHECK: %[[SCAN:.*]]:2 = kolam.scan carry(%{{.*}}) over(%[[X:.*]]) length
// CHECK-NOT: "exp"
// CHECK: kolam.yield %[[NEXT:.*]], %[[NEXT]]
// CHECK: %[[A:.*]] = kolam.broadcast %{{.*}} [] : tensor<f32> -> tensor<50xf32>
// CHECK: %[[TIMES:.*]] = kolam.elementwise "multiply" %[[SCAN]]#1, %[[A]]
// CHECK: %[[EXP:.*]] = kolam.elementwise "exp" %[[TIMES]]
// CHECK: kolam.elementwise "add" %[[EXP]], %[[X]]

// What a state needs too is computed in the scan.
// CHECK: kolam.scan
// CHECK: "exp"
// CHECK: kolam.yield

func.func @main(%x: tensor<50xf32>, %s: tensor<f32>, %a: tensor<f32>) -> (tensor<f32>, tensor<50xf32>, tensor<f32>, tensor<50xf32>) {
  %0:2 = kolam.scan carry(%s) over(%x) captures(%a) length <["50"]> reverse false : (tensor<f32>, tensor<50xf32>, tensor<f32>) -> (tensor<f32>, tensor<50xf32>) {
  ^bb0(%state: tensor<f32>, %element: tensor<f32>, %factor: tensor<f32>):
    %next = kolam.elementwise "add" %state, %element : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %times = kolam.elementwise "multiply" %next, %factor : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %exp = kolam.elementwise "exp" %times : (tensor<f32>) -> tensor<f32>
    %given = kolam.elementwise "add" %exp, %element : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %given : tensor<f32>, tensor<f32>
  }
  %1:2 = kolam.scan carry(%s) over(%x) length <["50"]> reverse false : (tensor<f32>, tensor<50xf32>) -> (tensor<f32>, tensor<50xf32>) {
  ^bb0(%state: tensor<f32>, %element: tensor<f32>):
    %sum = kolam.elementwise "add" %state, %element : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %exp = kolam.elementwise "exp" %sum : (tensor<f32>) -> tensor<f32>
    %next = kolam.elementwise "multiply" %exp, %element : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %given = kolam.elementwise "subtract" %exp, %element : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %next, %given : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1, %1#0, %1#1 : tensor<f32>, tensor<50xf32>, tensor<f32>, tensor<50xf32>
}
