/// What is known of the machine that code is made for and runs on. Every figure of a machine that a
/// decision rests on stands here, with its source; docs/design/machine.md says what asks for it and
/// how it is measured. What fixes an order of sums is meaning and stands elsewhere (accumulate.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kolam {

/// Lanes of AVX2 for elements of 32 bits: where what is decided is the same for all machines.
inline constexpr int kUsualLanes = 8;

/// Bytes that lie close to a core, by level. Makers' manuals; the last level is asked of the system
/// (backend/cpu/target.cpp), the others are those of the smallest of today's cores, so that what is
/// chosen by them holds on all.
struct Caches {
  int64_t line = 64;                 ///< of every x86-64 processor (CPUID leaf 1)
  int64_t first = int64_t{32} << 10; ///< Zen to Zen 4, Skylake: 32 KiB; Zen 5, Golden Cove: 48
  int64_t second = int64_t{1} << 20; ///< Skylake-X, Zen 4 and 5: 1 MiB; Zen 3: 0.5; Golden Cove: 2
  int64_t last = int64_t{32} << 20;  ///< where the system tells of none: a core complex of Zen 3
  /// Memory is asked for so many bytes before it is needed: two pages, beyond which processors do
  /// not look by themselves (Intel's optimization manual), and a quarter of the first level.
  int64_t ahead = 8 << 10;
  int64_t ahead_rows = 32; ///< at most: what a core waits for at once (fill buffers: 12 to 24)
  int64_t ahead_lines = 8; ///< of a wider window the processor fetches the rest itself
  /// Memory read and written side by side that processors ask for ahead by themselves: half of the
  /// 32 streams that the second level follows (Intel's optimization manual, 2.5.5.4).
  int64_t streams = 16;
  friend bool operator==(const Caches&, const Caches&) = default;
};

/// What a compiled nest pays for memory and for loops without vectors; what says probe is measured
/// by scripts/probe_machine. The unit is one operation of vector code on an element of 32 bits. The
/// figures are of x86-64 cores of 2020 and later, and rough: what they decide differs by several
/// times. Note [Prices].
struct Prices {
  /// Storing and fetching a byte: of values that stay in half of the second level, in half of the
  /// last one, in memory, whose bus cores share. Probe; a Zen 5 core: 1.2, 3 and 4.5 with
  /// AVX-512, 0.8, 1.6 and 2.4 with AVX2, whose operations take twice as long.
  double near_byte = 2, far_byte = 4, memory_byte = 20;
  double nest = 25000; ///< a nest more: compiling it, and a step of the runtime at each run
  double without_lanes = kUsualLanes; ///< the same work without vectors
  double hidden = 4;                  ///< operations that a loop hides which carries a state
  double spread_load = 16;            ///< an element from a place that data decides (probe)
  double shared = 8;                  ///< operations for two values that are worth one nest of both
  double packed = 2;         ///< times that an element may be packed: each is a store and a load
  double sum = 8;            ///< a sum inside a sum: it goes by itself, without neighbours
  double kept = 8;           ///< an element of a row that stays in the first level: store and load
  double placed = 16;        ///< a place of a row of at least a line
  double step = 2;           ///< of a loop without lanes: what it may compute by itself
  double chain = 16;         ///< operations one after the other that an element waits for
  double interleaving = 1e5; ///< work of a nest that is worth the code of chains side by side
  // Orders of dims (nest/axis_orders.h) and rows of few elements (nest/short_rows.h).
  double turned = 4; ///< an element that is turned in squares (probe)
  double lanes_in_memory =
      3;                  ///< one of a sum by lanes that lie in memory, not in registers (probe)
  double one_by_one = 36; ///< one that lanes gather, each in a row that they sum (probe)
  double halves =
      12; ///< on vectors, of a sum by lanes along a short row beside its elements (probe)
  int64_t growth = 4; ///< what is kept between runs may be so many times what it is made of
  friend bool operator==(const Prices&, const Prices&) = default;
};

