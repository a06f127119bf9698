/* Classes of machine instructions: what a machine file states times for. No include guard: included with
 * SASS_CLASS defined by whoever needs a view of it.
 *
 *     SASS_CLASS(enumerator, "name in machine files", "what is in it")
 *
 * Instructions are in one class when the same pipe executes them in the same time; which opcode is in which
 * is a column of sass/opcode_table.h. */

/* Arithmetic. */
SASS_CLASS(ALU, "alu",
           "integer sums, logic, shifts, moves, selections; comparisons, min and max of integers and f32")
SASS_CLASS(FMA, "fma", "FADD, FMUL, FFMA, FSWZADD")
SASS_CLASS(IMAD, "imad", "IMAD, IDP, VABSDIFF, VABSDIFF4")
SASS_CLASS(IMAD_WIDE, "imad_wide", "IMAD.WIDE, IMAD.HI")
SASS_CLASS(FP16, "fp16", "HADD2, HMUL2, HFMA2 and comparisons of halves")
SASS_CLASS(FP64, "fp64", "DADD, DMUL, DFMA, DSETP")
SASS_CLASS(TENSOR, "tensor", "HMMA, IMMA, BMMA")
SASS_CLASS(TENSOR_FP64, "tensor_fp64", "DMMA")
SASS_CLASS(MUFU, "mufu", "MUFU, FCHK")
SASS_CLASS(CONVERT, "convert", "F2F, F2I, I2F, I2I, FRND, both sides of at most 32 bits")
SASS_CLASS(CONVERT_WIDE, "convert_wide", "F2F, F2I, I2F, FRND, one side of 64 bits")
SASS_CLASS(BIT_COUNT, "bit_count", "POPC, FLO, BREV")
SASS_CLASS(UNIFORM, "uniform", "the uniform datapath, but for loads")
SASS_CLASS(UNIFORM_CONSTANT, "uniform_constant", "ULDC, LDCU")
SASS_CLASS(TO_UNIFORM, "to_uniform", "R2UR")
SASS_CLASS(REDUCTION, "reduction", "REDUX")
SASS_CLASS(VOTE, "vote", "VOTE, VOTEU, ELECT")
SASS_CLASS(MATCH, "match", "MATCH")
SASS_CLASS(SHUFFLE, "shuffle", "SHFL")
SASS_CLASS(MATRIX_MOVE, "matrix_move", "MOVM")
SASS_CLASS(SPECIAL, "special", "S2R, S2UR, B2R, QSPC")
SASS_CLASS(CLOCK, "clock", "CS2R")

/* Control. */
SASS_CLASS(BRANCH, "branch", "BRA, BRX, CALL, RET, EXIT, LEPC, BPT")
SASS_CLASS(CONVERGENCE, "convergence", "BSSY, BSYNC, BREAK, BMOV, WARPSYNC, YIELD")
SASS_CLASS(BARRIER, "barrier", "BAR")
SASS_CLASS(WAIT, "wait", "DEPBAR")
SASS_CLASS(FENCE, "fence", "MEMBAR")
SASS_CLASS(SLEEP, "sleep", "NANOSLEEP, for as long as it is told")
SASS_CLASS(NOP, "nop", "NOP, ERRBAR, CCTL that empties a cache, and what else only takes an issue slot")

/* Memory. */
SASS_CLASS(LOAD_CONSTANT, "load_constant", "LDC")
SASS_CLASS(LOAD_GLOBAL, "load_global", "LDG")
SASS_CLASS(LOAD_GENERIC, "load_generic", "LD")
SASS_CLASS(LOAD_LOCAL, "load_local", "LDL")
SASS_CLASS(LOAD_SHARED, "load_shared", "LDS, LDSM")
SASS_CLASS(STORE_GLOBAL, "store_global", "STG")
SASS_CLASS(STORE_GENERIC, "store_generic", "ST")
SASS_CLASS(STORE_LOCAL, "store_local", "STL")
SASS_CLASS(STORE_SHARED, "store_shared", "STS, STSM")
SASS_CLASS(ATOMIC_GLOBAL, "atomic_global", "ATOMG, ATOM")
SASS_CLASS(REDUCE_GLOBAL, "reduce_global", "RED")
SASS_CLASS(ATOMIC_SHARED, "atomic_shared", "ATOMS")
SASS_CLASS(ASYNC_COPY, "async_copy", "LDGSTS, LDGDEPBAR")

/* Memory of which nobody knows where the lanes access it: the most that they can touch counts. */
SASS_CLASS(PREFETCH, "prefetch", "CCTL that prefetches or keeps lines")
SASS_CLASS(TEXTURE, "texture", "TEX, TLD, TLD4, TXQ")
SASS_CLASS(SURFACE, "surface", "SULD, SUST")
