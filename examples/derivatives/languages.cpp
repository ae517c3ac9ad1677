// Trains an LSTM that tells languages apart by their letters, over pieces of text of 8 to 40
// letters, without padding: a batch is a list of lists, and its gradient comes from the fold over a
// list, read backwards. The last quarter of each text is held out; a fifth of the other letters are
// drawn anew, and weights decay, as the texts are short.
#include "kolam/kolam.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

namespace {

namespace ops = kolam::fractal;
using kolam::Array;
using kolam::Tensor;
using Piece = ops::FractalTensor<Tensor>;
using Pieces = ops::FractalTensor<Piece>;

constexpr int64_t kHidden = 48, kPieces = 64, kShortest = 8, kLongest = 40, kHeldOut = 500;
constexpr float kRate = 0.01F, kDecay = 0.01F, kNoise = 0.2F;

struct Params {
  Tensor letters, hidden, out, bias;
};
auto fields(Params& p) { return std::tie(p.letters, p.hidden, p.out, p.bias); }

/// `f` of the tensors of one name, for each name.
template <class F, class... P> Params each(F f, const P&... params) {
  return {f(params.letters...), f(params.hidden...), f(params.out...), f(params.bias...)};
}

/// The scores of all languages for each piece: what the LSTM gives in all, through a last layer.
Tensor scores(Params params, Pieces pieces) {
  using State = std::tuple<Tensor, Tensor, Tensor>; // h, c, the sum of all h
  auto turn = [&](State state, Tensor letter) {
    auto [h, c, total] = state;
    auto gates = split(add(take(params.letters, letter, 0), matmul(h, params.hidden)), 4, 0);
    c = add(multiply(sigmoid(add(gates[1], 1.0)), c), multiply(sigmoid(gates[0]), tanh(gates[3])));
    h = multiply(sigmoid(gates[2]), tanh(c));
    return State{h, c, add(total, h)};
  };
  auto of_piece = [&](Piece piece) {
    Tensor zero = kolam::zeros({kHidden});
    auto [h, c, total] = ops::fold(turn, piece, State{zero, zero, zero});
    return add(matmul(divide(total, static_cast<float>(kShortest)), params.out), params.bias);
  };
  return ops::stack(ops::map(of_piece, pieces));
}

Tensor loss(Params params, Pieces pieces, Tensor languages) {
  return mean(cross_entropy(scores(params, pieces), languages));
}

/// One step of Adam. Source: Kingma and Ba, "Adam", 2015.
std::tuple<Tensor, Params, Params, Params> step(Params params, Params first, Params second,
                                                Tensor number, Pieces pieces, Tensor languages) {
  auto [value, gradient] = kolam::value_and_grad(loss)(params, pieces, languages);
  auto mixed = [](double share) {
    return [share](const Tensor& old, const Tensor& own) {
      return add(multiply(old, share), multiply(own, 1 - share));
    };
  };
  first = each(mixed(0.9), first, gradient);
  second =
      each(mixed(0.999), second, each([](const Tensor& g) { return multiply(g, g); }, gradient));
  Tensor by_first = subtract(1.0, pow(0.9, number)), by_second = subtract(1.0, pow(0.999, number));
  auto moved = [&](const Tensor& p, const Tensor& m, const Tensor& v) {
    Tensor along = divide(divide(m, by_first), add(sqrt(divide(v, by_second)), 1e-8));
    return subtract(multiply(p, 1 - kDecay), multiply(along, kRate));
  };
  return {value, each(moved, params, first, second), first, second};
}

/// Numbers of letters, of which `count` there are; code points, as they are written.
struct Texts {
  std::vector<std::vector<int32_t>> texts;
  int64_t count = 0;
};
Texts read_texts(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, int32_t> numbers;
  Texts found;
  for (std::string line; std::getline(file, line);) {
    const std::string text = line.substr(line.find('\t') + 1);
    auto& letters = found.texts.emplace_back();
    for (size_t first = 0, last = 0; first < text.size(); first = last) {
      for (last = first + 1; last < text.size() && (text[last] & 0xC0) == 0x80;)
        ++last; // the bytes behind the first one of a letter
      const auto number = static_cast<int32_t>(numbers.size());
      letters.push_back(numbers.emplace(text.substr(first, last - first), number).first->second);
    }
  }
  found.count = static_cast<int64_t>(numbers.size());
  return found;
}

struct Batch {
  Pieces pieces;
  std::vector<int32_t> languages;
  Array labels() const { return Array::of<int32_t>(languages); }
};

class Drawing {
public:
  explicit Drawing(Texts texts) : texts_(std::move(texts)) {}

