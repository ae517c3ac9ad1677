// Programs of single calls by the arguments of these.
#include "known_call.h"

#include "buffer.h"
#include "registered.h"
#include "run_program.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

namespace kolam::python {
namespace {

/// A program, which argument of a call each of its own is, and whether its results are a tuple.
struct Known {
  Program program;
  std::vector<size_t> arguments;
  bool is_tuple;
  std::vector<nb::object> held;
};

/// Programs by the keys of calls. Keeping one takes memory and as long as some twenty calls, so a
/// call must have been made before: numbers that are others each time make keys that are met once.
/// The interpreter's lock guards it.
class KnownCalls {
public:
  /// Null where no program is kept for the key.
  std::shared_ptr<const Known> find(const std::string& key) const {
    auto found = programs_.find(key);
    return found == programs_.end() ? nullptr : found->second;
  }

  /// Counts a call without a program; whether it is to keep its own.
  bool count(const std::string& key) {
    if (counts_.size() >= kMostCounted)
      counts_.clear();
    const int calls = ++counts_[std::hash<std::string>()(key)];
    return calls >= (programs_.size() < kMostKept ? kFewCalls : kManyCalls);
  }

  void keep(const std::string& key, Known known) {
    if (programs_.size() >= kMostKept && !programs_.contains(key)) {
      programs_.erase(order_.front());
      order_.pop_front();
    }
    auto [place, is_new] =
        programs_.insert_or_assign(key, std::make_shared<const Known>(std::move(known)));
    if (is_new)
      order_.push_back(key);
  }

private:
  static constexpr size_t kMostKept = 256;     // bound: each is about 150 KB
  static constexpr size_t kMostCounted = 4096; // bound
  static constexpr int kFewCalls = 3;          // assumed: what is called so often is called again
  static constexpr int kManyCalls = 50;        // assumed: worth another's program
  std::unordered_map<std::string, std::shared_ptr<const Known>> programs_;
  std::deque<std::string> order_; ///< the oldest first
  std::unordered_map<size_t, int> counts_;
};

KnownCalls& known_calls() {
  static auto* const calls = new KnownCalls; // arrays outlive the interpreter
  return *calls;
}

constexpr size_t kLongestKey = 512; // bound: lists of numbers are data

bool is_array(nb::handle value) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<Array>().ptr());
  return Py_TYPE(value.ptr()) == type;
}

/// Whether a type or another object that is equal to itself alone.
bool is_identity(nb::handle value) {
  PyTypeObject* type = Py_TYPE(value.ptr());
  const auto& dtypes = registered().dtypes;
  return type == &PyType_Type || value.ptr() == Py_Ellipsis ||
         std::ranges::any_of(dtypes, [&](const nb::object& dtype) { return dtype.is(value); });
}

} // namespace

KnownCall::KnownCall(const void* function) : is_known_by_types_(!kolam::detail::is_tracing()) {
  add_number(reinterpret_cast<int64_t>(function));
}

void KnownCall::add_number(int64_t number) {
  key_.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void KnownCall::add_array(const Array& array) {
  is_known_by_types_ &= array && array.size() > 0; // memory tells arrays apart
  if (!is_known_by_types_)
    return;
  auto same = std::ranges::find(arrays_, array.data(), &Array::data);
  if (same != arrays_.end()) {
    is_known_by_types_ = same->dtype() == array.dtype() && same->shape() == array.shape();
    key_ += 'd';
    return add_number(same - arrays_.begin());
  }
  key_ += 'a';
  key_ += static_cast<char>(array.dtype());
  add_number(array.rank());
  for (int64_t extent : array.shape())
    add_number(extent);
  arrays_.push_back(array);
}

void KnownCall::add_all(nb::handle sequence) {
  add_number(static_cast<int64_t>(PySequence_Fast_GET_SIZE(sequence.ptr())));
  for (Py_ssize_t i = 0; is_known_by_types_ && i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i)
    add(nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), i)));
}

