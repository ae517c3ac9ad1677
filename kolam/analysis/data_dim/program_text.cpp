// Prints a program and writes behind its lines.
#include "kolam/analysis/data_dim/program_text.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

namespace kolam::analysis {
namespace {

/// What stands behind the line of each op, and in front of all.
class Notes {
public:
  Notes(mlir::func::FuncOp function, const DataDimProblem& problem, const DataDimSolution& solution)
      : problem_(problem), solution_(solution) {
    function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) { ops_.push_back(op); });
    notes_.resize(ops_.size());
    head_ = "// " + head_text(problem, solution) + "\n";
    if (std::string names = names_text(problem); !names.empty())
      head_ += "// names " + names + "\n";
    mlir::Operation* end = function.getBody().front().getTerminator();
    const size_t last = static_cast<size_t>(llvm::find(ops_, end) - ops_.begin());
    for (size_t number = 0; number < problem.ops.size(); ++number)
      add(number, last);
    for (const Relayout& relayout : solution.relayouts)
      add_relayout(relayout);
  }

  const std::string& head() const { return head_; }
  const std::vector<mlir::Operation*>& ops() const { return ops_; }
  const std::string& of(size_t op) const { return notes_[op]; }

private:
  void note(size_t op, const std::string& text) {
    notes_[op] += (notes_[op].empty() ? "" : "; ") + text;
  }

  void add(size_t number, size_t last) {
    const DataDimOp& op = problem_.ops[number];
    const PricedRow& row = op.rows[solution_.chosen[number]];
    const std::string text = op_text(problem_, op, row), cost = "  " + cost_text(row);
    if (op.kind == DataDimOp::Kind::argument)
      head_ += "// " + text + cost + "\n";
    else if (op.kind == DataDimOp::Kind::result)
      note(last, text + cost);
    else // its name stands in front
      note(static_cast<size_t>(op.number),
           llvm::StringRef(text).drop_front(op.name.size()).ltrim().str() + cost);
  }

  /// Behind the op that makes the value.
  void add_relayout(const Relayout& relayout) {
    const std::string text = "relayout " + relayout_text(problem_, relayout);
    for (const DataDimOp& op : problem_.ops) {
      if (llvm::find(op.results, relayout.value) == op.results.end())
        continue;
      if (op.kind == DataDimOp::Kind::argument)
        head_ += "// " + text + "\n";
      else
        note(static_cast<size_t>(op.number), text);
      return;
    }
  }

  const DataDimProblem& problem_;
  const DataDimSolution& solution_;
  std::vector<mlir::Operation*> ops_; ///< in program order, as DataDimOp::number counts them
  std::vector<std::string> notes_;    ///< by op
  std::string head_;
};

} // namespace

std::string program_text(mlir::func::FuncOp function, const DataDimProblem& problem,
                         const DataDimSolution& solution) {
  mlir::Operation* module = function->getParentOp();
  mlir::AsmState::LocationMap places;
  mlir::AsmState state(module, mlir::OpPrintingFlags(), &places);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, state);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).rtrim().split(lines, '\n');

  Notes notes(function, problem, solution);
  std::vector<std::string> behind(lines.size());
  for (size_t op = 0; op < notes.ops().size(); ++op) {
    if (notes.of(op).empty())
      continue;
    const auto line = static_cast<size_t>(places.lookup(notes.ops()[op]).first); // from 1
    KOLAM_CHECK(line > 0 && line <= behind.size());
    behind[line - 1] = notes.of(op);
  }
  std::string result = notes.head();
  for (size_t line = 0; line < lines.size(); ++line)
    result += lines[line].str() + (behind[line].empty() ? "" : " // " + behind[line]) + "\n";
  return result;
}

} // namespace kolam::analysis
