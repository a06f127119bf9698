/* An opcode with all its modifiers, such as `ld.global.nc.v4.f32`, decoded once per distinct text. */
#ifndef WB_PTX_FORM_H
#define WB_PTX_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "ptx/opcode.h"

enum ptx_round {
    PTX_ROUND_NONE,
    PTX_ROUND_RN, /* to nearest even */
    PTX_ROUND_RZ,
    PTX_ROUND_RM,
    PTX_ROUND_RP,
    PTX_ROUND_RNI, /* to an integer value, nearest even; likewise below */
    PTX_ROUND_RZI,
    PTX_ROUND_RMI,
    PTX_ROUND_RPI,
    PTX_ROUND_RNA,
    PTX_ROUND_RS
};

enum ptx_half { PTX_HALF_NONE, PTX_HALF_LO, PTX_HALF_HI, PTX_HALF_WIDE };

/* Comparison operators of setp/set; the U variants are true when an operand is NaN. LO..HS are unsigned. */
enum ptx_compare {
    PTX_CMP_NONE,
    PTX_CMP_EQ,
    PTX_CMP_NE,
    PTX_CMP_LT,
    PTX_CMP_LE,
    PTX_CMP_GT,
    PTX_CMP_GE,
    PTX_CMP_LO,
    PTX_CMP_LS,
    PTX_CMP_HI,
    PTX_CMP_HS,
    PTX_CMP_EQU,
    PTX_CMP_NEU,
    PTX_CMP_LTU,
    PTX_CMP_LEU,
    PTX_CMP_GTU,
    PTX_CMP_GEU,
    PTX_CMP_NUM,
    PTX_CMP_NAN
};

/* The operation of atom/red/redux, the boolean operation of setp/set/lop3, the mode of vote, match, shfl, shf
 * (side and CLAMP/WRAP in one), bfind (SHIFTAMT), szext and bmsk (CLAMP/WRAP), prmt, testp, bar. */
enum ptx_mode {
    PTX_MODE_NONE,
    PTX_MODE_AND,
    PTX_MODE_OR,
    PTX_MODE_XOR,
    PTX_MODE_POPC,
    PTX_MODE_ADD,
    PTX_MODE_MIN,
    PTX_MODE_MAX,
    PTX_MODE_INC,
    PTX_MODE_DEC,
    PTX_MODE_EXCH,
    PTX_MODE_CAS,
    PTX_MODE_ALL,
    PTX_MODE_ANY,
    PTX_MODE_UNI,
    PTX_MODE_BALLOT,
    PTX_MODE_UP,
    PTX_MODE_DOWN,
    PTX_MODE_BFLY,
    PTX_MODE_IDX,
    PTX_MODE_CLAMP,
    PTX_MODE_WRAP,
    PTX_MODE_LEFT_CLAMP,
    PTX_MODE_LEFT_WRAP,
    PTX_MODE_RIGHT_CLAMP,
    PTX_MODE_RIGHT_WRAP,
    PTX_MODE_F4E,
    PTX_MODE_B4E,
    PTX_MODE_RC8,
    PTX_MODE_ECL,
    PTX_MODE_ECR,
    PTX_MODE_RC16,
    PTX_MODE_FINITE,
    PTX_MODE_INFINITE,
    PTX_MODE_NUMBER,
    PTX_MODE_NOTANUMBER,
    PTX_MODE_NORMAL,
    PTX_MODE_SUBNORMAL,
    PTX_MODE_SYNC,
    PTX_MODE_ARRIVE,
    PTX_MODE_RED,
    PTX_MODE_WARP, /* bar/barrier */
    PTX_MODE_SHIFTAMT
};

enum ptx_op {
    PTX_OP_UNKNOWN,
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    PTX_OP_##enumerator,
#include "ptx/opcode_table.h"
#undef OPCODE
    PTX_OP_COUNT
};

/* Who executes an opcode; opcode_table.h says what each means. */
enum ptx_exec { PTX_EXEC_NONE, PTX_EXEC_ALU, PTX_EXEC_MEMORY, PTX_EXEC_CONTROL, PTX_EXEC_WARP, PTX_EXEC_NOP };

