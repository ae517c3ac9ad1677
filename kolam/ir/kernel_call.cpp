// kolam.kernel_call: runs a kernel for each point of a grid.
#include "kolam/ir/block_spec.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/index_row.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

mlir::Type ref_of(mlir::Type tensor) {
  return RefType::get(llvm::cast<mlir::RankedTensorType>(tensor));
}

mlir::Type scalar_type(mlir::MLIRContext* context) { return tensor_type(context, DType::i32, {}); }

llvm::LogicalResult expect_block(KernelCallOp op, size_t number) {
  mlir::Value array = blocked_array(op, number);
  auto where = "block " + std::to_string(number) + ": ";
  auto spec = BlockSpec::from_attr(op.getBlocks()[number]);
  if (!spec)
    return op.emitOpError() << where << "expected kinds, sizes, low, high and pad, but got "
                            << op.getBlocks()[number];
  if (static_cast<int64_t>(spec->dims.size()) != rank_of(array))
    return op.emitOpError() << where << "expected " << rank_of(array) << " dims, but got "
                            << spec->dims.size();
  const Shape shape = shape_of(array);
  for (auto [dim, extent] : llvm::zip_equal(spec->dims, shape)) {
    const bool is_empty = dim.size == Extent(0) && extent == Extent(0); // all of no elements
    if ((dim.size.constant().value_or(1) < 1 && !is_empty) || dim.low < 0 || dim.high < 0)
      return op.emitOpError() << where << "expected sizes of at least 1 and no negative padding";
    if (dim.kind == BlockKind::squeezed && !(dim.size == Extent(1)))
      return op.emitOpError() << where << "expected squeezed dims of size 1";
    if (dim.kind != BlockKind::element && (dim.low != 0 || dim.high != 0))
      return op.emitOpError() << where << "expected padding in element dims alone";
  }
  if (spec->pad.getType() != tensor_type(op.getContext(), dtype_of(array), {}))
    return op.emitOpError() << where << "expected a pad value of dtype "
                            << llvm::StringRef(kolam::name(dtype_of(array)));
  return mlir::success();
}

/// Which arguments of the body writes reach, checked against those that may be written.
llvm::LogicalResult expect_written(KernelCallOp op) {
  mlir::Block& body = op.getBody().front();
  const auto rank = static_cast<unsigned>(op.getGrid().shape().size());
  const auto inputs = static_cast<unsigned>(op.getInputs().size());
  mlir::Operation* wrong = nullptr;
  op.getBody().walk([&](mlir::Operation* inner) {
    mlir::Value ref = written_ref(inner);
    if (!ref)
      return;
    if (is_in_condition(inner))
      wrong = inner;
    for (mlir::Value root : roots_of(ref)) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(root);
      if (!argument || argument.getOwner() != &body || argument.getArgNumber() >= rank + inputs)
        continue;
      if (!llvm::is_contained(op.getAliases(),
                              static_cast<int64_t>(argument.getArgNumber() - rank)))
        wrong = inner;
    }
  });
  if (!wrong)
    return mlir::success();
  if (is_in_condition(wrong))
    return wrong->emitOpError() << "writes in the condition of a loop, which only reads";
  return wrong->emitOpError() << "writes to an input that no result is the memory of";
}

} // namespace

llvm::LogicalResult KernelCallOp::verify() {
  const size_t rank = getGrid().shape().size(), inputs = getInputs().size();
  if (failed(expect_between(*this, static_cast<int64_t>(getPrefetch()), 0,
                            static_cast<int64_t>(inputs), "prefetch")))
    return mlir::failure();
  const size_t blocks = inputs - getPrefetch() + getResults().size();
  if (failed(expect_count(*this, getBlocks().size(), blocks, "blocks")) ||
      failed(expect_count(*this, getMaps().size(), blocks, "maps")) ||
      failed(expect_count(*this, getAliases().size(), getResults().size(), "aliases")) ||
      failed(expect_between(*this, getAliases(), -1, static_cast<int64_t>(inputs) - 1, "alias")))
    return mlir::failure();
  if (!getSemantics().empty() &&
      failed(expect_count(*this, getSemantics().size(), rank, "semantics")))
    return mlir::failure();
  for (mlir::Attribute word : getSemantics())
    if (failed(expect_one_of(*this, llvm::cast<mlir::StringAttr>(word).getValue(),
                             {"parallel", "arbitrary"}, "semantics")))
      return mlir::failure();
  for (auto [alias, result] : llvm::zip(getAliases(), getResults()))
    if (alias >= 0 && getInputs()[alias].getType() != result.getType())
      return emitOpError() << "expected a result of the type of input " << alias
                           << ", whose memory it is, but got " << result.getType();
  for (mlir::Attribute type : getScratch())
    if (!is_program_type(llvm::cast<mlir::TypeAttr>(type).getValue()))
      return emitOpError() << "expected tensors as scratch, but got " << type;
  for (size_t block = 0; block < blocks; ++block)
    if (failed(expect_block(*this, block)))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult KernelCallOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> point(getGrid().shape().size(), scalar_type(getContext()));
  for (mlir::Value input : getInputs().take_front(getPrefetch()))
    point.push_back(ref_of(input.getType()));
  llvm::SmallVector<mlir::Type> arguments = point;
  llvm::append_range(point, getCaptures().getTypes());
  for (auto [number, attr] : llvm::enumerate(getBlocks())) {
    BlockSpec spec = *BlockSpec::from_attr(attr);
    arguments.push_back(ref_of(
        tensor_type(getContext(), dtype_of(blocked_array(*this, number)), spec.ref_shape())));
    mlir::Region& map = getMaps()[number];
    if (failed(expect_arguments(*this, map, point, "a map")) ||
        failed(expect_count(*this, yielded_types(map).size(),
                            static_cast<int64_t>(spec.dims.size()), "numbers from a map")) ||
        failed(
            expect_integers(*this, map.front().getTerminator()->getOperands(), "what a map gives")))
      return mlir::failure();
  }
  for (mlir::Attribute type : getScratch())
    arguments.push_back(ref_of(llvm::cast<mlir::TypeAttr>(type).getValue()));
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")) ||
      failed(expect_yields(*this, getBody(), {}, "the body")))
    return mlir::failure();
  return expect_written(*this);
}

