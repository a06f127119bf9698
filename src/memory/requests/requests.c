#include "memory/requests/requests.h"

#include <assert.h>
#include <stdlib.h>

#include "memory/requests/access_likes.h"
#include "warp/alu/lanes.h"

/* A word of shared memory, of an atomic, and of interleaved local memory. */
#define WORD_BYTES 4u

/* Strides up to here keep the addresses of a warp apart from those 2^64 further on. */
#define STRIDE_MAX ((int64_t)1 << 32)

void lane_addresses_read(const struct access *access, const uint64_t *tables, uint64_t base,
                         struct lane_addresses *lanes) {
    lanes->mask = access->mask;
    lanes->bytes = access->bytes;
    if (access->table == ACCESS_AFFINE) {
        for (uint32_t l = 0; l < WARP_LANES; l++)
            lanes->address[l] = base + access->base + (uint64_t)access->stride * l;
        return;
    }
    const uint64_t *next = tables + access->table, from = base + access->base;
    FOR_LANES_OF(l, access->mask) lanes->address[l] = from + *next++;
}

/* Adds a value to the list unless it is there. The last one is looked at first: neighbouring lanes mostly
 * touch the same or the next block. */
static uint32_t add_distinct(uint64_t *list, uint32_t count, uint64_t value) {
    for (uint32_t i = count; i-- > 0;) {
        if (list[i] == value) return count;
    }
    list[count] = value;
    return count + 1;
}

uint32_t requests_coalesce(const struct lane_addresses *lanes, uint32_t granule,
                           uint64_t requests[REQUESTS_MAX]) {
    uint64_t align = ~(uint64_t)(granule - 1);
    uint32_t count = 0;
    FOR_LANES_OF(l, lanes->mask) {
        uint64_t first = lanes->address[l] & align;
        uint64_t last = (lanes->address[l] + lanes->bytes - 1) & align;
        count = add_distinct(requests, count, first);
        if (last != first) count = add_distinct(requests, count, last);
    }
    return count;
}

/* Adds a lane's words of one block to the first request for the block that has none of them. */
static uint32_t add_words(uint64_t *requests, uint32_t *taken, uint32_t count, uint64_t block,
                          uint32_t words) {
    uint32_t i = 0;
    while (i < count && (requests[i] != block || (taken[i] & words) != 0))
        i++;
    if (i == count) {
        requests[i] = block;
        taken[i] = 0;
        count++;
    }
    taken[i] |= words;
    return count;
}

/* The words of a block of `granule` bytes at `block` that bytes first .. last touch; bit i: word i. */
static uint32_t words_of(uint64_t block, uint32_t granule, uint64_t first, uint64_t last) {
    uint64_t from = first - block < granule ? first - block : 0;
    uint64_t to = last - block < granule ? last - block : granule - 1;
    uint32_t up_to = UINT32_MAX >> (31 - to / WORD_BYTES);
    return up_to & (UINT32_MAX << (from / WORD_BYTES));
}

/* The same of atomics: lanes on one word never share a request, so that a block is requested as often as the
 * word of it that most lanes are on. */
static uint32_t requests_coalesce_atomics(const struct lane_addresses *lanes, uint32_t granule,
                                          uint64_t requests[REQUESTS_MAX]) {
    uint64_t align = ~(uint64_t)(granule - 1);
    uint32_t taken[REQUESTS_MAX], count = 0;
    FOR_LANES_OF(l, lanes->mask) {
        uint64_t first = lanes->address[l], last = first + lanes->bytes - 1;
        uint64_t block = first & align, next = last & align;
        count = add_words(requests, taken, count, block, words_of(block, granule, first, last));
        if (next != block)
            count = add_words(requests, taken, count, next, words_of(next, granule, first, last));
    }
    return count;
}

/* Where a word of a lane's local memory lies. */
static uint64_t interleaved(uint64_t word, uint32_t lane) {
    return (word * WARP_LANES + lane) * WORD_BYTES;
}

/* The same of local memory, whose words of 4 bytes are interleaved over the lanes: word w of lane l lies at
 * (32 w + l) * 4, so that equal addresses of all lanes make one line a word. */
static uint32_t requests_coalesce_local(const struct lane_addresses *lanes, uint32_t granule,
                                        uint64_t requests[REQUESTS_MAX]) {
    uint64_t align = ~(uint64_t)(granule - 1);
    uint32_t count = 0;
    FOR_LANES_OF(l, lanes->mask) {
        uint64_t first = lanes->address[l] / WORD_BYTES;
        uint64_t last = (lanes->address[l] + lanes->bytes - 1) / WORD_BYTES;
        for (uint64_t word = first; word <= last; word++)
            count = add_distinct(requests, count, interleaved(word, l) & align);
    }
    return count;
}

