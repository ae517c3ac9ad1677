// Derives rows of the data dimension from signatures and shapes.
#include "kolam/space/data_dim_rules.h"

#include <algorithm>

namespace kolam::space {

const std::vector<DataDimProfile>& data_dim_profiles() {
  static const std::vector<DataDimProfile> profiles{{"seed", false, true, false},
                                                    {"vollo27", false, false, false},
                                                    {"relaxed", true, true, true}};
  return profiles;
}

const DataDimProfile* find_data_dim_profile(const std::string& name) {
  for (const DataDimProfile& profile : data_dim_profiles())
    if (profile.name == name)
      return &profile;
  return nullptr;
}

std::string to_string(DataDimCost cost) {
  switch (cost) {
  case DataDimCost::free:
    return "free";
  case DataDimCost::close_to_free:
    return "close to free";
  case DataDimCost::compute:
    return "compute";
  default:
    return "slower";
  }
}

std::string to_string(DataDimVariant variant) {
  switch (variant) {
  case DataDimVariant::dot:
    return "dot";
  case DataDimVariant::axpy:
    return "axpy";
  case DataDimVariant::outer:
    return "outer";
  default:
    return "";
  }
}

bool is_dim_name(std::string_view word) {
  auto is_letter = [](char of) {
    const auto byte = static_cast<unsigned char>(of);
    return byte >= 0x80 || of == '_' || (of >= 'a' && of <= 'z') || (of >= 'A' && of <= 'Z');
  };
  auto is_digit = [](char of) { return of >= '0' && of <= '9'; };
  return !word.empty() && word != "_" && is_letter(word[0]) &&
         std::ranges::all_of(word, [&](char of) { return is_letter(of) || is_digit(of); });
}

namespace {

std::vector<int> dims_walked_by(const Projection& projection, int index) {
  std::vector<int> dims;
  for (int dim = 0; dim < projection.tensor_rank(); ++dim)
    if (projection.map.rows[static_cast<size_t>(dim)].coefficients[static_cast<size_t>(index)] != 0)
      dims.push_back(dim);
  return dims;
}

std::vector<int> whole_dims(const Operand& operand) {
  std::vector<int> dims;
  for (int dim = 0; dim < operand.projection.tensor_rank(); ++dim) {
    auto at = static_cast<size_t>(dim);
    if (is_constant(operand.projection.map.rows[at]) && !(operand.projection.size[at] == Extent(1)))
      dims.push_back(dim);
  }
  return dims;
}

bool reads_one_element(const Operand& operand) {
  return std::ranges::all_of(operand.projection.size,
                             [](const Extent& size) { return size == Extent(1); });
}

/// Whether elements keep their places along an index dim, in tensors of one extent.
bool keeps_places(const Signature& signature, const std::vector<SignedPlace>& places, int index) {
  const Extent* extent = nullptr;
  for (size_t number = 0; number < places.size(); ++number) {
    const Operand& operand = signature.operands[number];
    if (!places[number].takes_part)
      continue;
    if (operand.indirect)
      return false;
    for (int dim : dims_walked_by(operand.projection, index)) {
      const AffineRow& row = operand.projection.map.rows[static_cast<size_t>(dim)];
      const Extent& own = operand.shape[static_cast<size_t>(dim)];
      if (row.coefficients[static_cast<size_t>(index)] != 1 || !is_affine(row) ||
          !(row.offset == Extent(0)) || (extent && !(*extent == own)))
        return false;
      extent = &own;
    }
  }
  return true;
}

class SignatureRows {
public:
  SignatureRows(const Signature& signature, const std::vector<SignedPlace>& places,
                const DataDimProfile& profile, Work work)
      : signature_(signature), places_(places), profile_(profile), work_(work) {
    for (const SignedPlace& place : places)
      if (place.takes_part)
        table_.places.push_back(place.place);
  }

