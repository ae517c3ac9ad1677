"""The names that people bring from NumPy, JAX and PyTorch: what each is called here, or why it is not here.

One table decides. Hints of errors (_hints.py), the page docs/coming_from_numpy.md and tests are made of it.
"""

#: A name of jax.numpy or of the array API, and what becomes of it. Words behind the name: nothing where the function
#: has the same name here, `= expression` where it is written otherwise, `later` or `never` with the reason.
TABLE = """
ComplexWarning      later  complex numbers
abs
absolute            = abs(x)
acos
acosh
add
all
allclose
amax                = max(x, axis)
amin                = min(x, axis)
angle               later  complex numbers
any
append              = concat([ravel(x), ravel(y)]), along an axis concat([x, y], axis)
apply_along_axis    = vmap(f) over the other axes
apply_over_axes     = f(x, axis), one axis after the other
arange
arccos              = acos(x)
arccosh             = acosh(x)
arcsin              = asin(x)
arcsinh             = asinh(x)
arctan              = atan(x)
arctan2             = atan2(y, x)
arctanh             = atanh(x)
argmax
argmin
argpartition        = argsort(x, axis)
argsort
argwhere
around              = round(x)
array
array_equal
array_equiv         = array_equal(*broadcast_arrays(x, y)) where the shapes broadcast
array_repr          = repr(x)
array_split         = split(x, places, axis) at the places where parts begin
array_str           = str(x)
asarray
asin
asinh
astype
atan
atan2
atanh
atleast_1d
atleast_2d
atleast_3d
average
bartlett
bfloat16
bincount
bitwise_and
bitwise_count
bitwise_invert
bitwise_left_shift
bitwise_not         = bitwise_invert(x)
bitwise_or
bitwise_right_shift
bitwise_xor
blackman
block               = concat([concat(row, -1) for row in rows], -2)
bool
bool_               = bool
broadcast_arrays
broadcast_shapes
broadcast_to
c_                  = concat([x, y], -1), of vectors stack([x, y], -1)
can_cast
cbrt
cdouble             later  complex numbers
ceil
character           never  arrays hold numbers
choose              = take_along_axis(stack(choices), expand_dims(x, 0), 0)[0]
clip
column_stack        = concat([x, y], 1), of vectors stack([x, y], -1)
complex128          later  complex numbers
complex64           later  complex numbers
complex_            later  complex numbers
complexfloating     later  complex numbers
compress            = x[condition] of vectors, or along the first axis
concat
concatenate         = concat([x, y], axis)
conj                later  complex numbers
conjugate           later  complex numbers
convolve
copy                = x: an array never changes
copysign
corrcoef
correlate
cos
cosh
count_nonzero
cov
cross
csingle             later  complex numbers
cumprod             = cumulative_prod(x, axis), of all elements cumulative_prod(ravel(x), 0)
cumsum              = cumulative_sum(x, axis), of all elements cumulative_sum(ravel(x), 0)
cumulative_prod
cumulative_sum
deg2rad
degrees             = rad2deg(x)
delete              = x[mask] of vectors, or along the first axis
diag
diag_indices        = (arange(n), arange(n))
diag_indices_from   = (arange(n), arange(n))
diagflat            = diag(reshape(x, (-1,)), k)
diagonal
diff
digitize
divide
divmod
dot                 = tensordot(x, y, ((-1,), (-2,))), of vectors vecdot(x, y)
double              = float64
dsplit              = split(x, places, 2)
dstack              = concat([atleast_3d(x), atleast_3d(y)], 2)
dtype               = DType
e
ediff1d             = diff(reshape(x, (-1,)))
einsum
einsum_path         never  einsum finds the order by itself
empty
empty_like
equal
euler_gamma         = 0.5772156649015329
exp
exp2
expand_dims
expm1
extract             = x[condition]
eye
fabs                = abs(x)
fft                 later  Fourier transforms
fill_diagonal       = where(eye(*x.shape, dtype=bool), value, x) of matrices
finfo
flatnonzero
flexible            never  arrays hold numbers
flip
fliplr              = flip(x, 1)
flipud              = flip(x, 0)
float16
float32
float4_e2m1fn       later  narrow floats
float6_e2m3fn       later  narrow floats
float6_e3m2fn       later  narrow floats
float64
float8_e3m4         later  narrow floats
float8_e4m3         later  narrow floats
float8_e4m3b11fnuz  later  narrow floats
float8_e4m3fn       later  narrow floats
float8_e4m3fnuz     later  narrow floats
float8_e5m2         later  narrow floats
float8_e5m2fnuz     later  narrow floats
float8_e8m0fnu      later  narrow floats
float_              = float32
float_power         = pow(astype(x, float64), y)
floating            = isdtype(dtype, "real floating")
floor
floor_divide
fmax                = where(isnan(x), y, where(isnan(y), x, maximum(x, y)))
fmin                = where(isnan(x), y, where(isnan(y), x, minimum(x, y)))
fmod
frexp               later  no user has asked for it
from_dlpack
frombuffer          = asarray(numpy.frombuffer(...))
fromfile            = load("x.npy")
fromfunction
fromiter            = asarray(list(iterator))
frompyfunc          = opaque_call(f, [x], (shape, dtype))
fromstring          = asarray(numpy.fromstring(...))
full
full_like
gcd                 later  no user has asked for it
generic             never  an element is an array of rank 0
geomspace           = exp(linspace(log(start), log(stop), num))
get_printoptions    = numpy.get_printoptions(): arrays print as NumPy's do
gradient
greater
greater_equal
hamming
hanning
heaviside
histogram
histogram2d         later  no user has asked for it
histogram_bin_edges
histogramdd         later  no user has asked for it
hsplit              = split(x, places, 1), of vectors split(x, places, 0)
hstack              = concat([x, y], 1), of vectors concat([x, y], 0)
hypot
i0                  later  Bessel functions
identity            = eye(n)
iinfo
imag                later  complex numbers
index_exp           never  x[1:2, ...] says the same
indices             = stack(meshgrid(arange(n), arange(m), indexing="ij"))
inexact             = isdtype(dtype, "real floating")
inf
inner               = tensordot(x, y, ((-1,), (-1,)))
insert              = concat([x[:i], y, x[i:]]) of vectors, or along the first axis
int1                later  narrow integers
int16
int2                later  narrow integers
int32
int4                later  narrow integers
int64
int8
int_                = int32
integer             = isdtype(dtype, "integral")
interp
intersect1d         = unique(x[isin(x, y)])
invert              = bitwise_invert(x)
isclose
iscomplex           later  complex numbers
iscomplexobj        later  complex numbers
isdtype
isfinite
isin
isinf
isnan
isneginf            = x == -inf
isposinf            = x == inf
isreal              later  complex numbers
isrealobj           later  complex numbers
isscalar            = ndim(x) == 0
issubdtype          = isdtype(dtype, kind)
iterable            = ndim(x) > 0
ix_                 = x[i[:, None], j]
kaiser              later  Bessel functions
kron
lcm                 later  no user has asked for it
ldexp               = x * exp2(n)
left_shift          = bitwise_left_shift(x, n)
less
less_equal
lexsort             = argsort, from the last key to the first: it is stable
linalg              later  linear algebra; norm, trace, diagonal, outer and matmul stand in kolam itself
linspace
load
log
log10
log1p
log2
logaddexp
logaddexp2
logical_and
logical_not
logical_or
logical_xor
logspace            = pow(10.0, linspace(start, stop, num))
mask_indices        = nonzero(mask)
matmul
matrix_transpose
matvec              = matmul(x, expand_dims(y, -1))[..., 0]
max
maximum
mean
median
meshgrid
mgrid               = stack(meshgrid(arange(n), arange(m), indexing="ij"))
min
minimum
mod                 = remainder(x, y)
modf                = (copysign(where(isinf(x), 0.0, x - trunc(x)), x), trunc(x))
moveaxis
multiply
nan
nan_to_num
nanargmax
nanargmin
nancumprod
nancumsum
nanmax
nanmean
nanmedian
nanmin
nanpercentile
nanprod
nanquantile
nanstd
nansum
nanvar
ndarray             = Array
ndim
negative
newaxis
nextafter
nonzero
not_equal
number              = isdtype(dtype, "numeric")
object_             never  arrays hold numbers
ogrid               = meshgrid(arange(n), arange(m), indexing="ij", sparse=True)
ones
ones_like
outer
packbits            later  no user has asked for it
pad
partition           = sort(x, axis)
percentile
permute_dims
pi
piecewise           = where(condition, f(x), g(x))
place               = where(mask, value, x)
poly                later  polynomials but their value
polyadd             later  polynomials but their value
polyder             later  polynomials but their value
polydiv             later  polynomials but their value
polyfit             later  linear algebra
polyint             later  polynomials but their value
polymul             = convolve(x, y)
polysub             later  polynomials but their value
polyval
positive
pow
power               = pow(x, y)
printoptions        = numpy.printoptions(...): arrays print as NumPy's do
prod
promote_types       = result_type(x, y)
ptp
put                 = x.at[i].set(v) of vectors
put_along_axis
quantile
r_                  = concat([x, y])
rad2deg
radians             = deg2rad(x)
ravel
ravel_multi_index   = i * n + j
real                later  complex numbers
reciprocal
remainder
repeat
reshape
resize              = tile(x, n), then a slice
result_type
right_shift         = bitwise_right_shift(x, n)
rint                = round(x)
roll
rollaxis            = moveaxis(x, axis, start), or start - 1 where start > axis
roots               later  linear algebra
rot90
round
s_                  never  x[1:2, ...] says the same
save
savez               = save_npz("x.npz", name=x)
searchsorted
select              = where(first, x, where(second, y, default)); kolam.select chooses by one condition
set_printoptions    = numpy.set_printoptions(...): arrays print as NumPy's do
setdiff1d           = unique(x[~isin(x, y)])
setxor1d            = unique(concat([x[~isin(x, y)], y[~isin(y, x)]]))
shape
sign
signbit
signedinteger       = isdtype(dtype, "signed integer")
sin
sinc
single              = float32
sinh
size
sort
sort_complex        later  complex numbers
spacing             = nextafter(x, copysign(inf, x)) - x
split
sqrt
square
squeeze
stack
std
subtract
sum
swapaxes
take
take_along_axis
tan
tanh
tensordot
tile
trace
transpose           = permute_dims(x, axes), or x.T
trapezoid
tri
tril
tril_indices        = nonzero(tri(n, m, k))
tril_indices_from   = nonzero(tri(*x.shape, k))
trim_zeros          = x[first : last + 1] of nonzero(x)
triu
triu_indices        = nonzero(tri(n, m, k - 1) == 0)
triu_indices_from   = nonzero(tri(*x.shape, k - 1) == 0)
true_divide         = divide(x, y)
trunc
ufunc               never  every elementwise function is a plain function
uint                = uint32
uint1               later  narrow integers
uint16
uint2               later  narrow integers
uint32
uint4               later  narrow integers
uint64
uint8
union1d             = unique(concat([ravel(x), ravel(y)]))
unique
unique_all
unique_counts
unique_inverse
unique_values
unpackbits          later  no user has asked for it
unravel_index
unsignedinteger     = isdtype(dtype, "unsigned integer")
unstack
unwrap              later  no user has asked for it
vander
var
vdot                = vecdot(reshape(x, (-1,)), reshape(y, (-1,)))
vecdot
vecmat              = matmul(expand_dims(x, -2), y)[..., 0, :]
vectorize           = vmap(f)
vsplit              = split(x, places, 0)
vstack              = concat([atleast_2d(x), atleast_2d(y)], 0)
where
zeros
zeros_like
"""

