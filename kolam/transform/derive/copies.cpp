// Finds what copies are copies of.
#include "kolam/transform/derive/copies.h"

#include "kolam/language/region.h"
#include "kolam/transform/derive/linearisation.h"
#include "kolam/transform/derive/through_bodies.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace kolam::transform::derive {
namespace {

/// `kResults`: which of its original's results a copy gives, where it does not give all.
constexpr llvm::StringLiteral kOriginal = "original", kCopy = "copy", kResults = "copied_results";

mlir::StringAttr name_of(mlir::Operation* op, llvm::StringRef what) {
  return op->getAttrOfType<mlir::StringAttr>(what);
}

/// The ops of a block and of the blocks that values are brought out of.
void for_each_inside(mlir::Block& block, llvm::function_ref<void(mlir::Operation*)> act) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (may_pass(&op))
      for (mlir::Region& region :
           op.getRegions().take_front(llvm::isa<ir::CompositeOp>(op) ? 1 : op.getNumRegions()))
        for_each_inside(region.front(), act);
    act(&op);
  }
}

bool is_linked(Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation* user) {
    auto composite = llvm::dyn_cast<ir::CompositeOp>(user);
    return composite && composite.getName() == "copy";
  });
}

size_t depth_of(Value value) {
  size_t depth = 0;
  for (mlir::Operation* op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    ++depth;
  return depth;
}

/// The innermost block around both.
mlir::Block* block_around(mlir::Operation* x, mlir::Operation* y) {
  for (mlir::Block* block = x->getBlock(); block;) {
    if (block->findAncestorOpInBlock(*y))
      return block;
    mlir::Operation* parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  return nullptr;
}

void link(Builder& b, Value copy, Value original) {
  mlir::Operation *from = original.getDefiningOp(), *to = copy.getDefiningOp();
  mlir::Block* around = block_around(from, to);
  if (!around || copy.getType() != original.getType())
    return;
  auto out = way_between(around, from->getBlock()), in = way_between(around, to->getBlock());
  if (!out || !in || out->lengths != in->lengths ||
      !around->findAncestorOpInBlock(*from)->isBeforeInBlock(around->findAncestorOpInBlock(*to)))
    return;
  Value there = brought_in(b, brought_out(b, original, around), *in);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(to);
  auto both = ir::CompositeOp::create(b, mlir::TypeRange{copy.getType()}, "copy",
                                      mlir::ValueRange{copy, there}, 0U);
  both.getBody().takeBody(*language::make_region(b, mlir::TypeRange{copy.getType(), copy.getType()},
                                                 [](const Values& own) { return Values{own[0]}; }));
  copy.replaceAllUsesExcept(both.getResult(0), both);
}

} // namespace

void name_originals(mlir::Operation* op, const NewSymbol& new_symbol) {
  op->walk([&](mlir::Operation* inner) {
    if (inner->getNumResults() > 0 && !name_of(inner, kOriginal) &&
        !inner->hasTrait<mlir::OpTrait::ConstantLike>())
      inner->setAttr(kOriginal, mlir::StringAttr::get(op->getContext(), new_symbol()));
  });
}

void make_copies(mlir::Operation* op) {
  op->walk([](mlir::Operation* inner) {
    if (mlir::Attribute name = inner->removeDiscardableAttr(kOriginal)) {
      inner->setAttr(kCopy, name);
      inner->removeDiscardableAttr(kResults); // of what it was a copy of before
    }
  });
}

void keep_results(mlir::Operation* op, mlir::Operation* made, llvm::ArrayRef<unsigned> kept) {
  if (!name_of(op, kCopy))
    return;
  auto before = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kResults);
  llvm::SmallVector<int64_t> numbers;
  for (unsigned number : kept)
    numbers.push_back(before ? before[number] : number);
  made->setAttr(kResults, mlir::DenseI64ArrayAttr::get(op->getContext(), numbers));
}

void carry_names(mlir::Operation* op, mlir::ValueRange stands) {
  mlir::Operation* made = stands.empty() ? nullptr : stands[0].getDefiningOp();
  if (!made || made == op)
    return;
  for (auto [number, value] : llvm::enumerate(stands))
    if (number >= made->getNumResults() || value != made->getResult(static_cast<unsigned>(number)))
      return;
  for (llvm::StringRef what : {kOriginal, kCopy})
    if (mlir::StringAttr name = name_of(op, what); name && !name_of(made, what)) {
      made->setAttr(what, name);
      if (mlir::Attribute results = op->getAttr(kResults); results && what == kCopy)
        made->setAttr(kResults, results);
    }
}

void link_copies(Builder& b, mlir::Region& body) {
  llvm::StringMap<mlir::Operation*> originals; // null where several have a name
  llvm::SmallVector<mlir::Operation*> copies;
  for_each_inside(body.front(), [&](mlir::Operation* op) {
    mlir::StringAttr original = name_of(op, kOriginal), copy = name_of(op, kCopy);
    if (!original && copy && mlir::isOpTriviallyDead(op))
      return op->erase();
    if (original)
      if (auto [found, is_new] = originals.try_emplace(original, op); !is_new)
        found->second = nullptr;
    if (copy)
      copies.push_back(op);
  });
  std::map<size_t, std::vector<std::pair<Value, Value>>> links; // by the original's depth
  for (mlir::Operation* op : copies) {
    mlir::Operation* original = originals.lookup(name_of(op, kCopy));
    if (!original)
      continue;
    auto given = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kResults);
    for (auto [number, copy] : llvm::enumerate(op->getResults())) {
      Value value = original->getResult(static_cast<unsigned>(given ? given[number] : number));
      if (is_differentiable(copy.getType()) && !copy.use_empty() && !is_linked(copy))
        links[depth_of(value)].emplace_back(copy, value);
    }
  }
  // An op is another one once its bodies give more: what it gives is linked before that.
  for (const auto& [depth, at_depth] : links)
    for (auto [copy, original] : at_depth)
      link(b, copy, original);
}

void drop_copies(mlir::Operation* program) {
  program->walk([](mlir::Operation* op) {
    op->removeDiscardableAttr(kOriginal);
    op->removeDiscardableAttr(kCopy);
    op->removeDiscardableAttr(kResults);
  });
}

// Note [Copies]
// Without a checkpoint a value receives the contributions of all that reads it, the derivative's
// ops among them, in one sum. What is computed again for the derivative is another value, with a
// cotangent of its own: sums of two products in place of the product of a sum, other bits. So a
// copy is no function of its operands where it is differentiated, but has the tangent of its
// original: what it receives, that receives, in the order in which its reader stands. Second
// derivatives keep, then, between the copy and its original what they add to it.
//
// The primal part of a checkpoint has all ops that its linear part reads, so that these can be
// copies of them; those that nobody reads are dropped when the program is compiled.

} // namespace kolam::transform::derive