/* Most words that lanes served together touch: 128 bytes, each lane's from the middle of a word on. */
#define GROUP_WORDS_MAX 64u

/* The words that the lanes of a whole, half or quarter warp want from the banks, as a chain a bank. */
struct bank_words {
    uint64_t word[GROUP_WORDS_MAX];
    uint8_t next[GROUP_WORDS_MAX]; /* in the chain: 1 + the index, 0: none */
    uint8_t first[SHARED_BANKS];
    uint8_t length[SHARED_BANKS];
    uint32_t count;
};

/* Adds a word; one that is there already is served with it unless `is_atomic`. */
static void want_word(struct bank_words *words, uint64_t word, bool is_atomic) {
    uint32_t bank = word % SHARED_BANKS;
    for (uint32_t at = words->first[bank]; at != 0 && !is_atomic; at = words->next[at - 1])
        if (words->word[at - 1] == word) return;
    words->word[words->count] = word;
    words->next[words->count] = words->first[bank];
    words->first[bank] = (uint8_t)++words->count;
    words->length[bank]++;
}

/* Whether the lanes of one group want at most one word of each bank. */
static bool wants_one_each(const struct lane_addresses *lanes, uint32_t group) {
    uint64_t word_of[SHARED_BANKS];
    uint32_t wanted = 0; /* banks */
    FOR_LANES_OF(l, lanes->mask & group) {
        const uint64_t last = (lanes->address[l] + lanes->bytes - 1) / WORD_BYTES;
        for (uint64_t word = lanes->address[l] / WORD_BYTES; word <= last; word++) {
            const uint32_t bank = word % SHARED_BANKS;
            if ((wanted >> bank & 1) != 0 && word_of[bank] != word) return false;
            word_of[bank] = word;
            wanted |= 1u << bank;
        }
    }
    return true;
}

/* Wavefronts for the lanes of one group: the most words of any bank. */
static uint32_t group_wavefronts(const struct lane_addresses *lanes, uint32_t group, bool is_atomic) {
    struct bank_words words;
    if (!is_atomic && wants_one_each(lanes, group)) return (lanes->mask & group) != 0;
    memset(words.first, 0, sizeof words.first);
    memset(words.length, 0, sizeof words.length);
    words.count = 0;
    FOR_LANES_OF(l, lanes->mask & group) {
        uint64_t last = (lanes->address[l] + lanes->bytes - 1) / WORD_BYTES;
        for (uint64_t word = lanes->address[l] / WORD_BYTES; word <= last; word++)
            want_word(&words, word, is_atomic);
    }
    uint32_t most = 0;
    for (uint32_t b = 0; b < SHARED_BANKS; b++)
        most = words.length[b] > most ? words.length[b] : most;
    return most;
}

/* Lanes that are served together: as many as fill the banks once, if their addresses do not conflict. */
static uint32_t group_lanes(uint32_t bytes) {
    return bytes <= SHARED_BANK_BYTES ? WARP_LANES : SHARED_BANKS * SHARED_BANK_BYTES / bytes;
}

/* Bank-conflict wavefronts: passes over the banks of shared memory. Accesses of 8 bytes are served by half
 * warps, of 16 (32) bytes by quarter (eighth) warps, each by itself; a pass serves one word of every bank, to
 * any number of lanes, but of atomics to one. */
static uint32_t shared_conflicts(const struct lane_addresses *lanes, bool is_atomic) {
    uint32_t size = group_lanes(lanes->bytes), wavefronts = 0;
    uint32_t group = UINT32_MAX >> (WARP_LANES - size);
    for (uint32_t l = 0; l < WARP_LANES; l += size)
        wavefronts += group_wavefronts(lanes, group << l, is_atomic);
    return wavefronts;
}

/* Wavefronts of the constant cache, which serves one address at a time: how many different ones there are. */
static uint32_t constant_broadcasts(const struct lane_addresses *lanes) {
    uint64_t addresses[WARP_LANES];
    uint32_t count = 0;
    FOR_LANES_OF(l, lanes->mask) count = add_distinct(addresses, count, lanes->address[l]);
    return count;
}

