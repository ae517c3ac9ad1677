// Calls functions of the host for what they do, not for what they give.
#include "kolam/frontend/array/debug.h"

#include "kolam/frontend/array/check_text.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/runtime/host_functions.h"

#include <iostream>
#include <map>
#include <mutex>

namespace kolam::debug {
namespace {

std::vector<Array> print_line(const std::vector<std::string>& texts,
                              std::span<const Array> values) {
  std::vector<std::string> shown;
  for (const Array& value : values)
    shown.push_back(value.to_string());
  const std::string line = detail::filled(texts, shown);
  static std::mutex* const mutex = new std::mutex; // lines stay whole
  std::lock_guard lock(*mutex);
  std::cout << line << std::endl;
  return {};
}

/// One for each format, as it is kept for the life of the process.
const HostFunction& printer(const std::string& format, size_t count) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const printers = new std::map<std::string, HostFunction>;
  std::vector<std::string> texts = detail::texts_between(format, count);
  std::lock_guard lock(*mutex);
  auto found = printers->find(format);
  if (found == printers->end())
    found = printers
                ->emplace(format, HostFunction([texts](std::span<const Array> values) {
                            return print_line(texts, values);
                          }))
                .first;
  return found->second;
}

SourceLocation line_of(const Operands& inputs) {
  return inputs.values().empty() ? SourceLocation{} : inputs.values()[0].where();
}

void call(std::string_view function, const HostFunction& f, const Operands& inputs) {
  CallScope scope(function, line_of(inputs));
  if (Trace* trace = Trace::current()) {
    if (trace->kind() == BodyKind::cells)
      fail(ErrorKind::value, "host-function-result",
           "expected no functions of the host in a body over single elements, but got one; call it "
           "on the whole arrays around the body");
    opaque_call(f, inputs, {});
    return;
  }
  std::vector<Array> arrays;
  for (const Operand& input : inputs.values()) {
    auto* tensor = std::get_if<Tensor>(&input.value());
    arrays.push_back(tensor ? tensor->array() : full({}, input).array());
  }
  runtime::call_host_function(f.name(), arrays, {});
}

} // namespace

void callback(const HostFunction& f, const Operands& inputs) { call("debug::callback", f, inputs); }

void print(const std::string& format, const Operands& inputs) {
  CallScope scope("debug::print", line_of(inputs));
  call("debug::print", printer(format, inputs.values().size()), inputs);
}

} // namespace kolam::debug