  DataDimTable run() {
    if (table_.places.empty())
      return table_;
    for (size_t index = 0; index < signature_.dims.size(); ++index)
      add_index(static_cast<int>(index));
    add_whole();
    const bool only_reads = std::ranges::none_of(places_, [](const SignedPlace& place) {
      return place.place.kind == DataDimPlace::Kind::result;
    });
    if (only_reads && table_.rows.empty())
      add({std::vector<std::vector<int>>(table_.places.size(), {kAnyDim})}, DataDimCost::free);
    return table_;
  }

private:
  bool has_results() const {
    return std::ranges::any_of(table_.places, [](const DataDimPlace& place) {
      return place.kind == DataDimPlace::Kind::result;
    });
  }

  /// D of each place that takes part where index dim `index` is D; none where that cannot be.
  void add_index(int index) {
    const IndexDim& dim = signature_.dims[static_cast<size_t>(index)];
    const bool is_reduced = dim.kind == DimKind::reduce;
    if (is_reduced && (has_results() || !profile_.scalars))
      return;
    std::vector<std::vector<int>> choices;
    bool is_carried = false, misses = false, has_operands = false;
    for (size_t number = 0; number < places_.size(); ++number) {
      if (!places_[number].takes_part)
        continue;
      const Operand& operand = signature_.operands[number];
      std::vector<int> dims = dims_walked_by(operand.projection, index);
      if (places_[number].place.kind == DataDimPlace::Kind::result) {
        if (dims.empty())
          return;
      } else {
        has_operands = true;
        is_carried |= !dims.empty();
        if (dims.empty() && operand.indirect)
          return;
        misses |= dims.empty() && reads_one_element(operand);
        if (dims.empty())
          dims = {kAnyDim};
      }
      choices.push_back(std::move(dims));
    }
    if (has_operands && misses && !is_carried)
      return;
    add(choices,
        dim.kind == DimKind::scan || is_strided(choices) ? DataDimCost::slower : cost_along(index));
  }

  /// Elements of several dims at once lie far apart.
  static bool is_strided(const std::vector<std::vector<int>>& choices) {
    return std::ranges::any_of(choices,
                               [](const std::vector<int>& dims) { return dims.size() > 1; });
  }

  /// Reductions over other dims than D are slower.
  DataDimCost cost_along(int index) const {
    bool reduces = std::ranges::any_of(
        signature_.dims, [](const IndexDim& dim) { return dim.kind == DimKind::reduce; });
    if (reduces && signature_.dims[static_cast<size_t>(index)].kind != DimKind::reduce)
      return DataDimCost::slower;
    return work_ == Work::moves && keeps_places(signature_, places_, index) ? DataDimCost::free
                                                                            : DataDimCost::compute;
  }

  /// D inside of what each point owns: of the rows of a sort the element's place.
  void add_whole() {
    std::vector<std::vector<int>> choices;
    bool is_owned = false;
    for (size_t number = 0; number < places_.size(); ++number) {
      if (!places_[number].takes_part)
        continue;
      const Operand& operand = signature_.operands[number];
      std::vector<int> dims = whole_dims(operand);
      bool is_result = places_[number].place.kind == DataDimPlace::Kind::result;
      is_owned |= is_result;
      if (dims.empty() && (is_result || reads_one_element(operand)))
        return;
      choices.push_back(dims.empty() ? std::vector<int>{kAnyDim} : dims);
    }
    if (is_owned)
      add(choices, DataDimCost::slower);
  }

  /// A row for each combination of choices.
  void add(const std::vector<std::vector<int>>& choices, DataDimCost cost) {
    std::vector<std::vector<int>> rows{{}};
    for (const std::vector<int>& dims : choices) {
      std::vector<std::vector<int>> longer;
      for (const std::vector<int>& row : rows)
        for (int dim : dims) {
          longer.push_back(row);
          longer.back().push_back(dim);
        }
      rows = std::move(longer);
    }
    for (std::vector<int>& row : rows)
      if (std::ranges::none_of(table_.rows, [&](const DataDimRow& old) { return old.dims == row; }))
        table_.rows.push_back({std::move(row), cost});
  }

