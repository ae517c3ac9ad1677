// Finds the compiled program of a call without a detour through Python.
#include "buffer.h"
#include "convert.h"
#include "lists.h"
#include "modules.h"
#include "run_program.h"

#include "kolam/runtime/list.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kolam::python {
namespace {

/// How many containers may lie in one another (kolam/pytree.py).
constexpr int kDeepest = 100;

/// Types that are pytrees because users said so (kolam/_pytree_types.py). The interpreter's lock
/// guards it.
std::unordered_set<PyTypeObject*>& registered_types() {
  static auto* const types = new std::unordered_set<PyTypeObject*>;
  return *types;
}
bool is_registered(PyTypeObject* type) {
  return !registered_types().empty() && registered_types().contains(type);
}

/// A dataclass, with the names of its fields in order, or a type of named tuples.
struct Record {
  nb::object type; ///< held, so that no other type gets its address
  bool is_tuple;
  std::vector<nb::object> fields; ///< of a dataclass
};

/// The records that calls of one function have had, by type.
class Records {
public:
  /// Null for a type of another kind; those that are registered Python takes apart.
  const Record* find(PyTypeObject* type) {
    if (is_registered(type))
      return nullptr;
    if (auto found = records_.find(type); found != records_.end())
      return &found->second;
    nb::handle object(reinterpret_cast<PyObject*>(type));
    bool is_tuple = PyType_IsSubtype(type, &PyTuple_Type) && nb::hasattr(object, "_fields");
    if (!is_tuple &&
        (PyType_IsSubtype(type, &PyDict_Type) || !nb::hasattr(object, "__dataclass_fields__")))
      return nullptr;
    Record record{nb::borrow(object), is_tuple, {}};
    if (!is_tuple)
      for (nb::handle field : nb::module_::import_("dataclasses").attr("fields")(object)) {
        if (nb::cast<bool>(field.attr("metadata").attr("get")("static", false)))
          return nullptr; // a value, which Python compares
        record.fields.push_back(field.attr("name"));
      }
    return &records_.emplace(type, std::move(record)).first->second;
  }

private:
  std::unordered_map<PyTypeObject*, Record> records_;
};

/// What an option of jit says of an argument.
struct Option {
  bool is_static = false;       ///< a value, not arrays
  std::vector<int64_t> dynamic; ///< dims of its arrays whose extents are not part of the signature
};

/// Writes down what decides which program a call runs, and collects its arrays. What it does not
/// know, it leaves to the walk in Python (`kolam.pytree`), which knows all kinds of arguments.
class Signature {
public:
  Signature(std::string& key, std::vector<Array>& arrays, Records& records)
      : key_(key), arrays_(arrays), records_(records) {}

  /// False for a value of another kind; the key is unusable then.
  bool add(nb::handle value) {
    PyTypeObject* type = Py_TYPE(value.ptr());
    if (type == array_type())
      return add(*nb::inst_ptr<Array>(value));
    if (type == list_type())
      return add(*nb::inst_ptr<runtime::List>(value));
    if (type == &PyFloat_Type || type == &PyLong_Type)
      return add_number(value);
    if (type == &PyTuple_Type || type == &PyList_Type) {
      key_ += type == &PyTuple_Type ? '(' : '[';
      return add_arguments(value, [](size_t) { return nullptr; });
    }
    if (type == &PyDict_Type)
      return add_dict(value, [](std::string_view) { return nullptr; });
    if (value.is_none()) {
      key_ += 'n';
      return true;
    }
    if (auto array = array_of_numpy(value)) {
      arrays_.push_back(std::move(*array));
      return add_type('a', arrays_.back(), arrays_.back().shape());
    }
    const Record* record = records_.find(type);
    return record && add_record(value, *record);
  }

