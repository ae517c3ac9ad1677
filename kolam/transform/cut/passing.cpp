// Follows indices through the bodies of loops and branches, by the signatures of their ops.
#include "kolam/transform/cut/passing.h"

#include "kolam/ir/late.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/ir/visit.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

/// Dims of values that have one index in common are one class. A class is mixed where some op makes
/// an element out of others along it.
class Classes {
public:
  /// Room for `count` dims; the first one.
  int add(int64_t count) {
    const auto first = static_cast<int>(mixed_.size());
    mixed_.resize(mixed_.size() + static_cast<size_t>(count), false);
    parents_.resize(mixed_.size());
    for (size_t dim = static_cast<size_t>(first); dim < parents_.size(); ++dim)
      parents_[dim] = static_cast<int>(dim);
    return first;
  }
  int find(int dim) {
    while (parents_[static_cast<size_t>(dim)] != dim)
      dim = parents_[static_cast<size_t>(dim)] =
          parents_[static_cast<size_t>(parents_[static_cast<size_t>(dim)])];
    return dim;
  }
  void unite(int one, int other) {
    one = find(one), other = find(other);
    if (one == other)
      return;
    parents_[static_cast<size_t>(std::max(one, other))] = std::min(one, other);
    mixed_[static_cast<size_t>(std::min(one, other))] =
        mixed_[static_cast<size_t>(one)] || mixed_[static_cast<size_t>(other)];
  }
  void mix(int dim) { mixed_[static_cast<size_t>(find(dim))] = true; }
  bool is_mixed(int dim) { return mixed_[static_cast<size_t>(find(dim))]; }

private:
  std::vector<bool> mixed_; ///< by representative
  std::vector<int> parents_;
};

/// A value, an operand or a result, from its dim `from` on.
struct Slot {
  int first = 0; ///< its dims among the classes
  int64_t rank = 0;
  int64_t from = 0;
};

/// What a loop gives its bodies, and takes from them.
class Ties {
public:
  Ties(mlir::Operation* op, Classes& classes) : classes_(classes) {
    for (Value operand : op->getOperands())
      operands_.push_back(slot_of(operand));
    for (Value result : op->getResults())
      results_.push_back(slot_of(result));
  }

  Slot operand(size_t number, int64_t from = 0) const { return moved(operands_[number], from); }
  Slot result(size_t number, int64_t from = 0) const { return moved(results_[number], from); }
  Slot value(Value value) {
    auto [found, is_new] = values_.try_emplace(value);
    if (is_new)
      found->second = slot_of(value);
    return found->second;
  }
  const llvm::DenseMap<Value, Slot>& values() const { return values_; }

  void unite(llvm::ArrayRef<Slot> slots) {
    for (const Slot& slot : slots.drop_front())
      for (int64_t dim = 0; dim < slot.rank - slot.from; ++dim)
        classes_.unite(place(slots[0], dim), place(slot, dim));
  }
  /// The dims in front of where slots begin stay whole.
  void mix_front(const Slot& slot) {
    for (int64_t dim = 0; dim < slot.from; ++dim)
      classes_.mix(slot.first + static_cast<int>(dim));
  }

private:
  Slot slot_of(Value value) {
    const int64_t rank = ir::rank_of(value);
    return {.first = classes_.add(rank), .rank = rank};
  }
  static Slot moved(Slot slot, int64_t from) {
    slot.from = from;
    return slot;
  }
  static int place(const Slot& slot, int64_t dim) {
    return slot.first + static_cast<int>(slot.from + dim);
  }

  Classes& classes_;
  std::vector<Slot> operands_, results_;
  llvm::DenseMap<Value, Slot> values_;
};

mlir::ValueRange yields_of(mlir::Region& body) {
  return body.front().getTerminator()->getOperands();
}

/// What a body captures: its last arguments, and the op's last operands.
void tie_captures(mlir::Operation* op, mlir::OperandRange captures, mlir::Region& body,
                  Ties& ties) {
  const size_t arguments = body.getNumArguments() - captures.size(),
               operands = op->getNumOperands() - captures.size();
  for (unsigned number = 0; number < captures.size(); ++number)
    ties.unite({ties.operand(operands + number),
                ties.value(body.getArgument(static_cast<unsigned>(arguments) + number))});
}

void tie(ir::ForOp op, Ties& ties) {
  for (unsigned state = 0; state < op.getInits().size(); ++state)
    ties.unite({ties.operand(2 + state), ties.value(op.getBody().getArgument(1 + state)),
                ties.value(yields_of(op.getBody())[state]), ties.result(state)});
  tie_captures(op, op.getCaptures(), op.getBody(), ties);
}

