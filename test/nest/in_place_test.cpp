// Which buffers share memory: a step's operand and result, the state of a loop, and never what is
// read later.
#include "kolam/nest/in_place.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

/// Buffers with the times at which steps use them.
struct Program {
  std::vector<BufferPlan> buffers;
  std::vector<Lifetime> lifetimes;
  std::vector<std::vector<int64_t>> times;
  std::map<int, int64_t> exchanged_at;
  std::vector<LoopRange> loops;
  std::vector<std::pair<int, int>> exchanged;
  std::vector<Handover> handovers;
  std::vector<BranchRange> branches;

  int add(Place place, std::vector<int64_t> uses, int64_t extent = 16) {
    buffers.push_back({DType::f32, {Extent(extent)}, place, 0, {}});
    lifetimes.push_back({uses.front(), uses.back()});
    times.push_back(std::move(uses));
    return static_cast<int>(buffers.size()) - 1;
  }

  /// Two buffers that the only loop exchanges at a time.
  void exchange(int state, int next, int64_t time) {
    exchanged.push_back({state, next});
    exchanged_at[state] = exchanged_at[next] = time;
    lifetimes[state].last = std::max(lifetimes[state].last, time);
    lifetimes[next].last = time;
  }

  bool shares(int a, int b) const { return memory_of(buffers, a) == memory_of(buffers, b); }
  void share() {
    share_memory(buffers, {lifetimes, times, exchanged_at, branches}, loops, exchanged, handovers);
  }
};

TEST(ShareMemory, HandsOverWhatIsDead) {
  Program program;
  int from = program.add(Place::arena, {0, 1}), to = program.add(Place::arena, {1, 2});
  program.handovers = {{from, to, 1}};
  program.share();
  EXPECT_TRUE(program.shares(from, to));
  EXPECT_EQ(program.lifetimes[memory_of(program.buffers, from)].first, 0);
}

TEST(ShareMemory, KeepsWhatIsReadLater) {
  Program program;
  int from = program.add(Place::arena, {0, 1, 3}), to = program.add(Place::arena, {1, 2});
  program.handovers = {{from, to, 1}};
  program.share();
  EXPECT_FALSE(program.shares(from, to));
}

TEST(ShareMemory, KeepsArgumentsConstantsAndOtherShapes) {
  Program program;
  int argument = program.add(Place::argument, {1}), constant = program.add(Place::constant, {2});
  int other = program.add(Place::arena, {0, 3}, /*extent=*/8);
  int first = program.add(Place::arena, {1, 4}), second = program.add(Place::arena, {2, 4});
  int third = program.add(Place::arena, {3, 4});
  program.handovers = {{argument, first, 1}, {constant, second, 2}, {other, third, 3}};
  program.share();
  for (int buffer = 0; buffer < 6; ++buffer)
    EXPECT_EQ(program.buffers[buffer].same_as, -1) << buffer;
}

TEST(ShareMemory, ChainsLieInTheResult) {
  Program program;
  int first = program.add(Place::arena, {0, 1}), second = program.add(Place::arena, {1, 2});
  int result = program.add(Place::result, {2});
  program.handovers = {{first, second, 1}, {second, result, 2}};
  program.share();
  EXPECT_EQ(program.buffers[first].same_as, result);
  EXPECT_EQ(program.buffers[second].same_as, result);
  EXPECT_EQ(program.buffers[result].same_as, -1);
  EXPECT_EQ(program.lifetimes[result].first, 0);
}

TEST(ShareMemory, GivesMemoryOnce) {
  Program program;
  int from = program.add(Place::arena, {0, 1});
  int one = program.add(Place::arena, {1, 2}), two = program.add(Place::arena, {1, 2});
  program.handovers = {{from, one, 1}, {from, two, 1}};
  program.share();
  EXPECT_TRUE(program.shares(from, one));
  EXPECT_FALSE(program.shares(one, two));
}

TEST(ShareMemory, KeepsWhatEveryTurnReads) {
  Program program;
  program.loops = {{2, 6}};
  int from = program.add(Place::arena, {0, 3}), to = program.add(Place::arena, {3, 4});
  program.handovers = {{from, to, 3}};
  program.share();
  EXPECT_FALSE(program.shares(from, to));
}

/// State in the loop [2, 7], exchanged at 6: the step at 4 makes what the next turn starts from.
Program loop(std::vector<int64_t> uses_of_state) {
  Program program;
  program.loops = {{2, 7}};
  int init = program.add(Place::arena, {0, 1});
  int state = program.add(Place::arena, std::move(uses_of_state));
  int next = program.add(Place::arena, {4});
  int result = program.add(Place::result, {8});
  program.exchange(state, next, 6);
  program.handovers = {{init, state, 1}, {state, next, 4}, {state, result, 8}};
  return program;
}

TEST(ShareMemory, StateOfALoopStaysInPlace) {
  Program program = loop({1, 3, 4, 8});
  program.share();
  for (int buffer : {0, 1, 2})
    EXPECT_EQ(program.buffers[buffer].same_as, 3) << buffer;
}

TEST(ShareMemory, StateThatIsReadBehindTheStepDoesNot) {
  Program program = loop({1, 4, 5, 8});
  program.share();
  EXPECT_FALSE(program.shares(1, 2));
  // Nor may the memory that is exchanged be anyone else's.
  EXPECT_FALSE(program.shares(0, 1));
  EXPECT_FALSE(program.shares(1, 3));
}