/* Whether the lanes of the mask have numbers without a gap. */
static bool is_run(uint32_t mask) {
    uint32_t shifted = mask >> __builtin_ctz(mask);
    return (shifted & (shifted + 1)) == 0;
}

/* Lanes without a gap whose addresses grow by at most a block from one to the next: they touch all blocks
 * from the first to the last. */
static uint32_t coalesce_range(const struct access *access, uint64_t base, uint64_t align,
                               uint64_t *requests) {
    uint32_t low = (uint32_t)__builtin_ctz(access->mask);
    uint32_t high = 31 - (uint32_t)__builtin_clz(access->mask);
    uint64_t start = base + access->base, stride = (uint64_t)access->stride, granule = ~align + 1;
    uint64_t first = (start + stride * low) & align;
    uint64_t last = (start + stride * high + access->bytes - 1) & align;
    uint32_t count = (uint32_t)((last - first) / granule) + 1;
    assert(count <= REQUESTS_MAX); /* addresses of covering paths that nothing executes may wrap around */
    for (uint32_t i = 0; i < count; i++)
        requests[i] = first + i * granule;
    return count;
}

/* Addresses that grow from lane to lane by at least the bytes of one: a block is new unless it is the last
 * one. `before` starts as no multiple of the block size. */
static uint32_t coalesce_ascending(const struct access *access, uint64_t base, uint64_t align,
                                   uint64_t *requests) {
    uint64_t start = base + access->base, before = ~align;
    uint32_t count = 0;
    FOR_LANES_OF(l, access->mask) {
        uint64_t address = start + (uint64_t)access->stride * l;
        uint64_t first = address & align, last = (address + access->bytes - 1) & align;
        requests[count] = first;
        count += first != before;
        requests[count] = last;
        count += last != first;
        before = last;
    }
    return count;
}

/* Loads and stores of global memory: by the fastest way that their addresses allow. */
static uint32_t coalesce_global(const struct access *access, const uint64_t *tables, uint64_t base,
                                uint32_t granule, uint64_t *requests) {
    uint64_t align = ~(uint64_t)(granule - 1);
    int64_t stride = access->table == ACCESS_AFFINE ? access->stride : -1;
    if (stride == 0 || (stride > 0 && stride <= (int64_t)granule && is_run(access->mask)))
        return coalesce_range(access, base, align, requests);
    if (stride >= access->bytes && stride <= STRIDE_MAX)
        return coalesce_ascending(access, base, align, requests);
    struct lane_addresses lanes;
    lane_addresses_read(access, tables, base, &lanes);
    return requests_coalesce(&lanes, granule, requests);
}

uint32_t access_requests(const struct access *access, const uint64_t *tables, uint64_t base, uint32_t granule,
                         uint64_t requests[REQUESTS_MAX]) {
    bool is_local = access->space == PTX_SPACE_LOCAL;
    if (!access_makes_requests(access)) return 0;
    assert(access->mask != 0 && access->table != ACCESS_UNKNOWN && (granule & (granule - 1)) == 0);
    if (!is_local && !access->is_atomic) return coalesce_global(access, tables, base, granule, requests);
    struct lane_addresses lanes;
    lane_addresses_read(access, tables, base, &lanes);
    return is_local ? requests_coalesce_local(&lanes, granule, requests)
                    : requests_coalesce_atomics(&lanes, granule, requests);
}

void access_requests_sure(const struct access *access, const uint64_t *tables, uint64_t base,
                          uint32_t granule, const uint64_t *requests, uint32_t count, bool *sure) {
    uint64_t touched[REQUESTS_MAX];
    uint32_t touched_count = 0;
    struct lane_addresses lanes;
    lane_addresses_read(access, tables, base, &lanes);
    lanes.mask &= ~access->unsure;
    if (!access->is_atomic || access->unsure == 0)
        touched_count = access->space == PTX_SPACE_LOCAL ? requests_coalesce_local(&lanes, granule, touched)
                                                         : requests_coalesce(&lanes, granule, touched);
    for (uint32_t r = 0; r < count; r++) {
        sure[r] = false;
        for (uint32_t t = 0; t < touched_count && !sure[r]; t++)
            sure[r] = touched[t] == requests[r];
    }
}

/* Whether the lanes served together access neighbouring words or, if no atomics, all the same one. */
static bool is_without_conflict(const struct access *access, uint64_t base) {
    if (access->table != ACCESS_AFFINE) return false;
    if (access->stride == 0) return !access->is_atomic;
    return access->stride == access->bytes && access->bytes >= WORD_BYTES &&
           (base + access->base) % WORD_BYTES == 0;
}

