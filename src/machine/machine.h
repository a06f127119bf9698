/* What the GPU is: one streaming multiprocessor (SM) as docs/machine.md describes it, part by part, and the
 * tables of the keys that a machine file has for each part. */
#ifndef WB_MACHINE_MACHINE_H
#define WB_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"
#include "base/files.h"
#include "machine/sass_model.h"
#include "machine_parts.h"
#include "ptx/opcode.h"

/* ---- Memory ---- */

/* Bytes that the lanes of a warp are coalesced into. */
#define MEMORY_LINE_BYTES 128u
#define MEMORY_SECTOR_BYTES 32u

/* Banks of shared memory and the bytes of each that one cycle serves. */
#define SHARED_BANKS 32u
#define SHARED_BANK_BYTES 4u

/* Most sectors of a line. */
#define CACHE_SECTORS_MAX 32u

/* How lanes become requests. */
enum memory_requests {
    REQUESTS_IDEAL, /* one pipelined transaction an instruction, whatever its addresses (ECRTS'25) */
    REQUESTS_FERMI, /* one request a line of 128 bytes */
    REQUESTS_VOLTA, /* one request a sector of 32 bytes */
};

/* What a store does to a line that the first-level cache holds. It never allocates, and always goes on to
 * the second level. */
enum store_policy {
    STORE_EVICTS,  /* write-evict, as GPGPU-Sim's Fermi configuration */
    STORE_UPDATES, /* write-through: the line stays, as the most recently used */
};

/* What a miss does when the least recently used line of its set waits for its own data. */
enum reserved_victim {
    VICTIM_BYPASSED, /* takes its place; the data, when it comes, goes to the waiting warps only */
    VICTIM_STALLS,   /* waits until the data has come */
};

/* How the one memory of a GPU without caches chooses among the SMs whose requests wait for it. */
enum memory_arbiter {
    ARBITER_FIFO,        /* the request that came first; of one cycle that of the lowest SM */
    ARBITER_ROUND_ROBIN, /* the next SM behind the one that was served last */
    ARBITER_ANY,         /* anyhow; simulated as ARBITER_FIFO */
};

/* How blocks come to SMs. */
enum block_dispatch {
    DISPATCH_STATIC,      /* block b runs on SM b mod sms, in the order of b */
    DISPATCH_GREEDY,      /* the next block goes to whichever SM has a free slot first */
    DISPATCH_ROUND_ROBIN, /* ... to the next SM with a free slot behind the one that got the last block */
    DISPATCH_MOST_FREE,   /* ... to the SM with most free slots */
    DISPATCH_ANY,         /* any block to any SM with a free slot; simulated as DISPATCH_GREEDY */
};

struct cache_geometry {
    uint32_t bytes, ways;  /* bytes 0: no cache */
    uint32_t line_bytes;   /* a power of two */
    uint32_t sector_bytes; /* what a miss fetches: a power of two, at most line_bytes */
    bool hashed;           /* set index from all bits of the line number, not from its lowest only */
};

struct machine_memory {
    uint32_t requests;       /* enum memory_requests */
    uint32_t request_cycles; /* that the load/store unit and the first-level cache take for a request */
    uint32_t service;     /* cycles of the memory that all SMs share for a request; 0: nobody waits for it */
    uint32_t arbiter;     /* enum memory_arbiter */
    uint32_t outstanding; /* requests of an SM that may be on their way at a time; 0: any number */
    struct cache_geometry l1, l2;
    uint32_t l1_store;               /* enum store_policy */
    uint32_t l1_victim;              /* enum reserved_victim */
    uint32_t l1_latency;             /* cycles from a request's turn to its data on a hit */
    uint32_t l1_mshrs;               /* lines that an SM waits for at a time */
    uint32_t noc_latency;            /* cycles on the way from an SM to the second level, and back */
    uint32_t l2_partitions;          /* lines are spread over them in turn */
    uint32_t l2_latency, l2_service; /* cycles from service to answer; between two requests to a partition */
    uint32_t dram_latency, dram_service; /* the same of the channel behind a partition */
    uint32_t reply_service;              /* cycles between two answers to an SM */
    uint32_t sms;
    uint32_t dispatch;                /* enum block_dispatch */
    uint32_t dispatch_latency;        /* cycles from the end of a block to the first issue of its successor */
    uint32_t dispatch_service;        /* cycles that the one dispatcher of all SMs takes for a block */
    uint32_t channels, channel_depth; /* of the reordering extension (JCSE'17): one a warp; its entries */
};

