// Runs rules as MLIR patterns.
#include "kolam/rewrite/engine.h"

#include "kolam/rewrite/captures.h"
#include "kolam/runtime/cancel.h"
#include "kolam/runtime/long_work.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kolam::rewrite {
namespace {

/// All rules in one pattern: most ops fit none, and the driver asks each pattern of its own.
class RulesPattern : public mlir::RewritePattern {
public:
  RulesPattern(mlir::MLIRContext* context, std::span<const Rule> rules, std::span<int> counts)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), rules_(rules), counts_(counts) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation* op,
                                      mlir::PatternRewriter& rewriter) const override {
    if (*runtime::cancel_flag())
      return rewriter.notifyMatchFailure(op, "stopped on request");
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "rules are about single results");
    for (size_t number = 0; number < rules_.size(); ++number) {
      mlir::Value value = rules_[number].apply(op, rewriter);
      if (!value || value == op->getResult(0))
        continue;
      rewriter.replaceOp(op, value);
      ++counts_[number];
      return mlir::success();
    }
    return rewriter.notifyMatchFailure(op, "no rule applies");
  }

private:
  std::span<const Rule> rules_;
  std::span<int> counts_;
};

} // namespace

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (std::span<const Rule> family :
       {contract_rules(), convolution_rules(), elementwise_rules(), exact_reduction_rules(),
        literal_rules(), narrow_rules(), reduction_rules(), shape_rules(), update_rules(),
        view_rules()})
    rules.insert(rules.end(), family.begin(), family.end());
  return rules;
}

std::map<std::string, int> apply_rules(mlir::ModuleOp module, std::span<const Rule> rules) {
  std::vector<int> counts(rules.size());
  mlir::RewritePatternSet patterns(module.getContext());
  patterns.add<RulesPattern>(patterns.getContext(), rules, std::span(counts));
  add_capture_patterns(patterns);
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false);
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  // Bound: rules that undo one another would go on for ever, and every one keeps the program.
  constexpr int64_t kRewritesOfOp = 1000;
  int64_t ops = 0;
  module.walk([&](mlir::Operation*) { ++ops; });
  config.setMaxNumRewrites(kRewritesOfOp * ops);
  (void)mlir::applyPatternsGreedily(module, std::move(patterns), config);
  runtime::stop_if_cancelled();
  std::map<std::string, int> by_name;
  for (auto [rule, count] : llvm::zip(rules, counts))
    by_name.emplace(rule.name, count);
  return by_name;
}

} // namespace kolam::rewrite
