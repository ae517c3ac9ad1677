// Follows what bodies yield back to what they are given, through signatures.
#include "kolam/ir/pointwise.h"

#include "kolam/ir/going.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

#include <map>
#include <set>

namespace kolam::ir {
namespace {

using Places = std::vector<int>;

/// Size of code: a body is emitted at least once for each vector of a nest.
constexpr size_t kMostOps = 256;
/// Bound: loops and branches in one another. Each asks those in it, and whoever asks one asks all.
constexpr size_t kDeepest = 6;
/// Size of code: elements that an op of a body may combine for one of its own.
constexpr double kMostCombined = 16;

/// The index dim that a row of a projection copies; kAnywhere where it is another expression.
int copied_dim(const space::AffineRow& row) {
  int dim = kAnywhere;
  for (size_t i = 0; i < row.coefficients.size(); ++i) {
    if (row.coefficients[i] == 0)
      continue;
    if (dim != kAnywhere || row.coefficients[i] != 1)
      return kAnywhere;
    dim = static_cast<int>(i);
  }
  return row.offset == Extent(0) && space::is_affine(row) ? dim : kAnywhere;
}

bool is_literal(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<ConstantOp>(op);
  return constant && !llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
}

Places own_places(size_t rank) {
  Places places(rank);
  for (size_t dim = 0; dim < rank; ++dim)
    places[dim] = static_cast<int>(dim);
  return places;
}

/// Whether elements of a value at these places are those at the results' own index.
bool are_own(const Places& places, const Shape& shape) {
  for (size_t dim = 0; dim < places.size(); ++dim)
    if (places[dim] != static_cast<int>(dim) && shape[dim] != Extent(1))
      return false;
  return true;
}

/// What is known of an op of a body.
struct BodyOp {
  std::string why_not; ///< why it gives no single elements; empty where it does
  space::Signature signature;
  double flops = 0;      ///< of one element
  bool combines = false; ///< several elements of an operand for one of its own
};

bool is_program(mlir::Operation* op) { return llvm::isa<ForOp, WhileOp, ScanOp, CondOp>(op); }

bool nest_deeper_than(size_t depth, mlir::Operation* op) {
  return llvm::any_of(op->getRegions(), [&](mlir::Region& region) {
    return llvm::any_of(region.getOps(), [&](mlir::Operation& inner) {
      return is_program(&inner) && (depth <= 1 || nest_deeper_than(depth - 1, &inner));
    });
  });
}

std::string why_no_elements(mlir::Operation* op) {
  Facts facts = llvm::cast<SignedOp>(op).facts();
  if (facts.effect == Effect::check)
    return "stops the program at the first step that fails";
  if (facts.effect != Effect::none)
    return "does more than compute";
  if (facts.runs != Runs::elements || llvm::cast<SignedOp>(op).task_count())
    return "runs whole";
  if (llvm::isa<DynamicUpdateSliceOp>(op))
    return "changes a part of a state in place";
  return is_literal(op) ? "is a table" : "";
}

std::string why_no_elements(const space::Signature& signature) {
  if (signature.opaque)
    return "runs whole";
  for (const space::Operand& operand : signature.operands)
    if (space::writes(operand.role) && operand.indirect)
      return "writes where data says";
  Shape combined;
  for (const space::IndexDim& dim : signature.dims) {
    if (dim.kind == space::DimKind::scan)
      return "needs the elements before";
    if (dim.kind == space::DimKind::reduce)
      combined.push_back(dim.extent);
  }
  return rough_count(combined) > kMostCombined ? "combines many elements" : "";
}

BodyOp look_at(mlir::Operation* op) {
  if (is_program(op)) {
    Pointwise inner = pointwise(op);
    if (!inner.why_not.empty())
      return {"goes step by step: " + inner.why_not, {}};
    BodyOp result{"", pointwise_signature(op, inner), inner.flops};
    result.why_not = why_no_elements(result.signature);
    return result;
  }
  auto signed_op = llvm::dyn_cast<SignedOp>(op);
  if (!signed_op || op->getNumResults() == 0)
    return {signed_op ? why_no_elements(op) : "runs whole", {}};
  if (std::string why_not = why_no_elements(op); !why_not.empty())
    return {why_not, {}};
  BodyOp result{"", signed_op.signature()};
  result.why_not = why_no_elements(result.signature);
  result.combines = llvm::any_of(result.signature.dims, [](const space::IndexDim& dim) {
    return dim.kind == space::DimKind::reduce;
  });
  result.flops = signed_op.flops_per_point() * rough_count(space::index_shape(result.signature)) /
                 std::max(1.0, rough_count(shape_of(op->getResult(0))));
  return result;
}

/// Follows elements that are needed, by the places of their dims.
class Reader {
public:
  void need(mlir::Value value, const Places& places) {
    mlir::Operation* op = value.getDefiningOp();
    if (!op) {
      auto [known, is_new] = arguments_.try_emplace(value, places);
      for (size_t dim = 0; !is_new && dim < places.size(); ++dim)
        if (known->second[dim] != places[dim])
          known->second[dim] = kAnywhere;
      return;
    }
    if (!why_not.empty() || !seen_.insert({{op, is_combined_}, places}).second)
      return;
    auto [known, is_new] = ops_.try_emplace(op);
    if (is_new) {
      known->second = look_at(op);
      flops += known->second.flops;
    }
    bool outer = std::exchange(is_combined_, is_combined_ || known->second.combines);
    if (!known->second.why_not.empty())
      refuse(op, known->second.why_not);
    else if (outer && !are_numbers && (known->second.combines || is_program(op)))
      refuse(op, "would be computed for each element that is combined");
    else
      follow(op, known->second.signature, places);
    is_combined_ = outer;
  }