void tie(ir::WhileOp op, Ties& ties) {
  for (unsigned state = 0; state < op.getInits().size(); ++state)
    ties.unite({ties.operand(state), ties.value(op.getCondition().getArgument(state)),
                ties.value(op.getBody().getArgument(state)),
                ties.value(yields_of(op.getBody())[state]), ties.result(state)});
  tie_captures(op, op.getCaptures(), op.getCondition(), ties);
  tie_captures(op, op.getCaptures(), op.getBody(), ties);
}

void tie(ir::ScanOp op, Ties& ties) {
  const auto states = static_cast<unsigned>(op.getInits().size());
  for (unsigned state = 0; state < states; ++state)
    ties.unite({ties.operand(state), ties.value(op.getBody().getArgument(state)),
                ties.value(yields_of(op.getBody())[state]), ties.result(state)});
  for (unsigned x = states; x < states + op.getXs().size(); ++x) {
    ties.unite({ties.operand(x, 1), ties.value(op.getBody().getArgument(x))});
    ties.mix_front(ties.operand(x, 1));
  }
  for (unsigned stacked = states; stacked < op.getNumResults(); ++stacked) {
    ties.unite({ties.result(stacked, 1), ties.value(yields_of(op.getBody())[stacked])});
    ties.mix_front(ties.result(stacked, 1));
  }
  tie_captures(op, op.getCaptures(), op.getBody(), ties);
}

void tie(ir::CondOp op, Ties& ties) {
  for (mlir::Region& branch : op.getBranches()) {
    for (unsigned number = 0; number < op.getNumResults(); ++number)
      ties.unite({ties.result(number), ties.value(yields_of(branch)[number])});
    tie_captures(op, op.getCaptures(), branch, ties);
  }
}

/// Takes a loop or branch apart.
class Finder {
public:
  Finder(mlir::Operation* op, Cuts& cuts) : op_(op), cuts_(cuts), ties_(op, classes_) {}

  Passing find() {
    ir::visit<int>(
        op_,
        [&](auto typed) {
          if constexpr (requires { tie(typed, ties_); })
            tie(typed, ties_);
          return 0;
        },
        [](mlir::Operation*) { return 0; });
    for (mlir::Region& body : op_->getRegions())
      for (mlir::Operation& inner : body.front().without_terminator())
        look_at(&inner);
    number_dims();
    Passing passing;
    if (extents_.empty()) {
      passing.signature = cut::whole_signature(op_);
      return passing;
    }
    passing.signature = signature();
    for (const auto& [value, slot] : ties_.values())
      passing.values[value] = dims_of(slot);
    for (const auto& [inner, first] : ops_) {
      std::vector<int>& dims = passing.ops[inner];
      for (size_t dim = 0; dim < cuts_.signature(inner).dims.size(); ++dim)
        dims.push_back(number_of(first + static_cast<int>(dim)));
    }
    return passing;
  }

private:
  /// Dims that an op walks element by element have one index in common; all others stay whole.
  void look_at(mlir::Operation* inner) {
    const space::Signature& signature = cuts_.signature(inner);
    const std::vector<bool>& cut_dims = cuts_.cut_dims(inner);
    const int own = classes_.add(static_cast<int64_t>(signature.dims.size()));
    ops_.emplace_back(inner, own);
    std::vector<bool> passes = cut_dims;
    for (size_t dim = 0; dim < passes.size(); ++dim)
      passes[dim] = passes[dim] && signature.dims[dim].kind == space::DimKind::map &&
                    llvm::all_of(signature.operands, [&](const auto& operand) {
                      return copies(signature, operand, dim);
                    });
    for (auto [number, operand] : llvm::enumerate(signature.operands)) {
      const Slot slot = ties_.value(
          number < inner->getNumOperands()
              ? inner->getOperand(static_cast<unsigned>(number))
              : inner->getResult(static_cast<unsigned>(number - inner->getNumOperands())));
      for (int64_t dim = 0; dim < slot.rank; ++dim) {
        const int walked =
            signature.opaque
                ? -1
                : analysis::copied_dim(operand.projection.map.rows[static_cast<size_t>(dim)]);
        if (walked >= 0 && passes[static_cast<size_t>(walked)])
          classes_.unite(slot.first + static_cast<int>(dim), own + walked);
        else
          classes_.mix(slot.first + static_cast<int>(dim));
      }
    }
    for (size_t dim = 0; dim < passes.size(); ++dim)
      if (!passes[dim])
        classes_.mix(own + static_cast<int>(dim));
  }

  /// Whether an operand's dims are the index dim itself, from end to end, or don't depend on it.
  static bool copies(const space::Signature& signature, const space::Operand& operand, size_t dim) {
    for (auto [row, size, extent] :
         llvm::zip(operand.projection.map.rows, operand.projection.size, operand.shape)) {
      if (row.coefficients[dim] == 0)
        continue;
      if (analysis::copied_dim(row) != static_cast<int>(dim) || !(size == Extent(1)) ||
          !(row.offset == Extent(0)) || !(extent == signature.dims[dim].extent))
        return false;
    }
    return true;
  }