/* Table of struct machine_memory: the key `memory` of a machine file. */
extern const struct field machine_memory_fields[];

/* A memory system of which a file says nothing: ideal requests, no caches. */
void machine_memory_defaults(struct machine_memory *memory);

/* Whether the parts fit together. False with a sentence of what is wrong in *problem. */
bool machine_memory_check(const struct machine_memory *memory, struct text *problem);

/* The rule of requests by its name in a machine file. */
const char *memory_requests_name(const struct machine_memory *memory);

/* The arbiter by its name in a machine file. */
const char *memory_arbiter_name(const struct machine_memory *memory);

/* Whether the machine has a memory hierarchy below the load/store unit. */
static inline bool memory_has_hierarchy(const struct machine_memory *memory) {
    return memory->l1.bytes != 0;
}

/* Whether the dispatcher gives a block to any SM with a free slot, so that no slot stays empty while blocks
 * are left; else block b runs on SM b modulo their number. */
static inline bool memory_dispatch_is_dynamic(const struct machine_memory *memory) {
    return memory->dispatch != DISPATCH_STATIC;
}

/* Whether requests wait for one memory that all SMs share: on a machine without caches that counts requests
 * (docs/memory-model.md, section 9). */
static inline bool memory_is_contended(const struct machine_memory *memory) {
    return memory->service != 0 && memory->requests != REQUESTS_IDEAL && !memory_has_hierarchy(memory);
}

/* Bytes of one request. */
static inline uint32_t memory_request_bytes(const struct machine_memory *memory) {
    return memory->requests == REQUESTS_VOLTA ? MEMORY_SECTOR_BYTES : MEMORY_LINE_BYTES;
}

/* Cycles from the end of a request's turn at the first level until its data is back, when nothing is in its
 * way: only stages that any number of requests can be in at once, without the services. */
static inline uint32_t memory_miss_latency(const struct machine_memory *memory) {
    return 2 * memory->noc_latency + memory->l2_latency + memory->dram_latency;
}

/* ---- Instruction fetch ---- */

/* How instructions come to the warps: the instruction cache of a streaming multiprocessor (SM), and the
 * instruction buffers of its warps. docs/memory-model.md, section 10, has the rules. */

/* Largest instruction cache, in bytes. */
#define FETCH_BYTES_MAX (1u << 28)

struct machine_fetch {
    uint32_t size, ways, line;  /* of the instruction cache, in bytes and lines; size 0: every warp always has
                                   its next instruction */
    uint32_t instruction_bytes; /* of a machine instruction */
    uint32_t buffer;            /* instructions of a warp's buffer: a fetch brings that many, of one line */
    uint32_t per_cycle;         /* fetches of the SM that can begin in a cycle */
    uint32_t latency;      /* cycles from the beginning of a fetch to the first issue of what it brings */
    uint32_t miss_latency; /* cycles from a miss until its line is there */
    uint32_t misses;       /* lines that the SM waits for at a time */
};

/* Table of struct machine_fetch: the key `fetch` of a machine file. */
extern const struct field machine_fetch_fields[];

/* Fetch of a machine whose file says nothing of it: it makes nobody wait. */
void machine_fetch_defaults(struct machine_fetch *fetch);

/* Reads the mapping of a file on top of what *fetch says. WB_ERR_INPUT with a message when it is wrong, or
 * its parts do not fit together. */
wb_status machine_fetch_read(const struct ytree *document, const struct ytree_node *value,
                             struct machine_fetch *fetch);

/* Whether the parts fit together. False with a sentence of what is wrong in *problem. */
bool machine_fetch_check(const struct machine_fetch *fetch, struct text *problem);

/* Whether warps wait for their instructions. */
static inline bool fetch_can_stall(const struct machine_fetch *fetch) {
    return fetch->size != 0;
}

/* The instruction cache as one of data: its lines are fetched whole. */
static inline struct cache_geometry fetch_cache_geometry(const struct machine_fetch *fetch) {
    return (struct cache_geometry){
        .bytes = fetch->size, .ways = fetch->ways, .line_bytes = fetch->line, .sector_bytes = fetch->line};
}

/* Behind the last byte of what a fetch of the instruction at `address` brings. */
static inline uint64_t fetch_end(const struct machine_fetch *fetch, uint64_t address) {
    const uint64_t line_end = (address / fetch->line + 1) * fetch->line;
    const uint64_t end = address + (uint64_t)fetch->buffer * fetch->instruction_bytes;
    return end < line_end ? end : line_end;
}

