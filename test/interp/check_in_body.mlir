// RUN: not kolam run %s --backend interpret 2>&1 | FileCheck %s
// RUN: not kolam run %s --backend cpu 2>&1 | FileCheck %s
// A check in a function on lists says at which element it failed and, where it has several elements, at which element.

// CHECK: [bad-value] expected small numbers (at [1][0], first at row-major index 1)
func.func @main() -> tensor<?xi64, #kolam.extents<["s"]>> {
  %pairs = kolam.constant dense<[[1, 2], [3, 4], [5, 6], [7, 60], [70, 8]]> : tensor<5x2xi64>
  %starts = kolam.constant dense<[0, 3, 5]> : tensor<3xi64>
  %rows = kolam.pack %pairs offsets(%starts) : (tensor<5x2xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<tensor<2xi64>>>
  %0 = kolam.list_map over(%rows) : (!kolam.list<!kolam.list<tensor<2xi64>>>) -> !kolam.list<tensor<i64>> {
  ^bb0(%row: !kolam.list<tensor<2xi64>>):
    %1 = kolam.list_map over(%row) : (!kolam.list<tensor<2xi64>>) -> !kolam.list<tensor<2xi64>> {
    ^bb0(%pair: tensor<2xi64>):
      %ten = kolam.constant dense<10> : tensor<2xi64>
      %small = kolam.elementwise "less" %pair, %ten : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
      kolam.check %small "bad-value" "expected small numbers" : tensor<2xi1>
      kolam.yield %pair : tensor<2xi64>
    }
    %2 = kolam.list_length %1 : (!kolam.list<tensor<2xi64>>) -> tensor<i64>
    kolam.yield %2 : tensor<i64>
  }
  %sums = kolam.unpack %0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  return %sums : tensor<?xi64, #kolam.extents<["s"]>>
}
