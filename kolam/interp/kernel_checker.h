/// Follows a kernel under checks: what its points read and write, and where values come from.
///
/// Elements that nobody has written, and elements of blocks outside of their array, are poison. The
/// kernel runs in several worlds, which differ in the poison alone: what differs between them
/// depends on it. That is a finding where it decides a branch or an address, or where it is an
/// element of a result at the end, not where a mask or `where` throws it away.
#pragma once

#include "kolam/interp/evaluation.h"
#include "kolam/ir/kernel_instances.h"

namespace kolam::interp {

enum class Access : uint8_t { read, write, update };

/// Who has used the elements of an array, by points of the grid.
struct Shadow {
  static constexpr int64_t kNone = -1, kSeveral = -2;
  struct Element {
    int64_t writer = kNone;
    int64_t reader = kNone;       ///< the last one
    int64_t reader_group = kNone; ///< kSeveral: of more than one group
    bool is_updated = false;      ///< the last write is an update
    mlir::Operation* written_by = nullptr;
  };
  std::string name; ///< for errors
  bool is_scratch;  ///< points that write it before they read it have one each
  std::vector<int64_t> shape;
  std::vector<Element> elements;
  size_t instance_dims = 0; ///< the first dims, which count instances (ir/kernel_instances.h)
};

class KernelChecker {
public:
  /// `points` in the order in which they run.
  KernelChecker(ir::KernelCallOp op, std::vector<std::vector<int64_t>> points);

  static constexpr int kWorlds = 3;
  /// Whether the point has run before, in another world.
  bool is_repeated() const { return world_ > 0; }

  /// An array of poison, of the world.
  Array poison(DType dtype, const std::vector<int64_t>& shape) const;
  /// What tells of the uses of an array; null in worlds but the first.
  std::shared_ptr<Shadow> shadow_of(const Array& array, std::string name, bool is_scratch,
                                    size_t instance_dims = 0) const;
  /// A scratch array of the world.
  Ref scratch(DType dtype, const std::vector<int64_t>& shape, std::string name,
              size_t instance_dims = 0) const;
  /// The dims of the array of a block or scratch array that count instances.
  size_t instance_dims(size_t ref) const { return instances_.dims_of(ref); }

  void enter_world(int world) { world_ = world; }
  /// The next steps are those of a point, by its number in the order.
  void enter_point(int64_t number);
  void leave_point();

  /// A branch or loop takes a region.
  void enter(mlir::Region& region);
  /// An op makes a view: throws where it is another one than in the first world.
  void note_view(mlir::Value value, const Ref& ref);
  /// Throws `[index-out-of-range]` and `[kernel-race]`.
  void note(mlir::Operation* op, const Ref& ref, const Array& mask, Access access);
  /// Throws `[block-outside]` for a block none of whose elements is in its array.
  void require_inside(const Ref& block, std::string_view name) const;
  /// Throws `[undefined-element]` where a result differs between the worlds.
  void require_defined(const std::vector<Array>& worlds, const Shadow& shadow);

private:
  struct Decision {
    mlir::Operation* op;
    llvm::hash_code what;
  };
  void decide(mlir::Operation* op, llvm::hash_code what);
  [[noreturn]] void find_decision(mlir::Operation* op) const;
  /// The coordinates of a point, without those that count instances.
  std::string at_point(int64_t number) const;
  /// `of instance 2, ` where axes count instances.
  std::string at_instance(llvm::ArrayRef<int64_t> index) const;
  [[noreturn]] void fail_at(mlir::Location where, const char* slug,
                            const std::string& message) const;
  bool are_ordered(int64_t x, int64_t y) const { return groups_[x] == groups_[y]; }

  ir::KernelInstances instances_;
  mlir::Location location_;
  std::string kernel_;
  std::vector<std::vector<int64_t>> points_;
  std::vector<int64_t> groups_; ///< by point; points of one group are ordered
  int world_ = 0;
  int64_t point_ = 0;
  std::string in_no_point_ = "in no point";
  std::vector<Decision> decisions_; ///< of the point, in the first world
  size_t next_ = 0;                 ///< of the decisions, in another world
};

/// Tells the checker, where one follows the memory of the Ref.
void note_access(mlir::Operation* op, const Ref& ref, const Array& mask, Access access,
                 const Evaluation& e);

} // namespace kolam::interp