TEST(ShareMemory, StateOfAnOuterLoopIsNotChangedInside) {
  Program program = loop({1, 4, 8});
  program.loops.push_back({3, 5}); // around the step at 4
  program.share();
  EXPECT_FALSE(program.shares(1, 2));
}

TEST(ShareMemory, StatesThatChangePlacesDoNotShare) {
  Program program;
  program.loops = {{2, 7}};
  int a = program.add(Place::arena, {1, 4, 8}), b = program.add(Place::arena, {1, 3, 8});
  int next_a = program.add(Place::arena, {3}), next_b = program.add(Place::arena, {4});
  program.exchange(a, next_a, 5);
  program.exchange(b, next_b, 6);
  program.handovers = {{b, next_a, 3}, {a, next_b, 4}};
  program.share();
  for (int buffer = 0; buffer < 4; ++buffer)
    EXPECT_EQ(program.buffers[buffer].same_as, -1) << buffer;
}

/// States a and b in the loop [2, 7]; b becomes what a was, a what the step at 4 makes of both.
struct Rotated {
  Program program;
  int a, b, next;
  explicit Rotated(std::vector<int64_t> uses_of_b) {
    program.loops = {{2, 7}};
    int init = program.add(Place::arena, {0, 1});
    a = program.add(Place::arena, {1, 4, 6, 8}); // read to the end of a turn
    b = program.add(Place::arena, std::move(uses_of_b));
    next = program.add(Place::arena, {4});
    program.exchange(a, next, 6);
    program.exchange(b, next, 6);
    program.handovers = {{init, b, 1}, {a, next, 4}, {b, next, 4}};
  }
  std::map<int, int> share() {
    return share_memory(program.buffers,
                        {program.lifetimes, program.times, program.exchanged_at, {}}, program.loops,
                        program.exchanged, program.handovers);
  }
};

TEST(ShareMemory, TheLastOfSeveralStatesIsWhereTheNextIsComputed) {
  Rotated rotated({1, 4, 8});
  EXPECT_EQ(rotated.share(), (std::map<int, int>{{rotated.next, rotated.b}}));
  EXPECT_EQ(rotated.program.exchanged, (std::vector{std::pair(rotated.a, rotated.b)}));
  EXPECT_FALSE(rotated.program.shares(0, rotated.b)); // exchanges move its memory
}

TEST(ShareMemory, TheLastOfSeveralStatesIsReadBehind) {
  Rotated rotated({1, 4, 5, 8});
  EXPECT_TRUE(rotated.share().empty());
  for (const BufferPlan& buffer : rotated.program.buffers)
    EXPECT_EQ(buffer.same_as, -1);
}

/// A branch at times 1 to 9, of two parts.
const BranchRange kBranch{{1, 9}, {{2, 5}, {5, 9}}};

TEST(ShareMemory, EachPartOfABranchHandsOver) {
  Program program; // one part leaves a buffer as it is, the other changes it
  int from = program.add(Place::arena, {0, 2, 6}), changed = program.add(Place::arena, {6, 7}),
      result = program.add(Place::arena, {2, 7, 10});
  program.lifetimes[from].last = program.lifetimes[changed].last = 9;
  program.branches = {kBranch};
  program.handovers = {{from, result, 2}, {from, changed, 6}, {changed, result, 7}};
  program.share();
  EXPECT_TRUE(program.shares(from, changed));
  EXPECT_TRUE(program.shares(from, result));
}

TEST(ShareMemory, PartsOfABranchKeepWhatTheyRead) {
  Program program; // the other part reads at other elements what it computes the result from
  int from = program.add(Place::arena, {0, 2, 6}), computed = program.add(Place::arena, {6, 7}),
      result = program.add(Place::arena, {2, 7, 10});
  program.lifetimes[from].last = program.lifetimes[computed].last = 9;
  program.branches = {kBranch};
  program.handovers = {{from, result, 2}, {computed, result, 7}};
  program.share();
  EXPECT_FALSE(program.shares(from, computed));

  Program straight; // the same straight into the result
  from = straight.add(Place::arena, {0, 2, 6}), result = straight.add(Place::arena, {2, 6, 10});
  straight.lifetimes[from].last = 9;
  straight.branches = {kBranch};
  straight.handovers = {{from, result, 2}};
  straight.share();
  EXPECT_FALSE(straight.shares(from, result));
}

TEST(ShareMemory, ABranchKeepsWhatIsReadBehindIt) {
  Program program;
  int from = program.add(Place::arena, {0, 2, 11}), result = program.add(Place::arena, {2, 7, 10});
  program.branches = {kBranch};
  program.handovers = {{from, result, 2}};
  program.share();
  EXPECT_FALSE(program.shares(from, result));
}

TEST(ShareMemory, AStateHoldsWhatTheTurnBeforeHasWritten) {
  // Of a loop around a branch: one part passes the state on, the other one writes zeros for the
  // next state, and copies the state behind that.
  Program program;
  int state = program.add(Place::arena, {0, 4, 9}), next = program.add(Place::arena, {4, 8});
  int zeros = program.add(Place::arena, {7, 8}), copy = program.add(Place::arena, {9, 11});
  program.loops = {{1, 13}};
  program.branches = {{{3, 10}, {{3, 6}, {6, 10}}}};
  program.exchange(state, next, 12);
  program.handovers = {{state, next, 4}, {zeros, next, 8}, {state, copy, 9}};
  program.share();
  EXPECT_FALSE(program.shares(state, next));
  EXPECT_FALSE(program.shares(zeros, state));
}

} // namespace
} // namespace kolam::nest
