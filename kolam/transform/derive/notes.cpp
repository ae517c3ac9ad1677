// Notes are attributes of the ops that they are about.
#include "kolam/transform/derive/notes.h"

#include "kolam/ir/location.h"
#include "kolam/support/short_location.h"

namespace kolam::transform {

static constexpr char kNote[] = "derivative_note";

void note_derivative(mlir::Operation* op, const std::string& what) {
  op->setAttr(kNote, mlir::StringAttr::get(op->getContext(), what));
}

std::vector<std::string> derivative_notes(mlir::ModuleOp program) {
  std::vector<std::string> notes;
  program.walk([&](mlir::Operation* op) {
    auto note = op->getAttrOfType<mlir::StringAttr>(kNote);
    if (!note)
      return;
    std::string text = note.str();
    if (const SourceLocation where = ir::to_source_location(op->getLoc()))
      text += " (" + short_location(where) + ")";
    if (!llvm::is_contained(notes, text))
      notes.push_back(text);
  });
  return notes;
}

} // namespace kolam::transform