#: Names of JAX beside jax.numpy, of NumPy beside jax.numpy, and of PyTorch: only what hints need.
ELSEWHERE = """
Module              never  a model is a function of its weights
PRNGKey             = random.key(seed)
addmm               = c + a @ b
alltrue             = all(x, axis)
as_tensor           = asarray(x)
avg_pool1d          = avg_pool(x, window)
avg_pool2d          = avg_pool(x, window)
avg_pool3d          = avg_pool(x, window)
baddbmm             = c + a @ b
bmm                 = matmul(x, y)
breakpoint          = debug.callback(f, x)
cat                 = concat([x, y], axis)
chunk               = split(x, n, axis)
clamp               = clip(x, lower, upper)
compile             = jit(f)
conv_transpose1d    = conv_transpose(x, w)
conv_transpose2d    = conv_transpose(x, w)
conv_transpose3d    = conv_transpose(x, w)
cuda                later  GPUs
check_error         = error.throw()
custom_gradient     = custom_vjp(f); f.defvjp(fwd, bwd)
cummax              = cumulative_max(x, axis)
cummin              = cumulative_min(x, axis)
cumproduct          = cumulative_prod(x, axis)
device_get          = numpy.asarray(x)
device_put          = asarray(x)
distributed         later  plans for many machines
dynamic_slice_in_dim = dynamic_slice(x, starts, sizes)
dynamic_update_slice_in_dim = dynamic_update_slice(x, update, starts)
eq                  = equal(x, y)
erfinv              = erf_inv(x)
expit               = sigmoid(x)
float               = float32
from_numpy          = asarray(x)
functional          = the function of the same name in kolam itself
gammaln             = lgamma(x)
ge                  = greater_equal(x, y)
get_default_dtype   = float32, always
gt                  = greater(x, y)
half                = float16
hardshrink          = hard_shrink(x)
hardsigmoid         = hard_sigmoid(x)
hardswish           = hard_swish(x)
hardtanh            = hard_tanh(x)
index_add           = x.at[i].add(v)
index_select        = take(x, i, axis)
in1d                = isin(x, y)
int                 = int32
is_tensor           = isinstance(x, kolam.Array)
kthvalue            = sort(x, axis)[k]
lax                 = the function of the same name in kolam itself
le                  = less_equal(x, y)
logsigmoid          = log_sigmoid(x)
long                = int64
lt                  = less(x, y)
make_jaxpr          = jit(f).lower(x).as_text()
manual_seed         = random.key(seed)
masked_fill         = where(mask, value, x)
masked_select       = x[mask]
max_pool1d          = max_pool(x, window)
max_pool2d          = max_pool(x, window)
max_pool3d          = max_pool(x, window)
memmap              = asarray(numpy.memmap(...))
mm                  = matmul(x, y)
msort               = sort(x, 0)
mul                 = multiply(x, y)
multinomial         = random.categorical(key, logits)
mv                  = matmul(x, y)
narrow              = x[start : start + n]
ne                  = not_equal(x, y)
neg                 = negative(x)
nn                  = the function of the same name in kolam itself
no_grad             never  nothing records gradients
normal              = random.normal(key, shape)
numpy               = kolam itself: its functions have NumPy's names
permute             = permute_dims(x, axes)
pjit                later  plans for many machines
pmap                later  plans for many machines
rand                = random.uniform(key, shape)
randint             = random.randint(key, shape, low, high)
randn               = random.normal(key, shape)
randperm            = random.permutation(key, n)
repeat_interleave   = repeat(x, n, axis)
require_grad        never  grad(f) says of which arguments: argnums
row_stack           = concat([atleast_2d(x), atleast_2d(y)], 0)
rsub                = subtract(y, x)
scatter_add         = x.at[i].add(v)
scatter_max         = x.at[i].max(v)
scatter_min         = x.at[i].min(v)
scatter_mul         = x.at[i].multiply(v)
seed                = random.key(seed)
select_n            = where(condition, x, y)
slice_in_dim        = x[start:stop]
slogdet             later  linear algebra
fold                later  no user has asked for it; fractal.fold folds lists
unfold              later  no user has asked for it; reduce_window and fractal.window read windows
softshrink          = soft_shrink(x)
softsign            = soft_sign(x)
solve               later  linear algebra
special             = the function of the same name in kolam itself
inv                 later  linear algebra
det                 later  linear algebra
svd                 later  linear algebra
eig                 later  linear algebra
eigh                later  linear algebra
cholesky            later  linear algebra
qr                  later  linear algebra
lstsq               later  linear algebra
pinv                later  linear algebra
sub                 = subtract(x, y)
t                   = matrix_transpose(x)
swish               = silu(x)
tanhshrink          = tanh_shrink(x)
tensor              = asarray(x)
topk                = top_k(x, k)
trapz               = trapezoid(y, x)
tree_map            = pytree.tree_map(f, tree)
tree_util           = pytree
uniform             = random.uniform(key, shape)
unsqueeze           = expand_dims(x, axis)
"""

