/* The instruction set: one row per base opcode. No include guard: included with macros defined by whoever
 * needs a view of it.
 *
 *     OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)
 *     VARIANT(enumerator, name, roles, modifiers, class, wait)  another spelling of an opcode, with its own
 * operands
 *
 * `name`: the longest name that is a prefix of an opcode's text, cut at a dot, is the opcode's row.
 *
 * `roles`: one letter per operand, in PTX order.
 *     d  destination: register, vector of registers or `_`
 *     D  second destination, written `d|D`; may be left out
 *     x  read and written (accumulator)
 *     s  source: register, vector, constant, symbol
 *     m  address in brackets, or a texture or tensor access
 *     l  label, or the label of a .branchtargets/.callprototype
 *     O, o, L  like d, s, l, but may be left out
 * An operand that is left out is there as PTX_OPERAND_NONE: operand i of an instruction always has role i.
 * Two modifiers append a source: .cas (the new value) and .L2::cache_hint (the policy).
 *
 * `modifiers`: families of modifiers that the opcode accepts, besides types (form.c has the members).
 *     r  rounding         i  rounding to integer   f  ftz sat approx ...    h  lo hi wide
 *     x  cc               c  comparison            b  and or xor popc       a  operation of an atomic
 *     p  state space      m  cache, order, scope   v  vector length         w  mode of a vote
 *     s  mode of shfl     k  mode of shf, bfind    q  mode of prmt          t  mode of testp
 *     u  uni sync aligned B  mode of bar           *  all of them and the words of form.c's OTHER_WORDS
 *
 * `exec`: who executes it. ALU: each lane by itself; MEMORY, CONTROL; WARP: lanes exchange values;
 * NOP: changes no value; NONE: classed and printed only, its results are not known.
 *
 * `class_...`: opcode class by the kind of the operand type.
 *
 * `wait`: what it waits for besides its registers and its unit, and with that what is made of its waiting
 * (opcode.h). There is no default: a row says NOTHING where it waits for nothing else. */

#ifndef VARIANT
#define VARIANT(enumerator, name, roles, modifiers, class, wait)
#define OPCODE_TABLE_DEFINED_VARIANT
#endif
#define SIMPLE(enumerator, name, roles, modifiers, exec, class, wait)                                        \
OPCODE(enumerator, name, roles, modifiers, exec, class, class, class, class, wait)

/* clang-format off */