/* Groups of `size` lanes that a lane of the mask is in. */
static uint32_t active_groups(uint32_t mask, uint32_t size) {
    uint32_t count = 0, group = UINT32_MAX >> (WARP_LANES - size);
    for (uint32_t l = 0; l < WARP_LANES; l += size)
        count += (mask >> l & group) != 0;
    return count;
}

uint32_t access_wavefronts(const struct access *access, const uint64_t *tables, uint64_t base) {
    bool is_shared = access->space == PTX_SPACE_SHARED;
    if (is_shared && is_without_conflict(access, base))
        return active_groups(access->mask, group_lanes(access->bytes));
    if (!is_shared && access->table == ACCESS_AFFINE)
        return access->stride == 0 ? 1 : (uint32_t)__builtin_popcount(access->mask);
    struct lane_addresses lanes;
    lane_addresses_read(access, tables, base, &lanes);
    return is_shared ? shared_conflicts(&lanes, access->is_atomic) : constant_broadcasts(&lanes);
}

/* The most requests of a lane: one of global memory, of local memory one a word. */
static uint32_t lane_requests_at_most(const struct access *access) {
    if (!access_makes_requests(access)) return 0;
    bool many_words = access->space == PTX_SPACE_LOCAL && access->bytes > WORD_BYTES;
    return many_words ? access->bytes / WORD_BYTES : 1;
}

/* Those of an access whose addresses are `base` further on. */
static uint32_t count_requests(const struct access *access, const uint64_t *tables, uint64_t base,
                               uint32_t granule) {
    uint64_t requests[REQUESTS_MAX];
    if (access->table != ACCESS_UNKNOWN) return access_requests(access, tables, base, granule, requests);
    return (uint32_t)__builtin_popcount(access->mask) * lane_requests_at_most(access);
}

static uint32_t count_wavefronts(const struct access *access, const uint64_t *tables, uint64_t base) {
    if (access_makes_requests(access)) return 0;
    if (access->table != ACCESS_UNKNOWN) return access_wavefronts(access, tables, base);
    return (uint32_t)__builtin_popcount(access->mask);
}

uint32_t access_request_count(const struct access *access, const uint64_t *tables, uint32_t granule) {
    return count_requests(access, tables, 0, granule);
}

uint32_t access_wavefront_count(const struct access *access, const uint64_t *tables) {
    return count_wavefronts(access, tables, 0);
}

/* Where the words of local memory lie depends on all of an address. */
static uint64_t moves_alike(const struct access *access) {
    return access->space == PTX_SPACE_LOCAL ? UINT64_MAX : REQUEST_ALIGN - 1;
}

static bool are_alike(const struct access *a, const struct access *b) {
    return ((a->base - b->base) & moves_alike(a)) == 0 && a->stride == b->stride &&
           a->instruction == b->instruction && a->mask == b->mask && a->table == b->table &&
           a->unsure == b->unsure && a->object == b->object && a->bytes == b->bytes && a->space == b->space &&
           a->is_store == b->is_store && a->is_atomic == b->is_atomic;
}

uint32_t access_like(struct access_likes *likes, const struct access *accesses, uint32_t count,
                     uint32_t index) {
    const struct access *access = &accesses[index];
    const bool shares_step = (index > 0 && access[-1].step == access->step) ||
                             (index + 1 < count && access[1].step == access->step);
    const uint64_t key = (access->base & moves_alike(access)) ^ (uint64_t)access->instruction << 8 ^
                         (uint64_t)access->table << 32 ^ access->mask;
    uint32_t *slot = &likes->slots[key * UINT64_C(0x9e3779b97f4a7c15) >> 54];
    if (shares_step) return index;
    if (*slot != 0 && are_alike(&accesses[*slot - 1], access)) return *slot - 1;
    *slot = index + 1;
    return index;
}

void access_sums_add(const struct access *access, const uint64_t *tables, uint64_t base,
                     struct access_sums *sums) {
    sums->of[SASS_COUNT_PASSES] +=
        count_requests(access, tables, base, MEMORY_LINE_BYTES) + count_wavefronts(access, tables, base);
    sums->of[SASS_COUNT_SECTORS] += count_requests(access, tables, base, MEMORY_SECTOR_BYTES);
}

