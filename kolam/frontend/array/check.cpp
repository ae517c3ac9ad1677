// Records checks, and makes values of errors.
#include "kolam/frontend/array/check.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/check_text.h"
#include "kolam/frontend/array/opaque_call.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/interp/check.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/checkify.h"

#include <map>
#include <mutex>

namespace kolam {
namespace {

using language::Values;

std::string element_text(const Array& array, int64_t number) {
  const auto* data = static_cast<const std::byte*>(array.data());
  return Array::copy_of(array.dtype(), {}, data + number * byte_width(array.dtype())).to_string();
}

/// Throws what is said of the first element that is false.
void raise(const std::vector<std::string>& texts, const SourceLocation& where,
           std::span<const Array> arrays) {
  const Array& condition = arrays[0];
  auto holds = condition.values<bool>();
  const int64_t number = std::find(holds.begin(), holds.end(), false) - holds.begin();
  if (number == condition.size())
    return;
  std::vector<std::string> values;
  for (const Array& value : arrays.subspan(1))
    values.push_back(element_text(value, number));
  std::vector<int64_t> place(static_cast<size_t>(condition.rank()));
  int64_t rest = number;
  for (size_t dim = place.size(); dim-- > 0; rest /= condition.shape()[dim])
    place[dim] = rest % condition.shape()[dim];
  std::string text = detail::filled(texts, values);
  if (!place.empty())
    text += " (" + interp::at_path(place) + ")";
  CallScope scope("check", where);
  throw Error(ErrorKind::value, "check-failed", text, where);
}

/// The function of the host that says it: one for each line and message, as it is kept for the life
/// of the process.
std::string raiser(const std::string& message, size_t values, const SourceLocation& where) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const raisers = new std::map<std::string, HostFunction>;
  std::vector<std::string> texts = detail::texts_between(message, values);
  const std::string key = where.file + ":" + std::to_string(where.line) + ":" + message;
  std::lock_guard lock(*mutex);
  auto found = raisers->find(key);
  if (found == raisers->end())
    found = raisers
                ->emplace(key, HostFunction([texts, where](std::span<const Array> arrays) {
                            raise(texts, where, arrays);
                            return std::vector<Array>();
                          }))
                .first;
  return found->second.name();
}

/// Of each element of the check the message shows one of the value: `[shape-mismatch]` where there
/// is not one.
void require_at_element(language::Builder& b, mlir::Value pred, mlir::Value value, size_t number) {
  const Shape shape = ir::shape_of(pred), own = ir::shape_of(value);
  auto stretches = [&](size_t dim) {
    const Extent &extent = own[own.size() - 1 - dim], &other = shape[shape.size() - 1 - dim];
    return extent == Extent(1) || extent == other || !(extent - other).is_constant();
  };
  bool fits = own.size() <= shape.size();
  for (size_t dim = 0; fits && dim < own.size(); ++dim)
    fits = stretches(dim);
  if (!fits)
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'values': expected values that broadcast to the shape " + to_string(shape) +
             " of 'pred', one for each of its elements, but got " + language::describe(value) +
             " as value " + std::to_string(number) +
             "; check an array of that shape, or give what is to be shown of it (max(x))");
}

} // namespace

void check(const Operand& pred, const std::string& message, const Operands& values) {
  CallScope scope("check", pred.where());
  const SourceLocation where = CallScope::current_location();
  if (Trace* trace = Trace::current(); trace && trace->kind() == BodyKind::cells)
    fail(ErrorKind::value, "pattern-body",
         "expected no checks in a body over single elements, but got one; check the whole arrays "
         "around the body");
  const size_t count = values.values().size();
  std::vector<std::string> texts = detail::texts_between(message, count);
  std::vector<Operand> operands{pred.apart()};
  for (const Operand& value : values.values())
    operands.push_back(value.apart());
  apply_traced("check", operands, [&](Trace& trace, const Values& given) {
    language::Builder& b = trace.builder();
    if (ir::dtype_of(given[0]) != DType::boolean)
      fail(ErrorKind::type, "dtype-mismatch",
           "argument 'pred': expected booleans, but got " + language::describe(given[0]));
    if (count == 0) {
      language::check(b, given[0], language::kCheckFailed, texts[0]);
      return Values();
    }
    language::UserCheck check{given[0], {}, message, raiser(message, count, where)};
    for (size_t number = 1; number < given.size(); ++number)
      require_at_element(b, given[0], given[number], number - 1);
    for (const mlir::Value& value : llvm::ArrayRef(given).drop_front())
      check.values.push_back(language::broadcast_to(b, value, ir::shape_of(given[0])));
    language::user_check(b, check);
    return Values();
  });
}

ErrorKinds::ErrorKinds(const std::vector<std::string>& kinds) {
  for (const std::string& kind : kinds) {
    const bool all = kind == "all";
    if (!all && kind != "user" && kind != "bounds" && kind != "nan" && kind != "overflow")
      fail(ErrorKind::value, "bad-option",
           "checkify: option 'errors': expected 'user', 'bounds', 'nan', 'overflow' or 'all', but "
           "got '" +
               kind + "'");
    user_ |= all || kind == "user";
    checks_.bounds |= all || kind == "bounds";
    checks_.nan |= all || kind == "nan";
    checks_.overflow |= all || kind == "overflow";
  }
}

std::optional<Error> ErrorValue::found(const std::source_location& here) const {
  if (!table_)
    return std::nullopt;
  return detail::first_error(*table_, state_.array(here));
}

std::optional<std::string> ErrorValue::get(std::source_location here) const {
  if (std::optional<Error> error = found(here))
    return error->what();
  return std::nullopt;
}

void ErrorValue::throw_error(std::source_location here) const {
  if (std::optional<Error> error = found(here))
    throw *error;
}

std::string ErrorValue::table_key() const { return table_ ? table_->key() : ""; }

namespace detail {

CheckedLeaves checkify(const Leaves& arguments, const std::function<Leaves(const Leaves&)>& body,
                       const ErrorKinds& kinds, Operand::Here where) {
  CallScope scope("checkify", to_location(where));
  std::vector<Operand> operands(arguments.begin(), arguments.end());
  auto table = std::make_shared<CheckTable>();
  Leaves made = apply_traced("checkify", operands, [&](Trace& trace, const Values& values) {
    if (trace.kind() == BodyKind::cells)
      fail(ErrorKind::value, "pattern-body",
           "expected no checkify in a body over single elements, but got one; call it around the "
           "pattern");
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(values).getTypes());
    Trace::Region region = trace.region(types, body);
    Values given = values;
    llvm::append_range(given, region.captures);
    transform::Checkified checked =
        transform::checkify(trace.builder(), *region.region, given, {kinds.user(), kinds.checks()},
                            [&trace] { return trace.new_symbol(); });
    table->places = checked.places;
    for (const transform::CaughtCheck& check : checked.checks) {
      std::vector<std::string> texts{check.message};
      if (check.slug == language::kCheckFailed && !check.values.empty())
        texts = texts_between(check.message, check.values.size());
      table->rows.push_back({check.slug, std::move(texts), check.where, check.path, check.grid,
                             check.rank, check.values});
    }
    Values all = checked.results;
    all.push_back(checked.error);
    return all;
  });
  Tensor state = std::move(made.back());
  made.pop_back();
  return {std::move(made), ErrorValue(std::move(state), std::move(table))};
}

} // namespace detail
} // namespace kolam
