// Turns arguments of jitted functions into parameters.
#include "kolam/frontend/array/jit.h"

#include "kolam/frontend/array/trace.h"

namespace kolam::detail {

TensorSpec parameter_of(const Tensor& tensor, int number, const JitOptions& options) {
  if (tensor.is_empty())
    fail(ErrorKind::value, "empty-tensor",
         "argument " + std::to_string(number) +
             ": expected a tensor, but got an empty handle; was it donated to an earlier call?");
  TensorSpec spec{tensor.dtype(), tensor.shape()};
  if (tensor.is_counted())
    spec.shape[0] = Extent::symbol("n" + std::to_string(number));
  auto dims = options.dynamic.find(number);
  if (dims == options.dynamic.end())
    return spec;
  auto rank = static_cast<int64_t>(spec.shape.size());
  for (int64_t dim : dims->second) {
    if (dim < -rank || dim >= rank)
      fail(ErrorKind::index, "axis-out-of-range",
           "option 'dynamic': expected a dim of tensor " + std::to_string(number) + " of rank " +
               std::to_string(rank) + ", but got " + std::to_string(dim));
    int64_t from_front = dim < 0 ? dim + rank : dim;
    spec.shape[from_front] =
        Extent::symbol("d" + std::to_string(number) + "_" + std::to_string(from_front));
  }
  return spec;
}

void append_signature(const Tensor& tensor, int number, const JitOptions& options,
                      std::string& key) {
  if (tensor.is_empty() || tensor.is_traced() || options.dynamic.contains(number)) {
    TensorSpec spec = parameter_of(tensor, number, options);
    key += std::string(name(spec.dtype)) + to_string(spec.shape);
    return;
  }
  const Array& array = tensor.array();
  std::span<const int64_t> extents = array.shape();
  key += static_cast<char>(array.dtype());
  key += static_cast<char>(extents.size());
  if (tensor.is_counted())
    extents = extents.subspan(1);
  key.append(reinterpret_cast<const char*>(extents.data()), extents.size_bytes());
}

bool is_tracing() { return Trace::current() != nullptr; }

std::vector<std::vector<int64_t>> sizes_of(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<int64_t>> sizes;
  for (const Tensor& tensor : tensors) {
    sizes.emplace_back();
    if (!tensor.is_empty() && !tensor.is_traced()) {
      std::span<const int64_t> shape = tensor.array().shape();
      sizes.back().assign(shape.begin(), shape.end());
    }
  }
  return sizes;
}

void fail_traced_into() {
  fail(ErrorKind::type, "traced-value",
       "expected arrays, but got traced values, whose results only the running program knows; call "
       "the function without 'into' inside a traced function");
}

/// Scratches that no call of the thread uses, as many as calls have been inside one another.
static std::vector<std::unique_ptr<CallScratch>>& spare_scratches() {
  thread_local std::vector<std::unique_ptr<CallScratch>> spare;
  return spare;
}

LentScratch::LentScratch() {
  auto& spare = spare_scratches();
  if (spare.empty()) {
    scratch_ = std::make_unique<CallScratch>();
    return;
  }
  scratch_ = std::move(spare.back());
  spare.pop_back();
}

LentScratch::~LentScratch() {
  scratch_->leaves.clear();
  scratch_->arrays.clear();
  scratch_->key.clear();
  spare_scratches().push_back(std::move(scratch_));
}

void fail_interpreted(const std::string& function) {
  fail(ErrorKind::value, "bad-option",
       function + ": expected a function for the backend 'cpu', but got one that is interpreted");
}

namespace {

/// Reads what Pytree::flatten writes of the arguments of a call.
class Paths {
public:
  explicit Paths(std::string_view text) : text_(text) {}

  /// The path of each tensor; none where the text is of another form.
  std::vector<std::string> read() {
    is_right_ = take('(');
    for (int argument = 0; is_right_ && !take(')'); ++argument)
      value(std::to_string(argument));
    return is_right_ ? std::move(paths_) : std::vector<std::string>();
  }

private:
  bool take(char letter) {
    if (at_ >= text_.size() || text_[at_] != letter)
      return false;
    ++at_;
    return true;
  }

  void value(const std::string& path) {
    if (take('*')) {
      is_right_ = take(',');
      paths_.push_back(path);
    } else if (take('(')) {
      parts(path, ')');
    } else if (take('[')) {
      parts(path, ']');
    } else if (take('{')) {
      parts(path, '}');
    } else if (take('<')) {
      while (is_right_ && !take('>'))
        value(path + "[" + key() + "]");
    } else {
      key();
    }
  }

  void parts(const std::string& path, char end) {
    for (int part = 0; is_right_ && !take(end); ++part)
      value(path + "[" + std::to_string(part) + "]");
  }

  /// A static value, as `2'w1'`: its length and text. Numbers are written as they are.
  std::string key() {
    size_t length = 0;
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && length < text_.size())
      length = 10 * length + static_cast<size_t>(text_[at_++] - '0');
    is_right_ = at_ > start && take('\'') && length < text_.size() - at_;
    if (!is_right_)
      return "";
    std::string text(text_.substr(at_, length));
    at_ += length;
    is_right_ = take('\'');
    bool is_number = !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
    return is_number ? text : "\"" + text + "\"";
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_right_ = true;
  std::vector<std::string> paths_;
};

} // namespace

std::vector<std::string> argument_paths(const std::string& key, size_t tensors) {
  std::vector<std::string> paths = Paths(key).read();
  return paths.size() == tensors ? paths : std::vector<std::string>();
}

void require_known(const JitOptions& options, int tensors, int arguments) {
  for (const auto& [number, dims] : options.dynamic)
    if (number < 0 || number >= tensors)
      fail(ErrorKind::value, "bad-option",
           "option 'dynamic': expected the number of one of " + std::to_string(tensors) +
               " tensors, but got " + std::to_string(number));
  for (int number : options.donate)
    if (number < 0 || number >= arguments)
      fail(ErrorKind::value, "bad-option",
           "option 'donate': expected the number of one of " + std::to_string(arguments) +
               " arguments, but got " + std::to_string(number));
}

} // namespace kolam::detail