#: Methods and attributes of the arrays of NumPy, JAX and PyTorch that ours have under another name, or not.
MEMBERS = """
add_                = x + y: an array never changes
append              = kolam.concat([x, kolam.asarray([y])])
argpartition        = kolam.argsort(x, axis)
backward            never  an array records nothing: kolam.grad(f) gives the gradient
base                never  an array owns its memory
bfloat16            = x.astype(kolam.bfloat16)
bool                = x.astype(kolam.bool)
byteswap            never  elements have the processor's byte order
chunk               = kolam.split(x, n, axis)
clamp               = x.clip(lower, upper)
clone               = x: an array never changes
compress            = x[condition]
contiguous          = x: elements are always in row-major order
cpu                 = x: arrays are in the memory of the processor
ctypes              = numpy.asarray(x).ctypes
cuda                later  GPUs
data                = numpy.asarray(x).data
detach              = x: nothing records gradients
device_buffer       never  use numpy.asarray(x) or DLPack
dim                 = x.ndim
double              = x.astype(kolam.float64)
dump                = kolam.save("x.npy", x)
element_size        = x.dtype.itemsize
eq                  = x == y
copy_               = y: an array never changes
exponential_        = kolam.random.exponential(key, x.shape)
extend              = kolam.concat([x, y])
expand              = kolam.broadcast_to(x, shape)
fill                = kolam.full_like(x, value)
fill_               = kolam.full_like(x, value)
flags               = numpy.asarray(x).flags
flat                = x.ravel()
float               = x.astype(kolam.float32)
gather              = kolam.take_along_axis(x, i, axis)
grad                never  an array records nothing: kolam.grad(f) gives the gradient
half                = x.astype(kolam.float16)
imag                later  complex numbers
index_add           = x.at[i].add(v)
index_select        = kolam.take(x, i, axis)
insert              = kolam.concat([x[:i], y, x[i:]])
itemsize            = x.dtype.itemsize
int                 = x.astype(kolam.int32)
is_contiguous       = True, always
itemset             = x.at[i].set(v)
long                = x.astype(kolam.int64)
masked_fill         = kolam.where(mask, value, x)
masked_select       = x[mask]
masked_fill_        = kolam.where(mask, value, x)
matmul              = x @ y
mm                  = x @ y
mul                 = x * y
narrow              = x[start : start + n]
newbyteorder        never  elements have the processor's byte order
norm                = kolam.norm(x)
normal_             = kolam.random.normal(key, x.shape)
numel               = x.size
numpy               = numpy.asarray(x)
partition           = kolam.sort(x, axis)
permute             = kolam.permute_dims(x, axes)
pow                 = x ** y
pop                 = x[:-1]
put                 = x.at[i].set(v)
real                = x: there are no complex numbers yet
remove              = x[x != value]
repeat_interleave   = x.repeat(n, axis)
relu                = kolam.relu(x)
requires_grad       = False: nothing records gradients
requires_grad_      never  kolam.grad(f) says of which arguments: argnums
resize              = kolam.reshape(x, shape)
scatter             = x.at[i].set(v)
scatter_add         = x.at[i].add(v)
setfield            = x.at[i].set(v)
setflags            never  an array never changes
softmax             = kolam.softmax(x, axis)
split               = kolam.split(x, n, axis)
strides             = numpy.asarray(x).strides
sub                 = x - y
t                   = x.mT
tobytes             = numpy.asarray(x).tobytes()
tofile              = kolam.save("x.npy", x)
topk                = kolam.top_k(x, k)
unfold              later  no user has asked for it; kolam.reduce_window reads windows
uniform_            = kolam.random.uniform(key, x.shape)
tostring            = numpy.asarray(x).tobytes()
type                = x.astype(dtype)
unsafe_buffer_pointer never  use numpy.asarray(x) or DLPack
unsqueeze           = kolam.expand_dims(x, axis)
view                = x.reshape(shape), or kolam.bitcast(x, dtype) for another dtype of the same width
view_as             = x.reshape(y.shape)
zero_               = kolam.zeros_like(x)
"""