/* Most cycles that a fetch keeps anybody waiting for: its own beginning, a line, and the way from it. */
static inline uint64_t fetch_longest(const struct machine_fetch *fetch) {
    return fetch_can_stall(fetch) ? (uint64_t)1 + fetch->miss_latency + fetch->latency : 0;
}

/* ---- The machine ---- */

#define MACHINE_UNITS_MAX 32
#define MACHINE_NAME_MAX 64
#define MACHINE_TEXT_MAX 512

/* Most threads of a warp, and their number unless a machine states another. */
#define MACHINE_WARP_WIDTH 32u

/* Largest initiation interval, latency and count that a machine may state: bounds stay far from overflow. */
#define MACHINE_TIME_MAX 1000000u

/* Dispatch depth of a unit whose queue never fills. */
#define DEPTH_UNLIMITED UINT32_MAX

/* The unit of an instruction that takes no issue slot and no time (`ret` on the machine of ECRTS 2025). */
#define UNIT_NONE 255u

struct machine_unit {
    char name[MACHINE_NAME_MAX];
    uint32_t count; /* instances; an initiation takes one of them */
    bool shared;    /* one set for the SM, not one per sub-core */
    /* Of MACHINE_SASS: */
    uint32_t queue; /* instructions that wait for it; 0: none, they wait for their issue */
    bool any_order; /* instructions of a warp may overtake each other in front of it, or wait for what another
                       one has asked for there, as misses of one line do (M6) */
};

/* Which machine-wide latency is added to a class's own. */
enum latency_base { LATENCY_FIXED, LATENCY_PLUS_MEM, LATENCY_PLUS_SHARED };

/* How one opcode class is executed: start to start + init the unit is busy, result at start + init + latency.
 */
struct machine_class {
    bool given;       /* false: the machine does not say; using the class is an error */
    bool taken_over;  /* given by that of ptx_class_wider, not by the machine's file */
    uint8_t unit;     /* index into units, or UNIT_NONE */
    uint32_t init;    /* cycles, at least 1 unless the unit is UNIT_NONE */
    uint32_t latency; /* most cycles after the initiation, without the base */
    struct field_least latency_least;
    enum latency_base plus;
};

/* Occupancy limits of one SM; 0: not stated. */
struct machine_limits {
    uint32_t blocks, warps, threads, threads_per_block, registers, shared_bytes;
    uint32_t thread_registers, shared_per_block; /* most registers of a thread, shared memory of a block */
    uint32_t register_unit;                      /* registers are given to a warp in multiples of this */
    uint32_t warp_unit;                          /* equal parts of the registers, each for warps of its own */
    uint32_t shared_unit;                        /* shared memory is given to a block in multiples of this, */
    uint32_t shared_reserved;                    /* with so many bytes for the system */
};

/* What is timed, and which simulator executes the machine's blocks: that of docs/proofs.md, that of a wing
 * (machine_parts.h), for which no bound is proven, or, of machine code by its control fields, that of
 * docs/machine-code-bounds.md. The last is the key `code`, the others are the key `model`. */
enum machine_model {
    MACHINE_PLAIN,
#define X(name) MACHINE_MODEL_##name,
    MACHINE_MODELS(X)
#undef X
        MACHINE_SASS
};

/* Which of the warps that could issue do so. */
enum machine_policy { MACHINE_POLICY_ANY, MACHINE_POLICY_OLDEST };

/* What each access would be charged and is not, as caches keep what the kernel touches: bounds count it once
 * for each unit of memory (docs/machine-code-bounds.md, section 7). */
struct machine_fills {
    const struct wb_machine *of; /* the machine as it is stated; NULL: not yet decided for a kernel */
    uint32_t pages;       /* that it touches at most, where translations are filled once; 0: they are not */
    uint32_t translation; /* most cycles of the fill of one */
    bool each_access;     /* each access is charged a translation, whatever the TLB keeps, */
    bool each_load;       /* or asks the second level, whatever the first one keeps */
    uint32_t sector;      /* most cycles that a sector holds DRAM; 0: each request is charged */
    uint32_t unit;        /* that what leaves the first level holds, */
    uint32_t each;        /* a sector of it at most so many cycles, */
    uint32_t each_in_l2;  /* or so many where it is loaded and promised to be in the second level, */
    uint64_t asked;       /* of a block so many sectors at most, */
    cycles held;          /* and all that so long; 0: each request is charged */
};

