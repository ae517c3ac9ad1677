// Records programs.
#include "kolam/frontend/array/trace.h"

#include "kolam/frontend/array/program_state.h"
#include "kolam/interp/convert.h"
#include "kolam/interp/literal.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/location.h"
#include "kolam/language/collective.h"
#include "kolam/language/composite.h"
#include "kolam/language/lists.h"
#include "kolam/transform/checks.h"
#include "kolam/transform/custom_partitioning.h"

#include "llvm/ADT/MapVector.h"

namespace kolam {
namespace {

/// Larger arrays are passed as hidden arguments instead of being written into the program.
constexpr int64_t kLiteralBytes = 1024;

thread_local Trace* current_trace = nullptr;

TensorSpec spec_of(mlir::Value value) {
  auto list = llvm::dyn_cast<ir::ListType>(value.getType());
  mlir::Type type = list ? mlir::Type(list.leaf()) : value.getType();
  if (auto ref = llvm::dyn_cast<ir::RefType>(type))
    type = ref.getValue();
  return {ir::dtype_of(type), ir::shape_of(type)};
}

/// Throws `[unbound-axis]` for what a linear part of one instance left behind outside of its vmap.
void require_no_collective(mlir::ModuleOp module) {
  module.walk([](ir::CompositeOp op) {
    if (auto left = language::collective_of(op))
      throw Error(ErrorKind::value, "unbound-axis",
                  "expected the linear part of a function to be used in the vmap that binds '" +
                      left->axis + "', but it is used outside",
                  ir::to_source_location(op->getLoc()));
  });
}

} // namespace

Trace* Trace::current() { return current_trace; }

Trace::Current::Current(Trace* trace) : outer_(current_trace) { current_trace = trace; }
Trace::Current::~Current() { current_trace = outer_; }

Trace::Trace(std::span<const TensorSpec> parameters)
    : program_{driver::lend_context(), {}},
      builder_(mlir::UnknownLoc::get(program_.context.get()), program_.context.get()),
      declared_(parameters.size()), first_call_(CallScope::current_number()) {
  mlir::MLIRContext* context = program_.context.get();
  program_.module = mlir::ModuleOp::create(builder_.getLoc());
  builder_.setInsertionPointToStart(program_.module->getBody());
  llvm::SmallVector<mlir::Type> types;
  for (const TensorSpec& spec : parameters)
    types.push_back(ir::tensor_type(context, spec.dtype, spec.shape));
  main_ = mlir::func::FuncOp::create(builder_, "main", builder_.getFunctionType(types, {}));
  builder_.setInsertionPointToStart(main_.addEntryBlock());
  scopes_.push_back(std::make_shared<TraceScope>());
}

Trace::~Trace() {
  for (const auto& scope : scopes_)
    scope->open = false;
}

void Trace::locate() {
  builder_.setLoc(ir::to_location(builder_.getContext(), CallScope::current_location(),
                                  CallScope::current_number() - first_call_ + 1));
}

std::vector<Tensor> Trace::parameters() {
  std::vector<Tensor> result;
  for (mlir::BlockArgument argument : main_.getArguments())
    result.push_back(wrap(argument));
  return result;
}

Tensor Trace::wrap(mlir::Value value) {
  TracedValue traced{scopes_.back(), value, spec_of(value)};
  if (auto list = llvm::dyn_cast<ir::ListType>(value.getType()))
    traced.depth = list.depth();
  return Tensor(std::make_shared<TracedValue>(std::move(traced)));
}

std::vector<std::string> Trace::new_symbols(int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(new_symbol());
  return names;
}

void Trace::require_open(const TracedValue& traced) const {
  if (!traced.scope->open || traced.value.getContext() != program_.context.get())
    fail(ErrorKind::runtime, "escaped-tracer",
         "expected a value of the function being traced, but got a traced value that outlived "
         "its trace; return it from the traced function instead of storing it");
}

mlir::Value Trace::value_of(const Tensor& tensor) {
  if (tensor.is_traced()) {
    const TracedValue& traced = *tensor.traced();
    require_open(traced);
    if (traced.scalar)
      language::require_fit(traced.scalar->like, traced.spec.dtype);
    return traced.value;
  }
  if (tensor.is_empty())
    fail(ErrorKind::value, "empty-tensor", "expected a tensor, but got an empty handle");
  const Array& array = tensor.array();
  if (array.byte_count() <= kLiteralBytes) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    // Only scalars are literals of a region; a region captures larger ones.
    if (array.rank() > 0)
      builder_.setInsertionPointToStart(&main_.getBody().front());
    return language::make_constant(builder_, interp::to_literal(array, program_.context.get()));
  }
  for (size_t i = 0; i < hidden_.size(); ++i)
    if (hidden_[i].data() == array.data() && hidden_[i].shape() == array.shape() &&
        hidden_[i].dtype() == array.dtype())
      return main_.getArgument(declared_ + i);
  hidden_.push_back(array.buffer()->is_foreign()
                        ? Array::copy_of(array.dtype(), array.shape(), array.data())
                        : array);
  Shape shape(array.shape().begin(), array.shape().end());
  return main_.getBody().front().addArgument(
      ir::tensor_type(program_.context.get(), array.dtype(), shape), builder_.getLoc());
}

