/* The instruction set: types, state spaces, opcode classes, and one row per base opcode. Everything that the
 * parser, the printer, the interpreter and the timing tables know of an opcode comes from OPCODE_TABLE
 * (opcode_table.h). */
#ifndef WB_PTX_OPCODE_H
#define WB_PTX_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name, bytes, kind). 16-bit packed pairs count as one value of 4 bytes. */
#define PTX_TYPE_TABLE(X)                                                                                    \
    X(B8, "b8", 1, BITS)                                                                                     \
    X(B16, "b16", 2, BITS)                                                                                   \
    X(B32, "b32", 4, BITS)                                                                                   \
    X(B64, "b64", 8, BITS)                                                                                   \
    X(B128, "b128", 16, BITS)                                                                                \
    X(U8, "u8", 1, UNSIGNED)                                                                                 \
    X(U16, "u16", 2, UNSIGNED)                                                                               \
    X(U32, "u32", 4, UNSIGNED)                                                                               \
    X(U64, "u64", 8, UNSIGNED)                                                                               \
    X(S8, "s8", 1, SIGNED)                                                                                   \
    X(S16, "s16", 2, SIGNED)                                                                                 \
    X(S32, "s32", 4, SIGNED)                                                                                 \
    X(S64, "s64", 8, SIGNED)                                                                                 \
    X(U16X2, "u16x2", 4, UNSIGNED)                                                                           \
    X(S16X2, "s16x2", 4, SIGNED)                                                                             \
    X(F16, "f16", 2, FLOAT)                                                                                  \
    X(F16X2, "f16x2", 4, FLOAT)                                                                              \
    X(BF16, "bf16", 2, FLOAT)                                                                                \
    X(BF16X2, "bf16x2", 4, FLOAT)                                                                            \
    X(TF32, "tf32", 4, FLOAT)                                                                                \
    X(F32, "f32", 4, FLOAT)                                                                                  \
    X(F32X2, "f32x2", 8, FLOAT)                                                                              \
    X(F64, "f64", 8, FLOAT)                                                                                  \
    X(E4M3, "e4m3", 1, FLOAT)                                                                                \
    X(E5M2, "e5m2", 1, FLOAT)                                                                                \
    X(E4M3X2, "e4m3x2", 2, FLOAT)                                                                            \
    X(E5M2X2, "e5m2x2", 2, FLOAT)                                                                            \
    X(E2M1, "e2m1", 1, FLOAT)                                                                                \
    X(E2M3, "e2m3", 1, FLOAT)                                                                                \
    X(E3M2, "e3m2", 1, FLOAT)                                                                                \
    X(E2M1X2, "e2m1x2", 1, FLOAT)                                                                            \
    X(E2M3X2, "e2m3x2", 2, FLOAT)                                                                            \
    X(E3M2X2, "e3m2x2", 2, FLOAT)                                                                            \
    X(E2M1X4, "e2m1x4", 2, FLOAT)                                                                            \
    X(E2M3X4, "e2m3x4", 4, FLOAT)                                                                            \
    X(E3M2X4, "e3m2x4", 4, FLOAT)                                                                            \
    X(E4M3X4, "e4m3x4", 4, FLOAT)                                                                            \
    X(E5M2X4, "e5m2x4", 4, FLOAT)                                                                            \
    X(UE4M3, "ue4m3", 1, FLOAT)                                                                              \
    X(UE8M0, "ue8m0", 1, FLOAT)                                                                              \
    X(UE8M0X2, "ue8m0x2", 2, FLOAT)                                                                          \
    X(S2, "s2", 1, SIGNED)                                                                                   \
    X(U2, "u2", 1, UNSIGNED)                                                                                 \
    X(S4, "s4", 1, SIGNED)                                                                                   \
    X(U4, "u4", 1, UNSIGNED)                                                                                 \
    X(B1, "b1", 1, BITS)                                                                                     \
    X(PRED, "pred", 1, PREDICATE)                                                                            \
    X(TEXREF, "texref", 8, OPAQUE)                                                                           \
    X(SAMPLERREF, "samplerref", 8, OPAQUE)                                                                   \
    X(SURFREF, "surfref", 8, OPAQUE)