/* Promises of the form "data.NAME": the buffer that an argument of a launch is, or a field of one. */
struct promised_buffers {
    const char *const *promises;
    uint32_t count;
};

/* How SMs are set apart for a kernel. */
enum partition_kind {
    PARTITION_GREEN_CONTEXT,
    PARTITION_SM_MASK, /* of TPCs, as libsmctrl sets it */
    PARTITION_MPS,
    PARTITION_MIG,
    PARTITION_KINDS
};

/* Their names, and NULL. */
extern const char *const partition_kinds[PARTITION_KINDS + 1];

/* Some of a GPU's SMs. */
struct machine_partition {
    uint32_t sms;  /* 0: the whole GPU */
    uint32_t kind; /* enum partition_kind */
    uint32_t of;   /* SMs of the whole GPU */
};

/* What all others than the kernel have of the memory behind its SMs: in any time it serves no more than so
 * many of their requests, of MEMORY_SECTOR_BYTES each, and so many bytes in each microsecond. */
struct machine_neighbours {
    bool stated; /* else there are none */
    uint32_t requests, bytes_per_us;
    uint32_t of; /* SMs whose shares that memory is, of a kernel on some of them; 0: as the machine has it */
    const char *kernel; /* the launch file of a kernel that they run, whose requests these include; or NULL */
};

/* That as a launch file states it. */
struct stated_neighbours {
    uint32_t requests, bytes_per_us;
    char of[MACHINE_TEXT_MAX];    /* the launch file of a kernel whose requests count besides; "": of none */
    char every[MACHINE_NAME_MAX]; /* the least time between its launches; "": there is one */
};

struct wb_machine {
    char name[MACHINE_NAME_MAX];
    char description[MACHINE_TEXT_MAX];
    uint32_t model; /* enum machine_model */
    double clock_mhz;
    uint32_t sub_cores;      /* warp w belongs to sub-core w mod sub_cores */
    uint32_t warp_width;     /* threads of a warp */
    uint32_t issue_width;    /* most warps that a sub-core issues from in a cycle */
    uint32_t policy;         /* enum machine_policy */
    uint32_t issue_per_warp; /* most instructions of each of them, on as many units */
    uint32_t dispatch_depth; /* queue entries per unit; 0: issue only when the unit can start at once */
    uint32_t mem_latency;    /* most cycles, see latency_base */
    uint32_t shared_latency; /* most cycles */
    struct field_least mem_least, shared_least;
    bool exact_arithmetic;    /* an arithmetic class that states no least latency always takes its latency */
    uint32_t barrier_release; /* cycles from the last arrival at a barrier until warps go on behind it */
    uint32_t launch_overhead; /* cycles from the end of a kernel, or the start of its stream, until the first
                                 block of the next one is dispatched */
    struct machine_unit units[MACHINE_UNITS_MAX];
    uint32_t unit_count;
    struct machine_class classes[PTX_CLASS_COUNT];
    struct machine_limits limits;
    struct machine_memory memory;
    struct machine_fetch fetch;
#define X(name) struct machine_##name name;
    MACHINE_PARTS(X)
#undef X
    struct machine_sass sass;          /* of MACHINE_SASS only, as is */
    VEC(struct figure_source) sources; /* where its figures come from */
    struct arena arena;                /* owns the texts of these: */
    input_list inputs;                 /* what it was read from; nothing where it is part of another file */
    VEC(const char *) settings;        /* what overrode keys since */
    unsigned resident;                 /* bit per enum resident that is promised; figures are lowered, */
    struct machine_sass unpromised;    /* which were these; nothing where nothing is promised */
    struct promised_buffers buffers;   /* of RESIDENT_BUFFERS */
    struct machine_fills fills;        /* likewise, by what caches keep */
    struct machine_partition partition;
    struct machine_neighbours neighbours;
};

#define PARTITION_EXPECTED "SMs and a kind, such as {sms: 8, kind: green-context}"

/* Reads that as a file has it. Errors have their places. */
wb_status partition_read(const struct ytree *document, const struct ytree_node *value,
                         struct machine_partition *partition);

/* Takes a part of the machine for the whole of it: "8,green-context". WB_ERR_INPUT with a message where it
 * is none. */
wb_status machine_set_partition(struct wb_machine *machine, const char *text, wb_diagnostics *diagnostics);

