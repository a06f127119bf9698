/* Probes: small kernels of our own, each of which times one kind of access again and again, on every SM. */
#ifndef WB_WINGS_DEVICE_PROBES_H
#define WB_WINGS_DEVICE_PROBES_H

#include "sass/sass.h"
#include "wings/device/device.h"

/* Where the chain of a probe stands: each element is the address of the next one. */
enum probe_place {
    IN_REGISTER, /* there is none: the access leaves its register alone */
    IN_SHARED,
    IN_CONSTANT,
    IN_L1,    /* a few lines of each SM's own */
    IN_L2,    /* lines that another SM has just been at, all of them a quarter of the second level at most */
    IN_DRAM,  /* lines that nobody has been at since other memory was written that is twice as large */
    IN_BANKS, /* of shared memory: lanes are in one bank */
    IN_LINES, /* of each SM's own: lanes are in lines of their own */
    IN_WORD,  /* one word, for all SMs */
    IN_WORDS, /* one each, beside those of the other SMs */
    IN_PAGES, /* lines of the second level, each in another page */
    IN_CODE,  /* its own code, once from the first instruction to the last */
    IN_BLOCKS /* there is none: the kernel leaves when its blocks began and ended (struct block_left) */
};

/* X(enumerator, name, access, class, place, of a warp): `access` is PTX that takes %p to the next element;
 * `class` is that of the one instruction that it is in machine code; its threads are one, or a warp. */
#define PROBES(X)                                                                                            \
    X(EMPTY, "empty", "", SASS_CLASS_COUNT, IN_REGISTER, false)                                              \
    X(SHARED, "shared", "ld.shared.u64 %p, [%p];", SASS_CLASS_LOAD_SHARED, IN_SHARED, false)                 \
    X(BANKS, "banks", "add.u64 %at, %p, %way; ld.shared.u32 %l, [%at]; cvt.u64.u32 %p, %l;",                 \
      SASS_CLASS_LOAD_SHARED, IN_BANKS, true)                                                                \
    X(L1, "l1", "ld.global.ca.u64 %p, [%p];", SASS_CLASS_LOAD_GLOBAL, IN_L1, false)                          \
    X(STRIDE, "stride", "add.u64 %at, %p, %way; ld.global.ca.u32 %l, [%at]; cvt.u64.u32 %p, %l;",            \
      SASS_CLASS_LOAD_GLOBAL, IN_LINES, true)                                                                \
    X(L2, "l2", "ld.global.cg.u64 %p, [%p];", SASS_CLASS_LOAD_GLOBAL, IN_L2, false)                          \
    X(DRAM, "dram", "ld.global.cg.u64 %p, [%p];", SASS_CLASS_LOAD_GLOBAL, IN_DRAM, false)                    \
    X(PAGES, "pages", "ld.global.cg.u64 %p, [%p];", SASS_CLASS_LOAD_GLOBAL, IN_PAGES, false)                 \
    X(STORE, "store", "st.volatile.global.u64 [%p+8], %zero; ld.volatile.global.u64 %p, [%p];",              \
      SASS_CLASS_LOAD_GLOBAL, IN_L2, false)                                                                  \
    X(ATOMIC, "atomic", "atom.global.or.b64 %p, [%p], %zero;", SASS_CLASS_ATOMIC_GLOBAL, IN_L2, false)       \
    X(WORD, "word", "atom.global.or.b64 %p, [%p], %zero;", SASS_CLASS_ATOMIC_GLOBAL, IN_WORD, false)         \
    X(WORDS, "words", "atom.global.or.b64 %p, [%p], %zero;", SASS_CLASS_ATOMIC_GLOBAL, IN_WORDS, false)      \
    X(ATOMIC_SHARED, "atomic_shared", "atom.shared.or.b32 %l, [%p], %z; cvt.u64.u32 %p, %l;",                \
      SASS_CLASS_ATOMIC_SHARED, IN_SHARED, false)                                                            \
    X(CONSTANT, "constant", "add.u64 %at, %p, %way; ld.const.u64 %p, [%at];", SASS_CLASS_LOAD_CONSTANT,      \
      IN_CONSTANT, false)                                                                                    \
    X(BARRIER, "barrier", "bar.sync 0;", SASS_CLASS_BARRIER, IN_REGISTER, true)                              \
    X(CODE, "code", "", SASS_CLASS_COUNT, IN_CODE, false)                                                    \
    X(BARRIERS, "barriers", "", SASS_CLASS_BARRIER, IN_BLOCKS, false)                                        \
    X(STREAM, "stream", "", SASS_CLASS_LOAD_GLOBAL, IN_BLOCKS, false)                                        \
    X(STORES, "stores", "", SASS_CLASS_STORE_GLOBAL, IN_BLOCKS, false)                                       \
    X(DISPATCH, "dispatch", "", SASS_CLASS_COUNT, IN_BLOCKS, false)                                          \
    X(LAUNCH, "launch", "", SASS_CLASS_COUNT, IN_BLOCKS, false)

