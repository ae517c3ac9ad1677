// Cutting attention: heads, batches and queries, with the keys that these see.
#include "kolam/ir/attention.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/space/region.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

int64_t rank_of(ir::AttentionOp op) { return ir::rank_of(op.getResult()); }
int64_t key_count(ir::AttentionOp op) {
  return *ir::shape_of(op.getK())[static_cast<size_t>(rank_of(op) - 2)].constant();
}
bool has_window(ir::AttentionOp op) { return op.getLeft() || op.getRight(); }

/// Keys beside a query, as numbers that can be added to places.
std::optional<int64_t> reach(ir::AttentionOp op, std::optional<uint64_t> keys) {
  const int64_t queries = *ir::shape_of(op.getQ())[static_cast<size_t>(rank_of(op) - 2)].constant();
  const int64_t most = queries + key_count(op);
  if (!keys)
    return std::nullopt;
  return *keys > static_cast<uint64_t>(most) ? most : static_cast<int64_t>(*keys);
}
std::optional<int64_t> left_of(ir::AttentionOp op) { return reach(op, op.getLeft()); }
std::optional<int64_t> right_of(ir::AttentionOp op) { return reach(op, op.getRight()); }

/// Operands that have keys along a dim, and which.
struct KeyDim {
  size_t operand;
  int dim;
};

std::vector<KeyDim> key_dims(ir::AttentionOp op) {
  const auto rank = static_cast<int>(rank_of(op));
  std::vector<KeyDim> dims{{1, rank - 2}, {2, rank - 2}};
  size_t next = 4; // behind q, k, v and the scale
  if (op.getMask()) {
    if (!(ir::shape_of(op.getMask()).back() == Extent(1)))
      dims.push_back({next, rank - 1});
    ++next;
  }
  if (op.getKSegments())
    dims.push_back({next + 1, rank - 2});
  return dims;
}

/// What a part sees of the keys: [first, last), blocks of them whole from the first on, as sums go
/// by blocks.
struct Keys {
  int64_t first, last;
};

Keys keys_of(ir::AttentionOp op, const Box& index) {
  const auto query = static_cast<size_t>(rank_of(op) - 2);
  const int64_t all = key_count(op);
  Keys keys{0, all};
  if (auto left = left_of(op))
    keys.first = std::max<int64_t>(0, index.start()[query] - *left) / ir::kAttentionKeys *
                 ir::kAttentionKeys;
  if (auto right = right_of(op))
    keys.last = std::min(all, index.end()[query] + *right);
  if (keys.first >= keys.last) // none of them
    keys = {0, std::min<int64_t>(1, all)};
  return keys;
}

/// By how much queries of the part are further along than its keys.
int64_t lead_of(ir::AttentionOp op, const Box& index) {
  return index.start()[static_cast<size_t>(rank_of(op) - 2)] - keys_of(op, index).first;
}

bool is_cut(const OpPart& part, Value result, int dim) {
  return !(Extent(part.writes[0].extent(dim)) == ir::shape_of(result)[static_cast<size_t>(dim)]);
}

} // namespace

/// Of a window a query reads the keys in it. Where one side is open, how far does no projection
/// say: the signature then names the key at the other side.
space::Signature signature_of(ir::AttentionOp op) {
  space::Signature signature = op.signature();
  if (!has_window(op))
    return signature;
  const auto query = static_cast<size_t>(rank_of(op) - 2);
  const std::optional<int64_t> left = left_of(op), right = right_of(op);
  for (const KeyDim& key : key_dims(op)) {
    space::Operand& operand = signature.operands[key.operand];
    space::AffineRow& row = operand.projection.map.rows[static_cast<size_t>(key.dim)];
    row = {std::vector<int64_t>(signature.dims.size(), 0), left ? -*left : *right};
    row.coefficients[query] = 1;
    operand.projection.size[static_cast<size_t>(key.dim)] = left && right ? *left + *right + 1 : 1;
    operand.policy = space::Policy::pad(int64_t{0});
  }
  return signature;
}

void set_reads(ir::AttentionOp op, OpPart& part) {
  if (!has_window(op))
    return;
  const Keys keys = keys_of(op, part.index);
  for (const KeyDim& key : key_dims(op)) {
    Box& box = part.reads[key.operand];
    const Box whole = tensor_of(op->getOperand(static_cast<unsigned>(key.operand)));
    if (space::is_empty(box) && !space::is_empty(whole)) // along the keys alone
      box = space::intersect(
          space::region(op.signature().operands[key.operand].projection, part.index), whole);
    box = space::with_range(box, key.dim, keys.first, keys.last);
  }
}

/// Indices that share one of an operand's stay together, or are of one group.
Box widened(ir::AttentionOp op, Box index) {
  const Shape result = ir::shape_of(op.getResult());
  for (Value operand : op->getOperands()) {
    const Shape shape = ir::shape_of(operand);
    if (shape.size() != result.size())
      continue;
    for (int dim = 0; dim + 2 < index.rank(); ++dim) {
      const int64_t shared = ir::shared_by(result[dim], shape[dim]);
      const int64_t first = index.start()[dim], last = index.end()[dim];
      if (shared <= 1 || last <= first || first / shared == (last - 1) / shared)
        continue;
      index = space::with_range(index, dim, first / shared * shared,
                                (last + shared - 1) / shared * shared);
    }
  }
  return index;
}

std::vector<int64_t> borders(ir::AttentionOp op, const OpPart& part, const space::Signature&) {
  return has_window(op) ? std::vector<int64_t>{lead_of(op, part.index)} : std::vector<int64_t>();
}