namespace {

/// The axes that alone or as digits of one number place blocks along a dim, apart: points that
/// differ along them share nothing. None where blocks may lie on one another.
std::vector<size_t> axes_apart(const space::AffineRow& row, const Extent& size, const Shape& grid) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    if (row.coefficients[axis] != 0 && !(grid[axis] == Extent(1)))
      axes.push_back(axis);
  auto step = [&](size_t axis) { return std::abs(row.coefficients[axis]); };
  llvm::sort(axes, [&](size_t x, size_t y) { return step(x) < step(y); });
  std::optional<int64_t> taken = size.constant();
  for (size_t axis : axes) {
    if (!space::is_affine(row) || !taken || step(axis) < std::max<int64_t>(*taken, 1))
      return {};
    auto count = grid[axis].constant();
    int64_t more = 0;
    if (!count || __builtin_mul_overflow(step(axis), *count - 1, &more) ||
        __builtin_add_overflow(*taken, more, &more))
      taken.reset();
    else
      taken = more;
  }
  return axes;
}

/// Whether points that differ along an axis have elements of their own.
bool has_own_elements(const space::Projection& blocks, size_t axis, const Shape& grid) {
  for (auto [row, size] : llvm::zip(blocks.map.rows, blocks.size))
    if (llvm::is_contained(axes_apart(row, size, grid), axis))
      return true;
  return false;
}

/// What each point of the grid owns of the arrays that blocks cut.
class CallSignature {
public:
  explicit CallSignature(KernelCallOp call)
      : call_(call), grid_(call.getGrid().shape()), specs_(block_specs(call)),
        first_result_(specs_.size() - call.getResults().size()) {}

  space::Signature run() {
    space::Signature signature{name_of(call_), {}, {}};
    for (auto [number, input] : llvm::enumerate(call_.getInputs().take_front(call_.getPrefetch())))
      signature.operands.push_back(
          read("input" + std::to_string(number), input, whole(rank(), input)));
    for (size_t block = 0; block < first_result_; ++block)
      signature.operands.push_back(
          block_of(block, "input" + std::to_string(call_.getPrefetch() + block)));
    for (auto [number, capture] : llvm::enumerate(call_.getCaptures()))
      signature.operands.push_back(
          read("capture" + std::to_string(number), capture, whole(rank(), capture)));
    std::vector<space::Projection> written;
    for (size_t block = first_result_; block < specs_.size(); ++block) {
      signature.operands.push_back(
          block_of(block, "result" + std::to_string(block - first_result_)));
      written.push_back(signature.operands.back().projection);
    }
    signature.dims = dims(written);
    for (space::Operand& operand : signature.operands)
      if (operand.role == space::Role::inout && is_own(operand.projection)) {
        operand.role = space::Role::out;
        operand.policy = {space::Policy::Kind::drop};
      }
    return signature;
  }

private:
  int64_t rank() const { return static_cast<int64_t>(grid_.size()); }

  bool is_own(const space::Projection& blocks) const {
    for (size_t axis = 0; axis < grid_.size(); ++axis)
      if (!(grid_[axis] == Extent(1)) && !has_own_elements(blocks, axis, grid_))
        return false;
    return true;
  }

  /// Axes along which points have results of their own and leave one another nothing are maps.
  std::vector<space::IndexDim> dims(const std::vector<space::Projection>& written) {
    std::vector<space::IndexDim> dims;
    for (size_t axis = 0; axis < grid_.size(); ++axis) {
      const std::string name = "i" + std::to_string(axis);
      const bool is_map =
          grid_[axis] == Extent(1) ||
          (call_.getScratch().empty() && llvm::all_of(written, [&](const auto& blocks) {
             return has_own_elements(blocks, axis, grid_);
           }));
      dims.push_back(is_map ? space::map_dim(name, grid_[axis])
                            : space::scan_dim(name, grid_[axis]));
    }
    return dims;
  }

