// Records functions and differentiates them.
#include "kolam/frontend/array/derive.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/at_once.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/memory_limit.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/location.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

#include <map>
#include <mutex>

namespace kolam::detail {
namespace {

using language::Values;

transform::NewSymbol symbols_of(Trace& trace) {
  return [&trace] { return trace.new_symbol(); };
}

llvm::SmallVector<mlir::Type> types_of(const Values& values) {
  return llvm::SmallVector<mlir::Type>(mlir::ValueRange(values).getTypes());
}

/// The body on arguments of these types, of which one more derivative is taken.
Trace::Region recorded(Trace& trace, mlir::TypeRange types, const LeavesFunction& body) {
  language::KeepComposites keep(language::KeepComposites::derivatives() + 1);
  return trace.region(types, [&](const Leaves& arguments) { return body(arguments); });
}

/// Arguments and captures of a region.
Values given_to(const Trace::Region& region, const Values& arguments) {
  Values all = arguments;
  all.insert(all.end(), region.captures.begin(), region.captures.end());
  return all;
}

llvm::SmallVector<bool> first_active(size_t active, size_t all) {
  llvm::SmallVector<bool> flags(all, false);
  std::fill(flags.begin(), flags.begin() + static_cast<int64_t>(active), true);
  return flags;
}

std::string describe(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + to_string(spec.shape);
}

/// A name of number `number`, which may have none.
std::string name_of(const Names& names, size_t number, const std::string& kind) {
  return number < names.size() && !names[number].empty() ? names[number]
                                                         : kind + " " + std::to_string(number);
}

void require_floats(std::string_view function, const Leaves& primals) {
  for (const Tensor& primal : primals)
    if (!is_float(primal.dtype()))
      fail(ErrorKind::type, "not-differentiable",
           std::string(function) + ": expected arguments of floats, but got " +
               describe({primal.dtype(), primal.shape()}));
}

std::vector<Operand> operands_of(const Leaves& leaves, Operand::Here where) {
  std::vector<Operand> operands;
  for (const Tensor& leaf : leaves)
    operands.emplace_back(leaf, where);
  return operands;
}

void require_like(const Tensor& given, const TensorSpec& expected, const std::string& what) {
  if (given.is_empty())
    return;
  TensorSpec own{given.dtype(), given.shape()};
  bool agrees = own.dtype == expected.dtype && own.shape.size() == expected.shape.size();
  for (size_t dim = 0; agrees && dim < own.shape.size(); ++dim)
    agrees = own.shape[dim] == expected.shape[dim] || !own.shape[dim].is_constant() ||
             !expected.shape[dim].is_constant();
  if (!agrees)
    fail(ErrorKind::value, "tangent-mismatch",
         what + ": expected " + describe(expected) + ", but got " + describe(own));
}

/// Of a list its leaves.
TensorSpec spec_of(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return {ir::dtype_of(type), ir::shape_of(type)};
}

} // namespace

/// The program lives in the context of the trace that made it. Elsewhere it is read from its text.
struct LinearFunction::Part {
  std::shared_ptr<mlir::MLIRContext> context;
  transform::LinearProgram program;
  std::vector<TensorSpec> arguments, results;

  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() { program.region.reset(); } // before the context

  /// The program in the context of a trace.
  transform::LinearProgram in(mlir::MLIRContext* target) const {
    transform::LinearProgram copied;
    copied.residuals = program.residuals;
    copied.arguments = program.arguments;
    copied.results = program.results;
    copied.region = std::make_unique<mlir::Region>();
    mlir::IRMapping map;
    if (target == context.get()) {
      program.region->cloneInto(copied.region.get(), map);
      return copied;
    }
    mlir::OwningOpRef<mlir::ModuleOp> read =
        mlir::parseSourceString<mlir::ModuleOp>(text(), target);
    KOLAM_CHECK(read);
    auto main = llvm::cast<mlir::func::FuncOp>(read->getBody()->front());
    copied.region->takeBody(main.getBody());
    mlir::Operation* end = copied.region->front().getTerminator();
    mlir::OpBuilder b(end);
    ir::YieldOp::create(b, end->getLoc(), end->getOperands());
    end->erase();
    return copied;
  }

