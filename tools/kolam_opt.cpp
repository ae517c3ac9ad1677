// kolam-opt: parses programs, runs passes on them and prints them. The flags stand in the order of
// the road:
// --kolam-print-block-graph, --kolam-insert-checks, --kolam-simplify, --kolam-print-signatures,
// --kolam-print-nests, --kolam-print-lowered.
#include "kolam/analysis/block_regions.h"
#include "kolam/ir/ops.h"
#include "kolam/lower/cpu/lower.h"
#include "kolam/nest/nest.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/support/error.h"
#include "kolam/transform/checks.h"
#include "kolam/transform/layout_notes.h"
#include "kolam/transform/lists.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace kolam {
namespace {

/// `P::run` on a module; its Error becomes a diagnostic, as nothing is thrown through MLIR's
/// frames.
template <class P> struct ModulePass : mlir::PassWrapper<P, mlir::OperationPass<mlir::ModuleOp>> {
  void runOnOperation() final {
    try {
      static_cast<P*>(this)->run(this->getOperation());
    } catch (const Error& error) {
      this->getOperation().emitError(error.what());
      this->signalPassFailure();
    }
  }
};

/// --kolam-print-block-graph: analysis/block_graph.h; with `regions`, analysis/block_regions.h too.
struct PrintBlockGraphPass : ModulePass<PrintBlockGraphPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintBlockGraphPass)
  PrintBlockGraphPass() = default;
  PrintBlockGraphPass(const PrintBlockGraphPass& other) : ModulePass(other) {}
  llvm::StringRef getArgument() const override { return "kolam-print-block-graph"; }
  llvm::StringRef getDescription() const override {
    return "print the blocks of every function on lists, and their edges";
  }
  void run(mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      analysis::BlockGraph graph = analysis::block_graph_of(function);
      llvm::outs() << analysis::to_string(graph);
      if (!regions)
        continue;
      for (const analysis::Block& block : graph.blocks)
        for (const analysis::Region& region : analysis::regions_of(block))
          llvm::outs() << analysis::to_string(graph, block, region);
    }
  }
  Option<bool> regions{*this, "regions", llvm::cl::desc("print the regions of every block too"),
                       llvm::cl::init(false)};
};

/// --kolam-insert-checks: transform/checks.h, with every kind of check.
struct InsertChecksPass : ModulePass<InsertChecksPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertChecksPass)
  llvm::StringRef getArgument() const override { return "kolam-insert-checks"; }
  llvm::StringRef getDescription() const override {
    return "put checks of places, NaN and integer arithmetic behind ops";
  }
  void run(mlir::ModuleOp module) {
    transform::insert_checks(module, {.nan = true, .bounds = true, .overflow = true});
  }
};

/// --kolam-simplify: rewrite/simplify.h.
struct SimplifyPass : ModulePass<SimplifyPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)
  llvm::StringRef getArgument() const override { return "kolam-simplify"; }
  llvm::StringRef getDescription() const override {
    return "apply the rules, remove dead and repeated ops";
  }
  void run(mlir::ModuleOp module) { rewrite::simplify(module, true); }
};

/// --kolam-print-signatures: the signature of every op, and what is wrong with it.
struct PrintSignaturesPass : mlir::PassWrapper<PrintSignaturesPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintSignaturesPass)
  llvm::StringRef getArgument() const override { return "kolam-print-signatures"; }
  llvm::StringRef getDescription() const override { return "print the signature of every op"; }
  void runOnOperation() override {
    getOperation()->walk([](ir::SignedOp op) {
      space::Signature signature = op.signature();
      llvm::outs() << space::to_string(signature);
      if (double flops = op.flops_per_point(); flops != 0)
        llvm::outs() << "  flops " << flops << "\n";
      for (const space::Issue& issue : space::validate(signature))
        llvm::outs() << space::to_string(std::vector<space::Issue>{issue}) << "\n";
    });
  }
};

/// Of what is left of programs on lists.
std::vector<nest::NestList> nests_of(mlir::ModuleOp module) {
  std::vector<nest::NestList> lists;
  transform::drop_layout_notes(module);
  if (transform::has_lists(module))
    transform::lists_to_tensors(module);
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isDeclaration())
      lists.push_back(nest::form_nests(function));
  return lists;
}

/// --kolam-print-nests: nest/nest.h.
struct PrintNestsPass : ModulePass<PrintNestsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintNestsPass)
  llvm::StringRef getArgument() const override { return "kolam-print-nests"; }
  llvm::StringRef getDescription() const override {
    return "print the nest list of every function";
  }
  void run(mlir::ModuleOp module) {
    for (const nest::NestList& nests : nests_of(module))
      llvm::outs() << nest::to_string(nests);
  }
};

/// --kolam-print-lowered: lower/cpu/lower.h.
struct PrintLoweredPass : ModulePass<PrintLoweredPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintLoweredPass)
  llvm::StringRef getArgument() const override { return "kolam-print-lowered"; }
  llvm::StringRef getDescription() const override {
    return "print the loops of every nest, as for a target with fused multiply-add";
  }
  void run(mlir::ModuleOp module) {
    // A pass may not load dialects into its own context.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
    lower::cpu::load_dialects(context);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    auto copy = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    for (const nest::NestList& nests : nests_of(*copy))
      for (const nest::Nest& nest : nests.nests) {
        llvm::outs() << "// " << nest.name << "\n";
        lower::cpu::lower_nest(nest, {.has_fma = true, .vector_bytes = 64})->print(llvm::outs());
        llvm::outs() << "\n";
      }
  }
};

} // namespace
} // namespace kolam

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registry.insert<kolam::ir::KolamDialect, mlir::func::FuncDialect>();
  mlir::PassRegistration<kolam::PrintBlockGraphPass>();
  mlir::PassRegistration<kolam::InsertChecksPass>();
  mlir::PassRegistration<kolam::SimplifyPass>();
  mlir::PassRegistration<kolam::PrintSignaturesPass>();
  mlir::PassRegistration<kolam::PrintNestsPass>();
  mlir::PassRegistration<kolam::PrintLoweredPass>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kolam's pass driver\n", registry));
}