enum ptx_type_kind {
    PTX_KIND_NONE,
    PTX_KIND_BITS,
    PTX_KIND_UNSIGNED,
    PTX_KIND_SIGNED,
    PTX_KIND_FLOAT,
    PTX_KIND_PREDICATE,
    PTX_KIND_OPAQUE
};

enum ptx_type {
    PTX_TYPE_NONE,
#define X(enumerator, name, bytes, kind) PTX_##enumerator,
    PTX_TYPE_TABLE(X)
#undef X
        PTX_TYPE_COUNT
};

/* State spaces; PTX_GENERIC where a load, store or atomic names none. */
enum ptx_space {
    PTX_GENERIC,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX,
    PTX_SPACE_REG
};

/* Machine code of sm_90 makes a generic address of one in shared memory with this as its upper half, a
 * special register. */
#define PTX_SHARED_UPPER_HALF UINT32_C(0xee01)

/* Opcode classes, the granularity at which a machine states units, initiation intervals and latencies.
 * X(enumerator, name in machine files). */
#define PTX_CLASS_TABLE(X)                                                                                   \
    X(INT_ADD, "int_add")                 /* add sub min max sad addc subc, integers of any width */         \
    X(INT_ADD64, "int_add64")             /* int_add of 64 bits */                                           \
    X(INT_MUL, "int_mul")                 /* mul mad madc dp4a, integers */                                  \
    X(INT_MUL64, "int_mul64")             /* mul mad of 64-bit operands */                                   \
    X(INT_MUL24, "int_mul24")             /* mul24 mad24 */                                                  \
    X(INT_DIV, "int_div")                 /* div rem, integers */                                            \
    X(INT_DIV64, "int_div64")             /* div rem of 64 bits */                                           \
    X(LOGIC, "logic")                     /* and or xor not cnot lop3 shl shr shf */                         \
    X(BITS, "bits")                       /* bfe bfi bfind brev popc clz prmt fns */                         \
    X(MOVE, "move")                       /* mov cvta abs neg (integer) selp isspacep ... */                 \
    X(COMPARE, "compare")                 /* setp set testp slct */                                          \
    X(CONVERT, "convert")                 /* cvt between 32-bit and narrower types */                        \
    X(CONVERT64, "convert64")             /* cvt to or from f64 */                                           \
    X(FP16, "fp16")                       /* arithmetic on f16, bf16 and their pairs */                      \
    X(FP32, "fp32")                       /* add sub mul mad fma min max, f32 */                             \
    X(FP32_MOVE, "fp32_move")             /* abs neg copysign, f16 f32 f64 */                                \
    X(FP32_DIV, "fp32_div")               /* div f32 */                                                      \
    X(FP32_DIV_APPROX, "fp32_div_approx") /* div.approx div.full, f32 */                                     \
    X(FP32_SPECIAL, "fp32_special")       /* rcp sqrt rsqrt sin cos ex2 lg2 tanh, f32 and f16 */             \
    X(FP32_SPECIAL_RN, "fp32_special_rn") /* rcp sqrt with rounding, f32 */                                  \
    X(FP64, "fp64")                       /* add sub mul mad fma min max, f64 */                             \
    X(FP64_DIV, "fp64_div")               /* div f64 */                                                      \
    X(FP64_SPECIAL, "fp64_special")       /* rcp sqrt rsqrt, f64 */                                          \
    X(TENSOR, "tensor")                   /* mma wmma.mma wgmma */                                           \
    X(SHUFFLE, "shuffle")                 /* shfl */                                                         \
    X(VOTE, "vote")                       /* vote activemask elect */                                        \
    X(MATCH, "match")                     /* match */                                                        \
    X(REDUX, "redux")                     /* redux */                                                        \
    X(BRANCH, "branch")                   /* bra brx */                                                      \
    X(CALL, "call")                       /* call and the callee's ret */                                    \
    X(VPRINTF, "vprintf")                 /* call of vprintf, by which kernels print */                      \
    X(MALLOC, "malloc")                   /* call of malloc */                                               \
    X(FREE, "free")                       /* call of free */                                                 \
    X(EXIT, "exit")                       /* ret of the kernel, exit, trap */                                \
    X(BARRIER, "barrier")                 /* bar barrier */                                                  \
    X(WARP_SYNC, "warp_sync")             /* bar.warp.sync */                                                \
    X(FENCE, "fence")                     /* membar fence */                                                 \
    X(LOAD_PARAM, "load_param")           /* ld.param */                                                     \
    X(LOAD_CONST, "load_const")           /* ld.const */                                                     \
    X(LOAD_GLOBAL, "load_global")         /* ld.global ldu */                                                \
    X(LOAD_SHARED, "load_shared")         /* ld.shared ldmatrix */                                           \
    X(LOAD_LOCAL, "load_local")           /* ld.local */                                                     \
    X(LOAD_GENERIC, "load_generic")       /* ld without a space */                                           \
    X(STORE_PARAM, "store_param")         /* st.param */                                                     \
    X(STORE_GLOBAL, "store_global")       /* st.global */                                                    \
    X(STORE_SHARED, "store_shared")       /* st.shared stmatrix */                                           \
    X(STORE_LOCAL, "store_local")         /* st.local */                                                     \
    X(STORE_GENERIC, "store_generic")     /* st without a space */                                           \
    X(ATOMIC_GLOBAL, "atomic_global")     /* atom red, global or generic */                                  \
    X(ATOMIC_SHARED, "atomic_shared")     /* atom red, shared */                                             \
    X(ASYNC_COPY, "async_copy")           /* cp.async and its groups, cp.async.bulk, mbarrier */             \
    X(TEXTURE, "texture")                 /* tex tld4 txq suld sust */                                       \
    X(PREFETCH, "prefetch")               /* prefetch prefetchu applypriority discard */                     \
    X(OTHER, "other")                     /* nanosleep pmevent brkpt setmaxnreg ... */