/* Arithmetic */
OPCODE(ADD,      "add",      "dss",  "rfx",  ALU, INT_ADD, FP16, FP32, FP64, NOTHING)
OPCODE(SUB,      "sub",      "dss",  "rfx",  ALU, INT_ADD, FP16, FP32, FP64, NOTHING)
OPCODE(MUL,      "mul",      "dss",  "rfh",  ALU, INT_MUL, FP16, FP32, FP64, NOTHING)
OPCODE(MAD,      "mad",      "dsss", "rfhx", ALU, INT_MUL, FP16, FP32, FP64, NOTHING)
OPCODE(FMA,      "fma",      "dsss", "rf",   ALU, FP32,    FP16, FP32, FP64, NOTHING)
OPCODE(DIV,      "div",      "dss",  "rf",   ALU, INT_DIV, FP32_DIV, FP32_DIV, FP64_DIV, NOTHING)
OPCODE(REM,      "rem",      "dss",  "",     ALU, INT_DIV, INT_DIV, INT_DIV, INT_DIV, NOTHING)
OPCODE(ABS,      "abs",      "ds",   "f",    ALU, MOVE,    FP32_MOVE, FP32_MOVE, FP32_MOVE, NOTHING)
OPCODE(NEG,      "neg",      "ds",   "f",    ALU, MOVE,    FP32_MOVE, FP32_MOVE, FP32_MOVE, NOTHING)
OPCODE(MIN,      "min",      "dsso", "f",    ALU, INT_ADD, FP16, FP32, FP64, NOTHING)
OPCODE(MAX,      "max",      "dsso", "f",    ALU, INT_ADD, FP16, FP32, FP64, NOTHING)
SIMPLE(ADDC,     "addc",     "dss",  "x",    ALU, INT_ADD, NOTHING)
SIMPLE(SUBC,     "subc",     "dss",  "x",    ALU, INT_ADD, NOTHING)
SIMPLE(MADC,     "madc",     "dsss", "hx",   ALU, INT_MUL, NOTHING)
SIMPLE(MUL24,    "mul24",    "dss",  "h",    ALU, INT_MUL24, NOTHING)
SIMPLE(MAD24,    "mad24",    "dsss", "hf",   ALU, INT_MUL24, NOTHING)
SIMPLE(SAD,      "sad",      "dsss", "",     ALU, INT_ADD, NOTHING)
SIMPLE(DP4A,     "dp4a",     "dsss", "",     ALU, INT_MUL, NOTHING)
SIMPLE(DP2A,     "dp2a",     "dsss", "h",    ALU, INT_MUL, NOTHING)
OPCODE(COPYSIGN, "copysign", "dss",  "",     ALU, FP32_MOVE, FP32_MOVE, FP32_MOVE, FP32_MOVE, NOTHING)
OPCODE(RCP,      "rcp",      "ds",   "rf",   ALU, FP32_SPECIAL, FP32_SPECIAL, FP32_SPECIAL, FP64_SPECIAL, NOTHING)
OPCODE(SQRT,     "sqrt",     "ds",   "rf",   ALU, FP32_SPECIAL, FP32_SPECIAL, FP32_SPECIAL, FP64_SPECIAL, NOTHING)
OPCODE(RSQRT,    "rsqrt",    "ds",   "f",    ALU, FP32_SPECIAL, FP32_SPECIAL, FP32_SPECIAL, FP64_SPECIAL, NOTHING)
SIMPLE(SIN,      "sin",      "ds",   "f",    ALU, FP32_SPECIAL, NOTHING)
SIMPLE(COS,      "cos",      "ds",   "f",    ALU, FP32_SPECIAL, NOTHING)
SIMPLE(LG2,      "lg2",      "ds",   "f",    ALU, FP32_SPECIAL, NOTHING)
SIMPLE(EX2,      "ex2",      "ds",   "f",    ALU, FP32_SPECIAL, NOTHING)
SIMPLE(TANH,     "tanh",     "ds",   "f",    ALU, FP32_SPECIAL, NOTHING)

/* Comparison and selection */
SIMPLE(SETP,     "setp",     "dDsso", "cbf", ALU, COMPARE, NOTHING)
SIMPLE(SET,      "set",      "dsso", "cbf",  ALU, COMPARE, NOTHING)
SIMPLE(SELP,     "selp",     "dsss", "",     ALU, MOVE, NOTHING)
SIMPLE(SLCT,     "slct",     "dsss", "f",    ALU, COMPARE, NOTHING)
SIMPLE(TESTP,    "testp",    "ds",   "t",    ALU, COMPARE, NOTHING)

/* Logic and bits */
SIMPLE(AND,      "and",      "dss",  "",     ALU, LOGIC, NOTHING)
SIMPLE(OR,       "or",       "dss",  "",     ALU, LOGIC, NOTHING)
SIMPLE(XOR,      "xor",      "dss",  "",     ALU, LOGIC, NOTHING)
SIMPLE(NOT,      "not",      "ds",   "",     ALU, LOGIC, NOTHING)
SIMPLE(CNOT,     "cnot",     "ds",   "",     ALU, LOGIC, NOTHING)
SIMPLE(LOP3,     "lop3",     "dDsssso", "b", ALU, LOGIC, NOTHING)
SIMPLE(SHL,      "shl",      "dss",  "",     ALU, LOGIC, NOTHING)
SIMPLE(SHR,      "shr",      "dss",  "",     ALU, LOGIC, NOTHING)
SIMPLE(SHF,      "shf",      "dsss", "k",    ALU, LOGIC, NOTHING)
SIMPLE(POPC,     "popc",     "ds",   "",     ALU, BITS, NOTHING)
SIMPLE(CLZ,      "clz",      "ds",   "",     ALU, BITS, NOTHING)
SIMPLE(BFIND,    "bfind",    "ds",   "k",    ALU, BITS, NOTHING)
SIMPLE(BREV,     "brev",     "ds",   "",     ALU, BITS, NOTHING)
SIMPLE(BFE,      "bfe",      "dsss", "",     ALU, BITS, NOTHING)
SIMPLE(BFI,      "bfi",      "dssss", "",    ALU, BITS, NOTHING)
SIMPLE(SZEXT,    "szext",    "dss",  "k",    ALU, BITS, NOTHING)
SIMPLE(BMSK,     "bmsk",     "dss",  "k",    ALU, BITS, NOTHING)
SIMPLE(FNS,      "fns",      "dsss", "",     ALU, BITS, NOTHING)
SIMPLE(PRMT,     "prmt",     "dsss", "q",    ALU, BITS, NOTHING)

