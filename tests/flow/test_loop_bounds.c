/* Bounds of single loops, pattern by pattern, with the number that each must give. */
#include "loop_cases.h"

static void test_counters_by_constants(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"do, up to 10",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 10;\n@%p1 bra A;",
         {10},
         0,
         0},
        {"while, up to 10",
         "mov.u32 %r1, 0;\nA: setp.ge.s32 %p1, %r1, 10;\n@%p1 bra X;\nadd.s32 %r1, %r1, 1;\nbra A;\nX:",
         {11},
         0,
         0},
        {"by 3, at most 9",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 3;\nsetp.le.s32 %p1, %r1, 9;\n@%p1 bra A;",
         {4},
         0,
         0},
        {"down to 0, not equal",
         "mov.u32 %r1, 7;\nA: add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;",
         {7},
         0,
         0},
        {"down by 2, unsigned",
         "mov.u32 %r1, 9;\nA: sub.u32 %r1, %r1, 2;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra A;",
         {4},
         0,
         0},
        {"the old value is compared",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, %r1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r2, 10;\n@%p1 bra "
         "A;",
         {11},
         0,
         0},
        {"16 bits",
         "mov.u16 %h1, 0;\nA: add.u16 %h1, %h1, 256;\nsetp.lt.u16 %p1, %h1, 1000;\n@%p1 bra A;",
         {4},
         0,
         0},
        {"64 bits",
         "mov.u64 %d1, 0;\nA: add.s64 %d1, %d1, 8;\nsetp.ne.s64 %p1, %d1, 800;\n@%p1 bra A;",
         {100},
         0,
         0},
        {"extended to 64 bits",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\ncvt.s64.s32 %d1, %r1;\nsetp.lt.s64 %p1, %d1, 50;\n@%p1 "
         "bra A;",
         {50},
         0,
         0},
        {"never again", "A: mov.u32 %r1, 1;\nsetp.eq.s32 %p1, %r1, 2;\n@%p1 bra A;", {1}, 0, 0},
        {"10^9 iterations",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 1000000000;\n@%p1 bra A;",
         {1000000000},
         0,
         0},
        {"once round 2^32",
         "mov.u32 %r1, %n;\nA: add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {UINT64_C(1) << 32},
         UNKNOWN,
         0},
        {"2^40 of 64 bits",
         "mov.u64 %d1, 0;\nA: add.s64 %d1, %d1, 1;\nsetp.lt.u64 %p1, %d1, 1099511627776;\n@%p1 bra A;",
         {UINT64_C(1) << 40},
         0,
         0},
        {"up and down at once, the nearer end",
         "mov.u32 %r1, 0;\nmov.u32 %r2, 100;\nA: add.s32 %r1, %r1, 1;\nsetp.ge.s32 %p1, %r1, 40;\n@%p1 bra "
         "X;\n"
         "sub.s32 %r2, %r2, 1;\nsetp.gt.s32 %p2, %r2, 70;\n@%p2 bra A;\nX:",
         {30},
         0,
         0},
    };
    CHECK(cases);
}