  /// The items of a tuple or list; `option(place)` says what is special about one.
  template <class F> bool add_arguments(nb::handle sequence, const F& option) {
    Inside inside(depth_);
    if (inside.is_too_deep())
      return false;
    auto size = [&] { return static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.ptr())); };
    const size_t count = size();
    add_number(static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) {
      if (i >= size())
        return false; // code of a field took some away
      nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), i));
      if (!add_argument(item, option(i)))
        return false;
    }
    return true;
  }

  /// Keys that are texts in order; others Python sorts.
  template <class F> bool add_dict(nb::handle dict, const F& option) {
    Inside inside(depth_);
    if (inside.is_too_deep())
      return false;
    key_ += '{';
    add_number(static_cast<int64_t>(PyDict_GET_SIZE(dict.ptr())));
    PyObject *name = nullptr, *value = nullptr, *last = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &name, &value); last = name) {
      if (Py_TYPE(name) != &PyUnicode_Type || (last && PyUnicode_Compare(last, name) >= 0))
        return false;
      std::optional<std::string_view> text = text_of(name);
      if (!text)
        return false;
      add_text(*text);
      nb::object item = nb::borrow(value);
      if (!add_argument(item, option(*text)))
        return false;
    }
    return true;
  }

  /// As a dict without keys.
  bool add_no_names() {
    key_ += '{';
    add_number(int64_t{0});
    return true;
  }

private:
  /// How many containers lie around a value; one that holds itself has no end.
  class Inside {
  public:
    explicit Inside(int& depth) : depth_(++depth) {}
    ~Inside() { --depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    bool is_too_deep() const { return depth_ > kDeepest; }

  private:
    int& depth_;
  };

  static PyTypeObject* array_type() {
    static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<Array>().ptr());
    return type;
  }
  static PyTypeObject* list_type() {
    static PyTypeObject* const type =
        reinterpret_cast<PyTypeObject*>(nb::type<runtime::List>().ptr());
    return type;
  }

  bool add_record(nb::handle value, const Record& record) {
    key_ += 'r';
    add_number(reinterpret_cast<int64_t>(record.type.ptr()));
    if (record.is_tuple)
      return add_arguments(value, [](size_t) { return nullptr; });
    Inside inside(depth_);
    return !inside.is_too_deep() && std::ranges::all_of(record.fields, [&](nb::handle name) {
      nb::object field = nb::steal(PyObject_GetAttr(value.ptr(), name.ptr()));
      if (!field.is_valid())
        forget_error(); // Python says so
      return field.is_valid() && add(field);
    });
  }

  void add_number(int64_t number) {
    key_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  static std::optional<std::string_view> text_of(nb::handle text) {
    Py_ssize_t length = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (data)
      return std::string_view(data, static_cast<size_t>(length));
    PyErr_Clear(); // half a character
    return std::nullopt;
  }
  void add_text(std::string_view text) {
    add_number(static_cast<int64_t>(text.size()));
    key_ += text;
  }

  bool add_argument(nb::handle value, const Option* option) {
    if (!option)
      return add(value);
    if (option->is_static)
      return add_static(value);
    dynamic_ = &option->dynamic;
    bool known = add(value);
    dynamic_ = nullptr;
    return known;
  }

  /// A value of a type whose equality is plain; others go by `kolam._statics`.
  bool add_static(nb::handle value) {
    PyTypeObject* type = Py_TYPE(value.ptr());
    if (value.is_none() || type == &PyBool_Type) {
      key_ += value.is_none() ? 'N' : value.ptr() == Py_True ? 'T' : 'F';
      return true;
    }
    if (type == &PyUnicode_Type) {
      std::optional<std::string_view> text = text_of(value);
      if (!text)
        return false;
      key_ += 'S';
      add_text(*text);
      return true;
    }
    if (type == &PyFloat_Type) {
      key_ += 'D';
      add_number(std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(value.ptr())));
      return true;
    }
    if (type->tp_hash == PyBaseObject_Type.tp_hash &&
        type->tp_richcompare == PyBaseObject_Type.tp_richcompare) {
      key_ += 'O'; // equal to itself alone; the traces of Python's half hold it
      add_number(reinterpret_cast<int64_t>(value.ptr()));
      return true;
    }
    if (type != &PyLong_Type)
      return false;
    int overflow = 0;
    key_ += 'I';
    add_number(PyLong_AsLongLongAndOverflow(value.ptr(), &overflow));
    return overflow == 0;
  }

  /// False where a dynamic dim is not one of the shape's.
  template <class Shape> bool add_type(char kind, const Array& array, const Shape& shape) {
    key_ += kind;
    key_ += static_cast<char>(array.dtype());
    const auto rank = static_cast<int64_t>(shape.size());
    add_number(rank);
    const size_t extents = key_.size();
    for (int64_t extent : shape)
      add_number(extent);
    if (!dynamic_)
      return true;
    return std::ranges::all_of(*dynamic_, [&](int64_t dim) {
      const int64_t place = dim < 0 ? dim + rank : dim;
      if (place < 0 || place >= rank)
        return false;
      std::fill_n(key_.begin() + extents + place * sizeof(int64_t), sizeof(int64_t), '*');
      return true;
    });
  }

  bool add(const Array& array) {
    if (!array)
      return false; // donated: Python says so
    arrays_.push_back(array);
    return add_type('a', array, array.shape());
  }

  /// Its leaves and offsets; how many there are is data.
  bool add(const runtime::List& list) {
    if (dynamic_)
      return false; // Python says that its lengths always are
    arrays_.push_back(list.leaves());
    add_type('l', arrays_.back(), list.leaf_shape());
    add_number(list.depth());
    for (int64_t level = 1; level < list.depth(); ++level)
      arrays_.push_back(list.offsets(level));
    return true;
  }

  bool add_number(nb::handle number) {
    int overflow = 0;
    if (PyLong_CheckExact(number.ptr()))
      PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow)
      return false; // rare, or an error
    std::optional<Array> wide = wide_scalar(number);
    key_ += 's';
    key_ += static_cast<char>(wide->dtype());
    key_ += fitting_dtypes(*wide, *try_scalar(number, ""));
    arrays_.push_back(std::move(*wide));
    return true;
  }

  std::string& key_;
  std::vector<Array>& arrays_;
  Records& records_;
  const std::vector<int64_t>* dynamic_ = nullptr; ///< dims whose extents differ from call to call
  int depth_ = 0;
};

