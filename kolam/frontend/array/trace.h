/// Tracing: the program under construction on this thread. Internal: includes MLIR.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/frontend/array/program.h"
#include "kolam/language/builder.h"
#include "kolam/language/promotion.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace kolam {

/// What a body computes: a part of the program, or single elements, which hold no checks.
enum class BodyKind : uint8_t { program, cells };

/// A region of a trace that is open or closed: values of a closed one have escaped.
struct TraceScope {
  bool open = true;
  std::optional<Shape> space; ///< of the body of a zip_map_reduce: what iter_idx counts over
  BodyKind kind = BodyKind::program;
  std::vector<std::function<void(language::Builder&)>> before; ///< Trace::before_region
};

/// A scalar that is a parameter of the program (as_scalar).
struct ScalarParameter {
  mlir::Value value;         ///< i64, u64 or f64
  language::WeakScalar like; ///< a number that the same dtypes hold
};

struct TracedValue;
/// The scalar parameter that an operand is, or null.
const ScalarParameter* scalar_parameter(const Operand& operand);

/// The value that a traced Tensor stands for.
struct TracedValue {
  std::shared_ptr<const TraceScope> scope;
  mlir::Value value; ///< of a scalar: at its default dtype
  TensorSpec spec;
  std::optional<ScalarParameter> scalar = std::nullopt;
  int64_t depth = 0; ///< of a list, whose leaves `spec` describes; `value` dies with its trace
};

/// A program under construction. One a nested trace shares with its outermost.
class Trace {
public:
  explicit Trace(std::span<const TensorSpec> parameters);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  language::Builder& builder() { return builder_; }
  /// That of the program, for what outlives the trace.
  std::shared_ptr<mlir::MLIRContext> context() const { return program_.context; }
  /// What the builder makes from now on is of the user's call that is running.
  void locate();
  std::vector<Tensor> parameters();
  /// A traced Tensor for a value of the innermost open scope. (A list has the spec of its leaves.)
  Tensor wrap(mlir::Value value);
  /// A symbol that no parameter has, for an op that binds one.
  std::string new_symbol() { return "_" + std::to_string(symbols_++); }
  /// As many: for the extents of an unpacked list.
  std::vector<std::string> new_symbols(int64_t count);
  /// The value of a tensor: its own, or a constant for an array (a hidden argument above 1 KiB).
  /// Throws
  /// `[escaped-tracer]`.
  mlir::Value value_of(const Tensor& tensor);
  /// A scalar parameter at `dtype`; converted as `astype` does where it is a float and the dtype is
  /// not.
  mlir::Value scalar_value(const TracedValue& traced, DType dtype);
  /// Throws `[escaped-tracer]` for a value of another trace, or of a region that is closed.
  void require_open(const TracedValue& traced) const;
  /// `tensor` as a scalar without a dtype of its own.
  Tensor as_scalar(const Tensor& tensor, const language::WeakScalar& like);
  /// Ends the trace: `results` become those of `main`, whose arguments have `names`.
  Program finish(const std::vector<Tensor>& results, std::vector<std::string> names = {});

  /// Builds a region: opens a scope whose block has arguments of `types`, calls `body` on them,
  /// yields what it gives. Values of outer scopes that the body uses become captures: further block
  /// arguments, in order. `space` is that of a zip_map_reduce.
  struct Region {
    std::unique_ptr<mlir::Region> region;
    std::vector<mlir::Value> captures;
  };
  Region region(mlir::TypeRange types,
                const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
                BodyKind kind = BodyKind::program, std::optional<Shape> space = std::nullopt);
  /// The same where `keep`, asked when `body` has run, says so; else nothing is left of it.
  std::optional<Region>
  region_if(mlir::TypeRange types,
            const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
            const std::function<bool()>& keep);
  BodyKind kind() const { return scopes_.back()->kind; }
  /// Records what `make` makes before the op of the innermost open region: a check of something
  /// that only the region knows of.
  void before_region(std::function<void(language::Builder&)> make) {
    scopes_.back()->before.push_back(std::move(make));
  }
  /// That a region's argument stands for the elements of a list, and which; null for other values.
  void note_element(mlir::Value element, mlir::Value list) {
    lists_of_elements_[element.getAsOpaquePointer()] = list;
  }
  mlir::Value list_of(mlir::Value element) const {
    return lists_of_elements_.lookup(element.getAsOpaquePointer());
  }
  /// The iteration space of the innermost open region, where that is the body of a zip_map_reduce.
  const std::optional<Shape>& space() const { return scopes_.back()->space; }

  /// The trace that is running on this thread, or null.
  static Trace* current();

  /// Makes a trace the thread's current one for as long as it lives.
  class Current {
  public:
    explicit Current(Trace* trace);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

  private:
    Trace* outer_;
  };

private:
  friend struct Program::State;
  Region finish_region(Region region, const TraceScope& scope);
  Region record_region(mlir::TypeRange types,
                       const std::function<std::vector<Tensor>(std::vector<Tensor>)>& body,
                       std::shared_ptr<TraceScope> scope);

  driver::Module program_;
  mlir::func::FuncOp main_;
  language::Builder builder_;
  std::vector<std::shared_ptr<TraceScope>> scopes_;
  std::vector<Array> hidden_; // arguments after the declared ones
  size_t declared_ = 0;
  size_t symbols_ = 0;
  unsigned first_call_; ///< the calls of a trace are counted from 1
  llvm::DenseMap<const void*, mlir::Value> lists_of_elements_;
};

} // namespace kolam