enum probe {
#define PROBE_ENUMERATOR(enumerator, ...) PROBE_##enumerator,
    PROBES(PROBE_ENUMERATOR)
#undef PROBE_ENUMERATOR
        PROBE_COUNT
};

/* Accesses that a launch times at the most; and those in front of them that it does not, by which its own
 * code comes into the caches. */
#define PROBE_TIMED_MAX 2048u
#define PROBE_WARM 16u

/* Threads of a probe of a warp. */
#define PROBE_LANES 32u

/* Elements of the chains of shared memory and of constants, and bytes from one to the next of these. */
#define PROBE_SHARED_ELEMENTS 512u
#define PROBE_CONSTANT_ELEMENTS 1024u
#define PROBE_CONSTANT_STRIDE 64u
#define PROBE_CONSTANTS "chain_of_constants"

/* From an element to the next: without a common factor with either number of elements. */
#define PROBE_STEP 37u

/* What a block leaves in global memory: where it came to (in a chain of shared memory or constants, bytes
 * from its start), its SM, and the cycles of each access that was timed with a read of the clock;
 * UINT32_MAX: as many, or the clock went backwards. */
struct probe_left {
    uint64_t end;
    uint32_t sm, reserved;
    uint32_t cycles[];
};

/* What blocks leave that are timed as a whole. */
struct block_left {
    uint64_t sm, from, to;
};

/* Threads of these; sectors that a block of the streams loads or stores, and bytes of them all. */
#define BLOCK_THREADS 1024u
#define BLOCK_WARPS (BLOCK_THREADS / 32)
#define STREAM_BYTES 65536u
#define STREAM_SECTORS (STREAM_BYTES / 32)

/* Blocks of the probe of dispatch that each SM gets. */
#define DISPATCHED 16u

/* Cycles that are counted one by one; longer accesses are counted together. */
#define PROBE_BINS 65536u

/* SMs whose largest is kept. */
#define PROBE_SMS_MAX 1024u

/* What was seen of a probe. */
struct probe_seen {
    uint64_t count;
    uint64_t discarded; /* launches, whose clock moved */
    uint32_t least, most;
    uint32_t sms;                    /* on which it ran */
    uint32_t most_of[PROBE_SMS_MAX]; /* by what %smid says; 0: it did not run there */
    uint64_t bins[PROBE_BINS];       /* how often so many cycles, with a read of the clock */
};

const char *probe_name(enum probe probe);
enum sass_class probe_class(enum probe probe);
enum sass_class probe_class_before(enum probe probe); /* of what stands in front of it; or SASS_CLASS_COUNT */
enum probe_place probe_place(enum probe probe);
uint32_t probe_threads(enum probe probe);

/* The kernels of the probes, each by its name, as PTX for sm_70 and later; that of code is long, and apart.
 */
void probes_put(struct text *out);
void probes_put_code(struct text *out);

/* Holds machine code of the kernels against what each is to time: between the two reads of the clock the one
 * access, for whose result something waits there, and nothing else that takes more than a pipe does. NULL: it
 * is so; else why that is not known (a constant text). WB_ERR_DECLINED with a message that names what is
 * other. */
wb_status probes_check(const wb_module *module, const char **unknown, wb_diagnostics *diagnostics);

/* Levels of which it was seen how much they keep. */
enum kept_level { KEPT_L1, KEPT_L2, KEPT_PAGES, KEPT_LEVELS };

/* Memory that both processes have. */
struct probe_exchange {
    struct child_state state;
    struct device_facts facts;
    uint32_t clock;      /* of the SMs, in MHz; 0: not known */
    char unchecked[128]; /* why the machine code was not looked at; "": it was */
    struct probe_seen seen[PROBE_COUNT], other;
    uint64_t keeps[KEPT_LEVELS]; /* bytes, or pages, of which no access missed; 0: not known */
};

/* Times at least `samples` accesses of each probe on each SM, in the child process. */
wb_status probes_run(const char *driver, uint32_t samples, struct probe_exchange *exchange,
                     wb_diagnostics *diagnostics);

#endif
