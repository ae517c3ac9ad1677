// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.scan runs its body over slices, carries a state and stacks what each turn gives. By hand.

// CHECK: last =
// CHECK-NEXT: 10
// CHECK: sums =
// CHECK-NEXT: [ 1 3 6 10]
// CHECK: last_down =
// CHECK-NEXT: 10
// CHECK: sums_down =
// CHECK-NEXT: [10 9 7 4]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[2 1]
// CHECK-NEXT:  [4 3]
// CHECK-NEXT{LITERAL}:  [6 5]]
// CHECK: products =
// CHECK-NEXT: [40 60]
// CHECK: kept =
// CHECK-NEXT: 7
// CHECK: nothing =
// CHECK-NEXT: []
// CHECK: counted =
// CHECK-NEXT: [5 5 5]
// CHECK: previous =
// CHECK-NEXT: [-1 1 2 3]

func.func @main() -> (tensor<i32>, tensor<4xi32>, tensor<i32>, tensor<4xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<i32>, tensor<0xi32>, tensor<3xi32>, tensor<4xi32>) {
  %x = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = kolam.constant dense<0> : tensor<i32>
  %last, %sums = kolam.scan carry(%zero) over(%x) length <["4"]> reverse false : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  ^bb0(%s: tensor<i32>, %e: tensor<i32>):
    %t = kolam.elementwise "add" %s, %e : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %t, %t : tensor<i32>, tensor<i32>
  }
  // from the last slice to the first; what turn t gives still stands at t
  %last_down, %sums_down = kolam.scan carry(%zero) over(%x) length <["4"]> reverse true : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  ^bb0(%s: tensor<i32>, %e: tensor<i32>):
    %t = kolam.elementwise "add" %s, %e : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %t, %t : tensor<i32>, tensor<i32>
  }
  // slices that are rows, and no state
  %y = kolam.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %rows = kolam.scan carry() over(%y) length <["3"]> reverse false : (tensor<3x2xi32>) -> tensor<3x2xi32> {
  ^bb0(%row: tensor<2xi32>):
    %r = kolam.reverse %row [0] : tensor<2xi32> -> tensor<2xi32>
    kolam.yield %r : tensor<2xi32>
  }
  // two operands side by side and a capture: (1 + 3) 10, (2 + 4) 10
  %a = kolam.constant dense<[1, 2]> : tensor<2xi32>
  %b = kolam.constant dense<[3, 4]> : tensor<2xi32>
  %ten = kolam.constant dense<10> : tensor<i32>
  %products = kolam.scan carry() over(%a, %b) captures(%ten) length <["2"]> reverse false : (tensor<2xi32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32> {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %k: tensor<i32>):
    %s = kolam.elementwise "add" %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = kolam.elementwise "multiply" %s, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %t : tensor<i32>
  }
  // no turn
  %seven = kolam.constant dense<7> : tensor<i32>
  %no = kolam.constant dense<> : tensor<0xi32>
  %kept, %nothing = kolam.scan carry(%seven) over(%no) length <["0"]> reverse false : (tensor<i32>, tensor<0xi32>) -> (tensor<i32>, tensor<0xi32>) {
  ^bb0(%s: tensor<i32>, %e: tensor<i32>):
    kolam.yield %e, %e : tensor<i32>, tensor<i32>
  }
  // no operand
  %counted = kolam.scan carry() over() length <["3"]> reverse false : () -> tensor<3xi32> {
    %five = kolam.constant dense<5> : tensor<i32>
    kolam.yield %five : tensor<i32>
  }
  // the old state is stacked while the slice becomes the new one
  %minus = kolam.constant dense<-1> : tensor<i32>
  %unused, %previous = kolam.scan carry(%minus) over(%x) length <["4"]> reverse false : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  ^bb0(%s: tensor<i32>, %e: tensor<i32>):
    kolam.yield %e, %s : tensor<i32>, tensor<i32>
  }
  return %last, %sums, %last_down, %sums_down, %rows, %products, %kept, %nothing, %counted, %previous : tensor<i32>, tensor<4xi32>, tensor<i32>, tensor<4xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<i32>, tensor<0xi32>, tensor<3xi32>, tensor<4xi32>
}