mlir::Value Trace::scalar_value(const TracedValue& traced, DType dtype) {
  require_open(traced);
  language::require_fit(traced.scalar->like, dtype);
  return language::cast(builder_, traced.scalar->value, dtype);
}

Tensor Trace::as_scalar(const Tensor& tensor, const language::WeakScalar& like) {
  mlir::Value value = value_of(tensor);
  TracedValue traced = *tensor.traced();
  traced.value = language::cast(builder_, value, language::default_dtype(like));
  traced.spec = spec_of(traced.value);
  traced.scalar = ScalarParameter{value, like};
  return Tensor(std::make_shared<TracedValue>(std::move(traced)));
}

Trace::Region Trace::region(mlir::TypeRange types,
                            const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
                            BodyKind kind, std::optional<Shape> space) {
  auto scope = std::make_shared<TraceScope>(TraceScope{true, std::move(space), kind, {}});
  return finish_region(record_region(types, body, scope), *scope);
}

std::optional<Trace::Region>
Trace::region_if(mlir::TypeRange types,
                 const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
                 const std::function<bool()>& keep) {
  auto scope = std::make_shared<TraceScope>();
  auto lists_of_elements = lists_of_elements_;
  Region result = record_region(types, body, scope);
  if (keep())
    return finish_region(std::move(result), *scope);
  lists_of_elements_ = std::move(lists_of_elements);
  return std::nullopt;
}

Trace::Region Trace::finish_region(Region result, const TraceScope& scope) {
  for (mlir::Value capture : result.captures)
    if (scope.kind == BodyKind::cells && llvm::isa<ir::ListType>(capture.getType()))
      fail(ErrorKind::type, "not-an-array",
           "expected the function of elements to use arrays, but got " +
               language::describe_type(capture.getType()));
  for (const auto& make : scope.before)
    make(builder_);
  return result;
}

Trace::Region
Trace::record_region(mlir::TypeRange types,
                     const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
                     std::shared_ptr<TraceScope> scope) {
  Region result{std::make_unique<mlir::Region>(), {}};
  mlir::OpBuilder::InsertionGuard guard(builder_);
  auto* block = new mlir::Block;
  result.region->push_back(block);
  for (mlir::Type type : types)
    block->addArgument(type, builder_.getLoc());
  builder_.setInsertionPointToStart(block);
  scopes_.push_back(std::move(scope));
  struct Close {
    Trace& trace;
    ~Close() {
      trace.scopes_.back()->open = false;
      trace.scopes_.pop_back();
    }
  } close{*this};

  std::vector<Tensor> arguments;
  for (mlir::BlockArgument argument : block->getArguments())
    arguments.push_back(wrap(argument));
  mlir::Location loc = builder_.getLoc();
  std::vector<Tensor> results;
  {
    CallbackScope user_code;
    results = body(arguments);
  }
  builder_.setLoc(loc);
  llvm::SmallVector<mlir::Value> yielded;
  for (const Tensor& tensor : results)
    yielded.push_back(value_of(tensor));
  ir::YieldOp::create(builder_, yielded);

  llvm::MapVector<mlir::Value, mlir::Value> captures;
  // Regions inside are isolated already: what they capture is an operand of their op.
  for (mlir::Operation& op : *block)
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      mlir::Value value = operand.get();
      if (value.getParentBlock() == block)
        continue;
      mlir::Value& argument = captures[value];
      if (!argument)
        argument = block->addArgument(value.getType(), value.getLoc());
      operand.set(argument);
    }
  for (auto [value, argument] : captures)
    result.captures.push_back(value);
  return result;
}

