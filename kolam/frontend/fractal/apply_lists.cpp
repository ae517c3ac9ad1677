// Runs functions on lists, traced or at once.
#include "kolam/frontend/fractal/apply_lists.h"

#include "kolam/frontend/array/program_state.h"
#include "kolam/ir/location.h"
#include "kolam/language/lists.h"
#include "kolam/support/machine.h"

namespace kolam::fractal {
namespace {

using TraceBody = std::function<language::Values(Trace&, const language::Values&)>;

/// How the user reaches lists that were zipped; none where none was.
std::vector<std::string> paths_of(const Data& operands) {
  std::vector<std::string> paths;
  for (const Datum& datum : operands) {
    auto* list = std::get_if<List>(&datum);
    paths.push_back(list ? list->path() : "");
  }
  bool has_any = llvm::any_of(paths, [](const std::string& path) { return !path.empty(); });
  return has_any ? paths : std::vector<std::string>();
}

language::Values record(Trace& trace, const Data& operands, const TraceBody& body) {
  language::Builder& b = trace.builder();
  trace.locate();
  if (std::vector<std::string> paths = paths_of(operands); !paths.empty())
    b.setLoc(ir::with_paths(b.getLoc(), paths));
  language::LocationNote function(b, std::string(CallScope::current_function()));
  language::Values values;
  for (const Datum& datum : operands)
    values.push_back(value_of(trace, datum));
  return body(trace, values);
}

/// The arrays of a program's arguments and what describes them; extents that lists count are
/// symbols, so that one program serves all lengths.
struct Arguments {
  std::vector<TensorSpec> specs;
  std::vector<Array> arrays;

  void add(const Array& array) {
    specs.push_back({array.dtype(), Shape(array.shape().begin(), array.shape().end())});
    arrays.push_back(array);
  }
  void add_counted(const Array& array) {
    add(array);
    specs.back().shape[0] = Extent::symbol("n" + std::to_string(specs.size() - 1));
  }
  void add(const Datum& datum) {
    if (auto* tensor = std::get_if<Tensor>(&datum))
      return add(tensor->array());
    const runtime::List& list = std::get<List>(datum).host();
    add_counted(list.leaves());
    for (int64_t level = 1; level < list.depth(); ++level)
      add_counted(list.offsets(level));
  }
};

/// `datum` made of the next parameters.
Datum next_parameter(Trace& trace, const Datum& datum, const std::vector<Tensor>& parameters,
                     size_t& next) {
  if (std::holds_alternative<Tensor>(datum))
    return parameters[next++];
  mlir::Value leaves = trace.value_of(parameters[next++]);
  language::Values offsets;
  for (int64_t level = 1; level < std::get<List>(datum).depth(); ++level)
    offsets.push_back(trace.value_of(parameters[next++]));
  return wrap(trace, language::pack(trace.builder(), leaves, offsets));
}

Data run_at_once(const Data& operands, const TraceBody& body) {
  Arguments arguments;
  int64_t bytes = 0;
  for (const Datum& datum : operands)
    arguments.add(datum);
  for (const Array& array : arguments.arrays)
    bytes += array.byte_count();
  std::vector<int64_t> depths; // of results; 0 for tensors
  Program program = trace(arguments.specs, [&](const std::vector<Tensor>& parameters) {
    Trace& trace = *Trace::current();
    trace.locate();
    Data given;
    size_t next = 0;
    for (const Datum& datum : operands)
      given.push_back(next_parameter(trace, datum, parameters, next));
    std::vector<Tensor> results;
    for (mlir::Value value : record(trace, given, body)) {
      auto type = llvm::dyn_cast<ir::ListType>(value.getType());
      depths.push_back(type ? type.depth() : 0);
      language::Values parts{value};
      if (type)
        parts = language::unpack(trace.builder(), value, trace.new_symbols(type.depth()));
      for (mlir::Value part : parts)
        results.push_back(trace.wrap(part));
    }
    return results;
  });
  std::vector<Array> arrays = program.run(
      arguments.arrays, bytes < kCalls.interpreted_list_bytes ? Backend::interpret : Backend::cpu);
  Data results;
  auto array = arrays.begin();
  for (int64_t depth : depths) {
    if (depth == 0) {
      results.push_back(Tensor(*array++));
      continue;
    }
    Array leaves = *array++;
    std::vector<Array> offsets(array, array + depth - 1);
    array += depth - 1;
    results.push_back(List(runtime::List::from_offsets(leaves, offsets)));
  }
  return results;
}

bool is_traced(const Datum& datum) {
  return std::visit([](const auto& value) { return value.is_traced(); }, datum);
}

void refuse_empty(const Data& operands) {
  for (const Datum& datum : operands)
    if (std::visit([](const auto& value) { return value.is_empty(); }, datum))
      fail(ErrorKind::value, "empty-tensor", "expected a list or tensor, but got an empty handle");
}

} // namespace

Data apply_lists(std::string_view function, const Data& operands, Here where,
                 const TraceBody& body) {
  CallScope scope(function, {where.file_name(), static_cast<int>(where.line())});
  refuse_empty(operands);
  if (Trace* current = Trace::current()) {
    Data results;
    for (mlir::Value value : record(*current, operands, body))
      results.push_back(wrap(*current, value));
    return results;
  }
  if (llvm::any_of(operands, is_traced))
    fail(ErrorKind::runtime, "escaped-tracer",
         "expected a list with elements, but got a traced one that outlived its trace; return it "
         "from the traced function instead of storing it");
  return run_at_once(operands, body);
}

Datum wrap(Trace& trace, mlir::Value value) {
  Tensor tensor = trace.wrap(value);
  if (llvm::isa<ir::ListType>(value.getType()))
    return List(tensor.traced());
  return tensor;
}

mlir::Value value_of(Trace& trace, const Datum& datum) {
  if (auto* tensor = std::get_if<Tensor>(&datum))
    return trace.value_of(*tensor);
  const List& list = std::get<List>(datum);
  if (list.is_traced()) {
    trace.require_open(*list.traced());
    return list.traced()->value;
  }
  language::Values offsets;
  for (int64_t level = 1; level < list.depth(); ++level)
    offsets.push_back(trace.value_of(Tensor(list.host().offsets(level))));
  return language::pack(trace.builder(), trace.value_of(Tensor(list.host().leaves())), offsets);
}

language::Body record_body(Trace& trace, mlir::TypeRange types, const language::Values& lists,
                           const std::function<Data(const Data&)>& body) {
  Trace::Region region = trace.region(types, [&](const std::vector<Tensor>& arguments) {
    Data data;
    for (const Tensor& argument : arguments)
      data.push_back(wrap(trace, argument.traced()->value));
    for (size_t number = 0; number < lists.size(); ++number)
      trace.note_element(arguments[arguments.size() - lists.size() + number].traced()->value,
                         lists[number]);
    std::vector<Tensor> results;
    for (const Datum& result : body(data))
      results.push_back(trace.wrap(value_of(trace, result)));
    return results;
  });
  return {std::move(region.region), std::move(region.captures)};
}

} // namespace kolam::fractal
