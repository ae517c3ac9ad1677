#include "kolam/transform/array_scans.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kolam::transform {
namespace {

/// The names of a program's ops and of those in their bodies, scans over lists made scans of arrays
/// where that can be.
std::string ops_of(const std::string& body) {
  mlir::MLIRContext context;
  context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<f32>, %rows: tensor<5xf32>, %ends: tensor<3xi64>) -> tensor<f32> "
      "{\n" +
          body + "\n}",
      &context);
  EXPECT_TRUE(module);
  llvm::SmallVector<ir::ListScanOp> scans;
  module->walk([&](ir::ListScanOp scan) {
    if (is_array_scan(scan))
      scans.push_back(scan);
  });
  int symbols = 0;
  for (ir::ListScanOp scan : scans) {
    language::Builder b(scan.getLoc(), &context);
    as_array_scan(b, scan, [&] { return "_" + std::to_string(symbols++); });
  }
  EXPECT_TRUE(mlir::succeeded(module->verify()));
  std::string found;
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (llvm::isa<ir::KolamDialect>(op->getDialect()) && !llvm::isa<ir::YieldOp>(op))
      found += op->getName().stripDialect().str() + " ";
  });
  return found;
}

const std::string kScan = R"(kolam.list_scan carry(%x) over(%list) reverse false associative )";
const std::string kBody =
    R"( : (tensor<f32>, !kolam.list<tensor<f32>>) -> (tensor<f32>, !kolam.list<tensor<f32>>) {
  ^bb0(%s: tensor<f32>, %e: tensor<f32>):
    %sum = kolam.elementwise "add" %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %sum : tensor<f32>
  }
)";
const std::string kList =
    "%list = kolam.pack %rows : (tensor<5xf32>) -> !kolam.list<tensor<f32>>\n";

TEST(ArrayScans, OfAListThatIsPackedItsLeaves) {
  EXPECT_EQ(ops_of(kList + "%r:2 = " + kScan + "false" + kBody + "return %r#0 : tensor<f32>"),
            "pack scan elementwise ");
}

TEST(ArrayScans, StatesThatAreReadAreAListAgain) {
  EXPECT_EQ(ops_of(kList + "%r:2 = " + kScan + "false" + kBody + R"(
  %n = kolam.list_length %r#1 : (!kolam.list<tensor<f32>>) -> tensor<i64>
  return %r#0 : tensor<f32>)"),
            "pack scan elementwise pack list_length ");
}

TEST(ArrayScans, NoneWhereChunksStartAnew) {
  EXPECT_EQ(ops_of(kList + "%r:2 = " + kScan + "true" + kBody + "return %r#0 : tensor<f32>"),
            "pack list_scan elementwise ");
}

TEST(ArrayScans, NoneInBodiesOverElements) {
  EXPECT_EQ(ops_of(R"(
  %lists = kolam.pack %rows offsets(%ends) : (tensor<5xf32>, tensor<3xi64>) -> !kolam.list<!kolam.list<tensor<f32>>>
  %m = kolam.list_map over(%lists) captures(%x) : (!kolam.list<!kolam.list<tensor<f32>>>, tensor<f32>) -> !kolam.list<tensor<f32>> {
  ^bb0(%list: !kolam.list<tensor<f32>>, %x2: tensor<f32>):
    %r:2 = kolam.list_scan carry(%x2) over(%list) reverse false associative false)" +
                   kBody + R"(
    kolam.yield %r#0 : tensor<f32>
  }
  return %x : tensor<f32>)"),
            "pack list_map list_scan elementwise ");
}

} // namespace
} // namespace kolam::transform