  space::Operand block_of(size_t block, std::string name) {
    mlir::Value array = blocked_array(call_, block);
    const Shape shape = shape_of(array);
    space::Projection own{{static_cast<int>(rank()), {}}, Shape(shape.size()), {}};
    bool is_indirect = false;
    mlir::Operation* numbers = call_.getMaps()[block].front().getTerminator();
    for (auto [dim, number] : llvm::enumerate(numbers->getOperands())) {
      const BlockDim& spec = specs_[block].dims[dim];
      if (auto start = start_of(spec, number)) {
        own.map.rows.push_back(*start);
        own.size.push_back(spec.size);
        continue;
      }
      own.map.rows.push_back({std::vector<int64_t>(grid_.size()), 0});
      own.size.push_back(shape[dim]);
      is_indirect |= depends_on_data(number, grid_.size());
    }
    const bool is_result = block >= first_result_;
    space::Operand operand{std::move(name), is_result ? space::Role::inout : space::Role::in,
                           shape,           std::move(own),
                           pad_of(block),   is_indirect};
    return operand;
  }

  /// The first element of blocks along a dim; nullopt where no row says it.
  std::optional<space::AffineRow> start_of(const BlockDim& spec, mlir::Value number) {
    auto row = index_row(number, grid_.size());
    if (!row)
      return std::nullopt;
    if (spec.kind == BlockKind::element) {
      if (!space::is_affine(*row) && spec.low != 0)
        return std::nullopt;
      row->offset = row->offset - Extent(spec.low);
      return row;
    }
    if (spec.size == Extent(1))
      return row;
    auto size = spec.size.constant();
    if (!size) // its number is a constant
      return space::is_constant(*row)
                 ? std::optional(space::AffineRow{row->coefficients, row->offset * spec.size})
                 : std::nullopt;
    if (row->divisor != 1)
      return std::nullopt;
    // s * (x mod m) = (s x) mod (s m)
    row->offset = row->offset * Extent(*size);
    for (int64_t& coefficient : row->coefficients)
      if (__builtin_mul_overflow(coefficient, *size, &coefficient))
        return std::nullopt;
    if (__builtin_mul_overflow(row->modulus, *size, &row->modulus))
      return std::nullopt;
    return row;
  }

  space::Policy pad_of(size_t block) {
    mlir::DenseElementsAttr pad = specs_[block].pad;
    if (llvm::isa<mlir::FloatType>(pad.getElementType())) {
      llvm::APFloat number = pad.getSplatValue<llvm::APFloat>();
      bool loses = false;
      number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
      return space::Policy::pad(number.convertToDouble());
    }
    const llvm::APInt number = pad.getSplatValue<llvm::APInt>();
    return space::Policy::pad(number.getBitWidth() > 64 ? int64_t{0} : number.getSExtValue());
  }

  KernelCallOp call_;
  Shape grid_;
  std::vector<BlockSpec> specs_;
  size_t first_result_;
};

} // namespace

/// The index dims are the axes of the grid. A point owns its blocks: exactly where a map is
/// quasi-affine and a row can say where its blocks start, else all of that dim; `indirect` where
/// prefetched or captured data decide. Blocks of results that points share are read too.
space::Signature KernelCallOp::signature() { return CallSignature(*this).run(); }

/// Of a block D is a dim of its array that the Ref has; of memory that is an input and a result it
/// is one. The maps hold numbers.
std::vector<space::DataDimTable> KernelCallOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t axes = getGrid().shape().size(), prefetch = getPrefetch(), inputs = getInputs().size();
  for (size_t number = 0; number < prefetch; ++number)
    tables.push_back(tied(*this, {place_in(getInputs(), number), argument_place(axes + number)}));
  std::vector<BlockSpec> specs = block_specs(*this);
  for (auto [block, spec] : llvm::enumerate(specs)) {
    size_t number = prefetch + block;
    const bool is_input = number < inputs;
    std::vector<DimChoice> choices;
    int next = 0;
    for (auto [dim, part] : llvm::enumerate(spec.dims))
      if (part.kind != BlockKind::squeezed)
        choices.push_back({{static_cast<int>(dim), next++}});
    if (choices.empty())
      for (size_t dim = 0; dim < spec.dims.size(); ++dim)
        choices.push_back({{static_cast<int>(dim), space::kAnyDim}});
    tables.push_back(
        table_of({is_input ? place_in(getInputs(), number) : result_place(number - inputs),
                  argument_place(axes + number)},
                 choices));
  }
  for (auto [result, input] : llvm::enumerate(getAliases()))
    if (input >= 0)
      tables.push_back(
          tied(*this, {place_in(getInputs(), static_cast<size_t>(input)), result_place(result)}));
  size_t captured = axes + inputs + getResults().size() + getScratch().size();
  add_captures(tables, *this, getCaptures(), captured);
  return tables;
}

} // namespace kolam::ir
