/* Sets of words of up to 64 bits: arcs of the circle of integers modulo 2^bits, with a stride.
 *
 * An arc does not know of signs: the same one stands for [-3, 5] and for what unsigned instructions take
 * these words for (wrapped intervals: Navas, Schachte, Sondergaard, Stuckey, APLAS 2012). The stride makes it
 * a congruence as well (Granger 1989; strided intervals: Reps, Balakrishnan, Lim, PEPM 2006). Every operation
 * gives a set that contains all that the operation on elements gives: docs/control-flow.md. */
#ifndef WB_FLOW_BOUNDS_BOUNDS_H
#define WB_FLOW_BOUNDS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"

/* The words (low + i * stride) mod 2^bits, i = 0 .. span / stride. */
struct value_range {
    uint64_t low;    /* below 2^bits */
    uint64_t span;   /* from the first element up to the last; a multiple of the stride */
    uint64_t stride; /* 0 when there is one element only */
    uint8_t bits;    /* 1 to 64 */
    bool empty;
};

/* The elements as integers, signed or not: all of [low, high] that differ from low by a multiple of stride.
 */
struct integers {
    __int128 low, high;
    uint64_t stride; /* 0 when there is one only */
};

/* How two words compare. Of these the order is that of enum ptx_compare. */
enum relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE };

/* 2^bits - 1. */
static inline uint64_t word_mask(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* All words; no word; one word, cut to the width. */
struct value_range range_full(uint32_t bits);
struct value_range range_empty(uint32_t bits);
struct value_range range_single(uint32_t bits, uint64_t word);

/* The words of the integers low, low + stride ... up to `high` (at least `low`; stride 0: only low), each
 * taken modulo 2^bits. */
struct value_range range_of(uint32_t bits, __int128 low, __int128 high, unsigned __int128 stride);

/* The least signed and unsigned intervals of integers that the words are in; not of an empty range. */
struct integers range_integers(const struct value_range *range, bool is_signed);

bool range_is_single(const struct value_range *range);
bool range_is_full(const struct value_range *range);
bool range_equal(const struct value_range *a, const struct value_range *b);
bool range_contains(const struct value_range *range, uint64_t word);

/* A range that contains the elements of both, and one that contains what both have in common. */
struct value_range range_join(const struct value_range *a, const struct value_range *b);
struct value_range range_meet(const struct value_range *a, const struct value_range *b);

/* The words that stand in the relation to some word of `other`. */
struct value_range range_related(enum relation relation, bool is_signed, const struct value_range *other);

/* a R b is b relation_swapped(R) a, and not a relation_negated(R) b. */
enum relation relation_swapped(enum relation relation);
enum relation relation_negated(enum relation relation);

/* Effects of integer instructions on sets of words. Each result contains the words that the instruction gives
 * for any words of the operands, which have one width; results have the same unless the comment differs. */

struct value_range range_add(const struct value_range *a, const struct value_range *b);
struct value_range range_sub(const struct value_range *a, const struct value_range *b);
struct value_range range_neg(const struct value_range *a);
struct value_range range_not(const struct value_range *a);
struct value_range range_abs(const struct value_range *a);

/* The low half of the product, the high half, and all of it (twice as wide; of operands of 32 bits or less).
 */
struct value_range range_mul(const struct value_range *a, const struct value_range *b);
struct value_range range_mul_high(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_mul_wide(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Division by zero may give anything. */
struct value_range range_div(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_rem(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Shifts by an amount of 32 bits; by the width or more they are shifts by the width. */
struct value_range range_shl(const struct value_range *a, const struct value_range *amount);
struct value_range range_shr(const struct value_range *a, const struct value_range *amount, bool is_signed);

struct value_range range_and(const struct value_range *a, const struct value_range *b);
struct value_range range_or(const struct value_range *a, const struct value_range *b);
struct value_range range_xor(const struct value_range *a, const struct value_range *b);

struct value_range range_min(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_max(const struct value_range *a, const struct value_range *b, bool is_signed);

/* The low `bits` bits; or, when there are fewer, the word with its sign or zeros in front. */
struct value_range range_extend(const struct value_range *a, uint32_t bits, bool is_signed);

/* What is known of the values of an SSA form at one place of the code: a range for each value and special
 * register, and each value as a linear form of others. Conditions that hold in a part of the code refine the
 * ranges while that part is looked at, and are taken back behind it. */

/* Values of one kind of special register over the threads that are asked about: [low, high]. */
struct sreg_range {
    bool known;
    uint64_t low, high;
};

/* The known properties of a launch while a function is analysed. */
struct loop_environment {
    struct sreg_range sregs[PTX_SREG_COUNT]; /* by enum ptx_sreg */
    /* Whether the `bytes` bytes at `offset` of parameter variable `variable` (of the module) are known, and
     * their value; NULL: no parameter is known. */
    bool (*parameter)(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes, uint64_t *value);
    const void *user;
};

#define LINEAR_TERMS_MAX 4u

/* Words as linear forms c + f1 * s1 + f2 * s2 ... modulo 2^bits of symbols: values and special registers.
 * What two words have in common cancels in their difference, however they were computed.
 * Terms are sorted by symbol, without factors of zero. What symbols are is up to the user. */
struct linear {
    uint64_t constant;
    uint64_t factors[LINEAR_TERMS_MAX];
    uint32_t symbols[LINEAR_TERMS_MAX];
    uint8_t term_count;
    uint8_t bits;
};

struct linear linear_constant(uint32_t bits, uint64_t word);
struct linear linear_symbol(uint32_t bits, uint32_t symbol);

/* a + factor * b, of forms of one width; false when that has too many terms. */
bool linear_add(const struct linear *a, const struct linear *b, uint64_t factor, struct linear *sum);

/* The factor of a symbol; 0 when it is not there. */
uint64_t linear_factor(const struct linear *form, uint32_t symbol);

/* The form without the symbol's term. */
struct linear linear_without(const struct linear *form, uint32_t symbol);

/* A range before it was refined. */
struct refined {
    uint32_t symbol;
    struct value_range before;
};

/* Symbols are the values and, behind them, the special registers that keep their value in a thread: symbol
 * value_count + sreg. */
struct value_state {
    struct arena *arena; /* of what is below */
    const struct ssa *ssa;
    const struct dominators *dominators;
    const struct loop_environment *environment;
    struct value_range *ranges; /* by symbol; a register's width, of special registers 32 bits */
    struct linear *forms;       /* by value; the value's own symbol when it is nothing else */
    VEC(struct refined) log;
    bool dead; /* the conditions contradict each other: control does not come here */
};

/* A place to take refinements back to. */
struct state_mark {
    size_t refined;
    bool dead;
};

/* An operand as an instruction reads it. */
struct operand_reading {
    uint32_t value; /* of a register read in its own width; else SSA_NONE */
    struct value_range range;
    bool has_form;
    struct linear form;
};

/* Nothing is known yet but the environment. */
void value_state_init(const struct ssa *ssa, const struct dominators *dominators,
                      const struct loop_environment *environment, struct arena *arena,
                      struct value_state *state);

/* The range of a value here. */
struct value_range state_range(const struct value_state *state, uint32_t value);

/* The range of a linear form. */
struct value_range state_linear(const struct value_state *state, const struct linear *form);

/* Whether a form is the symbol of this value and nothing else. */
bool linear_is_symbol(const struct linear *form, uint32_t value);

/* The range of an operand that an instruction takes for an integer of this width. */
struct value_range state_operand_range(const struct value_state *state, uint32_t inst,
                                       const struct ptx_operand *operand, uint32_t bits);

/* The same with the value read, and its form. */
struct operand_reading state_operand(const struct value_state *state, uint32_t inst,
                                     const struct ptx_operand *operand, uint32_t bits);

/* Refines what is known of a value: it is in `allowed`. What it was computed from is refined with it. */
void state_refine(struct value_state *state, uint32_t value, const struct value_range *allowed);

/* Sets the range of a value until it is taken back. */
void state_set(struct value_state *state, uint32_t symbol, const struct value_range *range);

struct state_mark state_mark(const struct value_state *state);
void state_undo(struct value_state *state, struct state_mark mark);

/* Consequences of the direction that control takes: the comparisons behind a branch's predicate, and their
 * effect on the values compared. */

/* Either a predicate that is true or false, or a `setp` whose comparison holds or does not. */
struct condition {
    bool is_comparison;
    bool holds;
    uint32_t index; /* of a comparison the instruction, else the value */
};

#define CONDITIONS_MAX 24u

/* Conditions that all hold. A full list drops further ones. */
struct conditions {
    struct condition items[CONDITIONS_MAX];
    uint32_t count;
};

/* A comparison of two integers as it holds: a `relation` b. */
struct comparison {
    enum relation relation;
    bool is_signed;
    struct operand_reading a, b;
};

/* Adds the conditions of going from one block to the other by that edge; none if several edges go there. */
void conditions_of_edge(const struct value_state *state, uint32_t from, uint32_t to, struct conditions *list);

/* Adds what follows from a predicate's value. */
void conditions_of_predicate(const struct value_state *state, uint32_t predicate, bool holds,
                             struct conditions *list);

/* The comparison of two integers in the condition; false if it is none. */
bool comparison_of(const struct value_state *state, const struct condition *condition,
                   struct comparison *comparison);

/* Refines the state by all of them. */
void conditions_apply(struct value_state *state, const struct conditions *list);

/* The operand of a setp, or of one of upper halves, that the comparison is joined with. */
uint32_t setp_joined_operand(const struct ptx_form *form);

/* Words that an instruction chooses between two others: selp, min and max (docs/control-flow.md, choices). */

/* The range of a linear form. Where a symbol of it is one of two words, the form is looked at with either in
 * its place, under what holds when that one is chosen: what they have in common with the rest cancels. The
 * state is as before afterwards. */
struct value_range choices_linear(struct value_state *state, const struct linear *form);

/* Integers of 64 bits whose halves stand in two registers, as machine code has them: which instructions,
 * taken together, are an addition or a comparison of 64 bits, and what is known of the whole
 * (docs/control-flow.md, counters in two registers). */

/* A word of 32 bits: a value of the SSA form, or a number. */
struct value_half {
    uint32_t value; /* SSA_NONE: the number */
    uint32_t number;
};

struct halves {
    struct value_half low, high;
};

/* Two words as an instruction reads them, one as the lower half; false when these are not of 32 bits. */
bool halves_read(const struct value_state *state, uint32_t inst, const struct ptx_operand *low,
                 const struct ptx_operand *high, struct halves *whole);

/* The whole as an instruction of 64 bits would read it. */
struct operand_reading halves_reading(const struct value_state *state, const struct halves *whole);

/* The operands of a machine.setp as a comparison of 64 bits, the relation and sign being the instruction's;
 * false when what it reads is not the same comparison of lower halves. */
bool halves_compared(const struct value_state *state, uint32_t inst, struct halves *a, struct halves *b);

/* How often the loops of a function can run: from constants, launch parameters and thread identifiers, by
 * intervals, congruences and values that are affine in %tid on SSA form. */

/* A higher bound may say no more than how many values the loop's counter has: of a loop whose exits unknown
 * values decide, it is then asked how often the loop runs. */
#define LOOP_BOUND_TELLING_MAX (UINT64_C(1) << 17)

static inline bool loop_bound_is_telling(const struct loop_bound *bound) {
    return bound->known && bound->headers <= LOOP_BOUND_TELLING_MAX;
}

/* A bound for every loop of `loops` (an array of loops->count) that holds for every thread the environment
 * describes, whatever the contents of memory. */
struct loop_bound *loop_bounds_find(const struct ssa *ssa, const struct dominators *dominators,
                                    const struct loops *loops, const struct loop_environment *environment,
                                    struct arena *arena);

/* The effect of a loop's iterations on its values: which change by bounded steps from one to the next
 * (induction), how often such a value can pass a test (trip_count), and, where the steps are not known, loops
 * run on ranges (loop_simulation). */

/* A loop, and what is known where it is entered. Bounds of the loops inside it are found before its own. */
struct loop_view {
    struct value_state *state;
    const struct loops *loops;
    uint32_t loop;
    const struct loop_bound *bounds;     /* per loop */
    const bool *edge_live;               /* per entry of graph.in: control may come that way */
    const struct value_range *arguments; /* per argument of the SSA form: its range where it is taken over */
};

/* A value as iterations 0, 1, ... of the loop find it: start, and a step more each time. */
struct induction {
    struct value_range start;
    struct value_range step; /* the difference of two neighbours; a full range when it is not known */
    bool has_form;           /* start_form is the value in iteration 0 */
    struct linear start_form;
};

/* The edges into the loop's header: which of them are back edges and may be taken. */
bool loop_edge_enters(const struct loop_view *view, uint32_t argument);
bool loop_edge_returns(const struct loop_view *view, uint32_t argument);

/* The range of a phi of the header where the loop is entered. */
struct value_range induction_start(const struct loop_view *view, uint32_t phi);

/* The step that the loop adds to a phi of its header in one iteration. */
struct value_range induction_step(const struct loop_view *view, uint32_t phi);

/* Whether the symbols of a form keep their values in the loop. */
bool linear_is_invariant(const struct loop_view *view, const struct linear *form);

/* The value as iterations find it; false when it is no linear function of one phi of the header. */
bool induction_of(const struct loop_view *view, const struct operand_reading *value,
                  struct induction *induction);

/* How often a value that walks round the circle of words can pass a test (docs/control-flow.md, the walk
 * round the circle): what it is compared with. */
struct walk_limit {
    enum relation relation; /* value `relation` limit, as long as the loop goes on */
    bool is_signed;
    bool is_invariant; /* the same word in all iterations, with this form */
    struct value_range range;
    struct linear form;
};

/* The most k such that the walk's first k values stand in the relation to the limit; false when no number is
 * proven. Forms are taken where the loop is entered. */
bool trip_count(struct value_state *state, const struct induction *walk, const struct walk_limit *limit,
                uint64_t *count);

/* Loops run on ranges, iteration by iteration: for values that are shifted, multiplied or divided, which come
 * to an end within as many iterations as a word has bits. Most that are run: two for each bit of the widest
 * word, and some. */
#define SIMULATED_ITERATIONS_MAX 130u

/* Phis of a header, and what must be computed to know them one iteration later. */
#define SIMULATED_PHIS_MAX 4u
#define SIMULATED_VALUES_MAX 48u

struct loop_simulation {
    uint32_t phis[SIMULATED_PHIS_MAX];
    struct value_range reached[SIMULATED_PHIS_MAX];
    uint32_t phi_count;
    uint32_t values[SIMULATED_VALUES_MAX]; /* what is computed in an iteration, operands first */
    uint32_t value_count;
    uint32_t pending; /* values whose operands are being added */
    bool overflow;    /* not everything that is needed found room */
};

/* Adds what an iteration must compute for `value`. */
void simulation_include(const struct loop_view *view, uint32_t value, struct loop_simulation *simulation);

/* Runs the loop until `staying`, conditions that hold in every iteration behind which another comes, cannot
 * hold, or the header was executed `limit` times (at most SIMULATED_ITERATIONS_MAX). `reached` is what the
 * phis can be in the first *headers executions. True when the loop cannot go on behind these. */
bool simulation_run(const struct loop_view *view, const struct conditions *staying, uint64_t limit,
                    struct loop_simulation *simulation, uint64_t *headers);

/* The abstract semantics of integer instructions on ranges and linear forms, for one thread. An unmodelled
 * instruction may give anything. */

/* The range of a value that an instruction defines, from the ranges of what it reads. */
struct value_range transfer_range(struct value_state *state, uint32_t value);

/* The linear form of it: its own symbol where it is no linear form of fewer than LINEAR_TERMS_MAX others. A
 * guard is not looked at. */
struct linear transfer_form(struct value_state *state, uint32_t value);

/* Signs that the compiler unrolled a loop: a pass of it then does several iterations of the source's loop.
 * They help users to state how often it runs; no proof uses them. */

/* How sure it is. */
enum unrolled_sign {
    UNROLLED_NOT,      /* nothing speaks for it */
    UNROLLED_PERHAPS,  /* a counter advances by `factor`, and what accesses memory stands there `factor` times
                          each, or a multiple of that */
    UNROLLED_COPIES,   /* of machine code: in a pass every access to memory of the PTX, by the line of it that
                          the file names, is made `factor` times: of iterations of the PTX's loop */
    UNROLLED_MAIN,     /* the same code stands in another loop once, which does what is left over */
    UNROLLED_REMAINDER /* this is that other loop */
};

struct unrolled {
    enum unrolled_sign sign;
    uint32_t factor; /* iterations of the source in a pass of the unrolled loop, which is ... */
    uint32_t main;   /* ... this one */
};

/* By loop. Loops with others inside them are taken for not unrolled. In memory of the arena, which is
 * protected. */
struct unrolled *unrolled_find(const struct cfg *cfg, const struct loops *loops, struct arena *arena);

/* Loops that wait for other threads: an iteration leaves everything unchanged for the next, except for reads
 * of memory that others write. How often they run is not in the code (docs/execution.md, Waiting). */

enum waiting {
    WAITING_NOT, /* something else changes from iteration to iteration, or nothing is read that others write
                  */
    WAITING_RETRIES, /* atom.cas compares with what was read before: an attempt fails as another one succeeds
                      */
    WAITING_FOR      /* others have to do something: a lock, a flag, a barrier of the grid */
};

#define WAITS_FOR_THREADS                                                                                    \
    "this loop waits for other threads (a lock, a flag, a grid barrier): this code alone does not bound "    \
    "how often it runs, and no flow fact can"

#define RETRIES                                                                                              \
    "it retries an atomic: an attempt fails only if another thread succeeds, so a thread needs at most one " \
    "attempt more than the others succeed there"

/* By loop. A sign, not a proof: loops that are not found are asked for like any other loop. In memory of the
 * arena, which is protected. */
enum waiting *waiting_find(const struct ssa *ssa, const struct dominators *dominators,
                           const struct loops *loops, struct arena *arena);

/* Counters of 64 bits in two registers: two phis of a loop's header that an addition of halves advances
 * together (docs/control-flow.md, counters in two registers). */

/* The whole as iterations find it; false when it is no such counter and a constant of the loop. */
bool wide_induction_of(const struct loop_view *view, const struct halves *whole, struct induction *induction);

#endif