/// What code is made for. What a target's processor has is filled in by backend/cpu/target.cpp.
struct Machine {
  bool has_fma = false;
  int vector_bytes = 16; ///< of the widest registers
  /// Dot products of pairs of bf16 into f32, and of four i8 into i32, in the widest registers.
  bool has_bf16_dots = false, has_i8_dots = false;
  /// Gathers of elements of 32 and 64 bits into registers of 32 bytes are worth it.
  bool has_gathers = false;
  Caches caches = {};
  Prices prices = {};
  friend bool operator==(const Machine&, const Machine&) = default;

  /// With registers of 64 bytes come masks for all elements (AVX-512 with its BW and VL).
  bool has_avx512() const { return vector_bytes == 64; }
  /// Masks for elements of 32 and 64 bits, by vectors.
  bool has_avx2() const { return vector_bytes == 32; }
  /// Vector registers (Intel's manual, volume 1: 16 of SSE and AVX2, 32 of AVX-512).
  int registers() const { return has_avx512() ? 32 : 16; }
  /// Elements of 32 bits in the widest registers.
  int lanes() const { return vector_bytes / 4; }
};

/// Rows shorter than the lanes of the narrowest registers, four elements of 32 bits, are not worth
/// vectors; shorter than those of the widest, they fill a part of one.
inline constexpr int64_t kShortRun = 4, kWideRun = 16;
/// Parts of a scan that run side by side, each in a lane: those of the widest registers, two of
/// AVX2's; fewer than so many are quicker one after the other.
inline constexpr int kScanParts = 16;
inline constexpr int64_t kFewestScanParts = 4;
/// Sums beside one another that hide how long each waits for itself: 4 cycles of an addition on
/// Skylake, 3 on Zen, two a cycle (Agner Fog, instruction tables); more leave few registers.
inline constexpr int kSumsAtOnce = 4;
/// Operations of a chain that a processor passes over to start on the next one: a part of what it
/// keeps in flight (224 of Skylake, 256 of Zen 3), with the loads and stores around.
inline constexpr size_t kOpsAhead = 32;

/// What is counted as so many operations: cycles for a vector of f32 beside those of an addition
/// (Agner Fog, instruction tables: vdivps, vsqrtps, idiv), rounded, as far as other work does not
/// hide them. Probe; Zen 5: 2.7 and 4.6, 21 of exp and 36 of tanh, 100 to 150 of integers.
struct Arithmetic {
  double divide = 7; ///< and a root: 4 to 5 cycles for 8 elements, 7 to 10 for 16, half hidden
  double divide_integers = 100; ///< one after the other
  double divide_by_number = 20; ///< which multiplications and shifts do
  double polynomial = 20;       ///< exp, log, tanh and so on: their operations (support/scalar/)
  double library = 600;         ///< a call of the C library: 10 to 15 ns, one after the other
  double random = 100;          ///< a block of threefry: 20 rounds of 5
};
inline constexpr Arithmetic kArithmetic;

/// Products of matrices by tiles. Widths and heights divide one another on all machines, so that
/// units start where tiles do. Measured by `make bench`, rows of products.
struct Tiles {
  int64_t unit = 96;         ///< rows and columns of a unit of work: 12 tiles of 8 x 48, AVX-512
  int64_t small_unit = 48;   ///< where there are few, so that threads get equal parts
  int64_t many_units = 64;   ///< large ones in a product: as many as cores, twice over
  int64_t few_rows = 96;     ///< are one unit; of more rows packing columns pays
  int64_t wide_rows = 4;     ///< at most so many rows have tiles wider than small units
  int64_t widest_rows = 2;   ///< and so many the widest, also where only the run knows the number
  int64_t grouped_rows = 16; ///< more rows gain nothing from neighbours with the same columns
  int64_t few_summed = 4;    ///< sums of fewer products are worth no tiles
  int64_t summed_part = 32,
          short_part = 8;     ///< of the summed dim, whose factors the first level holds
  int64_t packed_vectors = 3; ///< of columns side by side
  int64_t squares = 4;        ///< transposed tiles side by side: whole lines are read and written
  int64_t rows_at_once = 2;   ///< of a walk by rows
};
inline constexpr Tiles kTiles;