Program Trace::finish(const std::vector<Tensor>& results, std::vector<std::string> names) {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Type> types;
  for (const Tensor& tensor : results) {
    values.push_back(value_of(tensor));
    types.push_back(values.back().getType());
  }
  mlir::func::ReturnOp::create(builder_, values);
  main_.setFunctionType(
      builder_.getFunctionType(main_.getBody().front().getArgumentTypes(), types));
  names.resize(declared_);
  for (size_t i = 0; i < hidden_.size(); ++i)
    names.push_back("captured[" + std::to_string(i) + "]");
  ir::name_arguments(main_, names);
  scopes_.back()->open = false;
  require_no_collective(*program_.module);
  transform::take_bodies(*program_.module, transform::Composites::partitioned);
  auto state = std::make_shared<Program::State>();
  state->program = std::move(program_);
  state->hidden = std::move(hidden_);
  return Program(std::move(state));
}

void trace_checked(const Checks& checks, const std::function<void()>& function) {
  Trace* trace = Trace::current();
  if (!trace || !checks.any())
    return function();
  if (trace->kind() == BodyKind::cells)
    fail(ErrorKind::value, "bad-option",
         "option 'checks': expected no checks of a function called in a body over single elements, "
         "but got some; ask the function around it for checks");
  language::KeepComposites none(0); // checks are of the ops that run
  mlir::Block* block = trace->builder().getInsertionBlock();
  mlir::Operation* last = block->empty() ? nullptr : &block->back();
  function();
  llvm::SmallVector<mlir::Operation*> made;
  for (auto op = last ? std::next(last->getIterator()) : block->begin(); op != block->end(); ++op)
    made.push_back(&*op);
  transform::insert_checks(made, checks);
}

const ScalarParameter* scalar_parameter(const Operand& operand) {
  auto* tensor = std::get_if<Tensor>(&operand.value());
  return tensor && tensor->is_traced() && tensor->traced()->scalar ? &*tensor->traced()->scalar
                                                                   : nullptr;
}

Operand with_dtype(const Operand& operand, std::optional<DType> dtype) {
  if (operand.numbers() && dtype)
    return operand.with(interp::convert(operand.numbers()->values, *dtype));
  const ScalarParameter* scalar = scalar_parameter(operand);
  Trace* trace = Trace::current();
  if (!scalar || !trace)
    return operand;
  const TracedValue& traced = *std::get<Tensor>(operand.value()).traced();
  return operand.with(trace->wrap(trace->scalar_value(traced, dtype.value_or(traced.spec.dtype))));
}

bool scalar_fits(const Operand& scalar, DType dtype) {
  return std::visit(
      [&](const auto& number) {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>)
          return true;
        else
          return language::holds(dtype, number);
      },
      scalar.value());
}

Tensor number_tensor(const Operand& number) {
  Trace* trace = Trace::current();
  KOLAM_CHECK(trace);
  return std::visit(
      [&](const auto& value) -> Tensor {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return value;
        else if constexpr (std::is_same_v<T, Extent>)
          fail(ErrorKind::type, "not-an-array", "expected a number, but got an extent");
        else if constexpr (std::is_same_v<T, bool>)
          return Tensor(Array::scalar(value));
        else
          return trace->as_scalar(trace->wrap(trace->value_of(Tensor(Array::scalar(value)))),
                                  value);
      },
      number.value());
}

Tensor as_scalar(const Tensor& x, const Operand& like) {
  Trace* trace = Trace::current();
  KOLAM_CHECK(trace && x.is_traced());
  return std::visit(
      [&](const auto& number) -> Tensor {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>)
          return x;
        else
          return trace->as_scalar(x, number);
      },
      like.value());
}

Program trace(std::span<const TensorSpec> parameters,
              const std::function<std::vector<Tensor>(std::vector<Tensor>)>& function,
              const std::vector<std::string>& names) {
  Trace trace(parameters);
  Trace::Current current(&trace);
  return trace.finish(function(trace.parameters()), names);
}

} // namespace kolam