/* The requests that an instruction makes to memory below its SM, as all who count or time them ask. */
enum ptx_requests {
    PTX_REQUESTS_NONE,     /* it stays on the SM, or accesses nothing */
    PTX_REQUESTS_COUNTED,  /* of its lanes, from their addresses */
    PTX_REQUESTS_UNCOUNTED /* of other units (textures, copies in the background), or hints: nobody counts
                              them, so that a machine on which requests wait for each other declines it */
};

struct ptx_form {
    const char *text;  /* the whole opcode, modifiers included, as the PTX has it */
    const char *name;  /* what reports call it: the text; of machine code the machine's opcode */
    const char *roles; /* see opcode_table.h; an instruction has exactly one operand per letter */
    uint8_t op;        /* enum ptx_op; PTX_OP_UNKNOWN: the opcode or one of its modifiers is not known, or its
                          operands are not those of the opcode as it is known */
    uint8_t exec;      /* enum ptx_exec */
    uint8_t class_;    /* enum ptx_class; `ret` in a .func is of class CALL, in an entry of class EXIT */
    uint8_t type;      /* enum ptx_type: the first type of the text: of the destination and, alone, of all */
    uint8_t type2;     /* the second type: of the sources of cvt, set, slct, mma ...; else equal to `type` */
    uint8_t space;     /* enum ptx_space */
    uint8_t space_from; /* of cp.async: the source's space */
    uint8_t vector;     /* 1, 2, 4, 8 */
    uint8_t round;      /* enum ptx_round */
    uint8_t half;       /* enum ptx_half */
    uint8_t compare;    /* enum ptx_compare */
    uint8_t mode;       /* enum ptx_mode */
    uint8_t mode2;      /* the operation of bar.red: AND, OR, POPC */
    uint8_t wait;       /* enum ptx_wait */
    uint8_t requests;   /* enum ptx_requests */
    uint8_t runtime;    /* of a call: enum ptx_runtime, the function of the run-time system that it calls */
    bool ftz, sat, approx, full, nan, relu, uni, sync, is_volatile, to;
    bool abs, xorsign;   /* of min and max: compares magnitudes; multiplies signs */
    bool oob;            /* of fma: a special NaN stands for what lies out of bounds */
    bool ordered;        /* .acquire, .release, .acq_rel */
    bool relaxed;        /* .relaxed, .mmio */
    bool in_block;       /* .cta: it orders what threads of the block do */
    bool uncached;       /* its loads pass by the first-level cache, as the operator or the scope asks */
    bool hinted;         /* asks caches to keep or fetch lines otherwise than they do by themselves */
    bool carry_out;      /* .cc */
    bool carry_in;       /* addc subc madc */
    bool dual;           /* takes `d|D`: operand 1 is D, PTX_OPERAND_NONE when not written */
    bool shared_cluster; /* .shared::cluster: shared memory of any block of the cluster */
};

struct form_entry {
    const struct ptx_form *form; /* NULL: memory was exhausted */
};

/* The forms met so far. */
struct form_table {
    struct arena *arena; /* owns the forms */
    struct intern texts;
    VEC(struct form_entry) forms;      /* by number of their text */
    const struct ptx_form *callee_ret; /* `ret` of class CALL, or NULL as long as none was needed */
};

/* Why an opcode has no meaning: its base or the modifier that starts `offset` bytes into the text. */
struct form_problem {
    const char *what; /* "unknown opcode", "unknown modifier", "incomplete opcode"; NULL: the opcode is new
                         and known, or old */
    size_t offset, length;
};

/* The form of an opcode with its modifiers, decoded when the text is new. An unknown one gives a form of
 * PTX_OP_UNKNOWN and, the first time, a problem. `text` must outlive the table. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status form_get(struct form_table *table, const char *text, size_t length, struct form_problem *problem,
                   const struct ptx_form **form);

/* The `ret` of a function that is called, given the one of an entry. */
wb_status form_callee_ret(struct form_table *table, const struct ptx_form *ret, const struct ptx_form **form);

/* A new form of PTX_OP_UNKNOWN whose text is a whole statement. */
wb_status form_unknown(struct form_table *table, const char *text, size_t length,
                       const struct ptx_form **form);

void form_table_free(struct form_table *table);

#endif