  const Signature& signature_;
  const std::vector<SignedPlace>& places_;
  const DataDimProfile& profile_;
  const Work work_;
  DataDimTable table_;
};

} // namespace

DataDimTable rows_of_signature(const Signature& signature, const std::vector<SignedPlace>& places,
                               const DataDimProfile& profile, Work work) {
  return SignatureRows(signature, places, profile, work).run();
}

Extent stride_of(const Shape& shape, int dim) {
  Extent stride = 1;
  for (size_t right = static_cast<size_t>(dim) + 1; right < shape.size(); ++right)
    if (!(shape[right] == Extent(0)))
      stride = stride * shape[right];
  return stride;
}

namespace {

Shape without_units(const Shape& shape) {
  Shape kept;
  for (const Extent& extent : shape)
    if (!(extent == Extent(1)))
      kept.push_back(extent);
  return kept;
}

bool is_unit(const Extent& extent) { return extent == Extent(1); }

/// Behind how many dims of other extents than 1 a dim stands, and after how many of extent 1 there.
struct Standing {
  std::ptrdiff_t others, units;
};
Standing standing_of(const Shape& shape, int dim) {
  Standing at{0, 0};
  for (int left = 0; left < dim; ++left)
    at = is_unit(shape[static_cast<size_t>(left)]) ? Standing{at.others, at.units + 1}
                                                   : Standing{at.others + 1, 0};
  return at;
}

/// Where a dim is when dims of extent 1 come and go; none where it went.
std::optional<int> kept_dim(const Shape& from, const Shape& to, int dim) {
  const bool unit = is_unit(from[static_cast<size_t>(dim)]);
  const Standing old = standing_of(from, dim);
  std::optional<int> kept;
  for (int candidate = 0; candidate < static_cast<int>(to.size()); ++candidate) {
    const Standing at = standing_of(to, candidate);
    if (is_unit(to[static_cast<size_t>(candidate)]) == unit && at.others == old.others &&
        (!unit || at.units <= old.units))
      kept = candidate;
  }
  return kept;
}

} // namespace

std::optional<int> reshaped_dim(const Shape& from, const Shape& to, int dim) {
  if (from == to)
    return dim;
  if (without_units(from) == without_units(to))
    if (std::optional<int> kept = kept_dim(from, to, dim))
      return kept;
  Extent stride = stride_of(from, dim);
  for (int candidate = 0; candidate < static_cast<int>(to.size()); ++candidate)
    if (stride_of(to, candidate) == stride)
      return candidate;
  return std::nullopt;
}

namespace {

/// The sides of a product, one of them as weights.
struct Side {
  const std::vector<ProductDim>& dims;
  bool is_constant;
};

class ProductRows {
public:
  ProductRows(const Product& product, bool left_is_constant, bool right_is_constant,
              const DataDimQuestion& question)
      : product_(product), question_(question),
        sides_{{product.left, left_is_constant}, {product.right, right_is_constant}} {}

  std::vector<DataDimRow> run() {
    for (int weights : {0, 1}) {
      if (sides_[1 - weights].is_constant)
        continue;
      if (sides_[weights].is_constant)
        add_static(weights);
      else
        add_dynamic(weights);
    }
    return std::move(rows_);
  }

private:
  static bool is_summed(const ProductDim& dim) { return dim.result < 0; }
  static bool sums(const Side& side) { return std::ranges::any_of(side.dims, is_summed); }

  /// Where D comes out that the weights contribute, with the index dim that it is; -1 for one of
  /// extent 1 that is taken away.
  struct Contributed {
    int result, index;
  };
  std::vector<Contributed> contributed(int weights) const {
    std::vector<Contributed> dims;
    for (const ProductDim& dim : sides_[weights].dims)
      if (!is_summed(dim) && !dim.is_batch)
        dims.push_back({dim.result, dim.index});
    if (!dims.empty())
      return dims;
    if (product_.result.empty()) {
      if (question_.profile.scalars)
        dims.push_back({kAnyDim, -1});
      return dims;
    }
    Shape with_unit = product_.result;
    int place = weights == 1 ? static_cast<int>(with_unit.size()) : batches();
    with_unit.insert(with_unit.begin() + place, Extent(1));
    if (auto left = reshaped_dim(with_unit, product_.result, place))
      dims.push_back({*left, -1});
    return dims;
  }

  int batches() const {
    int behind = 0;
    for (const ProductDim& dim : product_.left)
      if (dim.is_batch)
        behind = std::max(behind, dim.result + 1);
    return behind;
  }

