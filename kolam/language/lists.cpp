// Makes the ops on lists.
#include "kolam/language/lists.h"

#include "kolam/ir/location.h"
#include "kolam/ir/types.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::language {
namespace {

/// Throws `[list-depth]`.
mlir::Type list_of(mlir::Type element) {
  auto inner = llvm::dyn_cast<ir::ListType>(element);
  if (inner && inner.depth() >= ir::kMostListDepth)
    fail(ErrorKind::value, "list-depth",
         "expected a list of depth at most " + std::to_string(ir::kMostListDepth) +
             ", but got one of " + std::to_string(inner.depth() + 1));
  return ir::ListType::get(element.getContext(), element);
}

mlir::RankedTensorType index_type(Builder& b) {
  return ir::tensor_type(b.getContext(), DType::i64, {});
}

mlir::ArrayAttr texts(Builder& b, const Shape& expressions) {
  llvm::SmallVector<mlir::Attribute> attrs;
  for (const Extent& expression : expressions)
    attrs.push_back(b.getStringAttr(expression.to_string()));
  return b.getArrayAttr(attrs);
}

llvm::SmallVector<mlir::Type> types_of(const Values& values) {
  return llvm::SmallVector<mlir::Type>(mlir::ValueRange(values).getTypes());
}

void require_same_types(mlir::Region& region, llvm::ArrayRef<mlir::Type> types) {
  mlir::OperandRange yields = region.front().getTerminator()->getOperands();
  if (yields.size() != types.size())
    fail(ErrorKind::type, "carry-mismatch",
         "state: expected " + std::to_string(types.size()) + " values, but got " +
             std::to_string(yields.size()));
  for (auto [number, type] : llvm::enumerate(types))
    if (yields[number].getType() != type)
      fail(ErrorKind::type, "carry-mismatch",
           "state " + std::to_string(number) + ": expected " + describe_type(type) + ", but got " +
               describe_type(yields[number].getType()));
}

/// An associative body combines elements as it does states; these are tensors.
void require_associative(const Values& inits, const Values& lists) {
  bool agree = inits.size() == lists.size();
  for (size_t i = 0; agree && i < inits.size(); ++i)
    agree = inits[i].getType() == element_type(lists[i]) &&
            !llvm::isa<ir::ListType>(inits[i].getType());
  if (!agree)
    fail_argument(ErrorKind::type, "list-type", "associative",
                  "states and elements of one type, which are tensors",
                  inits.empty() ? "none" : describe_type(inits[0].getType()));
}

} // namespace

std::string describe_type(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return "list<" + describe_type(list.getElement()) + ">";
  return std::string(name(ir::dtype_of(type))) + to_string(ir::shape_of(type));
}

mlir::Type element_type(Value list) {
  return llvm::cast<ir::ListType>(list.getType()).getElement();
}

/// The list whose leaves and offsets these are; null where they are of none.
static Value unpacked_list(Value leaves, const Values& offsets) {
  auto unpack = leaves.getDefiningOp<ir::UnpackOp>();
  Values parts{leaves};
  parts.insert(parts.end(), offsets.begin(), offsets.end());
  return unpack && llvm::equal(unpack->getResults(), parts) ? unpack.getList() : Value();
}

Value pack(Builder& b, Value leaves, const Values& offsets) {
  Shape leaf = ir::shape_of(leaves);
  if (leaf.empty())
    fail_argument(ErrorKind::value, "shape-mismatch", "leaves", "a leading dim that counts leaves",
                  describe(leaves));
  if (Value list = unpacked_list(leaves, offsets))
    return list;
  leaf.erase(leaf.begin());
  mlir::Type type = tensor_type(b, ir::dtype_of(leaves), leaf);
  for (size_t level = 0; level <= offsets.size(); ++level)
    type = list_of(type);
  return ir::PackOp::create(b, type, leaves, offsets);
}

