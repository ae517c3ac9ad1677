// Runs rules as MLIR patterns.
#include "kolam/rewrite/engine.h"

#include "kolam/rewrite/captures.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kolam::rewrite {
namespace {

class RulePattern : public mlir::RewritePattern {
public:
  RulePattern(const Rule& rule, int& count, mlir::MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), rule_(rule), count_(count) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation* op,
                                      mlir::PatternRewriter& rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "rules are about single results");
    mlir::Value value = rule_.apply(op, rewriter);
    if (!value || value == op->getResult(0))
      return rewriter.notifyMatchFailure(op, llvm::StringRef(rule_.name) + " does not apply");
    rewriter.replaceOp(op, value);
    ++count_;
    return mlir::success();
  }

private:
  Rule rule_;
  int& count_;
};

} // namespace

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (std::span<const Rule> family : {contract_rules(), convolution_rules(), elementwise_rules(),
                                       literal_rules(), reduction_rules(), shape_rules()})
    rules.insert(rules.end(), family.begin(), family.end());
  return rules;
}

std::map<std::string, int> apply_rules(mlir::ModuleOp module, std::span<const Rule> rules) {
  std::map<std::string, int> counts;
  mlir::RewritePatternSet patterns(module.getContext());
  for (const Rule& rule : rules)
    patterns.add<RulePattern>(rule, counts[std::string(rule.name)], module.getContext());
  add_capture_patterns(patterns);
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false);
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  (void)mlir::applyPatternsGreedily(module, std::move(patterns), config);
  return counts;
}

} // namespace kolam::rewrite