enum ptx_class {
#define X(enumerator, name) PTX_CLASS_##enumerator,
    PTX_CLASS_TABLE(X)
#undef X
        PTX_CLASS_COUNT
};

/* The class's name in machine files. */
const char *ptx_class_name(enum ptx_class class);

/* The class that takes in the instructions of `class` where a machine does not state times of their own for
 * them, as a multiplication of 64 bits is one of integers; else itself. */
enum ptx_class ptx_class_wider(enum ptx_class class);

/* "u32", without the dot; "" for PTX_TYPE_NONE. */
const char *ptx_type_name(enum ptx_type type);

/* Size of one value in memory; 0 for PTX_TYPE_NONE. */
uint32_t ptx_type_bytes(enum ptx_type type);
enum ptx_type_kind ptx_type_kind(enum ptx_type type);

/* The type of a name without the dot, PTX_TYPE_NONE when there is none. */
enum ptx_type ptx_type_named(const char *name, size_t length);

/* "global", without the dot; "" for PTX_GENERIC. */
const char *ptx_space_name(enum ptx_space space);

/* The space of a name without the dot, such as "shared" or "shared::cluster"; false when there is none. */
bool ptx_space_named(const char *name, size_t length, enum ptx_space *space);

/* Special registers. */

/* X(enumerator, name). The components of a vector register stand together, x first. */
#define PTX_SREG_VECTOR(X, enumerator, name)                                                                 \
    X(enumerator##_X, name ".x")                                                                             \
    X(enumerator##_Y, name ".y")                                                                             \
    X(enumerator##_Z, name ".z")                                                                             \
    X(enumerator##_W, name ".w")

#define PTX_SREG_TABLE(X)                                                                                    \
    PTX_SREG_VECTOR(X, TID, "%tid")                                                                          \
    PTX_SREG_VECTOR(X, NTID, "%ntid")                                                                        \
    PTX_SREG_VECTOR(X, CTAID, "%ctaid")                                                                      \
    PTX_SREG_VECTOR(X, NCTAID, "%nctaid")                                                                    \
    PTX_SREG_VECTOR(X, CLUSTERID, "%clusterid")                                                              \
    PTX_SREG_VECTOR(X, NCLUSTERID, "%nclusterid")                                                            \
    PTX_SREG_VECTOR(X, CLUSTER_CTAID, "%cluster_ctaid")                                                      \
    PTX_SREG_VECTOR(X, CLUSTER_NCTAID, "%cluster_nctaid")                                                    \
    X(CLUSTER_CTARANK, "%cluster_ctarank")                                                                   \
    X(CLUSTER_NCTARANK, "%cluster_nctarank")                                                                 \
    X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster")                                                           \
    X(LANEID, "%laneid")                                                                                     \
    X(WARPID, "%warpid")                                                                                     \
    X(NWARPID, "%nwarpid")                                                                                   \
    X(SMID, "%smid")                                                                                         \
    X(NSMID, "%nsmid")                                                                                       \
    X(GRIDID, "%gridid")                                                                                     \
    X(LANEMASK_EQ, "%lanemask_eq")                                                                           \
    X(LANEMASK_LE, "%lanemask_le")                                                                           \
    X(LANEMASK_LT, "%lanemask_lt")                                                                           \
    X(LANEMASK_GE, "%lanemask_ge")                                                                           \
    X(LANEMASK_GT, "%lanemask_gt")                                                                           \
    X(CLOCK, "%clock")                                                                                       \
    X(CLOCK_HI, "%clock_hi")                                                                                 \
    X(CLOCK64, "%clock64")                                                                                   \
    X(GLOBALTIMER, "%globaltimer")                                                                           \
    X(GLOBALTIMER_LO, "%globaltimer_lo")                                                                     \
    X(GLOBALTIMER_HI, "%globaltimer_hi")                                                                     \
    X(TOTAL_SMEM_SIZE, "%total_smem_size")                                                                   \
    X(AGGR_SMEM_SIZE, "%aggr_smem_size")                                                                     \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")                                                               \
    X(RESERVED_SMEM_OFFSET_BEGIN, "%reserved_smem_offset_begin")                                             \
    X(RESERVED_SMEM_OFFSET_END, "%reserved_smem_offset_end")                                                 \
    X(RESERVED_SMEM_OFFSET_CAP, "%reserved_smem_offset_cap")                                                 \
    X(RESERVED_SMEM_OFFSET_0, "%reserved_smem_offset_0")                                                     \
    X(RESERVED_SMEM_OFFSET_1, "%reserved_smem_offset_1")                                                     \
    X(CURRENT_GRAPH_EXEC, "%current_graph_exec")                                                             \
    X(PM0, "%pm0")                                                                                           \
    X(PM1, "%pm1")                                                                                           \
    X(PM2, "%pm2")                                                                                           \
    X(PM3, "%pm3")                                                                                           \
    X(PM4, "%pm4")                                                                                           \
    X(PM5, "%pm5")                                                                                           \
    X(PM6, "%pm6")                                                                                           \
    X(PM7, "%pm7")                                                                                           \
    X(PM0_64, "%pm0_64")                                                                                     \
    X(PM1_64, "%pm1_64")                                                                                     \
    X(PM2_64, "%pm2_64")                                                                                     \
    X(PM3_64, "%pm3_64")                                                                                     \
    X(PM4_64, "%pm4_64")                                                                                     \
    X(PM5_64, "%pm5_64")                                                                                     \
    X(PM6_64, "%pm6_64")                                                                                     \
    X(PM7_64, "%pm7_64")                                                                                     \
    X(ENVREG0, "%envreg")

/* %envreg1 .. %envreg31 follow ENVREG0 without names of their own. */
#define PTX_ENVREG_COUNT 32

enum ptx_sreg {
#define X(enumerator, name) PTX_SREG_##enumerator,
    PTX_SREG_TABLE(X)
#undef X
        PTX_SREG_COUNT = PTX_SREG_ENVREG0 + PTX_ENVREG_COUNT
};

/* The name of a special register as PTX writes it, such as "%tid.x"; "%envreg" for all of those. */
const char *ptx_sreg_name(enum ptx_sreg sreg);

/* What instructions wait for besides the registers they use and their unit, and what is made of that: every
 * row of opcode_table.h names one of these. docs/execution.md has them as a table, which a test holds against
 * this one. */

enum ptx_answer {
    PTX_WAITS_NOT, /* there is nothing to be waited for */
    PTX_TIMED,     /* in the times: the text says how */
    PTX_ASSUMED, /* not in the times: the text is an assumption, printed of every kernel that executes one */
    PTX_DECLINED /* a kernel that executes one is declined: the text, behind the instruction, says why */
};

/* X(enumerator, answer, what is waited for, text) */
#define PTX_WAIT_TABLE(X)                                                                                    \
    X(NOTHING, WAITS_NOT, "nothing", "")                                                                     \
    X(WARPS, TIMED, "all warps of the block",                                                                \
      "a warp waits until every live warp of the block has issued its own; one that counts threads joins "   \
      "all of them, or is declined like `bar.arrive`")                                                       \
    X(SOME_WARPS, DECLINED, "some warps of the block",                                                       \
      "does not join all threads of the block; only barriers of the whole block can be bounded")             \
    X(CLUSTER, DECLINED, "other blocks of a cluster", "joins blocks of a cluster, which are not modelled")   \
    X(LANES, TIMED, "lanes of the warp",                                                                     \
      "the lanes of its member mask execute it together, so there is nothing to wait for; if one that has "  \
      "not exited is elsewhere, the kernel is declined")                                                     \
    X(ELECTION, ASSUMED, "lanes of the warp", "elect.sync elects the lowest lane of the member mask")        \
    X(CONVERGENCE, ASSUMED, "nothing, but depend on which lanes are there",                                  \
      "lanes that no branch has divided execute activemask, and shfl and vote without .sync, together")      \
    X(ORDER, TIMED,                                                                                          \
      "accesses before a release or after an acquire; so do all with `.acquire`, "                           \
      "`.release` or `.acq_rel`",                                                                            \
      "like a fence, in both cases")                                                                         \
    X(FENCE, TIMED, "earlier accesses",                                                                      \
      "it is issued when all earlier accesses of the warp are complete, and later instructions of the warp " \
      "wait for it")                                                                                         \
    X(COPIES, TIMED, "asynchronous copies",                                                                  \
      "it is issued when the copies of the warp that it waits for are complete")                             \
    X(PHASE, DECLINED, "the phase of an mbarrier",                                                           \
      "waits for other threads or copies to arrive at an mbarrier, for an unknown time")                     \
    X(STEALING, DECLINED, "nothing, but change the grid",                                                    \
      "takes over blocks that have not started: that is not modelled")                                       \
    X(TENSOR, DECLINED, "matrix operations in the background",                                               \
      "waits for matrix operations in the background, for an unknown time")                                  \
    X(TENSOR_MEMORY, DECLINED, "tensor memory that others give back",                                        \
      "waits for tensor memory that others give back, for an unknown time")                                  \
    X(REGISTERS, DECLINED, "registers that other warps give back",                                           \
      "waits for registers that other warps give back, for an unknown time")                                 \
    X(EARLIER_GRIDS, ASSUMED, "grids launched before",                                                       \
      "the grids that this one depends on have ended when it starts (griddepcontrol.wait)")                  \
    X(OTHER_GPUS, ASSUMED, "other GPUs",                                                                     \
      "other GPUs answer multimem within the latency that the machine states")                               \
    X(SLEEP, TIMED, "a time",                                                                                \
      "later instructions of the warp wait for the longest time that PTX allows: twice the argument, at "    \
      "most 2 ms, which is also taken if it is unknown; for arguments in registers, the longest of the "     \
      "kernel")                                                                                              \
    X(DEBUGGER, DECLINED, "a debugger", "suspends the execution for a debugger")                             \
    X(ABORT, ASSUMED, "nothing, but end the kernel", "an execution that reaches trap ends there")            \
    X(ASSERTION, ASSUMED, "nothing, but end the kernel", "an execution whose assertion fails ends there")    \
    X(RUNTIME, ASSUMED, "the run-time system, and delay the warp as a fence does",                           \
      "vprintf, malloc and free take no longer, and use no other unit, than the machine states for their "   \
      "class")

enum ptx_wait {
#define X(enumerator, answer, what, text) PTX_WAIT_##enumerator,
    PTX_WAIT_TABLE(X)
#undef X
        PTX_WAIT_COUNT
};

/* What is made of the waiting, and the text. */
enum ptx_answer ptx_wait_answer(enum ptx_wait wait);
const char *ptx_wait_text(enum ptx_wait wait);

/* ---- Forms: an opcode with all its modifiers, such as `ld.global.nc.v4.f32`, decoded once per distinct text
 * ---- */

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

#endif