  /// Looks for what has no reader: checks and calls of the host, also inside of loops.
  void meet(mlir::Block& block) {
    block.walk([&](mlir::Operation* op) {
      auto signed_op = llvm::dyn_cast<SignedOp>(op);
      if (is_program(op) || (signed_op && signed_op.facts().effect == Effect::none))
        return mlir::WalkResult::advance();
      refuse(op, signed_op ? why_no_elements(op) : "runs whole");
      return mlir::WalkResult::interrupt();
    });
  }

  /// How an argument is read; nullopt where it is not.
  std::optional<Places> reads_of(mlir::Value argument) const {
    auto found = arguments_.find(argument);
    return found == arguments_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string why_not;
  double flops = 0; ///< of one element of each op that is needed
  /// Each element is computed once, at a place of its own in the code (`carries_numbers`).
  bool are_numbers = false;

private:
  void refuse(mlir::Operation* op, const std::string& why) {
    if (why_not.empty())
      why_not = "'" + name_of(op) + "' in its body " + why;
  }

  void follow(mlir::Operation* op, const space::Signature& signature, const Places& places) {
    Places index(signature.dims.size(), kAnywhere);
    const auto& rows = signature.operands[op->getNumOperands()].projection.map.rows;
    for (size_t dim = 0; dim < rows.size() && dim < places.size(); ++dim)
      if (int copied = copied_dim(rows[dim]); copied != kAnywhere)
        index[copied] = places[dim];
    for (auto [number, value] : llvm::enumerate(op->getOperands())) {
      const space::Operand& operand = signature.operands[number];
      Places needed;
      for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
        int copied = copied_dim(operand.projection.map.rows[dim]);
        bool is_one = operand.projection.size[dim] == Extent(1);
        needed.push_back(copied != kAnywhere && is_one ? index[copied] : kAnywhere);
      }
      if (is_program(op) && operand.indirect && value.getDefiningOp())
        refuse(op, "reads at each step what the body computes");
      need(value, needed);
    }
  }

  llvm::DenseMap<mlir::Value, Places> arguments_;
  std::set<std::pair<std::pair<mlir::Operation*, bool>, Places>> seen_;
  std::map<mlir::Operation*, BodyOp> ops_; ///< which stay where they are
  bool is_combined_ = false;               ///< inside of what combines elements
};

/// Takes a loop or branch apart.
class Question {
public:
  explicit Question(mlir::Operation* op) : op_(op) {}

  Pointwise answer() {
    if (!is_well_formed())
      return answer_;
    llvm::TypeSwitch<mlir::Operation*>(op_)
        .Case<ForOp, WhileOp, ScanOp, CondOp>([&](auto typed) { ask(typed); })
        .Default([&](mlir::Operation*) { answer_.why_not = "it is no loop"; });
    if (answer_.why_not.empty())
      answer_.why_not = reader_.why_not;
    answer_.step_flops = reader_.flops;
    return answer_;
  }

private:
  bool is_well_formed() {
    std::string& why_not = answer_.why_not;
    auto is_tensor = [](mlir::Value value) {
      return llvm::isa<mlir::RankedTensorType>(value.getType());
    };
    if (!llvm::all_of(op_->getOperands(), is_tensor) || !llvm::all_of(op_->getResults(), is_tensor))
      why_not = "it carries lists";
    else if (op_->getNumResults() == 0)
      why_not = "it gives nothing";
    else if (!late_symbols(op_).empty())
      why_not = "the lengths of its states change";
    else if (size_t ops = ops_inside(op_); ops > kMostOps)
      why_not = "its body has " + std::to_string(ops) + " ops";
    else if (nest_deeper_than(kDeepest, op_))
      why_not = "more than " + std::to_string(kDeepest) + " loops or branches lie in one another";
    return why_not.empty();
  }

