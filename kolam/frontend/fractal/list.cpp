// Lists in hand.
#include "kolam/frontend/fractal/list.h"

#include "kolam/frontend/array/trace.h"

namespace kolam::fractal {
namespace {

void require_value(const List& list) {
  if (list.is_empty())
    fail(ErrorKind::value, "empty-tensor", "expected a list, but got an empty handle");
}

} // namespace

int64_t List::depth() const {
  require_value(*this);
  return traced_ ? traced_->depth : host_.depth();
}

DType List::dtype() const {
  require_value(*this);
  return traced_ ? traced_->spec.dtype : host_.dtype();
}

Shape List::leaf_shape() const {
  require_value(*this);
  if (traced_)
    return traced_->spec.shape;
  std::vector<int64_t> shape = host_.leaf_shape();
  return Shape(shape.begin(), shape.end());
}

const runtime::List& List::host() const {
  require_value(*this);
  if (traced_)
    fail(ErrorKind::type, "traced-value",
         "expected a list with elements, but got a traced " + type_text() +
             "; its lengths and elements are known to the running program only");
  return host_;
}

std::string List::type_text() const {
  if (!traced_)
    return host_.type().to_string();
  std::string text;
  for (int64_t level = 0; level < traced_->depth; ++level)
    text += "list<";
  text += std::string(name(traced_->spec.dtype)) + to_string(traced_->spec.shape);
  return text.append(static_cast<size_t>(traced_->depth), '>');
}

} // namespace kolam::fractal