  Tensor weights(int64_t rows, int64_t columns) {
    std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(rows)));
    std::vector<float> values(static_cast<size_t>(rows * columns));
    std::generate(values.begin(), values.end(), [&] { return normal(random_); });
    return Array::of<float>(values, {rows, columns});
  }

  /// From the first three quarters of the texts, or from the last one.
  Batch batch(int64_t count, bool is_held_out) {
    std::vector<int32_t> letters, languages;
    std::vector<int64_t> offsets{0};
    for (int64_t piece = 0; piece < count; ++piece) {
      languages.push_back(static_cast<int32_t>(below(texts_.texts.size())));
      const auto& text = texts_.texts[static_cast<size_t>(languages.back())];
      const size_t middle = text.size() * 3 / 4;
      const size_t start = is_held_out ? middle : 0,
                   size = is_held_out ? text.size() - middle : middle;
      const size_t length = kShortest + below(std::min<size_t>(kLongest, size) - kShortest + 1);
      const size_t first = start + below(size - length + 1);
      for (size_t place = first; place < first + length; ++place) {
        const bool is_anew = !is_held_out && std::bernoulli_distribution(kNoise)(random_);
        letters.push_back(is_anew ? static_cast<int32_t>(below(static_cast<size_t>(texts_.count)))
                                  : text[place]);
      }
      offsets.push_back(static_cast<int64_t>(letters.size()));
    }
    return {Pieces::from_offsets(Array::of<int32_t>(letters), {Array::of<int64_t>(offsets)}),
            languages};
  }

private:
  size_t below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }

  Texts texts_;
  std::mt19937 random_{0};
};

} // namespace

int main(int count, char** words) try {
  const Texts texts = read_texts(count > 1 ? words[1] : "examples/data/udhr_article1.tsv");
  const int steps = count > 2 ? std::atoi(words[2]) : 120;
  const auto languages = static_cast<int64_t>(texts.texts.size());
  Drawing draw(texts);
  Params params{draw.weights(texts.count, 4 * kHidden), draw.weights(kHidden, 4 * kHidden),
                draw.weights(kHidden, languages), kolam::zeros({languages})};
  Params first = each([](const Tensor& p) { return kolam::zeros(p.shape()); }, params);
  Params second = first;
  auto train = kolam::jit(step);
  for (int number = 1; number <= steps; ++number) {
    Batch batch = draw.batch(kPieces, false);
    Tensor value;
    std::tie(value, params, first, second) =
        train(params, first, second, Array::scalar(static_cast<float>(number)), batch.pieces,
              batch.labels());
    if (number % 40 == 0)
      std::printf("step %d: loss %.3f\n", number, static_cast<double>(value.array().item<float>()));
  }
  const Batch held_out = draw.batch(kHeldOut, true);
  const Array found = argmax(kolam::jit(scores)(params, held_out.pieces), 1).array();
  int64_t right = 0;
  for (size_t piece = 0; piece < held_out.languages.size(); ++piece)
    right += found.values<int32_t>()[piece] == held_out.languages[piece];
  const double share = static_cast<double>(right) / static_cast<double>(kHeldOut);
  std::printf("held out: %.0f %% of %d pieces of %d to %d letters, of %d languages\n", 100 * share,
              static_cast<int>(kHeldOut), static_cast<int>(kShortest), static_cast<int>(kLongest),
              static_cast<int>(languages));
  return share >= 0.3 ? 0 : 1;
} catch (const kolam::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