  /// Takes the shape of the first of `states`, which those behind it have too, or are scalars that
  /// nothing reads.
  void take_shape(mlir::ValueRange states) {
    if (states.empty()) {
      answer_.why_not = "it carries nothing";
      return;
    }
    answer_.shape = shape_of(states[0]);
    bool is_scalar = false;
    for (mlir::Value state : states) {
      is_scalar |= rank_of(state) == 0 && !answer_.shape.empty();
      if (is_scalar ? rank_of(state) != 0 || !state.use_empty() : shape_of(state) != answer_.shape)
        answer_.why_not = "its states are of several shapes";
    }
  }

  /// Elements of all that a body yields, at the results' index; of scalars wherever that is.
  void need_all(mlir::Block& body) {
    reader_.are_numbers = carries_numbers(op_);
    reader_.meet(body);
    for (mlir::Value value : body.getTerminator()->getOperands())
      reader_.need(value, own_places(rank_of(value)));
  }

  /// How operands from number `first` on are read, of which `arguments` are what the bodies are
  /// given; read alike by all bodies where these are several.
  void add_reads(llvm::ArrayRef<mlir::Block*> blocks, size_t argument, mlir::ValueRange operands,
                 bool is_sliced = false) {
    for (size_t number = 0; number < operands.size(); ++number) {
      std::optional<Places> reads;
      for (mlir::Block* block : blocks) {
        std::optional<Places> other = reader_.reads_of(block->getArgument(argument + number));
        if (!reads)
          reads = other;
        for (size_t dim = 0; other && dim < reads->size(); ++dim)
          if ((*reads)[dim] != (*other)[dim])
            (*reads)[dim] = kAnywhere;
      }
      auto rank = static_cast<size_t>(rank_of(operands[number]) - (is_sliced ? 1 : 0));
      answer_.reads.push_back(reads.value_or(Places(rank, kAnywhere)));
    }
  }

  /// The reads of states, which must be those of their own element.
  void add_states(llvm::ArrayRef<mlir::Block*> blocks, size_t argument, mlir::ValueRange states) {
    for (size_t number = 0; number < states.size(); ++number) {
      Shape shape = shape_of(states[number]);
      for (mlir::Block* block : blocks)
        if (auto reads = reader_.reads_of(block->getArgument(argument + number));
            reads && !are_own(*reads, shape) && answer_.why_not.empty())
          answer_.why_not = "an element of its next state needs several of the state before";
      answer_.reads.push_back(own_places(shape.size()));
    }
  }

  void ask(ForOp op) {
    take_shape(op.getResults());
    mlir::Block& body = op.getBody().front();
    need_all(body);
    answer_.reads.assign(2, Places());
    add_states(&body, 1, op.getResults());
    add_reads(&body, 1 + op.getInits().size(), op.getCaptures());
    answer_.reads_counter = reader_.reads_of(body.getArgument(0)).has_value();
    answer_.flops = std::max(1.0, reader_.flops) * rough_steps(op);
  }

  void ask(WhileOp op) {
    take_shape(op.getResults());
    mlir::Block &condition = op.getCondition().front(), &body = op.getBody().front();
    need_condition(op);
    need_all(body);
    std::array<mlir::Block*, 2> blocks{&condition, &body};
    add_states(blocks, 0, op.getResults());
    add_reads(blocks, op.getInits().size(), op.getCaptures());
    answer_.flops = std::max(1.0, reader_.flops) * rough_steps(op);
  }

  /// Scalars, and what each element says for itself.
  void need_condition(WhileOp op) {
    reader_.meet(op.getCondition().front());
    std::optional<Going> found = going(op);
    if (!found) {
      answer_.why_not = "it runs until its condition fails for all elements, and one whose own "
                        "fails before may change";
      return;
    }
    for (mlir::Value scalar : found->scalars)
      reader_.need(scalar, {});
    if (found->elements)
      reader_.need(found->elements, own_places(rank_of(found->elements)));
  }

  void ask(ScanOp op) {
    size_t states = op.getInits().size();
    take_shape(op.getResults().take_front(states));
    mlir::Block& body = op.getBody().front();
    need_all(body);
    for (mlir::Value value : body.getTerminator()->getOperands().drop_front(states))
      if (shape_of(value) != answer_.shape)
        answer_.why_not = "it stacks elements of another shape than its states'";
    add_states(&body, 0, op.getResults().take_front(states));
    add_reads(&body, states, op.getXs(), /*is_sliced=*/true);
    add_reads(&body, states + op.getXs().size(), op.getCaptures());
    answer_.flops = reader_.flops; // of each step, which is an index point
  }