void KnownCall::add(nb::handle argument) {
  if (!is_known_by_types_)
    return;
  PyObject* value = argument.ptr();
  PyTypeObject* type = Py_TYPE(value);
  is_known_by_types_ = key_.size() < kLongestKey;
  if (is_array(argument)) {
    add_array(*nb::inst_ptr<Array>(argument));
  } else if (argument.is_none() || type == &PyBool_Type) {
    key_ += argument.is_none() ? 'N' : value == Py_True ? 'T' : 'F';
  } else if (type == &PyFloat_Type) {
    key_ += 'D';
    add_number(std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(value)));
  } else if (type == &PyLong_Type) {
    int overflow = 0;
    key_ += 'I';
    add_number(PyLong_AsLongLongAndOverflow(value, &overflow));
    is_known_by_types_ &= overflow == 0;
  } else if (type == &PyUnicode_Type) {
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value, &length);
    is_known_by_types_ &= text != nullptr;
    if (!text)
      return PyErr_Clear(); // half a character
    key_ += 'S';
    add_number(length);
    key_.append(text, static_cast<size_t>(length));
  } else if (type == &PyTuple_Type || type == &PyList_Type) {
    // One that holds itself ends where keys are longest.
    key_ += type == &PyTuple_Type ? '(' : '[';
    add_all(argument);
  } else if (type == &PySlice_Type) {
    key_ += ':';
    auto* slice = reinterpret_cast<PySliceObject*>(value);
    for (PyObject* part : {slice->start, slice->stop, slice->step})
      add(nb::handle(part));
  } else if (is_identity(argument)) {
    key_ += 'O';
    add_number(reinterpret_cast<int64_t>(value));
    held_.push_back(nb::borrow(argument));
  } else if (auto array = array_of_numpy(argument)) {
    add_array(*array);
  } else {
    is_known_by_types_ = false;
  }
}

void KnownCall::add(nb::handle name, nb::handle argument) {
  key_ += '=';
  add(name);
  add(argument);
}

nb::object KnownCall::run() {
  if (!is_known_by_types_)
    return {};
  // It lives through the run, in which others may take its place.
  const std::shared_ptr<const Known> known = known_calls().find(key_);
  if (!known) {
    if (known_calls().count(key_))
      runs_.emplace();
    return {};
  }
  std::vector<Array> arrays;
  for (size_t argument : known->arguments)
    arrays.push_back(arrays_[argument]);
  try {
    std::vector<Array> results = run_program(known->program, arrays, Backend::cpu);
    if (!known->is_tuple)
      return to_python(std::move(results[0]));
    nb::list objects;
    for (Array& result : results)
      objects.append(to_python(std::move(result)));
    return nb::tuple(objects);
  } catch (const Error&) {
    return {};
  }
}

nb::object KnownCall::keep(nb::object result) {
  const kolam::detail::RunAtOnce* run = runs_ ? runs_->only() : nullptr;
  if (!run)
    return result;
  const bool is_tuple = PyTuple_CheckExact(result.ptr());
  std::vector<const void*> made;
  auto add_made = [&](nb::handle object) {
    made.push_back(is_array(object) ? nb::inst_ptr<Array>(object)->data() : nullptr);
  };
  if (is_tuple)
    for (nb::handle object : nb::borrow<nb::tuple>(result))
      add_made(object);
  else
    add_made(result);
  if (made != run->results || std::ranges::count(made, nullptr) > 0)
    return result;

  std::vector<size_t> arguments;
  std::vector<bool> is_used(arrays_.size());
  for (const void* memory : run->arguments) {
    auto found = std::ranges::find(arrays_, memory, &Array::data);
    if (found == arrays_.end())
      return result; // it was made on the way
    arguments.push_back(found - arrays_.begin());
    is_used[arguments.back()] = true;
  }
  if (std::ranges::count(is_used, false) > 0)
    return result; // its elements may have decided something
  kolam::detail::expect_repeated_calls(run->program);
  known_calls().keep(key_, {run->program, std::move(arguments), is_tuple, std::move(held_)});
  return result;
}

} // namespace kolam::python