  /// What `make` gives of the residuals and what is given like `given`, in a program of its own:
  /// one for each key. Extents that only the first run knew are symbols.
  Program compiled(const std::string& key, std::string_view function,
                   const std::vector<TensorSpec>& given, Operand::Here where,
                   const TraceBody& make) const {
    std::lock_guard lock(mutex_);
    auto found = compiled_.find(key);
    if (found != compiled_.end())
      return found->second;
    std::vector<TensorSpec> specs;
    for (mlir::BlockArgument residual :
         program.region->getArguments().take_front(program.residuals))
      specs.push_back(spec_of(residual.getType()));
    specs.insert(specs.end(), given.begin(), given.end());
    Program made = trace(specs, [&](std::vector<Tensor> parameters) {
      return apply_traced(function, operands_of(parameters, where), make);
    });
    expect_single_calls(made);
    compiled_.emplace(key, made);
    return made;
  }

private:
  const std::string& text() const {
    std::call_once(printed_, [&] {
      mlir::OpBuilder b(context.get());
      mlir::Location loc = b.getUnknownLoc();
      mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
      b.setInsertionPointToEnd(module->getBody());
      mlir::Block& block = program.region->front();
      auto end = block.getTerminator();
      auto main = mlir::func::FuncOp::create(
          b, loc, "main", b.getFunctionType(block.getArgumentTypes(), end->getOperandTypes()));
      mlir::IRMapping map;
      program.region->cloneInto(&main.getBody(), map);
      mlir::Operation* copied_end = main.getBody().front().getTerminator();
      mlir::OpBuilder at_end(copied_end);
      mlir::func::ReturnOp::create(at_end, copied_end->getLoc(), copied_end->getOperands());
      copied_end->erase();
      llvm::raw_string_ostream out(text_);
      mlir::OpPrintingFlags flags;
      flags.enableDebugInfo(true);
      module->print(out, flags);
    });
    return text_;
  }