  /// A class is an index dim where each result that is read has it once, and no value twice.
  void number_dims() {
    const llvm::SmallVector<unsigned> written = written_results(op_);
    if (written.empty())
      return;
    const Slot first = ties_.result(written[0]);
    for (int64_t dim = 0; dim < first.rank; ++dim) {
      const int of = classes_.find(first.first + static_cast<int>(dim));
      const Extent extent = ir::shape_of(op_->getResult(written[0]))[static_cast<size_t>(dim)];
      if (classes_.is_mixed(of) || *extent.constant() <= 1)
        continue;
      bool is_index = true;
      for (unsigned result : written)
        is_index &= count(ties_.result(result), of) == 1;
      for (unsigned result = 0; result < op_->getNumResults(); ++result)
        is_index &= count(ties_.result(result), of) <= 1;
      for (unsigned operand = 0; operand < op_->getNumOperands(); ++operand)
        is_index &= count(ties_.operand(operand), of) <= 1;
      for (const auto& [value, slot] : ties_.values())
        is_index &= count(slot, of) <= 1;
      if (!is_index)
        continue;
      numbers_[of] = static_cast<int>(extents_.size());
      extents_.push_back(extent);
    }
  }

  int count(const Slot& slot, int of) {
    int times = 0;
    for (int64_t dim = 0; dim < slot.rank; ++dim)
      times += classes_.find(slot.first + static_cast<int>(dim)) == of ? 1 : 0;
    return times;
  }

  int number_of(int dim) {
    auto found = numbers_.find(classes_.find(dim));
    return found == numbers_.end() ? -1 : found->second;
  }

  std::vector<int> dims_of(const Slot& slot) {
    std::vector<int> dims;
    for (int64_t dim = 0; dim < slot.rank; ++dim)
      dims.push_back(number_of(slot.first + static_cast<int>(dim)));
    return dims;
  }

  space::Signature signature() {
    space::Signature signature{ir::name_of(op_), ir::map_dims(extents_), {}};
    const auto rank = static_cast<int>(extents_.size());
    auto projection = [&](const Slot& slot, Value value) {
      return space::axial(rank, dims_of(slot), ir::shape_of(value));
    };
    for (auto [number, value] : llvm::enumerate(op_->getOperands()))
      signature.operands.push_back(ir::read("operand" + std::to_string(number), value,
                                            projection(ties_.operand(number), value)));
    for (auto [number, value] : llvm::enumerate(op_->getResults()))
      signature.operands.push_back(ir::write("result" + std::to_string(number), value,
                                             projection(ties_.result(number), value)));
    return signature;
  }

  mlir::Operation* op_;
  Cuts& cuts_;
  Classes classes_;
  Ties ties_;
  std::vector<std::pair<mlir::Operation*, int>> ops_; ///< and their dims among the classes
  Shape extents_;                                     ///< of the index dims
  llvm::DenseMap<int, int> numbers_;                  ///< of index dims, by class
};

/// Whether values are arrays whose extents are numbers, and the bodies do no more than compute.
bool is_plain(mlir::Operation* op) {
  if (!ir::late_symbols(op).empty() || calls_host(op))
    return false;
  auto are_numbers = [](auto values) { return llvm::all_of(values, has_numbers); };
  if (!are_numbers(op->getOperands()) || !are_numbers(op->getResults()))
    return false;
  for (mlir::Region& body : op->getRegions()) {
    if (!are_numbers(body.getArguments()))
      return false;
    for (mlir::Operation& inner : body.front())
      if (!are_numbers(inner.getOperands()) || !are_numbers(inner.getResults()))
        return false;
  }
  return true;
}

} // namespace

Passing passing_of(mlir::Operation* op, Cuts& cuts) {
  if (is_plain(op))
    return Finder(op, cuts).find();
  Passing whole;
  whole.signature = whole_signature(op);
  return whole;
}

Box Passing::box(Value value, const Box& index) const {
  Box box = tensor_of(value);
  auto found = values.find(value);
  if (found == values.end())
    return box;
  for (auto [dim, own] : llvm::enumerate(found->second))
    if (own >= 0)
      box = space::with_range(box, static_cast<int>(dim), index.start()[static_cast<size_t>(own)],
                              index.end()[static_cast<size_t>(own)]);
  return box;
}

OpPart Passing::part(Cuts& cuts, mlir::Operation* op, const Box& index) const {
  Box own = space::index_box(cuts.signature(op));
  for (auto [dim, of] : llvm::enumerate(ops.lookup(op)))
    if (of >= 0)
      own = space::with_range(own, static_cast<int>(dim), index.start()[static_cast<size_t>(of)],
                              index.end()[static_cast<size_t>(of)]);
  return cuts.part(op, own);
}

} // namespace kolam::transform::cut