struct access_counts access_sums_counts(const struct access_sums *sums) {
    struct access_counts made = {{0}};
    for (uint32_t c = 0; c < SASS_COUNTS; c++) {
        const uint32_t sum = sums->of[c];
        made.further[c] = (uint16_t)(sum == 0 ? 0 : sum - 1 > UINT16_MAX ? UINT16_MAX : sum - 1);
    }
    return made;
}

/* Requests and wavefronts follow one another on the unit, over all records: an asynchronous copy loads and
 * stores, and a generic address can lead different lanes to different memories. An instruction whose class
 * has no unit takes no time. */
static struct execution_cost cycles_of(const struct wb_machine *machine, const struct machine_class *class,
                                       const struct access *accesses, size_t count,
                                       const struct access_list *list) {
    const uint32_t granule = memory_request_bytes(&machine->memory);
    uint32_t requests = 0, wavefronts = 0; /* of global and local memory; over memory of the SM */
    if (class->unit == UNIT_NONE) return (struct execution_cost){0};
    for (size_t a = 0; a < count; a++) {
        requests += access_request_count(&accesses[a], list->tables.items, granule);
        wavefronts += access_wavefront_count(&accesses[a], list->tables.items);
    }
    uint32_t init = wavefront_cycles(class->init, wavefronts);
    if (requests > 0) init += transaction_cycles(&machine->memory, class->init, requests);
    uint32_t latency = machine_latency(machine, class);
    /* Stores are acknowledged by a memory that all SMs share. */
    if (requests > 0 && memory_is_contended(&machine->memory) && class->plus != LATENCY_PLUS_MEM)
        latency += machine->mem_latency;
    return (struct execution_cost){.init = init, .latency = latency};
}

static struct execution_cost counts_of(const struct wb_machine *machine, const struct machine_class *class,
                                       const struct access *accesses, size_t count,
                                       const struct access_list *list) {
    struct access_sums sums = {{0}};
    (void)machine, (void)class;
    for (size_t a = 0; a < count; a++)
        access_sums_add(&accesses[a], list->tables.items, 0, &sums);
    return (struct execution_cost){.counts = access_sums_counts(&sums)};
}

const struct request_model request_models[] = {
    [ISA_PTX] = {cycles_of, false}, [ISA_SASS] = {counts_of, true}};

static void warp_costs(const struct wb_block *block, const struct wb_machine *machine,
                       const struct access_list *list, struct execution_cost *costs) {
    const struct request_model *model = &request_models[machine_isa(machine)];
    struct access_likes likes = {{0}};
    for (size_t r = 0, end; r < list->items.count; r = end) {
        const uint32_t like =
            access_like(&likes, list->items.items, (uint32_t)list->items.count, (uint32_t)r);
        if (like != r) {
            costs[r] = costs[like];
            end = r + 1;
            continue;
        }
        const struct access *access = &list->items.items[r];
        const struct ptx_inst *inst = block_inst(block, access->instruction, NULL);
        for (end = r; end < list->items.count && list->items.items[end].step == access->step;)
            end++;
        const struct execution_cost cost =
            model->cost(machine, &machine->classes[inst->form->class_], access, end - r, list);
        for (size_t k = r; k < end; k++)
            costs[k] = cost;
    }
}

/* Whether the costs can be known. */
static wb_status check(const struct wb_block *block, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics) {
    if (machine_unproven(machine) != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine's model has rules of its own for requests; expected requests: ideal");
        return WB_ERR_INPUT;
    }
    if (block->accesses == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine counts requests, but the block was executed without recording its accesses");
        return WB_ERR_INPUT;
    }
    if (block->uncounted != PTX_NO_INDEX) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->uncounted, NULL), UNKNOWN_MEMORY "%s",
                     block->kernel->module->code == NULL ? "; the kernel's cubin says which: analyze that"
                                                         : "");
        return WB_ERR_DECLINED;
    }
    return WB_OK;
}

wb_status access_costs_make(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct execution_cost **costs) {
    size_t count = 0, next = 0;
    *costs = NULL;
    if (machine->memory.requests == REQUESTS_IDEAL) return WB_OK;
    WB_TRY(check(block, machine, diagnostics));
    for (uint32_t w = 0; w < block->warp_count; w++)
        count += block->accesses[w].items.count;
    struct execution_cost *made = calloc(count + 1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(block->kernel));
    for (uint32_t w = 0; w < block->warp_count; w++) {
        warp_costs(block, machine, &block->accesses[w], made + next);
        next += block->accesses[w].items.count;
    }
    *costs = made;
    return WB_OK;
}