/// What the runtime does with threads. Probe: a region of all threads, and from how much work on it
/// pays.
struct Threads {
  double least_flops =
      2e5; ///< nests of less run on the calling thread: waking another costs as much
  /// The same where each weight is read once, by a product of one row: 24 GB/s from the second
  /// cache, where other work computes on what the first one holds (probe).
  double least_row_flops = 1e5;
  double piece_flops = 1e6; ///< nests of less run in one call; of others a first piece is so long
  int64_t turns_each = 2;   ///< of a loop whose turns threads share: fewer leave some of them idle
  int64_t tile = 16;        ///< rows or columns of a piece: a multiple of every vector's lanes
  int64_t parts = 128;      ///< and less than twice as many are shared evenly by many threads
  int64_t least_parted = 1 << 18; ///< elements: fewer are not worth a nest of their own for parts
  int64_t row_bytes = 1024; ///< parts of shorter rows take as long as the rows: the first lines do
  int64_t block_columns = 2048; ///< that are combined row by row: a quarter of the first level
  int64_t block_rows = 256;     ///< whose elements some operand holds across: a line of each
  /// Of a waiting thread, before it sleeps: about 50 us, longer than the gaps between the nests of
  /// a program, shorter than a scheduler's tick; with more threads than cores they keep others from
  /// working.
  int spins = 2000, crowded_spins = 20;
  /// Pieces between two looks at the cancel flag grow and shrink between these.
  std::chrono::milliseconds short_piece{5}, long_piece{25};
  /// The same of loops inside generated code and the runtime: operations, of shorter loops none;
  /// steps at most; rows of running combinations; elements of scatters and of sorts.
  double look_flops = 1e6, look_free_flops = 1000, look_steps = 4096;
  int64_t look_rows = 64, look_batches = 4096, look_sorted = 1 << 20;
};
inline constexpr Threads kThreads;

/// Points of a kernel's grid, all at once or one after the other. Probe: kernels with a loop of few
/// steps over blocks of 8 to 8192 elements, in grids of 16 to 16384 points.
struct Points {
  double large_step = 2048; ///< elements of a loop's step: what the runtime does for one costs less
  double small_step = 256;  ///< it costs more than all else, wherever elements lie
  double near_elements = 1 << 17; ///< of a step in all points: half of a second cache
  double cheap_branch = 64;       ///< operations on an element: more are not done in vain
  double long_window = 256;       ///< elements that are worth reading where they lie
};
inline constexpr Points kPoints;

/// Which calls at once are interpreted: compiling takes 2 to 20 ms, interpreting an operation 50 ns
/// (`make bench`, rows of compile times).
struct Calls {
  double interpreted_flops = 20000, interpreted_bytes = 4 << 20;
  int64_t interpreted_list_bytes = 64 << 10;
};
inline constexpr Calls kCalls;

/// Of the runtime's own loops.
struct Host {
  int64_t huge_page = int64_t{2} << 20; ///< of x86-64; every fresh page of 4 KiB costs a fault
  int64_t radix_length = 256; ///< from here on a radix sort beats comparisons (bench/, sorts)
};
inline constexpr Host kHost;

/// All that code depends on, for keys.
std::string to_string(const Machine& machine);

} // namespace kolam

// Note [Prices]
// A core does 8 to 16 operations on elements of 32 bits in the time of one load or store of a
// vector from its second cache (near_byte: a store, a load and the loop around), a few times that
// where the last cache is shared (far_byte), and some hundred where lines come from memory and go
// there (memory_byte). A nest is a step of the runtime, 60 to 80 ns, and a function to compile,
// which small values are not worth. Scalar code has no 8 or 16 lanes but four ops a cycle; a few of
// them run while a store waits for its address. A gather fetches about one element in a cycle.