/// The programs of a jitted function by the signatures of calls. The interpreter's lock guards it.
class CallTable {
public:
  /// `options` says of an argument, by its places or its name, whether it is static and else which
  /// of its dims are dynamic.
  CallTable(const std::string& backend, nb::dict options) : backend_(backend_from(backend)) {
    for (auto [key, value] : options) {
      Option option;
      option.is_static = value.is_none();
      if (!option.is_static)
        option.dynamic = nb::cast<std::vector<int64_t>>(value);
      if (nb::isinstance<nb::str>(key))
        by_name_.emplace(nb::cast<std::string>(key), std::move(option));
      else
        by_place_.emplace(nb::cast<size_t>(key), std::move(option));
    }
  }

  /// The result of the call where its program is known; else null. `named` is null where no
  /// argument has a name.
  nb::object call(nb::handle positional, nb::handle named) {
    std::string key = std::exchange(spare_key_, {});
    std::vector<Array> arrays = std::exchange(spare_arrays_, {});
    Signature signature(key, arrays, records_);
    std::shared_ptr<const Entry> entry; // it lives through the run, in which others may clear
    if (add(signature, positional, named))
      entry = find(key);
    key.clear();
    spare_key_ = std::move(key);
    nb::object result = entry ? run(*entry, arrays) : nb::object();
    arrays.clear();
    spare_arrays_ = std::move(arrays);
    return result;
  }

  /// From now on calls of this signature run `program`; `assemble` makes their result of a list of
  /// arrays (None: the only array is the result).
  void keep(nb::handle positional, nb::handle named, const Program& program, nb::object assemble) {
    std::string key;
    std::vector<Array> arrays;
    Signature signature(key, arrays, records_);
    if (add(signature, positional, named))
      entries_[key] = std::make_shared<const Entry>(Entry{program, std::move(assemble)});
    latest_ = entries_.end(); // the table may have moved
  }

  void clear() {
    entries_.clear();
    latest_ = entries_.end();
  }

private:
  struct Entry {
    Program program;
    nb::object assemble;
  };

  /// Null where no call of that signature has been kept.
  std::shared_ptr<const Entry> find(const std::string& key) {
    if (latest_ == entries_.end() || latest_->first != key) // most calls are as the one before
      latest_ = entries_.find(key);
    return latest_ == entries_.end() ? nullptr : latest_->second;
  }