#: Names of Python's lists, of Arrow's and of arrays that a FractalTensor has under another name, or not.
LISTS = """
append              = fractal.join(xs, fractal.FractalTensor([y])): a list never changes
copy                = xs: a list never changes
count               = fractal.filter(f, xs).numel
extend              = fractal.join(xs, ys): a list never changes
flatten             = fractal.flatten(xs)
from_list           = fractal.FractalTensor(nested)
insert              = fractal.join(xs[:i], fractal.FractalTensor([y]), xs[i:]): a list never changes
ndim                = xs.depth and len(xs.leaf_shape)
numpy               = fractal.flatten(xs), or xs.to_list() for nested lists
offsets             = xs.to_offsets()
pop                 = xs[:-1]: a list never changes
remove              = fractal.filter(f, xs): a list never changes
reverse             = fractal.reverse(xs)
shape               = xs.lengths and xs.leaf_shape: lengths may differ
size                = xs.numel
sort                later  no user has asked for it; fractal.map(kolam.sort, ...) sorts arrays
to_numpy            = fractal.flatten(xs), or xs.to_list() for nested lists
tolist              = xs.to_list()
values              = fractal.flatten(xs)
"""

#: Names of numpy.random, jax.random and PyTorch's generators that kolam.random has under another name, or not.
RANDOM = """
Generator           = random.key(seed): a key is a value, drawing changes nothing
PRNGKey             = random.key(seed)
RandomState         = random.key(seed)
SeedSequence        = random.key(seed)
ball                later  no user has asked for it
beta                later  no user has asked for it
binomial            later  no user has asked for it
cauchy              later  no user has asked for it
chisquare           later  no user has asked for it
clone               = key: a key is a value
default_rng         = random.key(seed)
dirichlet           later  no user has asked for it
double_sided_maxwell later  no user has asked for it
gamma               later  no user has asked for it
geometric           later  no user has asked for it
get_state           = key: all state is the key
initial_seed        = key: all state is the key
integers            = random.randint(key, shape, low, high)
key_data            = key: a key is an array of two uint32
laplace             later  no user has asked for it
loggamma            later  no user has asked for it
logistic            later  no user has asked for it
lognormal           = exp(random.normal(key, shape))
manual_seed         = random.key(seed)
maxwell             later  no user has asked for it
multinomial         = random.categorical(key, logits)
multivariate_normal later  linear algebra
orthogonal          later  linear algebra
pareto              later  no user has asked for it
poisson             later  no user has asked for it
rademacher          = where(random.bernoulli(key, 0.5, shape), 1, -1)
rand                = random.uniform(key, shape)
rand_like           = random.uniform(key, x.shape)
randn               = random.normal(key, shape)
randn_like          = random.normal(key, x.shape)
random              = random.uniform(key, shape)
random_integers     = random.randint(key, shape, low, high)
random_sample       = random.uniform(key, shape)
randperm            = random.permutation(key, n)
ranf                = random.uniform(key, shape)
rayleigh            later  no user has asked for it
sample              = random.uniform(key, shape)
seed                = random.key(seed)
set_state           = key: all state is the key
shuffle             = random.permutation(key, x)
spawn               = random.split(key, num)
standard_exponential = random.exponential(key, shape)
standard_normal     = random.normal(key, shape)
t                   later  no user has asked for it
triangular          later  no user has asked for it
wald                later  no user has asked for it
weibull_min         later  no user has asked for it
wrap_key_data       = key: a key is an array of two uint32
zipf                later  no user has asked for it
"""