#define NEIGHBOURS_EXPECTED "a budget, such as {requests: 1000, bytes_per_us: 200}, or {of: LAUNCH.yaml}"

/* Reads that as a file has it. Errors have their places. */
wb_status neighbours_read(const struct ytree *document, const struct ytree_node *value,
                          struct stated_neighbours *stated);

/* Has memory serve others beside the kernel: "1000,200", or "1000,200,LAUNCH.yaml" where that includes what
 * the kernel of a launch file asks for. WB_ERR_INPUT with a message where it is no budget. */
wb_status machine_set_neighbours(struct wb_machine *machine, const char *text, wb_diagnostics *diagnostics);

/* Whether bounds hold beside them: what keeps memory busy for ever, or can evict what is promised to be in
 * it, has none. False with a sentence of what is wrong in *problem. */
bool neighbours_check(const struct wb_machine *machine, struct text *problem);

/* Most cycles for which memory serves a request of theirs: a fraction. */
struct cycles_fraction {
    uint64_t cycles, per;
};
struct cycles_fraction neighbours_hold(const struct wb_machine *machine);

/* How often they are served in a cycle: likewise. */
struct cycles_fraction neighbours_rate(const struct wb_machine *machine);

/* What a launch promises of memory: when the kernel starts it is there, and stays until it ends. */
enum resident {
    RESIDENT_TRANSLATIONS, /* of all that is touched, in the TLBs */
    RESIDENT_DATA,         /* with local memory, in the second level */
    RESIDENT_CODE,         /* and constants, in the second level */
    RESIDENT_CODE_L1,      /* and constants, in the SM's L1 of instructions */
    RESIDENT_BLOCK_L1, /* no: from when a block has loaded it until that ends, in the first level of its SM */
    RESIDENT_BUFFERS,  /* some of the data, in the second level: these have no name of their own */
    RESIDENTS
};

static inline bool machine_promises(const struct wb_machine *machine, enum resident promise) {
    return (machine->resident >> promise & 1) != 0;
}

/* Whether neighbours can evict what is promised. */
static inline bool neighbours_evict(const struct wb_machine *machine, enum resident promise) {
    return machine->neighbours.stated && promise != RESIDENT_CODE_L1 && promise != RESIDENT_BLOCK_L1;
}

/* Has DRAM run at a clock, in MHz: what is slower than its figures are for takes longer in proportion. False:
 * a figure becomes larger than a machine may state. */
bool machine_slow_memory(struct wb_machine *machine, uint32_t clock);

/* Promises one thing more. */
void machine_promise_also(struct wb_machine *machine, enum resident promise);

/* Takes back all promises, which it returns, as of machine->resident; and makes some. */
unsigned machine_take_back(struct wb_machine *machine);
void machine_promise_all(struct wb_machine *machine, unsigned promises);

/* Takes the least of every latency that states one, of a hit in the first level for all memory, no time of
 * what states a most only (misses of code and constants, jumps, barriers, ends of blocks), and promises
 * everything, true or not: what executes the same code on this machine is in no doubt, however slow memory
 * may be. How long units are held is as stated. */
void machine_take_shortest(struct wb_machine *machine);

/* Promises what wb_resident_name_at and "data.NAME" name, once. Errors as wb_machine_set. */
wb_status machine_promise(struct wb_machine *machine, const char *list, wb_diagnostics *diagnostics);

/* NAME of a promise "data.NAME" of that length; NULL: it is another one. */
const char *promised_buffer(const char *promise, size_t length);

/* Whether it is a list of promises. WB_ERR_INPUT with a message when it is not. */
wb_status promises_check(const char *list, wb_diagnostics *diagnostics);

/* The machine as it is stated, of one that fills something once. */
static inline const struct wb_machine *machine_as_stated(const struct wb_machine *machine) {
    return machine->fills.of != NULL ? machine->fills.of : machine;
}

static inline bool machine_fills_once(const struct wb_machine *machine) {
    return machine->fills.pages > 0 || machine->fills.sector > 0 || machine->fills.held > 0;
}

/* Whether caches of the machine may fill something once for a kernel, which is not yet decided: they keep
 * some, and misses overtake each other on all units behind the tags, as what is filled once has them do. */
bool machine_may_fill_once(const struct wb_machine *machine);

/* Has `pages` translations, or the sectors of DRAM, filled once each instead of charged to each access; an
 * instruction makes at most so many passes over the tags. */