static void test_counters_by_parameters_and_threads(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"n known",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {77},
         77,
         0},
        {"n unknown",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {INT32_MAX},
         UNKNOWN,
         0},
        {"stride of the block",
         "mov.u32 %r2, %ntid.x;\nmov.u32 %r1, %t;\nA: add.s32 %r1, %r1, %r2;\nsetp.lt.s32 %p1, %r1, %n;\n"
         "@%p1 bra A;",
         {16},
         1000,
         0},
        {"stride of the grid",
         "mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %nctaid.x;\nmad.lo.s32 %r1, %r3, %r2, "
         "%t;\n"
         "mul.lo.s32 %r4, %r4, %r2;\nsetp.ge.s32 %p1, %r1, %n;\n@%p1 bra X;\n"
         "A: add.s32 %r1, %r1, %r4;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;\nX:",
         {16},
         10000,
         0},
        {"stride unknown, but positive",
         "setp.lt.s32 %p1, %m, 1;\n@%p1 bra X;\nsetp.gt.s32 %p1, %m, 1000;\n@%p1 bra X;\nmov.u32 %r1, 0;\n"
         "A: add.s32 %r1, %r1, %m;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;\nX:",
         {100},
         100,
         UNKNOWN},
        {"tid + 1 rows of a pitch",
         "add.s32 %r2, %t, 1;\nmul.lo.s32 %r3, %r2, %n;\nmov.u32 %r1, %t;\nsetp.ge.s32 %p1, %r1, %r3;\n"
         "@%p1 bra X;\nA: add.s32 %r1, %r1, %n;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra A;\nX:",
         {64},
         128,
         0},
        {"limit a distance ahead of the thread's start",
         "mul.lo.s32 %r1, %t, 1000;\nadd.s32 %r2, %r1, 12;\n"
         "A: add.s32 %r1, %r1, 4;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {3},
         0,
         0},
        {"limit a distance ahead of an unknown start",
         "add.s32 %r2, %n, 12;\nmov.u32 %r1, %n;\nA: add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, %r2;\n"
         "@%p1 bra A;",
         {12},
         UNKNOWN,
         0},
        {"pointers, n elements of 4 bytes",
         "mul.wide.u32 %d2, %n, 4;\nadd.s64 %d3, %w, %d2;\nmov.u64 %d1, %w;\nsetp.eq.s32 %p1, %n, 0;\n"
         "@%p1 bra X;\nA: add.s64 %d1, %d1, 4;\nsetp.ne.s64 %p1, %d1, %d3;\n@%p1 bra A;\nX:",
         {50},
         50,
         0},
        {"the smaller of two limits",
         "min.s32 %r2, %n, %m;\nmov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n"
         "@%p1 bra A;",
         {40},
         UNKNOWN,
         40},
        {"chosen by selp",
         "setp.lt.s32 %p1, %n, 20;\nselp.b32 %r2, %n, 20, %p1;\nmov.u32 %r1, 0;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {20},
         UNKNOWN,
         0},
        {"read from memory, 8 bits",
         "ld.global.u8 %r2, [%w];\nmov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r2;\n"
         "@%p1 bra A;",
         {255},
         0,
         0},
        {"a limit that is read anew each time",
         "mov.u32 %r1, 0;\nA: ld.global.u8 %r2, [%w];\nadd.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r2;\n"
         "@%p1 bra A;",
         {255},
         0,
         0},
    };
    CHECK(cases);
}

static void test_guards_in_front_of_loops(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"n from 1 to 9, downwards",
         "setp.lt.s32 %p1, %n, 1;\n@%p1 bra X;\nsetp.gt.s32 %p1, %n, 9;\n@%p1 bra X;\nmov.u32 %r1, %n;\n"
         "A: add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\nX:",
         {9},
         UNKNOWN,
         0},
        {"the same by one negated guard",
         "setp.ge.s32 %p1, %n, 1;\nsetp.le.s32 %p2, %n, 9;\nand.pred %p3, %p1, %p2;\n@!%p3 bra X;\n"
         "mov.u32 %r1, %n;\nA: add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\nX:",
         {9},
         UNKNOWN,
         0},
        {"by setp's own and",
         "setp.ge.s32 %p1, %n, 1;\nsetp.le.and.s32 %p2, %n, 9, %p1;\n@!%p2 bra X;\n"
         "mov.u32 %r1, %n;\nA: add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\nX:",
         {9},
         UNKNOWN,
         0},
        {"by a word that is 1 or 0",
         "setp.lo.u32 %p1, %n, 10;\nselp.u32 %r3, 1, 0, %p1;\nsetp.eq.s32 %p2, %r3, 0;\n@%p2 bra X;\n"
         "mov.u32 %r1, %n;\nA: add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 10;\n@%p1 bra A;\nX:",
         {10},
         UNKNOWN,
         0},
        {"by an earlier difference",
         "sub.s32 %r3, %n, 5;\nsetp.gt.u32 %p1, %r3, 4;\n@%p1 bra X;\nmov.u32 %r1, 0;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;\nX:",
         {9},
         UNKNOWN,
         0},
        {"without a guard 0 goes round",
         "mov.u32 %r1, %n;\nA: add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;",
         {UINT64_C(1) << 32},
         UNKNOWN,
         0},
        {"a loop that the guard excludes",
         "setp.lt.s32 %p1, %n, 10;\n@%p1 bra X;\nA: ld.global.u32 %r1, [%w];\nsetp.ne.s32 %p1, %r1, 0;\n"
         "@%p1 bra A;\nX:",
         {1},
         9,
         0},
        {"a guarded ret",
         "setp.gt.u32 %p1, %n, 12;\n@%p1 ret;\nmov.u32 %r1, 0;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {12},
         UNKNOWN,
         0},
        {"a branch both ways of which lead to the same place says nothing",
         "setp.gt.u32 %p1, %n, 12;\n@%p1 bra Y;\nY: mov.u32 %r1, 0;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {INT32_MAX},
         UNKNOWN,
         0},
    };
    CHECK(cases);
}

