/* Random programs of loops, branches and integer arithmetic: as PTX, and run directly, by code that shares
 * nothing with the library. */
#ifndef WB_TESTS_RANDOM_LOOPS_H
#define WB_TESTS_RANDOM_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/containers.h"

#define LOOP_VARIABLES 6u
#define LOOP_PARAMETERS 3u
#define LOOP_STATEMENTS_MAX 64u
#define LOOPS_MAX 8u
#define NO_STATEMENT UINT32_MAX

enum loop_operation {
    LOOP_MOVE,
    LOOP_ADD,
    LOOP_SUB,
    LOOP_MUL,
    LOOP_AND,
    LOOP_OR,
    LOOP_XOR,
    LOOP_SHL,
    LOOP_SHR,
    LOOP_MIN,
    LOOP_MAX,
    LOOP_DIV,
    LOOP_REM,
    LOOP_MUL_HIGH,
    LOOP_NEG,
    LOOP_NOT,
    LOOP_ABS,
    LOOP_SELECT, /* a where the condition holds, else b */
    LOOP_OPERATIONS
};

/* A variable, or a constant. */
struct loop_operand {
    bool is_constant;
    uint32_t variable;
    uint64_t constant;
};

/* How the predicate of a condition is made from its comparison. */
enum loop_dress {
    DRESS_PLAIN,
    DRESS_NOT,      /* the opposite comparison, and not.pred */
    DRESS_XOR,      /* xor.pred with a predicate that is false */
    DRESS_SELECTED, /* selp 1, 0 and setp.ne */
    DRESS_JOINED,   /* mov.pred on both sides of a branch */
    DRESS_CHOSEN,   /* true where a second comparison does not hold, by a branch */
    DRESS_AND,      /* with a second comparison, by and.pred */
    DRESS_OR,
    DRESS_SETP_AND, /* by setp's own boolean operation */
    DRESSES
};

struct loop_comparison {
    uint8_t relation; /* eq ne lt le gt ge */
    bool is_signed;
    uint32_t a; /* variable: its width is that of the comparison */
    struct loop_operand b;
};

struct loop_condition {
    struct loop_comparison first, second;
    uint8_t dress;
};

enum loop_statement_kind {
    LOOP_ASSIGN,
    LOOP_CONVERT,
    LOOP_LOAD,
    LOOP_IF,
    LOOP_LOOP,
    LOOP_BREAK,
    LOOP_CONTINUE
};

struct loop_statement {
    uint8_t kind;
    uint8_t operation; /* of LOOP_ASSIGN */
    bool is_signed;
    bool guarded;      /* of LOOP_ASSIGN: only where the condition holds */
    bool tests_first;  /* of LOOP_LOOP: while, not do-while */
    uint8_t load_bits; /* of LOOP_LOAD */
    uint32_t to;       /* variable */
    struct loop_operand a, b;
    struct loop_condition condition;
    uint32_t body, otherwise; /* first statements, of LOOP_IF and LOOP_LOOP */
    uint32_t loop;            /* number of LOOP_LOOP */
    uint32_t next;
};

/* Variables start as the parameters, the thread index and constants. */
struct loop_program {
    uint8_t bits[LOOP_VARIABLES];
    bool from_parameter[LOOP_VARIABLES], from_thread[LOOP_VARIABLES];
    uint64_t initial[LOOP_VARIABLES];
    bool parameter_known[LOOP_PARAMETERS];
    uint64_t parameter[LOOP_PARAMETERS]; /* of variables 0 ..: 64 bits, cut to the variable's width */
    uint32_t threads;
    struct loop_statement statements[LOOP_STATEMENTS_MAX];
    uint32_t statement_count, loop_count, first;
    bool loads;     /* reads memory */
    bool in_halves; /* printed with variables of 64 bits in two registers, as machine code has them */
};

struct loop_program random_loop_program(struct random_state *random);

/* Appends the program as kernel `k`; loop number n has the label H<n>. */
void loop_program_print(const struct loop_program *program, struct text *out);

/* What one thread executes: most executions of each loop's header since it was entered, of the first `fuel`
 * statements; true when these were all. Unknown parameters and loaded words are random. */
bool loop_program_run(const struct loop_program *program, uint32_t thread, struct random_state *random,
                      uint64_t fuel, uint64_t most[LOOPS_MAX]);

/* A random word of the width: short ones, and ones near the ends of the signed and unsigned ranges, often. */
uint64_t random_loop_word(struct random_state *random, uint32_t bits);

#endif