/* Moves and conversions */
SIMPLE(MOV,      "mov",      "ds",   "v",    ALU, MOVE, NOTHING)
SIMPLE(CVTA,     "cvta",     "ds",   "p",    ALU, MOVE, NOTHING)
SIMPLE(ISSPACEP, "isspacep", "ds",   "p",    ALU, MOVE, NOTHING)
OPCODE(CVT,      "cvt",      "dsoo", "rif",  ALU, CONVERT, CONVERT, CONVERT, CONVERT64, NOTHING)
SIMPLE(CVT_PACK, "cvt.pack", "dsso", "f",    ALU, CONVERT, NOTHING)
SIMPLE(ISTYPEP,  "istypep",  "ds",   "*",    NONE, MOVE, NOTHING)
SIMPLE(MAPA,     "mapa",     "dss",  "p",    NONE, MOVE, NOTHING)
SIMPLE(GETCTARANK, "getctarank", "ds", "p",  NONE, MOVE, NOTHING)
SIMPLE(CREATEPOLICY_FRACTIONAL, "createpolicy.fractional", "do", "*", NONE, MOVE, NOTHING)
SIMPLE(CREATEPOLICY_RANGE, "createpolicy.range", "dmss", "*", NONE, MOVE, NOTHING)
SIMPLE(CREATEPOLICY_CVT, "createpolicy.cvt", "ds", "*", NONE, MOVE, NOTHING)
SIMPLE(ALLOCA,   "alloca",   "dso",  "",     NONE, MOVE, NOTHING)
SIMPLE(STACKSAVE, "stacksave", "d",  "",     NONE, MOVE, NOTHING)
SIMPLE(STACKRESTORE, "stackrestore", "s", "", NONE, MOVE, NOTHING)

/* Memory. The class of these four follows from the state space. */
SIMPLE(LD,       "ld",       "dm",   "pmv",  MEMORY, LOAD_GENERIC, NOTHING)
SIMPLE(ST,       "st",       "ms",   "pmv",  MEMORY, STORE_GENERIC, NOTHING)
SIMPLE(ATOM,     "atom",     "dms",  "apmvf", MEMORY, ATOMIC_GLOBAL, NOTHING)
SIMPLE(RED,      "red",      "ms",   "apmvf", MEMORY, ATOMIC_GLOBAL, NOTHING)
SIMPLE(LDU,      "ldu",      "dm",   "pmv",  MEMORY, LOAD_GLOBAL, NOTHING)
SIMPLE(PREFETCH, "prefetch", "m",    "*",    NOP, PREFETCH, NOTHING)
SIMPLE(PREFETCHU, "prefetchu", "m",  "*",    NOP, PREFETCH, NOTHING)
SIMPLE(APPLYPRIORITY, "applypriority", "ms", "*", NOP, PREFETCH, NOTHING)
SIMPLE(DISCARD,  "discard",  "ms",   "*",    NONE, PREFETCH, NOTHING)
SIMPLE(ST_ASYNC, "st.async", "msm",  "*",    NONE, ASYNC_COPY, NOTHING)
SIMPLE(ST_BULK,  "st.bulk",  "mss",  "*",    NONE, ASYNC_COPY, NOTHING)
SIMPLE(RED_ASYNC, "red.async", "msm", "*",   NONE, ASYNC_COPY, NOTHING)
SIMPLE(MULTIMEM_LD_REDUCE, "multimem.ld_reduce", "dm", "*", NONE, ATOMIC_GLOBAL, OTHER_GPUS)
SIMPLE(MULTIMEM_ST, "multimem.st", "ms", "*", NONE, STORE_GLOBAL, OTHER_GPUS)
SIMPLE(MULTIMEM_RED, "multimem.red", "ms", "*", NONE, ATOMIC_GLOBAL, OTHER_GPUS)