static void test_unrolled_loops_and_their_remainders(void **state) {
    (void)state;
    static const char unrolled[] =
        "setp.lt.s32 %p1, %n, 1;\n@%p1 bra X;\nadd.s32 %r5, %n, -1;\nand.b32 %r2, %n, 3;\n"
        "setp.lt.u32 %p2, %r5, 3;\nmov.u32 %r1, 0;\n@%p2 bra R;\nsub.s32 %r3, %n, %r2;\n"
        "A: add.s32 %r1, %r1, 4;\nadd.s32 %r3, %r3, -4;\nsetp.ne.s32 %p3, %r3, 0;\n@%p3 bra A;\n"
        "R: setp.eq.s32 %p4, %r2, 0;\n@%p4 bra X;\nB: add.s32 %r1, %r1, 1;\nadd.s32 %r2, %r2, -1;\n"
        "setp.ne.s32 %p5, %r2, 0;\n@%p5 bra B;\nX:";
    static const struct loop_case cases[] = {
        {"n known", unrolled, {25, 3}, 103, 0},
        {"n unknown", unrolled, {(UINT64_C(1) << 31) / 4 - 1, 3}, UNKNOWN, 0},
        {"up to the masked n",
         "setp.lt.s32 %p1, %n, 4;\n@%p1 bra X;\nsetp.gt.s32 %p1, %n, 1000;\n@%p1 bra X;\n"
         "and.b32 %r2, %n, -4;\nmov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 4;\nsetp.ne.s32 %p3, %r1, %r2;\n"
         "@%p3 bra A;\nX:",
         {250},
         UNKNOWN,
         0},
        {"by the sum of counter and rest",
         "setp.lt.s32 %p1, %n, 4;\n@%p1 bra X;\nsetp.gt.s32 %p1, %n, 1000;\n@%p1 bra X;\n"
         "and.b32 %r2, %n, 3;\nsub.s32 %r3, %r2, %n;\nmov.u32 %r1, 0;\n"
         "A: add.s32 %r4, %r1, 4;\nadd.s32 %r5, %r3, %r4;\nsetp.ne.s32 %p3, %r5, 0;\nadd.s32 %r6, %r1, 1;\n"
         "add.s32 %r7, %r6, 2;\nadd.s32 %r1, %r7, 1;\n@%p3 bra A;\nX:",
         {250},
         UNKNOWN,
         0},
        {"by 4 to what is no multiple of 4",
         "setp.lt.s32 %p1, %n, 4;\n@%p1 bra X;\nmov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 4;\n"
         "setp.ne.s32 %p3, %r1, %n;\n@%p3 bra A;\nX:",
         {NO_BOUND},
         UNKNOWN,
         0},
    };
    CHECK(cases);
}

static void test_shifts_and_products(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"halving the block",
         "mov.u32 %r2, %ntid.x;\nshr.u32 %r1, %r2, 1;\nA: shr.u32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n"
         "@%p1 bra A;",
         {6},
         0,
         0},
        {"halving anything", "A: shr.u32 %n, %n, 1;\nsetp.ne.s32 %p1, %n, 0;\n@%p1 bra A;", {32}, UNKNOWN, 0},
        {"halving a signed number never gets from -1 to 0",
         "A: shr.s32 %n, %n, 1;\nsetp.ne.s32 %p1, %n, 0;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"halving 64 bits by 2", "A: shr.u64 %w, %w, 2;\nsetp.ne.s64 %p1, %w, 0;\n@%p1 bra A;", {32}, 0, 0},
        {"doubling",
         "mov.u32 %r1, 1;\nA: shl.b32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {10},
         1024,
         0},
        {"doubling to a signed number beyond the largest power of two",
         "mov.u32 %r1, 1;\nA: shl.b32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"times 3",
         "mov.u32 %r1, 1;\nA: mul.lo.s32 %r1, %r1, 3;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra A;",
         {7},
         0,
         0},
        {"divided by 10", "A: div.u32 %n, %n, 10;\nsetp.ne.s32 %p1, %n, 0;\n@%p1 bra A;", {10}, UNKNOWN, 0},
        {"the carry of a rotation is not modelled: no bound",
         "A: shf.l.wrap.b32 %n, %n, %n, 1;\nsetp.ne.s32 %p1, %n, 0;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"two shifted counters, one tested",
         "mov.u32 %r1, 64;\nmov.u32 %r2, 1;\nA: shr.u32 %r1, %r1, 1;\nshl.b32 %r2, %r2, 1;\n"
         "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\nmov.u32 %r3, 0;\n"
         "B: add.s32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra B;",
         {7, 128},
         0,
         0},
    };
    CHECK(cases);
}