  bool add(Signature& signature, nb::handle positional, nb::handle named) const {
    auto find = [](const auto& options, const auto& key) {
      auto found = options.find(key);
      return found == options.end() ? nullptr : &found->second;
    };
    return signature.add_arguments(positional, [&](size_t i) { return find(by_place_, i); }) &&
           (named ? signature.add_dict(named,
                                       [&](std::string_view name) { return find(by_name_, name); })
                  : signature.add_no_names());
  }

  nb::object run(const Entry& entry, std::vector<Array>& arrays) const {
    std::vector<Array> results = run_program(entry.program, arrays, backend_);
    if (entry.assemble.is_none())
      return to_python(std::move(results[0]));
    nb::list objects;
    for (Array& result : results)
      objects.append(to_python(std::move(result)));
    return entry.assemble(objects);
  }

  Backend backend_;
  std::map<size_t, Option> by_place_;
  std::map<std::string, Option, std::less<>> by_name_;
  using Entries = std::unordered_map<std::string, std::shared_ptr<const Entry>>;
  Entries entries_;
  Entries::iterator latest_ = entries_.end(); ///< what the last call has found
  Records records_;
  std::string spare_key_; ///< memory for the next call
  std::vector<Array> spare_arrays_;
};

/// What a jitted function is to the interpreter: calls whose programs its `_table` knows run them,
/// without a frame of Python; others go to the method `_call_anew`. A base of `kolam._jit.Jitted`.
struct Callable {
  PyObject_HEAD PyObject* table; ///< a CallTable, or None
};

thread_local std::exception_ptr thrown; ///< by a call, until `rethrow`

/// Null where an error is set or, without one, where the call is to be made anew.
PyObject* known_call(PyObject* table, PyObject* positional, PyObject* named) noexcept {
  nb::object held = nb::borrow(table);
  try {
    return nb::inst_ptr<CallTable>(held)->call(positional, named).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) { // nanobind knows which errors of Python's ours are
    static PyObject* const rethrow =
        nb::cpp_function([] { std::rethrow_exception(std::exchange(thrown, nullptr)); })
            .release()
            .ptr();
    thrown = std::current_exception();
    PyObject* none = PyObject_CallNoArgs(rethrow);
    Py_XDECREF(none);
  }
  return nullptr;
}

PyObject* call_callable(PyObject* self, PyObject* positional, PyObject* named) noexcept {
  PyObject* table = reinterpret_cast<Callable*>(self)->table;
  if (table && table != Py_None) {
    PyObject* result = known_call(table, positional, named);
    if (result || PyErr_Occurred())
      return result;
  }
  static PyObject* const name = PyUnicode_InternFromString("_call_anew");
  PyObject* method = PyObject_GetAttr(self, name);
  if (!method)
    return nullptr;
  PyObject* result = PyObject_Call(method, positional, named);
  Py_DECREF(method);
  return result;
}

int visit_callable(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Callable*>(self)->table);
  return 0;
}

int clear_callable(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Callable*>(self)->table);
  return 0;
}

void free_callable(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_callable(self);
  type->tp_free(self);
  Py_DECREF(type);
}

nb::object make_callable_type() {
  static PyMemberDef members[] = {{"_table", T_OBJECT, offsetof(Callable, table), 0, nullptr}, {}};
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_callable)},
                         {Py_tp_traverse, reinterpret_cast<void*>(visit_callable)},
                         {Py_tp_clear, reinterpret_cast<void*>(clear_callable)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(free_callable)},
                         {Py_tp_members, members},
                         {}};
  PyType_Spec spec = {.name = "kolam._kolam._Callable",
                      .basicsize = sizeof(Callable),
                      .itemsize = 0,
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      .slots = slots};
  return nb::steal(PyType_FromSpec(&spec));
}

} // namespace

void bind_call_table(nb::module_& module) {
  module.attr("_DEEPEST") = kDeepest;
  module.def("_note_pytree_type", [](nb::type_object type) {
    type.inc_ref(); // no other type gets its address
    registered_types().insert(reinterpret_cast<PyTypeObject*>(type.ptr()));
  });
  module.attr("_Callable") = make_callable_type();
  nb::class_<CallTable>(module, "_CallTable")
      .def(nb::init<const std::string&, nb::dict>())
      .def("keep", &CallTable::keep, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("clear", &CallTable::clear);
}

} // namespace kolam::python
