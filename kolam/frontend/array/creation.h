/// Tensors made from shapes and numbers, and conversions of dtype.
///
/// Extents of shapes may be symbolic inside a trace: expressions over symbols that are extents of
/// its arguments. All functions with a shape throw `[extent-negative]` and `[extent-unbound]`.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/support/number.h"

#include <functional>
#include <optional>
#include <source_location>

namespace kolam {

using Here = std::source_location;

/// start, start + step, ... below `stop` (above it where step < 0): the exact count of them, not a
/// rounded one.
///
/// Without a dtype: f32 where a number is a float, else i32, or i64 where a number does not fit or
/// is symbolic. Integers are computed in an integer dtype, all else in f64 and rounded once. A
/// symbolic step is taken as positive. Throws
/// `[bad-step]`, `[not-finite]`, `[symbolic-extent]` for floats beside symbols,
/// `[scalar-does-not-fit]`.
Tensor arange(const Number& start, const Number& stop, const Number& step = 1,
              std::optional<DType> dtype = {}, Here here = Here::current());
/// 0, 1, ... below `stop`.
Tensor arange(const Number& stop, std::optional<DType> dtype = {}, Here here = Here::current());

/// result[i] = 0.
Tensor zeros(const Shape& shape, DType dtype = DType::f32, Here here = Here::current());
/// result[i] = 1.
Tensor ones(const Shape& shape, DType dtype = DType::f32, Here here = Here::current());
/// result[i] = fill_value, in its dtype (of a scalar: bool, i32, f32) if none is given. It
/// broadcasts to `shape`; throws `[shape-mismatch]`, and `[scalar-does-not-fit]` for a number
/// outside the dtype's range; in an integer dtype a float loses its fraction.
Tensor full(const Shape& shape, const Operand& fill_value, std::optional<DType> dtype = {});
/// result[i] = 0, as `zeros` gives: no memory is ever left unset.
Tensor empty(const Shape& shape, DType dtype = DType::f32, Here here = Here::current());

/// The value of an extent: a scalar of i64. A symbolic one is known to the running program only.
Tensor extent(const Extent& value, Here here = Here::current());

/// result[i] = 0 with the shape of `x`, and its dtype if none is given.
Tensor zeros_like(const Operand& x, std::optional<DType> dtype = {});
/// result[i] = 1 with the shape of `x`, and its dtype if none is given.
Tensor ones_like(const Operand& x, std::optional<DType> dtype = {});
/// result[i] = fill_value with the shape of `x`, and its dtype if none is given.
Tensor full_like(const Operand& x, const Operand& fill_value, std::optional<DType> dtype = {});
/// result[i] = 0 with the shape of `x`, and its dtype if none is given: no memory is left unset.
Tensor empty_like(const Operand& x, std::optional<DType> dtype = {});

/// result[i, j] = 1 where j = i + k, else 0; `columns` is `rows` if not given.
Tensor eye(const Extent& rows, std::optional<Extent> columns = {}, int64_t k = 0,
           DType dtype = DType::f32, Here here = Here::current());

/// result[i] = start + i (stop - start) / d for i < num, where d is num - 1 and the last is `stop`
/// itself, or d = num without the endpoint. Computed in f64 and rounded once; f32 unless start and
/// stop have another float dtype. Throws
/// `[rank-mismatch]` where they are no scalars, `[dtype-mismatch]` where `dtype` is no float.
Tensor linspace(const Operand& start, const Operand& stop, const Extent& num, bool endpoint = true,
                std::optional<DType> dtype = {});

/// `x` with zeros above diagonal k of its last two dims: result[.., i, j] = x[.., i, j] where j <=
/// i + k. Throws
/// `[rank-mismatch]` below rank 2.
Tensor tril(const Operand& x, int64_t k = 0);
/// `x` with zeros below diagonal k of its last two dims: result[.., i, j] = x[.., i, j] where j >=
/// i + k. Throws `[rank-mismatch]` below rank 2.
Tensor triu(const Operand& x, int64_t k = 0);

/// How the extents of vectors x, y, ... become dims: ij gives [x, y, ...], xy gives [y, x, ...].
enum class Indexing : uint8_t { xy, ij };

/// Coordinates of a grid: result[v][i] = arrays[v][i[v]] over the product of the arrays' extents
/// (i[0] and i[1] exchanged for `xy`). Throws `[rank-mismatch]` above rank 1.
std::vector<Tensor> meshgrid(const std::vector<Operand>& arrays, Indexing indexing = Indexing::xy);

/// result[.., j] = 1 where x[..] = j, else 0, for j < depth; a class outside [0, depth) gives
/// zeros. Throws
/// `[dtype-mismatch]` where `x` holds no integers.
Tensor one_hot(const Operand& x, const Extent& depth, DType dtype = DType::f32);

/// f called once on index tensors: result[i, j, ...] = f(i, j, ...), where argument d holds i[d] in
/// every element (i32, or i64 where an extent exceeds 2^31 - 1 or is symbolic).
Tensor fromfunction(const std::function<Tensor(std::vector<Tensor>)>& f, const Shape& shape,
                    Here here = Here::current());

/// `x` converted: float to integer saturates and NaN gives 0, integer to integer wraps, to bool is
/// x != 0, to a narrower float rounds to nearest even.
Tensor astype(const Operand& x, DType dtype);

/// The bits of `x` as another dtype of the same width; every NaN becomes the positive quiet one
/// first. Throws
/// `[dtype-mismatch]` for other widths and for bool.
Tensor bitcast(const Operand& x, DType dtype);

} // namespace kolam