Values unpack(Builder& b, Value list, const std::vector<std::string>& symbols) {
  auto leaf = llvm::cast<ir::ListType>(list.getType()).leaf();
  Shape shape = ir::shape_of(leaf);
  shape.insert(shape.begin(), Extent::symbol(symbols.back()));
  llvm::SmallVector<mlir::Type> types{tensor_type(b, ir::dtype_of(leaf), shape)};
  llvm::SmallVector<llvm::StringRef> names(symbols.begin(), symbols.end());
  for (size_t level = 0; level + 1 < symbols.size(); ++level)
    types.push_back(tensor_type(b, DType::i64, {Extent::symbol(symbols[level]) + Extent(1)}));
  auto op = ir::UnpackOp::create(b, types, list, b.getStrArrayAttr(names));
  return Values(op->result_begin(), op->result_end());
}

Value list_length(Builder& b, Value list) {
  return ir::ListLengthOp::create(b, index_type(b), list);
}

/// Whether a check that two lists have one length comes before what the builder makes.
static bool is_checked(Builder& b, Value x, Value y) {
  auto is_around = [&](mlir::Operation* check) {
    for (mlir::Block* block = b.getInsertionBlock(); block;
         block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
      if (check->getBlock() == block)
        return true;
    return false;
  };
  auto compares_them = [&](mlir::Operation* user) {
    auto check = llvm::dyn_cast<ir::CheckOp>(user);
    return check && is_around(check) && llvm::is_contained(check.lists_of_one_length(), y);
  };
  for (mlir::Operation* length : x.getUsers())
    if (llvm::isa<ir::ListLengthOp>(length))
      for (mlir::Operation* equal : length->getUsers())
        if (llvm::any_of(equal->getUsers(), compares_them))
          return true;
  return false;
}

Value counted(Value list) {
  for (;;)
    if (auto map = list.getDefiningOp<ir::ListMapOp>())
      list = map.getLists()[0];
    else if (auto scan = list.getDefiningOp<ir::ListScanOp>();
             scan && llvm::is_contained(scan.getResults().drop_front(scan.getInits().size()), list))
      list = scan.getLists()[0];
    else
      return list;
}

bool have_one_length(Builder& b, Value x, Value y) {
  x = counted(x);
  y = counted(y);
  mlir::Operation *first = x.getDefiningOp(), *second = y.getDefiningOp();
  if (x == y || (first && first == second))
    return true;
  auto read = llvm::dyn_cast_if_present<ir::AccessOp>(first),
       other = llvm::dyn_cast_if_present<ir::AccessOp>(second);
  bool is_alike = read && other && read.getLengths() == other.getLengths() &&
                  llvm::equal(read.getScalars(), other.getScalars());
  return (is_alike && have_one_length(b, read.getList(), other.getList())) || is_checked(b, x, y);
}

void require_one_length(Builder& b, Value x, Value y) {
  if (have_one_length(b, x, y))
    return;
  std::string function = ir::note_of(b.getLoc());
  check(b, elementwise(b, Fn::equal, {list_length(b, x), list_length(b, y)}), "list-lengths",
        (function.empty() ? "" : function + ": ") +
            "expected lists of one length, but some differ");
}

void require_lengths_of(Builder& b, Value like, Value list, std::string_view slug,
                        const std::string& what) {
  if (like == list)
    return;
  if (!have_one_length(b, like, list)) // the run says both lengths (interp/check.cpp)
    check(b, elementwise(b, Fn::equal, {list_length(b, like), list_length(b, list)}), slug,
          what + ": expected lists of one length, but some differ");
  if (llvm::cast<ir::ListType>(like.getType()).depth() == 1)
    return;
  const llvm::SmallVector<mlir::Type> types{element_type(like), element_type(list)};
  list_map(b, {like, list}, make_body(b, types, [&](const Values& elements) {
             require_lengths_of(b, elements[0], elements[1], slug, what);
             return Values();
           }));
}

Value list_index(Builder& b, Value list, Value i, OutsideOfList outside) {
  if (ir::rank_of(i) != 0)
    fail_argument(ErrorKind::value, "shape-mismatch", "i", "an integer scalar", describe(i));
  if (!is_integer(ir::dtype_of(i)) || ir::dtype_of(i) == DType::u64)
    fail_argument(ErrorKind::type, "dtype-mismatch", "i", "an integer that int64 holds",
                  describe(i));
  auto op = ir::ListIndexOp::create(b, element_type(list), list, cast(b, i, DType::i64));
  if (outside == OutsideOfList::zeros)
    op->setAttr("or_zeros", b.getUnitAttr());
  return op;
}

Value access(Builder& b, Value list, const Access& access) {
  mlir::Type type = list.getType();
  for (size_t level = 0; level < access.index.size(); ++level)
    type = llvm::cast<ir::ListType>(type).getElement();
  for (size_t dim = 0; dim < access.lengths.size(); ++dim)
    type = list_of(type);
  return ir::AccessOp::create(b, type, list, access.scalars, access.pad.value_or(Value()),
                              texts(b, access.lengths), texts(b, access.index));
}

Value list_positions(Builder& b, Value list) {
  return ir::ListPositionsOp::create(b, list_of(index_type(b)), list);
}

Value join(Builder& b, const Values& lists) {
  for (auto [number, list] : llvm::enumerate(lists))
    if (list.getType() != lists[0].getType())
      fail_argument(ErrorKind::type, "list-type", "list " + std::to_string(number),
                    describe_type(lists[0].getType()), describe_type(list.getType()));
  return ir::JoinOp::create(b, lists[0].getType(), lists);
}

Value list_flatten(Builder& b, Value list) {
  mlir::Type inner = element_type(list);
  if (!llvm::isa<ir::ListType>(inner))
    fail_argument(ErrorKind::value, "list-depth", "xs", "a list of depth 2 or more",
                  describe_type(list.getType()));
  return ir::FlattenOp::create(b, inner, list);
}

Value list_filter(Builder& b, Value list, Value mask) {
  mlir::Type bools = list_of(ir::tensor_type(b.getContext(), DType::boolean, {}));
  if (mask.getType() != bools)
    fail_argument(ErrorKind::type, "list-type", "p", "a bool scalar for each element",
                  describe_type(element_type(mask)));
  return ir::ListFilterOp::create(b, list.getType(), list, mask);
}

Values list_map(Builder& b, const Values& lists, Body body) {
  llvm::SmallVector<mlir::Type> types;
  for (Value value : body.region->front().getTerminator()->getOperands())
    types.push_back(list_of(value.getType()));
  auto op = ir::ListMapOp::create(b, types, lists, body.captures);
  op.getBody().takeBody(*body.region);
  return Values(op->result_begin(), op->result_end());
}

Values list_scan(Builder& b, const Values& inits, const Values& lists, const ListScan& options,
                 Body body) {
  llvm::SmallVector<mlir::Type> types = types_of(inits);
  require_same_types(*body.region, types);
  if (options.associative)
    require_associative(inits, lists);
  for (Value init : inits)
    types.push_back(list_of(init.getType()));
  auto op = ir::ListScanOp::create(b, types, inits, lists, body.captures,
                                   options.direction == Direction::reverse, options.associative,
                                   options.after_first, options.is_reduce);
  op.getBody().takeBody(*body.region);
  return Values(op->result_begin(), op->result_end());
}

Values list_reduce(Builder& b, const Values& inits, const Values& lists, Body body) {
  llvm::SmallVector<mlir::Type> types;
  for (Value list : lists)
    types.push_back(element_type(list));
  require_same_types(*body.region, types);
  auto op = ir::ListReduceOp::create(b, types, inits, lists, body.captures);
  op.getBody().takeBody(*body.region);
  return Values(op->result_begin(), op->result_end());
}

} // namespace kolam::language