void machine_fill_pages(struct wb_machine *machine, uint32_t pages, uint32_t passes);
void machine_fill_sectors(struct wb_machine *machine);

/* Has what blocks ask the second level for, at most so many sectors each by instructions of some classes (bit
 * per enum sass_class), hold its stage beside the times of warps, where machine_can_count_requests; all but
 * `behind` of them may be loads of what is promised to be there. */
void machine_fill_requests(struct wb_machine *machine, uint64_t sectors, uint64_t behind, uint64_t classes);
bool machine_can_count_requests(const struct wb_machine *machine);

/* Most cycles that a sector of global memory holds the stage that counts sectors. */
uint32_t machine_sector_most(const struct wb_machine *machine);

/* Most cycles that a part of an access holds a stage for which the machine states so many: where sectors do
 * not spread over DRAM, and are not counted once, each may wait for those of all SMs. */
uint64_t machine_hold_of(const struct wb_machine *machine, const struct machine_sass_stage *stage,
                         uint32_t stated, bool in_l2);

/* Frees what a machine owns, but not itself: of one that is part of something else. */
void machine_clear(struct wb_machine *machine);

/* Latency of a class with its machine-wide part. */
static inline uint32_t machine_latency(const struct wb_machine *machine, const struct machine_class *class) {
    uint32_t base = class->plus == LATENCY_PLUS_MEM      ? machine->mem_latency
                    : class->plus == LATENCY_PLUS_SHARED ? machine->shared_latency
                                                         : 0;
    return base + class->latency;
}

/* Least latency of a class with its machine-wide part, see docs/machine.md: 0 where nothing is stated. */
uint32_t machine_latency_least(const struct wb_machine *machine, enum ptx_class class);

/* Whether a class computes in the lanes' registers only, whatever its operands stand for: what
 * `exact_arithmetic` is about. */
static inline bool machine_class_is_arithmetic(enum ptx_class class) {
    return class <= PTX_CLASS_REDUX;
}

/* What a machine times, by its key `code`. Where PTX and machine code are treated differently, a folder has a
 * table of how it treats each, with this for its index. */
enum isa { ISA_PTX, ISA_SASS, ISA_COUNT };

static inline enum isa machine_isa(const struct wb_machine *machine) {
    return machine->model == MACHINE_SASS ? ISA_SASS : ISA_PTX;
}

/* Why bounds of a machine whose model is a wing's are estimates; NULL: it is no such machine. */
const char *machine_unproven(const struct wb_machine *machine);

/* The name of the machine's model, where that is a key of machine files. */
const char *machine_model_name(const struct wb_machine *machine);

/* ---- Units, classes and limits in a machine file ---- */

/* Described once: reading, printing and overriding a
 * machine all go through these tables. */

/* Table of struct wb_machine: the keys of `limits`. */
extern const struct field machine_limit_fields[];

/* Table of struct machine_unit. */
extern const struct field machine_unit_fields[];

/* A class as the file has it: the unit by its name. */
struct class_entry {
    char unit[MACHINE_NAME_MAX];
    uint32_t init, latency;
    struct field_least latency_least;
    uint32_t plus; /* enum latency_base */
};

/* Table of it; `{unit: none}` is a whole entry without the keys that the table requires. */
extern const struct field machine_class_fields[];

/* The class with the table's enumerator as the file has it. */
struct class_entry class_entry_of(const struct wb_machine *machine, enum ptx_class class);

/* Whether a machine can have the class like this. False with a sentence of what is wrong in *problem. */
bool class_entry_check(const struct wb_machine *machine, const struct class_entry *entry,
                       struct text *problem);

/* Gives classes without times of their own those of ptx_class_wider: after each change of a class. */
void machine_take_over_classes(struct wb_machine *machine);

/* Makes a checked entry the machine's. */
void class_entry_apply(const struct class_entry *entry, struct wb_machine *machine, enum ptx_class class);

/* The index of a unit, UNIT_NONE for "none"; false when the machine has no such unit. */
bool machine_unit_find(const struct wb_machine *machine, const char *name, uint8_t *index);

/* The class of a name; PTX_CLASS_COUNT when there is none. */
enum ptx_class machine_class_find(const char *name);

/* Appends "unknown class 'x'; did you mean 'y'?" or, when nothing is near, all classes. */
void machine_class_unknown(const char *name, bool of_sass, struct text *out);

/* What is wrong with the text of a deadline (wb_deadline_cycles), whatever the machine; or NULL. */
const char *deadline_problem(const char *text);

#endif
