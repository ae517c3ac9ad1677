// Notes are attributes of ops of the derivatives that they are about.
#include "kolam/transform/derive/notes.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/location.h"
#include "kolam/ir/op_name.h"
#include "kolam/language/builder.h"
#include "kolam/support/short_location.h"
#include "kolam/transform/derive/residuals.h"

namespace kolam::transform {
namespace {

constexpr char kNotes[] = "derivative_notes";

thread_local DerivativeNotes* listening = nullptr;

std::string describe(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  return language::describe(value) + " of " + ir::user_name(op) + at_line(op);
}

void append(mlir::Operation* op, llvm::ArrayRef<std::string> notes) {
  llvm::SmallVector<mlir::Attribute> all;
  if (auto there = op->getAttrOfType<mlir::ArrayAttr>(kNotes))
    all.append(there.begin(), there.end());
  for (const std::string& note : notes)
    all.push_back(mlir::StringAttr::get(op->getContext(), note));
  op->setAttr(kNotes, mlir::ArrayAttr::get(op->getContext(), all));
}

} // namespace

void note_derivative(mlir::Operation* op, const std::string& what) {
  append(op, what + at_line(op));
}

std::string at_line(mlir::Operation* op) {
  const SourceLocation where = ir::to_source_location(op->getLoc());
  return where ? " (" + short_location(where) + ")" : "";
}

std::vector<std::string> derivative_notes(mlir::ModuleOp program) {
  std::vector<std::string> notes;
  program.walk([&](mlir::Operation* op) {
    if (auto there = op->getAttrOfType<mlir::ArrayAttr>(kNotes))
      for (mlir::Attribute note : there)
        if (std::string text = llvm::cast<mlir::StringAttr>(note).getValue().str();
            !llvm::is_contained(notes, text))
          notes.push_back(std::move(text));
  });
  return notes;
}

void drop_derivative_notes(mlir::ModuleOp program) {
  program.walk([](mlir::Operation* op) { op->removeDiscardableAttr(kNotes); });
}

DerivativeNotes::DerivativeNotes() : outer_(listening) { listening = this; }
DerivativeNotes::~DerivativeNotes() { listening = outer_; }

void DerivativeNotes::add(std::string note) {
  if (listening && !llvm::is_contained(listening->notes_, note))
    listening->notes_.push_back(std::move(note));
}

void DerivativeNotes::add_kept(mlir::Value value, int64_t steps) {
  if (!listening || !value.getDefiningOp() || !llvm::isa<mlir::RankedTensorType>(value.getType()) ||
      value.getDefiningOp()->hasTrait<mlir::OpTrait::ConstantLike>())
    return;
  const double bytes = analysis::bytes_of(value) * static_cast<double>(steps);
  add("keeps " + describe(value) +
      (steps > 1 ? ", of each of " + std::to_string(steps) + " steps" : "") + ", " +
      std::to_string(static_cast<int64_t>(bytes)) + " bytes: " +
      (derive::is_cheap_again(value.getDefiningOp()) ? "what gives it is larger, or fusion decides"
                                                     : "computing it again costs more"));
}

void DerivativeNotes::add_again(mlir::Value value) {
  if (listening && value.getDefiningOp() &&
      !value.getDefiningOp()->hasTrait<mlir::OpTrait::ConstantLike>())
    add("computes again " + describe(value) + ": few flops, of what is there");
}

void DerivativeNotes::attach(mlir::Operation* op) const {
  if (!notes_.empty())
    append(op, notes_);
}

} // namespace kolam::transform