  struct Kernel {
    DataDimCost cost;
    DataDimVariant variant;
    int loaded; ///< while the program runs
  };

  void add(int weights, int streamed_dim, int weights_dim, int result, const Kernel& kernel,
           std::vector<int> blocked) {
    std::erase(blocked, -1);
    DataDimRow row{{0, 0, result}, kernel.cost, kernel.variant, std::move(blocked), kernel.loaded};
    row.dims[static_cast<size_t>(weights)] = sides_[weights].is_constant ? kAnyDim : weights_dim;
    row.dims[static_cast<size_t>(1 - weights)] = streamed_dim;
    for (const DataDimRow& old : rows_)
      if (old.dims == row.dims && old.cost <= row.cost)
        return;
    rows_.push_back(std::move(row));
  }

  /// An index that is summed with D's, of which a block is loaded at a time.
  int summed_index(int side) const {
    for (const ProductDim& dim : sides_[side].dims)
      if (is_summed(dim))
        return dim.index;
    return -1;
  }

  void add_static(int weights) {
    const std::vector<ProductDim>& streamed = sides_[1 - weights].dims;
    const bool is_outer = !sums(sides_[0]) && !sums(sides_[1]);
    for (size_t dim = 0; dim < streamed.size(); ++dim) {
      const ProductDim& along = streamed[dim];
      const int place = static_cast<int>(dim);
      if (is_summed(along)) {
        for (const Contributed& out : contributed(weights))
          add(weights, place, kAnyDim, out.result, {DataDimCost::compute, DataDimVariant::dot, -1},
              {along.index, out.index});
        continue;
      }
      const bool is_free = is_outer || (along.is_batch && product_.is_elementwise_along_batches);
      if (!is_free &&
          (!question_.allow_dynamic_weights || (along.is_batch && !question_.profile.batches)))
        continue;
      // What is streamed are the rows of the constant; the runtime operand is loaded as weights.
      add(weights, place, kAnyDim, along.result,
          {is_free ? DataDimCost::compute : DataDimCost::slower,
           is_outer ? DataDimVariant::outer : DataDimVariant::axpy, is_free ? -1 : 1 - weights},
          {along.index, summed_index(1 - weights)});
    }
  }

  void add_dynamic(int weights) {
    const std::vector<ProductDim>&streamed = sides_[1 - weights].dims,
          &loaded = sides_[weights].dims;
    const bool is_outer = !sums(sides_[0]) && !sums(sides_[1]);
    for (size_t dim = 0; dim < streamed.size(); ++dim)
      for (size_t other = 0; other < loaded.size(); ++other)
        add_pair(weights, static_cast<int>(dim), streamed[dim], static_cast<int>(other),
                 loaded[other], is_outer);
  }

  void add_pair(int weights, int place, const ProductDim& along, int other_place,
                const ProductDim& other, bool is_outer) {
    // Without sums along it a batch dim of both is that of a function of elements.
    if (along.is_batch && other.is_batch && along.index == other.index) {
      if (is_outer || product_.is_elementwise_along_batches)
        add(weights, place, other_place, along.result,
            {DataDimCost::compute, is_outer ? DataDimVariant::outer : DataDimVariant::axpy, -1},
            {along.index});
      return;
    }
    if (!is_summed(along) || !question_.allow_dynamic_weights)
      return;
    if (is_summed(other)) {
      if (question_.profile.both_contracted)
        for (const Contributed& out : contributed(weights))
          add(weights, place, other_place, out.result,
              {DataDimCost::slower, DataDimVariant::dot, weights}, {along.index, out.index});
      return;
    }
    if (other.is_batch && !question_.profile.batches)
      return;
    add(weights, place, other_place, other.result,
        {DataDimCost::slower, DataDimVariant::dot, weights}, {along.index, other.index});
  }

  const Product& product_;
  const DataDimQuestion& question_;
  const Side sides_[2];
  std::vector<DataDimRow> rows_;
};

} // namespace

std::vector<DataDimRow> product_rows(const Product& product, bool left_is_constant,
                                     bool right_is_constant, const DataDimQuestion& question) {
  return ProductRows(product, left_is_constant, right_is_constant, question).run();
}

} // namespace kolam::space