  void ask(CondOp op) {
    take_shape(op.getResults());
    llvm::SmallVector<mlir::Block*> blocks;
    for (mlir::Region& branch : op.getBranches()) {
      blocks.push_back(&branch.front());
      need_all(branch.front());
    }
    answer_.flops = reader_.flops;
    answer_.reads.emplace_back();
    add_reads(blocks, 0, op.getCaptures());
  }

  mlir::Operation* op_;
  Pointwise answer_;
  Reader reader_;
};

/// Elements at the places that `dims` says, in index dims; anywhere along the others.
space::Operand read_at(const std::string& name, mlir::Value value, const Places& dims, int rank) {
  Shape shape = shape_of(value);
  space::Projection projection = space::axial(rank, dims, shape);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (dims[dim] == kAnywhere && shape[dim] != Extent(1))
      return read_anywhere(name, value, std::move(projection));
  return read(name, value, std::move(projection));
}

} // namespace

Pointwise pointwise(mlir::Operation* op) { return Question(op).answer(); }

double rough_steps(mlir::Operation* loop) {
  if (auto scan = llvm::dyn_cast<ScanOp>(loop))
    return rough_count(scan.getLength().shape());
  auto op = llvm::dyn_cast<ForOp>(loop);
  if (!op)
    return kUnknownSteps;
  auto bound = [](mlir::Value value) -> std::optional<double> {
    auto constant = value.getDefiningOp<ConstantOp>();
    if (!constant)
      return std::nullopt;
    auto number = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    return static_cast<double>(number.getSplatValue<llvm::APInt>().getSExtValue());
  };
  auto lower = bound(op.getLower()), upper = bound(op.getUpper());
  return lower && upper ? std::max(0.0, *upper - *lower) : kUnknownSteps;
}

bool carries_numbers(mlir::Operation* loop) {
  constexpr size_t kFewResults = 2; // meaning: of one number no array is made
  if (!llvm::isa<ForOp, WhileOp, ScanOp>(loop))
    return false;
  mlir::Block& body = loop->getRegions().back().front();
  return loop->getNumResults() >= kFewResults && rank_of(loop->getResult(0)) == 0 &&
         llvm::all_of(body, [](mlir::Operation& inner) {
           return llvm::all_of(inner.getRegions(),
                               [](mlir::Region& region) { return region.empty(); });
         });
}

/// Index dims are those of the results, and behind them the steps of a scan.
space::Signature pointwise_signature(mlir::Operation* op, const Pointwise& pointwise) {
  if (!pointwise.why_not.empty())
    return opaque_signature(op);
  auto scan = llvm::dyn_cast<ScanOp>(op);
  space::Signature signature{name_of(op), map_dims(pointwise.shape), {}};
  auto steps = static_cast<int>(signature.dims.size());
  if (scan)
    signature.dims.push_back(space::scan_dim("t", scan.getLength().shape()[0],
                                             scan.getReverse() ? space::Direction::backward
                                                               : space::Direction::forward));
  auto rank = static_cast<int>(signature.dims.size());
  auto sliced = [&](size_t operand) {
    size_t first = scan ? scan.getInits().size() : 0;
    return scan && operand >= first && operand < first + scan.getXs().size();
  };
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    Places dims = pointwise.reads[number];
    if (sliced(number))
      dims.insert(dims.begin(), steps);
    signature.operands.push_back(read_at("operand" + std::to_string(number), value, dims, rank));
  }
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Places dims = own_places(rank_of(result));
    bool is_state = scan && number < scan.getInits().size();
    if (scan && !is_state) {
      dims = own_places(pointwise.shape.size());
      dims.insert(dims.begin(), steps);
    }
    bool is_beside = rank_of(result) == 0 && !pointwise.shape.empty();
    space::Operand operand = write("result" + std::to_string(number), result,
                                   space::axial(rank, dims, shape_of(result)));
    operand.role = is_beside  ? space::Role::scratch
                   : is_state ? space::Role::inout
                              : space::Role::out;
    signature.operands.push_back(std::move(operand));
  }
  return signature;
}

size_t ops_inside(mlir::Operation* op) {
  size_t count = 0;
  for (mlir::Region& region : op->getRegions())
    for (mlir::Block& block : region)
      for (mlir::Operation& inner : block.without_terminator())
        count += 1 + ops_inside(&inner);
  return count;
}

double flops_per_point(mlir::Operation* op) {
  if (is_program(op))
    return pointwise(op).flops;
  auto signed_op = llvm::dyn_cast<SignedOp>(op);
  return signed_op ? signed_op.flops_per_point() : 0;
}

space::Signature pointwise_signature(mlir::Operation* op) {
  return pointwise_signature(op, pointwise(op));
}

} // namespace kolam::ir
