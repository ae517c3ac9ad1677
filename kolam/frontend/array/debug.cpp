// Calls functions of the host for what they do, not for what they give.
#include "kolam/frontend/array/debug.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/runtime/host_functions.h"

#include <iostream>
#include <map>
#include <mutex>

namespace kolam::debug {
namespace {

/// The texts between the values. Throws `[bad-format]`.
std::vector<std::string> texts_of(const std::string& format, size_t count) {
  std::vector<std::string> texts(1);
  for (size_t i = 0; i < format.size(); ++i) {
    char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if ((format[i] == '{' || format[i] == '}') && next == format[i]) {
      texts.back() += format[i++];
    } else if (format[i] == '{' && next == '}') {
      texts.emplace_back();
      ++i;
    } else if (format[i] == '{' || format[i] == '}') {
      fail(ErrorKind::value, "bad-format",
           "expected {} for a value and {{ or }} for a brace, but got '" + format + "'");
    } else {
      texts.back() += format[i];
    }
  }
  if (texts.size() != count + 1)
    fail(ErrorKind::value, "bad-format",
         "expected one {} for each of " + std::to_string(count) + " values, but got '" + format +
             "'");
  return texts;
}

std::vector<Array> print_line(const std::vector<std::string>& texts,
                              std::span<const Array> values) {
  std::string line = texts[0];
  for (size_t i = 0; i < values.size(); ++i)
    line += values[i].to_string() + texts[i + 1];
  static std::mutex* const mutex = new std::mutex; // lines stay whole
  std::lock_guard lock(*mutex);
  std::cout << line << std::endl;
  return {};
}

/// One for each format, as it is kept for the life of the process.
const HostFunction& printer(const std::string& format, size_t count) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const printers = new std::map<std::string, HostFunction>;
  std::vector<std::string> texts = texts_of(format, count);
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