/* Asynchronous copies */
SIMPLE(CP_ASYNC, "cp.async", "mmso", "pm",   MEMORY, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_COMMIT_GROUP, "cp.async.commit_group", "", "", NOP, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_WAIT_GROUP, "cp.async.wait_group", "s", "", NOP, ASYNC_COPY, COPIES)
SIMPLE(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", "", "", NOP, ASYNC_COPY, COPIES)
SIMPLE(CP_ASYNC_MBARRIER_ARRIVE, "cp.async.mbarrier.arrive", "m", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_BULK, "cp.async.bulk", "mmsooo", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_BULK_COMMIT_GROUP, "cp.async.bulk.commit_group", "", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_BULK_WAIT_GROUP, "cp.async.bulk.wait_group", "s", "*", NONE, ASYNC_COPY, COPIES)
SIMPLE(CP_ASYNC_BULK_PREFETCH, "cp.async.bulk.prefetch", "ms", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_BULK_PREFETCH_TENSOR, "cp.async.bulk.prefetch.tensor", "mo", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_ASYNC_BULK_TENSOR, "cp.async.bulk.tensor", "mmooo", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_REDUCE_ASYNC_BULK, "cp.reduce.async.bulk", "mmso", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CP_REDUCE_ASYNC_BULK_TENSOR, "cp.reduce.async.bulk.tensor", "mm", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MULTIMEM_CP_ASYNC_BULK, "multimem.cp.async.bulk", "mmso", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MULTIMEM_CP_REDUCE_ASYNC_BULK, "multimem.cp.reduce.async.bulk", "mms", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(TENSORMAP_REPLACE, "tensormap.replace", "mso", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(TENSORMAP_CP_FENCEPROXY, "tensormap.cp_fenceproxy", "mms", "*", NONE, ASYNC_COPY, FENCE)
SIMPLE(MBARRIER_INIT, "mbarrier.init", "ms", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MBARRIER_INVAL, "mbarrier.inval", "m", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MBARRIER_EXPECT_TX, "mbarrier.expect_tx", "ms", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MBARRIER_COMPLETE_TX, "mbarrier.complete_tx", "ms", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(MBARRIER_ARRIVE, "mbarrier.arrive", "dmo", "*", NONE, ASYNC_COPY, ORDER)
SIMPLE(MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop", "dmo", "*", NONE, ASYNC_COPY, ORDER)
SIMPLE(MBARRIER_TEST_WAIT, "mbarrier.test_wait", "dms", "*", NONE, ASYNC_COPY, PHASE)
SIMPLE(MBARRIER_TRY_WAIT, "mbarrier.try_wait", "dmso", "*", NONE, ASYNC_COPY, PHASE)
SIMPLE(MBARRIER_PENDING_COUNT, "mbarrier.pending_count", "ds", "*", NONE, ASYNC_COPY, NOTHING)
SIMPLE(CLUSTERLAUNCHCONTROL_TRY_CANCEL, "clusterlaunchcontrol.try_cancel", "mm", "*", NONE, ASYNC_COPY, STEALING)
SIMPLE(CLUSTERLAUNCHCONTROL_QUERY_CANCEL, "clusterlaunchcontrol.query_cancel", "ds", "*", NONE, ASYNC_COPY, NOTHING)

/* Control. Operands of call: list of results, callee, list of arguments, prototype. */
SIMPLE(BRA,      "bra",      "l",    "u",    CONTROL, BRANCH, NOTHING)
SIMPLE(BRX_IDX,  "brx.idx",  "sl",   "u",    CONTROL, BRANCH, NOTHING)
SIMPLE(CALL,     "call",     "OsoL", "u",    CONTROL, CALL, NOTHING)
SIMPLE(RET,      "ret",      "",     "u",    CONTROL, EXIT, NOTHING)
SIMPLE(EXIT,     "exit",     "",     "",     CONTROL, EXIT, NOTHING)
SIMPLE(TRAP,     "trap",     "",     "",     CONTROL, EXIT, ABORT)

/* Where divided lanes of machine code meet (lift/control.c). No PTX text has these names: they have a blank.
 * The barriers B0 .. B15 are literals: sets of lanes, one of each for a warp. */
SIMPLE(BSSY,     "machine bssy", "sl", "",   CONTROL, BRANCH, NOTHING) /* they will meet at the label */
SIMPLE(BSYNC,    "machine bsync", "s", "",   CONTROL, WARP_SYNC, NOTHING) /* in front of that label */
SIMPLE(BREAK,    "machine break", "s", "",   CONTROL, BRANCH, NOTHING) /* takes lanes out of the set */
SIMPLE(BMOV_GET, "machine bmov.get", "ds", "", CONTROL, MOVE, NOTHING) /* register := the set */
SIMPLE(BMOV_SET, "machine bmov.set", "ss", "", CONTROL, MOVE, NOTHING) /* the set := source 1 */
SIMPLE(WARPSYNC, "machine warpsync", "s", "", CONTROL, WARP_SYNC, NOTHING) /* the lanes of the mask meet */
SIMPLE(ALONE,    "machine alone", "s", "",   CONTROL, WARP_SYNC, NOTHING) /* no lanes but those of the mask are here */
SIMPLE(COLLECTIVE, "machine collective", "s", "", CONTROL, WARP_SYNC, NOTHING) /* the lanes of the mask are here */
SIMPLE(DIVIDED,  "machine divided", "ds", "", CONTROL, VOTE, NOTHING) /* whether live lanes of the mask are not here */
SIMPLE(IDLE,     "machine idle", "", "",     NOP, OTHER, NOTHING) /* NOP, YIELD and their like */

/* Barriers and fences */
SIMPLE(BAR,      "bar.sync", "so",   "Bu",   CONTROL, BARRIER, WARPS)
VARIANT(BAR,     "bar.cta.sync", "so", "Bu", BARRIER, WARPS)
VARIANT(BAR,     "barrier.sync", "so", "Bu", BARRIER, WARPS)
VARIANT(BAR,     "barrier.cta.sync", "so", "Bu", BARRIER, WARPS)
VARIANT(BAR,     "bar.arrive", "ss", "Bu",   BARRIER, SOME_WARPS)
VARIANT(BAR,     "bar.cta.arrive", "ss", "Bu", BARRIER, SOME_WARPS)
VARIANT(BAR,     "barrier.arrive", "ss", "Bu", BARRIER, SOME_WARPS)
VARIANT(BAR,     "barrier.cta.arrive", "ss", "Bu", BARRIER, SOME_WARPS)
VARIANT(BAR,     "bar.red",  "dsos", "Bub",  BARRIER, WARPS)
VARIANT(BAR,     "bar.cta.red", "dsos", "Bub", BARRIER, WARPS)
VARIANT(BAR,     "barrier.red", "dsos", "Bub", BARRIER, WARPS)
VARIANT(BAR,     "barrier.cta.red", "dsos", "Bub", BARRIER, WARPS)
VARIANT(BAR,     "bar.warp.sync", "s", "Bu", WARP_SYNC, LANES)
SIMPLE(BARRIER_CLUSTER_ARRIVE, "barrier.cluster.arrive", "", "*", NONE, BARRIER, CLUSTER)
SIMPLE(BARRIER_CLUSTER_WAIT, "barrier.cluster.wait", "", "*", NONE, BARRIER, CLUSTER)
SIMPLE(MEMBAR,   "membar",   "",     "*",    NOP, FENCE, FENCE)
SIMPLE(MEMBAR_PROXY, "membar.proxy", "", "*", NOP, FENCE, FENCE)
SIMPLE(FENCE,    "fence",    "",     "*",    NOP, FENCE, FENCE)
SIMPLE(FENCE_PROXY, "fence.proxy", "oo", "*", NOP, FENCE, FENCE)

/* Exchange between the lanes of a warp */
SIMPLE(SHFL,     "shfl",     "dDsss", "su",  WARP, SHUFFLE, CONVERGENCE)
VARIANT(SHFL,    "shfl.sync", "dDssss", "su", SHUFFLE, LANES)
SIMPLE(VOTE,     "vote",     "ds",   "wu",   WARP, VOTE, CONVERGENCE)
VARIANT(VOTE,    "vote.sync", "dss", "wu",   VOTE, LANES)
VARIANT(VOTE,    "vote.all.sync", "dss", "wu", VOTE, LANES) /* ptxas takes the mode before .sync as well */
VARIANT(VOTE,    "vote.any.sync", "dss", "wu", VOTE, LANES)
VARIANT(VOTE,    "vote.uni.sync", "dss", "wu", VOTE, LANES)
VARIANT(VOTE,    "vote.ballot.sync", "dss", "wu", VOTE, LANES)
SIMPLE(MATCH,    "match",    "dDss", "wu",   WARP, MATCH, LANES)
SIMPLE(ACTIVEMASK, "activemask", "d", "",    WARP, VOTE, CONVERGENCE)
SIMPLE(REDUX,    "redux",    "dss",  "auf",  WARP, REDUX, LANES)
SIMPLE(ELECT,    "elect",    "dDs",  "u",    WARP, VOTE, ELECTION)

/* Matrices */
SIMPLE(LDMATRIX, "ldmatrix", "dm",   "*",    NONE, LOAD_SHARED, LANES)
SIMPLE(STMATRIX, "stmatrix", "ms",   "*",    NONE, STORE_SHARED, LANES)
SIMPLE(MOVMATRIX, "movmatrix", "ds", "*",    NONE, SHUFFLE, LANES)
OPCODE(WMMA_LOAD, "wmma.load", "dmo", "*",   NONE, LOAD_GENERIC, LOAD_GENERIC, LOAD_GENERIC, LOAD_GENERIC, LANES)
OPCODE(WMMA_STORE, "wmma.store", "mso", "*", NONE, STORE_GENERIC, STORE_GENERIC, STORE_GENERIC, STORE_GENERIC, LANES)
SIMPLE(WMMA_MMA, "wmma.mma", "dsss", "*",    NONE, TENSOR, LANES)
SIMPLE(MMA,      "mma",      "dsssoooo", "*", NONE, TENSOR, LANES)
SIMPLE(MMA_SP,   "mma.sp",   "dsssssoooo", "*", NONE, TENSOR, LANES)
VARIANT(MMA_SP,  "mma.sp::ordered_metadata", "dsssssoooo", "*", TENSOR, LANES)
SIMPLE(WGMMA_MMA_ASYNC, "wgmma.mma_async", "xssooooo", "*", NONE, TENSOR, NOTHING)
SIMPLE(WGMMA_MMA_ASYNC_SP, "wgmma.mma_async.sp", "xssssooooo", "*", NONE, TENSOR, NOTHING)
SIMPLE(WGMMA_FENCE, "wgmma.fence", "", "*",  NONE, TENSOR, TENSOR)
SIMPLE(WGMMA_COMMIT_GROUP, "wgmma.commit_group", "", "*", NONE, TENSOR, NOTHING)
SIMPLE(WGMMA_WAIT_GROUP, "wgmma.wait_group", "s", "*", NONE, TENSOR, TENSOR)
SIMPLE(TCGEN05_ALLOC, "tcgen05.alloc", "ms", "*", NONE, TENSOR, TENSOR_MEMORY)
SIMPLE(TCGEN05_DEALLOC, "tcgen05.dealloc", "ss", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_RELINQUISH_ALLOC_PERMIT, "tcgen05.relinquish_alloc_permit", "", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_LD, "tcgen05.ld", "dmo", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_LD_RED, "tcgen05.ld.red", "ddmo", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_ST, "tcgen05.st", "mso", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_WAIT, "tcgen05.wait::ld", "", "*", NONE, TENSOR, TENSOR)
VARIANT(TCGEN05_WAIT, "tcgen05.wait::st", "", "*", TENSOR, TENSOR)
SIMPLE(TCGEN05_CP, "tcgen05.cp", "ms", "*",  NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_SHIFT, "tcgen05.shift", "m", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_MMA, "tcgen05.mma", "msssoooooo", "*", NONE, TENSOR, NOTHING)
SIMPLE(TCGEN05_FENCE, "tcgen05.fence::before_thread_sync", "", "*", NONE, TENSOR, TENSOR)
VARIANT(TCGEN05_FENCE, "tcgen05.fence::after_thread_sync", "", "*", TENSOR, TENSOR)
SIMPLE(TCGEN05_COMMIT, "tcgen05.commit", "mo", "*", NONE, TENSOR, NOTHING)

/* Textures and surfaces */
SIMPLE(TEX,      "tex",      "dDmoooo", "*", NONE, TEXTURE, NOTHING)
SIMPLE(TLD4,     "tld4",     "dDmoo", "*",   NONE, TEXTURE, NOTHING)
SIMPLE(TXQ,      "txq",      "dmo",  "*",    NONE, TEXTURE, NOTHING)
SIMPLE(SULD,     "suld",     "dm",   "*",    NONE, TEXTURE, NOTHING)
SIMPLE(SUST,     "sust",     "ms",   "*",    NONE, TEXTURE, NOTHING)
SIMPLE(SURED,    "sured",    "ms",   "*",    NONE, TEXTURE, NOTHING)
SIMPLE(SUQ,      "suq",      "dm",   "*",    NONE, TEXTURE, NOTHING)

/* Video: each lane by itself, but on selected bytes and halves */
SIMPLE(VADD,     "vadd",     "dsso", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSUB,     "vsub",     "dsso", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VABSDIFF, "vabsdiff", "dsso", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VMIN,     "vmin",     "dsso", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VMAX,     "vmax",     "dsso", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSHL,     "vshl",     "dsso", "*",    NONE, LOGIC, NOTHING)
SIMPLE(VSHR,     "vshr",     "dsso", "*",    NONE, LOGIC, NOTHING)
SIMPLE(VMAD,     "vmad",     "dsss", "*",    NONE, INT_MUL, NOTHING)
SIMPLE(VSET,     "vset",     "dsso", "*",    NONE, COMPARE, NOTHING)
SIMPLE(VADD2,    "vadd2",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSUB2,    "vsub2",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VAVRG2,   "vavrg2",   "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VABSDIFF2, "vabsdiff2", "dsss", "*",  NONE, INT_ADD, NOTHING)
SIMPLE(VMIN2,    "vmin2",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VMAX2,    "vmax2",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSET2,    "vset2",    "dsss", "*",    NONE, COMPARE, NOTHING)
SIMPLE(VADD4,    "vadd4",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSUB4,    "vsub4",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VAVRG4,   "vavrg4",   "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VABSDIFF4, "vabsdiff4", "dsss", "*",  NONE, INT_ADD, NOTHING)
SIMPLE(VMIN4,    "vmin4",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VMAX4,    "vmax4",    "dsss", "*",    NONE, INT_ADD, NOTHING)
SIMPLE(VSET4,    "vset4",    "dsss", "*",    NONE, COMPARE, NOTHING)

/* The rest */
SIMPLE(NANOSLEEP, "nanosleep", "s",  "",     NOP, OTHER, SLEEP)
SIMPLE(PMEVENT,  "pmevent",  "s",    "*",    NOP, OTHER, NOTHING)
SIMPLE(BRKPT,    "brkpt",    "",     "",     NOP, OTHER, DEBUGGER)
SIMPLE(SETMAXNREG, "setmaxnreg.dec", "s", "*",   NOP, OTHER, NOTHING)
VARIANT(SETMAXNREG, "setmaxnreg.inc", "s", "*",  OTHER, REGISTERS)
SIMPLE(GRIDDEPCONTROL, "griddepcontrol.launch_dependents", "", "*", NOP, OTHER, NOTHING)
VARIANT(GRIDDEPCONTROL, "griddepcontrol.wait", "", "*", OTHER, EARLIER_GRIDS)

/* What only machine code has (lift/). machine.add3: d = a + b + c + carries; the predicates behind d are that
 * the sum is 2^32 or more, and 2^33 or more. machine.setp: a and b are upper halves, and the third source is
 * the same comparison of the lower ones, unsigned. */
SIMPLE(MACHINE_ADD3, "machine.add3", "dDOsssoo", "", ALU, INT_ADD, NOTHING)
SIMPLE(MACHINE_SETP, "machine.setp", "dDssso", "cb", ALU, COMPARE, NOTHING)

/* clang-format on */

#undef SIMPLE
#ifdef OPCODE_TABLE_DEFINED_VARIANT
#undef OPCODE_TABLE_DEFINED_VARIANT
#undef VARIANT
#endif