  mutable std::once_flag printed_;
  mutable std::string text_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Program> compiled_;
};

namespace {

/// `make` of the residuals and `given`: in the trace that is running, or in a program of its own,
/// which is the same wherever `given` has the same dtypes and shapes, but for extents that are no
/// numbers in `shapes`, those that the linear program has. `key` says what else tells programs
/// apart.
Leaves with_residuals(const LinearFunction::Part& part, const Leaves& residuals,
                      std::string_view function, const Leaves& given,
                      const std::vector<Shape>& shapes, std::string key, Operand::Here where,
                      const TraceBody& make) {
  Leaves all = residuals;
  all.insert(all.end(), given.begin(), given.end());
  if (Trace::current() || llvm::any_of(all, [](const Tensor& each) { return each.is_traced(); }))
    return apply_traced(function, operands_of(all, where), make);
  CallScope scope(function, to_location(where));
  std::vector<Array> arrays;
  for (const Tensor& tensor : all)
    arrays.push_back(tensor.array());
  std::vector<TensorSpec> specs;
  key += function;
  for (size_t number = 0; number < given.size(); ++number) {
    specs.push_back({given[number].dtype(), given[number].shape()});
    for (size_t dim = 0; dim < shapes[number].size(); ++dim)
      if (!shapes[number][dim].is_constant())
        specs.back().shape[dim] =
            Extent::symbol("given" + std::to_string(number) + "_" + std::to_string(dim));
    key += describe(specs.back());
  }
  Leaves results;
  for (Array& array : part.compiled(key, function, specs, where, make).run(std::move(arrays)))
    results.emplace_back(std::move(array));
  return results;
}

/// Makes tangents of these types arguments of a linear program whose extents have other names: once
/// its first ops have bound these.
void take_tangents(transform::LinearProgram& program, const Values& tangents) {
  mlir::Block& block = program.region->front();
  auto first = block.begin();
  while (llvm::isa<ir::BindExtentOp>(*first))
    ++first;
  language::Builder b(block.getTerminator()->getLoc(), block.getTerminator()->getContext());
  b.setInsertionPoint(&block, first);
  for (auto [argument, tangent] :
       llvm::zip_equal(block.getArguments().drop_front(program.residuals), tangents)) {
    mlir::Type own = argument.getType();
    if (llvm::isa<ir::ListType>(own) || own == tangent.getType())
      continue;
    argument.setType(tangent.getType());
    mlir::Value fitting = language::with_shape(b, argument, ir::shape_of(own));
    argument.replaceAllUsesExcept(fitting, fitting.getDefiningOp());
  }
}

} // namespace

LinearisedLeaves linearise(std::string_view function, const Leaves& primals,
                           const LeavesFunction& body, Operand::Here where, Residuals residuals) {
  CallScope scope(function, to_location(where));
  require_floats(function, primals);
  auto part = std::make_shared<LinearFunction::Part>();
  for (const Tensor& primal : primals)
    part->arguments.push_back({primal.dtype(), primal.shape()});
  size_t results = 0;
  const bool outlive = residuals == Residuals::outliving || !Trace::current();
  Leaves made =
      apply_traced(function, operands_of(primals, where), [&](Trace& trace, const Values& values) {
        Trace::Region region = recorded(trace, types_of(values), body);
        Values given = given_to(region, values);
        transform::Linearised linearised =
            transform::linearise(trace.builder(), *region.region, given,
                                 first_active(values.size(), given.size()), symbols_of(trace));
        if (outlive)
          linearised = transform::with_array_residuals(trace.builder(), std::move(linearised),
                                                       symbols_of(trace));
        results = linearised.results.size();
        for (mlir::Value result : linearised.results)
          part->results.push_back(spec_of(result.getType()));
        part->program = std::move(linearised.linear);
        part->context = trace.context();
        Values all = linearised.results;
        all.insert(all.end(), linearised.residuals.begin(), linearised.residuals.end());
        return all;
      });
  Leaves kept(made.begin() + static_cast<int64_t>(results), made.end());
  made.resize(results);
  return {std::move(made), LinearFunction(std::move(part), std::move(kept))};
}

Leaves LinearFunction::forward(const Leaves& tangents, Operand::Here where,
                               const Names& names) const {
  CallScope scope("linearize", to_location(where));
  const Part& part = *part_;
  if (tangents.size() != part.arguments.size())
    fail(ErrorKind::value, "tangent-mismatch",
         "expected " + std::to_string(part.arguments.size()) + " tangents, but got " +
             std::to_string(tangents.size()));
  Leaves given;
  std::vector<Shape> shapes;
  std::string mask;
  auto arguments = part.program.region->getArguments().drop_front(part.program.residuals);
  for (size_t number = 0; number < tangents.size(); ++number) {
    require_like(tangents[number], part.arguments[number], name_of(names, number, "tangent"));
    mask += tangents[number].is_empty() ? '0' : '1';
    if (tangents[number].is_empty())
      continue;
    given.push_back(tangents[number]);
    shapes.push_back(spec_of(arguments[number].getType()).shape);
  }
  Leaves made = with_residuals(
      part, residuals_, "linearize", given, shapes, mask, where,
      [&](Trace& trace, const Values& values) {
        language::Builder& b = trace.builder();
        transform::LinearProgram program = part.in(b.getContext());
        mlir::ValueRange all(values);
        size_t next = program.residuals;
        Values directions;
        for (auto [tangent, spec] : llvm::zip(tangents, part.arguments))
          directions.push_back(
              tangent.is_empty()
                  ? transform::zeros(b, language::tensor_type(b, spec.dtype, spec.shape))
                  : all[next++]);
        take_tangents(program, directions);
        return transform::apply_linear(b, program, all.take_front(program.residuals), directions,
                                       symbols_of(trace));
      });
  Leaves results;
  size_t next = 0;
  for (size_t number = 0; number < part.results.size(); ++number)
    if (llvm::is_contained(part.program.results, number))
      results.push_back(made[next++]);
    else if (is_float(part.results[number].dtype))
      results.push_back(zeros(part.results[number].shape, part.results[number].dtype, where));
    else
      results.emplace_back();
  return results;
}

Leaves LinearFunction::transposed(const Leaves& cotangents, Operand::Here where,
                                  const Names& names) const {
  CallScope scope("vjp", to_location(where));
  const Part& part = *part_;
  if (cotangents.size() != part.results.size())
    fail(ErrorKind::value, "tangent-mismatch",
         "expected " + std::to_string(part.results.size()) + " cotangents, but got " +
             std::to_string(cotangents.size()));
  Leaves given;
  std::vector<Shape> shapes;
  std::vector<std::optional<size_t>> places;
  std::string mask;
  mlir::ValueRange yielded = part.program.region->front().getTerminator()->getOperands();
  for (auto [number, tangent] : llvm::zip_equal(part.program.results, yielded)) {
    require_like(cotangents[number], part.results[number], name_of(names, number, "cotangent"));
    places.push_back(cotangents[number].is_empty() ? std::nullopt : std::optional(given.size()));
    mask += places.back() ? '1' : '0';
    if (!places.back())
      continue;
    given.push_back(cotangents[number]);
    shapes.push_back(spec_of(tangent.getType()).shape);
  }
  return with_residuals(
      part, residuals_, "vjp", given, shapes, mask, where, [&](Trace& trace, const Values& values) {
        language::Builder& b = trace.builder();
        transform::LinearProgram program = part.in(b.getContext());
        Values received;
        for (const std::optional<size_t>& place : places)
          received.push_back(place ? values[program.residuals + *place] : mlir::Value());
        Values results = transform::transpose_linear(
            b, program, mlir::ValueRange(values).take_front(program.residuals), received,
            symbols_of(trace));
        auto tangents = program.region->getArguments().drop_front(program.residuals);
        for (auto [result, tangent] : llvm::zip(results, tangents))
          if (!result)
            result = transform::zeros(b, tangent.getType());
        return results;
      });
}

/// What the derivative within a limit makes, as one op, of which further derivatives are those of
/// what it makes without one: within limits sums over steps have other parts (see Note [Parts] in
/// transform/derive/transposition.cpp), whose derivatives would differ in rounding. As ops where
/// results have extents that only these bind.
static Values as_one_op(language::Builder& b, mlir::Region& body, const Values& given,
                        const transform::NewSymbol& new_symbol, const Derive& within_limit,
                        const Derive& without) {
  mlir::TypeRange types = mlir::ValueRange(given).getTypes();
  auto plain = language::make_region(b, types, [&](const Values& own) {
    auto copied = transform::lists::renamed(body, new_symbol);
    return without(b, *copied, own);
  });
  auto limited = language::make_region(
      b, types, [&](const Values& own) { return within_limit(b, body, own); });
  mlir::TypeRange results = limited->front().getTerminator()->getOperandTypes();
  if (results != plain->front().getTerminator()->getOperandTypes())
    return language::inlined(b, *limited, given);
  auto op = ir::CompositeOp::create(b, results, transform::kWithinLimit, given, 1U);
  op.getBody().takeBody(*limited);
  op.getRules()[0].takeBody(*plain);
  return {op->result_begin(), op->result_end()};
}

Gradients gradients(std::string_view function, const Leaves& primals, const LeavesFunction& body,
                    Operand::Here where, std::optional<int64_t> memory_limit) {
  CallScope scope(function, to_location(where));
  require_floats(function, primals);
  size_t results = 0;
  Leaves made =
      apply_traced(function, operands_of(primals, where), [&](Trace& trace, const Values& values) {
        Trace::Region region = recorded(trace, types_of(values), body);
        auto derive = [&](language::Builder& b, mlir::Region& own, const Values& given) {
          transform::Linearised linearised = transform::linearise(
              b, own, given, first_active(values.size(), given.size()), symbols_of(trace));
          for (mlir::Value residual : linearised.residuals)
            transform::DerivativeNotes::add_kept(residual, 1);
          Values all = linearised.results;
          results = all.size();
          Values cotangents;
          for (size_t number : linearised.linear.results)
            cotangents.push_back(number == 0 ? language::weak_constant(b, 1.0, ir::dtype_of(all[0]))
                                             : mlir::Value());
          Values found = transform::transpose_linear(b, linearised.linear, linearised.residuals,
                                                     cotangents, symbols_of(trace));
          for (auto [number, gradient] : llvm::enumerate(found))
            all.push_back(gradient ? gradient : transform::zeros_like(b, given[number]));
          return all;
        };
        auto derive_within = [&](std::optional<int64_t> limit) {
          return [&derive, &trace, limit](language::Builder& b, mlir::Region& own,
                                          const Values& given) {
            transform::DerivativeNotes notes;
            if (limit)
              keep_within(*limit, b, own, given, derive, symbols_of(trace));
            Values made = derive(b, own, given);
            for (mlir::Value value : made)
              if (mlir::Operation* op = value.getDefiningOp()) {
                notes.attach(op);
                break;
              }
            return made;
          };
        };
        language::Builder& b = trace.builder();
        const Values given = given_to(region, values);
        if (memory_limit && language::KeepComposites::keeps())
          return as_one_op(b, *region.region, given, symbols_of(trace), derive_within(memory_limit),
                           derive_within(std::nullopt));
        return derive_within(memory_limit)(b, *region.region, given);
      });
  const auto split = made.begin() + static_cast<int64_t>(results);
  return {Leaves(made.begin(), split), Leaves(split, made.end())};
}

Pushed push_forward(std::string_view function, const Leaves& primals, const Leaves& tangents,
                    const LeavesFunction& body, Operand::Here where, const Names& names) {
  CallScope scope(function, to_location(where));
  require_floats(function, primals);
  Leaves all = primals;
  for (size_t number = 0; number < tangents.size(); ++number) {
    require_like(tangents[number], {primals[number].dtype(), primals[number].shape()},
                 name_of(names, number, "tangent"));
    if (!tangents[number].is_empty())
      all.push_back(tangents[number]);
  }
  size_t results = 0;
  std::vector<bool> has_tangent;
  Leaves made =
      apply_traced(function, operands_of(all, where), [&](Trace& trace, const Values& values) {
        language::Builder& b = trace.builder();
        Values own(values.begin(), values.begin() + static_cast<int64_t>(primals.size()));
        Trace::Region region = recorded(trace, types_of(own), body);
        Values given = given_to(region, own);
        Values directions;
        size_t next = primals.size();
        for (const Tensor& tangent : tangents)
          directions.push_back(tangent.is_empty() ? mlir::Value() : values[next++]);
        directions.resize(given.size());
        transform::Pushed pushed =
            transform::push_forward(b, *region.region, given, directions, symbols_of(trace));
        results = pushed.results.size();
        Values given_back = pushed.results;
        for (auto [result, tangent] : llvm::zip(pushed.results, pushed.tangents)) {
          has_tangent.push_back(is_float(spec_of(result.getType()).dtype));
          if (has_tangent.back())
            given_back.push_back(tangent ? tangent : transform::zeros_like(b, result));
        }
        return given_back;
      });
  Pushed pushed;
  pushed.results.assign(made.begin(), made.begin() + static_cast<int64_t>(results));
  size_t next = results;
  for (bool has : has_tangent)
    pushed.tangents.push_back(has ? made[next++] : Tensor());
  return pushed;
}

Leaves transpose_linear(const Leaves& like, const LeavesFunction& body, const Leaves& cotangents,
                        const std::function<Received()>& received, Operand::Here where) {
  CallScope scope("linear_transpose", to_location(where));
  Leaves given;
  for (const Tensor& cotangent : cotangents)
    if (!cotangent.is_empty())
      given.push_back(cotangent);
  return apply_traced(
      "linear_transpose", operands_of(given, where), [&](Trace& trace, const Values& values) {
        language::Builder& b = trace.builder();
        Values arguments;
        llvm::SmallVector<mlir::Type> types;
        for (const Tensor& tensor : like) {
          types.push_back(language::tensor_type(b, tensor.dtype(), tensor.shape()));
          arguments.push_back(transform::zeros(b, types.back()));
        }
        Trace::Region region = recorded(trace, types, body);
        Values all = given_to(region, arguments);
        transform::Linearised made = transform::as_linear(
            b, *region.region, all, first_active(arguments.size(), all.size()), symbols_of(trace));
        const Received found = received();
        KOLAM_CHECK(found.places.size() == made.results.size());
        Values cotangent_values;
        for (size_t number : made.linear.results) {
          const std::optional<size_t> place = found.places[number];
          cotangent_values.push_back(place ? values[*place] : mlir::Value());
          if (place)
            require_like(given[*place], spec_of(made.results[number].getType()),
                         name_of(found.names, number, "cotangent"));
        }
        Values results = transform::transpose_linear(b, made.linear, made.residuals,
                                                     cotangent_values, symbols_of(trace));
        for (auto [result, type] : llvm::zip(results, types))
          if (!result)
            result = transform::zeros(b, type);
        return results;
      });
}

} // namespace kolam::detail