/* What is chosen between two words is looked at with either of them: what they share with the rest cancels.
 */
static void test_choices(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"up to whichever of two ends is nearer to the start",
         "setp.lt.s32 %p2, %n, %m;\nselp.b32 %r2, %n, %m, %p2;\nadd.s32 %r1, %r2, -5;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {5},
         UNKNOWN,
         UNKNOWN},
        {"an end that the predicate chooses, from a start that it rests on",
         "and.b32 %r5, %n, 63;\nsetp.lt.u32 %p2, %r5, 3;\nsub.s32 %r6, 19, %r5;\nselp.b32 %r2, 18, %r6, "
         "%p2;\n"
         "sub.s32 %r1, 15, %r5;\nsetp.gt.s32 %p3, %r1, %r2;\n@%p3 bra X;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;\nX:",
         {5},
         UNKNOWN,
         0},
        {"the predicate negated: the other choice's range is wide",
         "and.b32 %r5, %n, 63;\nsetp.lt.u32 %p2, %r5, 3;\nsub.s32 %r6, 19, %r5;\nselp.b32 %r2, %r6, 18, "
         "%p2;\n"
         "sub.s32 %r1, 15, %r5;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {66},
         UNKNOWN,
         0},
        {"the rest, taken away by at most 23 at a time: 1000 is 43 times 23 and 11",
         "and.b32 %r1, %n, 1023;\nmin.u32 %r1, %r1, 1000;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra X;\n"
         "A: min.u32 %r2, %r1, 23;\nsub.s32 %r1, %r1, %r2;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\nX:",
         {44},
         UNKNOWN,
         0},
        {"signed: the rest may be negative, and grows without end",
         "A: min.s32 %r2, %n, 23;\nsub.s32 %n, %n, %r2;\nsetp.ne.s32 %p1, %n, 0;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"as far as one is in front of the other, if it is",
         "and.b32 %r1, %n, 255;\nand.b32 %r2, %m, 255;\nsub.s32 %r3, %r2, %r1;\nmax.s32 %r4, %r3, 1;\n"
         "add.s32 %r5, %r4, %r1;\nsub.s32 %r6, %r5, %r2;\nmov.u32 %r7, -1;\n"
         "A: add.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, %r6;\n@%p1 bra A;",
         {257},
         UNKNOWN,
         UNKNOWN},
        {"max of three is no choice of two",
         "and.b32 %r2, %n, 15;\nmov.u32 %r1, 0;\nmax.s32 %r2, %r2, %m, %n;\n"
         "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {INT32_MAX},
         UNKNOWN,
         UNKNOWN},
    };
    CHECK(cases);
}

#define ADVANCE(step, upper)                                                                                 \
    "machine.add3.u32 %r1|%p1, _, %r1, " step ", 0, 0, 0;\nmachine.add3.u32 %r2, _, " upper                  \
    ", %r2, 0, %p1, 0;\n"
#define COMPARE(relation, low, high)                                                                         \
    "setp." relation ".u32 %p2, %r1, " low ";\nmachine.setp." relation ".and.s32 %p3, %r2, " high            \
    ", %p2, 1;\n"
#define FROM(low, high) "mov.b32 %r1, " low ";\nmov.b32 %r2, " high ";\n"