/// A function that says which keys are seen asks for places in the whole.
std::vector<int64_t> offsets(ir::AttentionOp op, const OpPart& part) {
  std::vector<int64_t> all;
  if (op.getVisible().empty())
    return all;
  const auto rank = static_cast<int>(rank_of(op));
  for (int dim = 0; dim + 1 < rank; ++dim)
    if (is_cut(part, op.getResult(), dim))
      all.push_back(part.index.start()[static_cast<size_t>(dim)]);
  if (has_window(op))
    all.push_back(keys_of(op, part.index).first);
  return all;
}

namespace {

/// The function of places of the whole, called with those of the part.
class PlacesOfThePart {
public:
  PlacesOfThePart(ir::AttentionOp op, const Making& making)
      : op_(op), making_(making), rank_(static_cast<int>(rank_of(op))),
        starts_(static_cast<size_t>(rank_)) {
    const DType dtype = ir::dtype_of(op.getVisible().getArgument(0));
    for (int dim = 0; dim + 1 < rank_; ++dim)
      if (is_cut(making.part, op.getResult(), dim))
        starts_[static_cast<size_t>(dim)] = language::cast(
            making.b, making.offset(making.part.index.start()[static_cast<size_t>(dim)]), dtype);
    if (has_window(op)) // keys stand behind the queries
      starts_.back() =
          language::cast(making.b, making.offset(keys_of(op, making.part.index).first), dtype);
  }

  void put_into(ir::AttentionOp made) {
    mlir::Block& block = made.getVisible().front();
    Builder b(made.getLoc(), mlir::OpBuilder::atBlockBegin(&block));
    for (Value& start : starts_)
      if (start) {
        made.getCapturesMutable().append(start);
        start = block.addArgument(start.getType(), made.getLoc());
      }
    if (rank_ > 3)
      replace_argument(block.getArgument(0), [&](Value x) { return batch(b, x); });
    if (rank_ > 2 && starts_[static_cast<size_t>(rank_ - 3)])
      move(b, block.getArgument(1), starts_[static_cast<size_t>(rank_ - 3)]);
    if (starts_[static_cast<size_t>(rank_ - 2)])
      move(b, block.getArgument(2), starts_[static_cast<size_t>(rank_ - 2)]);
    if (starts_.back())
      move(b, block.getArgument(3), starts_.back());
  }

private:
  static Value sum(Builder& b, Value x, Value y) {
    return language::elementwise(b, Fn::add, {x, y});
  }

  static void move(Builder& b, Value argument, Value by) {
    replace_argument(argument, [&](Value x) { return sum(b, x, by); });
  }

  /// Leading dims but the last are counted together, row-major.
  Value batch(Builder& b, Value x) {
    const DType dtype = ir::dtype_of(x);
    auto number = [&](int64_t value) { return language::integer_constant(b, value, dtype); };
    Value all;
    int64_t of_part = 1, of_whole = 1;
    for (int dim = rank_ - 4; dim >= 0; --dim) {
      const int64_t count = making_.part.writes[0].extent(dim);
      Value digit = language::elementwise(b, Fn::floor_divide, {x, number(of_part)});
      digit = language::elementwise(b, Fn::remainder, {digit, number(count)});
      if (starts_[static_cast<size_t>(dim)])
        digit = sum(b, digit, starts_[static_cast<size_t>(dim)]);
      digit = language::elementwise(b, Fn::multiply, {digit, number(of_whole)});
      all = all ? sum(b, all, digit) : digit;
      of_part *= count;
      of_whole *= *ir::shape_of(op_.getResult())[static_cast<size_t>(dim)].constant();
    }
    return all;
  }

  ir::AttentionOp op_;
  const Making& making_;
  int rank_;
  std::vector<Value> starts_; ///< of leading dims, queries and keys; null where it is 0
};

/// Hides the keys in front of `i + first`.
void hide_before(ir::AttentionOp made, int64_t first) {
  mlir::Region& visible = made.getVisible();
  Builder b(made.getLoc(), made.getContext());
  if (visible.empty()) {
    auto* block = new mlir::Block;
    visible.push_back(block);
    for (int place = 0; place < 4; ++place)
      block->addArgument(language::tensor_type(b, DType::i64, {}), made.getLoc());
    b.setInsertionPointToEnd(block);
    ir::YieldOp::create(b, mlir::ValueRange());
  }
  mlir::Operation* end = visible.front().getTerminator();
  b.setInsertionPoint(end);
  const Value i = visible.getArgument(2), j = visible.getArgument(3);
  const Value least =
      language::elementwise(b, Fn::add, {i, language::integer_constant(b, first, ir::dtype_of(i))});
  Value is_seen = language::elementwise(b, Fn::greater_equal, {j, least});
  if (end->getNumOperands() == 1)
    is_seen = language::elementwise(b, Fn::logical_and, {end->getOperand(0), is_seen});
  end->setOperands(is_seen);
}

} // namespace

Values make(ir::AttentionOp op, const Making& making) {
  std::optional<PlacesOfThePart> places;
  if (!op.getVisible().empty())
    places.emplace(op, making);
  Values results = clone(making);
  auto made = llvm::cast<ir::AttentionOp>(results[0].getDefiningOp());
  if (places)
    places->put_into(made);
  if (!has_window(op))
    return results;
  const int64_t lead = lead_of(op, making.part.index);
  if (auto right = right_of(op))
    made.setRight(static_cast<uint64_t>(std::max<int64_t>(0, *right + lead)));
  if (auto left = left_of(op)) {
    if (*left >= lead) {
      made.setLeft(static_cast<uint64_t>(*left - lead));
    } else {
      made.removeLeftAttr();
      hide_before(made, lead - *left);
    }
  }
  return results;
}

} // namespace kolam::transform::cut