/* Counters of 64 bits in %r2:%r1, as machine code has them. */
static void test_counters_in_two_registers(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"over the end of the lower half",
         FROM("0xfffffff0", "0") "A: " ADVANCE("8", "0") COMPARE("lt", "16", "1") "@%p3 bra A;",
         {4},
         0,
         0},
        {"down", FROM("3", "2") "A: " ADVANCE("-1", "-1") COMPARE("gt", "-5", "1") "@%p3 bra A;", {8}, 0, 0},
        {"from a negative number",
         FROM("-3", "-1") "A: " ADVANCE("1", "0") COMPARE("ge", "4", "0") "@!%p3 bra A;",
         {7},
         0,
         0},
        {"lower halves compared the other way round",
         FROM("0", "0") "A: " ADVANCE(
             "1", "0") "setp.ge.u32 %p2, %n, %r1;\nmachine.setp.le.and.s32 %p3, %r2, 0, %p2, 1;\n@%p3 bra A;",
         {8},
         7,
         0},
        {"up to a number that is extended",
         "shr.s32 %r3, %n, 31;\n" FROM("0", "0") "A: " ADVANCE("1", "0")
             COMPARE("lt", "%n", "%r3") "@%p3 bra A;",
         {INT32_MAX},
         UNKNOWN,
         0},
        {"from the thread to a number, by the block",
         FROM("%t", "0") "mov.u32 %r5, %ntid.x;\nA: " ADVANCE("%r5", "0")
             COMPARE("lt", "%m", "0") "@%p3 bra A;",
         {16},
         0,
         1000},
        {"as far as 100 behind the start, wherever that is",
         "mov.b64 {%r1, %r2}, %w;\nmachine.add3.u32 %r3|%p4, _, %r1, 100, 0, 0, 0;\n"
         "machine.add3.u32 %r4, _, %r2, 0, 0, %p4, 0;\nA: " ADVANCE("4", "0")
             COMPARE("ne", "%r3", "%r4") "@%p3 bra A;",
         {25},
         0,
         0},
        {"the carry of another sum",
         FROM("0", "0") "A: machine.add3.u32 %r3|%p4, _, %r1, 2, 0, 0, 0;\n"
                        "machine.add3.u32 %r1|%p1, _, %r1, 1, 0, 0, 0;\n"
                        "machine.add3.u32 %r2, _, 0, %r2, 0, %p4, 0;\n" COMPARE("lt", "10",
                                                                                "0") "@%p3 bra A;",
         {NO_BOUND},
         0,
         0},
        {"no carry",
         FROM("0", "0") "A: machine.add3.u32 %r1|%p1, _, %r1, 1, 0, 0, 0;\n"
                        "machine.add3.u32 %r2, _, 0, %r2, 0, 0, 0;\n" COMPARE("lt", "%n", "1") "@%p3 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"another comparison of the lower halves",
         FROM("0", "0") "A: " ADVANCE(
             "1",
             "0") "setp.gt.u32 %p2, %r1, 10;\nmachine.setp.lt.and.s32 %p3, %r2, %m, %p2, 1;\n@%p3 bra A;",
         {NO_BOUND},
         0,
         UNKNOWN},
        {"lower halves compared with their signs",
         FROM("0", "0") "A: " ADVANCE(
             "1",
             "0") "setp.lt.s32 %p2, %r1, 10;\nmachine.setp.lt.and.s32 %p3, %r2, %m, %p2, 1;\n@%p3 bra A;",
         {NO_BOUND},
         0,
         UNKNOWN},
    };
    CHECK(cases);
}

/* Words that are put together in 64 bits and taken apart again. */
static void test_words_in_pairs(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"up to a word of a pair",
         "mov.b64 %d1, {%n, %m};\nmov.b64 {%r2, %r3}, %d1;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r3;\n@%p1 bra A;",
         {9},
         5,
         9},
        {"as far as 8 behind it",
         "mov.b64 %d1, {%n, %m};\nmov.b64 {%r2, %r3}, %d1;\nadd.u32 %r4, %n, 8;\n"
         "A: add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, %r4;\n@%p1 bra A;",
         {8},
         UNKNOWN,
         UNKNOWN},
        {"the upper half of a product",
         "mul.wide.u32 %d1, %t, 0x10000000;\nmov.b64 {%r2, %r3}, %d1;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r3;\n@%p1 bra A;",
         {4},
         0,
         0},
        {"a short word with its sign",
         "prmt.b32 %r2, %n, 0, 0x9910;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {32767},
         UNKNOWN,
         0},
        {"a byte of a second word",
         "prmt.b32 %r2, 0, %n, 0x0004;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {255},
         UNKNOWN,
         0},
        {"bytes in front that are known to be 0",
         "and.b32 %r3, %n, 255;\nprmt.b32 %r2, %m, %r3, 0x7610;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {65535},
         UNKNOWN,
         UNKNOWN},
        {"bytes in front that are not",
         "prmt.b32 %r2, %m, %n, 0x7610;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {INT32_MAX},
         UNKNOWN,
         UNKNOWN},
        {"bytes in another order",
         "prmt.b32 %r2, %n, 0, 0x4401;\nmov.u32 %r1, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {INT32_MAX},
         UNKNOWN,
         0},
        {"a sum of three",
         "mov.u32 %r1, 0;\nmachine.add3.u32 %r2, _, %n, %m, %t, 0, 0;\n"
         "A: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra A;",
         {66},
         1,
         2},
    };
    CHECK(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters_by_constants),
        cmocka_unit_test(test_counters_by_parameters_and_threads),
        cmocka_unit_test(test_guards_in_front_of_loops),
        cmocka_unit_test(test_unrolled_loops_and_their_remainders),
        cmocka_unit_test(test_shifts_and_products),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_counters_in_two_registers),
        cmocka_unit_test(test_words_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
