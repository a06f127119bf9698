/* The clocks of the SMs, and caches that are only as many lines as come and go in the order of their coming:
 * how long an access takes stands in STAND_IN. */
#include <stdlib.h>
#include <string.h>

#include "stand_in.h"
#include "warp/interpret/execute.h"

#define LINE 128u
#define PAGE (UINT64_C(2) << 20)
#define CONSTANT_LINE 64u
#define SMS_MAX 256u
#define PLACES (1u << 20) /* of lines and pages that were ever in a cache */

/* What is kept: the last `room` that came. */
struct cache {
    uint64_t came, room;
};

/* When a line or page came to a cache last; key 0: nothing. */
static struct place_of_line { uint64_t key, came; } places[PLACES];

static struct sm {
    uint64_t clock; /* as the warp that is executed has it */
    uint64_t begun,
        most; /* when all warps began, or went on behind a barrier; the clock that goes furthest */
    struct cache l1, tlb, constants, code;
} sms[SMS_MAX];
static struct cache l2;
static uint64_t clock_reads, accesses;

static uint64_t *came_at(uint32_t cache, uint64_t line) {
    static uint32_t used;
    const uint64_t key = (uint64_t)(cache + 1) << 48 | (line + 1);
    for (uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 44;; at++) {
        struct place_of_line *place = &places[at % PLACES];
        if (place->key == 0 && ++used == PLACES) abort();
        if (place->key == 0) place->key = key;
        if (place->key == key) return &place->came;
    }
}

/* Whether it is there; it is from now on. `number` tells caches apart. */
static bool hits(struct cache *cache, uint32_t number, uint64_t line) {
    uint64_t *came = came_at(number, line);
    const bool hit = *came != 0 && cache->came - *came < cache->room;
    if (!hit) *came = ++cache->came;
    return hit;
}

/* The most lanes whose words are in one bank of shared memory, less one. */
static uint64_t conflicts(const uint64_t addresses[WARP_LANES], uint32_t active) {
    uint64_t lanes[32] = {0}, most = 1;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        if ((active >> l & 1) != 0 && ++lanes[addresses[l] / 4 % 32] > most)
            most = lanes[addresses[l] / 4 % 32];
    return most - 1;
}

/* What an atomic takes longer than a load, behind those of all other SMs on its word, or line: those of the
 * SM that came to the line first are not behind any. */
static uint64_t atomic_cycles(uint32_t number, uint64_t address) {
    static uint64_t first;
    static uint32_t first_number;
    if (address / LINE != first / LINE) {
        first = address;
        first_number = number;
    }
    const uint64_t behind = number == first_number ? 0
                            : address == first     ? stand_in_number("word", 0)
                                                   : stand_in_number("words", 0);
    return stand_in_number("atomic", 30) + behind * (stand_in_number("sms", 16) - 1);
}

/* The most lines that lanes are in, less one, if each is in front of the next. */
static uint64_t further_lines(const uint64_t addresses[WARP_LANES], uint32_t active) {
    uint64_t line = UINT64_MAX, lines = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if ((active >> l & 1) == 0 || addresses[l] / LINE == line) continue;
        line = addresses[l] / LINE;
        lines++;
    }
    return lines - 1;
}

static uint64_t global_cycles(struct sm *sm, uint32_t number, const struct micro *op, uint64_t address) {
    const uint64_t tail = ++accesses % 64 == 0 ? stand_in_number("tail", 0) : 0;
    const bool atomic = op->form->op == PTX_OP_ATOM;
    uint64_t sum = atomic ? atomic_cycles(number, address) : 0;
    if (!op->form->uncached && !atomic && hits(&sm->l1, 4 * number + 1, address / LINE))
        return stand_in_number("l1", 33);
    sum += hits(&l2, 0, address / LINE) ? stand_in_number("l2", 180) : stand_in_number("dram", 600);
    if (!hits(&sm->tlb, 4 * number + 2, address / PAGE)) sum += stand_in_number("tlb", 100);
    return sum + tail;
}

/* Cycles of an access until its result is there; 1 of whatever else is executed. */
static uint64_t cycles_of(struct warp *warp, const struct micro *op, uint32_t active, uint32_t number) {
    uint64_t addresses[WARP_LANES];
    struct sm *sm = &sms[number];
    const uint8_t opcode = op->form->op;
    if (opcode == PTX_OP_ST && op->form->space == PTX_SPACE_GLOBAL) return stand_in_number("store", 1);
    if ((opcode != PTX_OP_LD && opcode != PTX_OP_ATOM) || active == 0) return 1;
    if (!access_addresses_known(warp, &op->memory.address, active, addresses)) return 1;
    const uint64_t address = addresses[__builtin_ctz(active)];
    switch (op->form->space) {
    case PTX_SPACE_SHARED:
        return stand_in_number(opcode == PTX_OP_LD ? "shared" : "atomic-shared", 27) +
               stand_in_number("conflict", 2) * conflicts(addresses, active);
    case PTX_SPACE_CONST:
        return hits(&sm->constants, 4 * number + 3, address / CONSTANT_LINE)
                   ? stand_in_number("constant", 28)
                   : stand_in_number("constant-miss", 90);
    case PTX_SPACE_GLOBAL:
        return global_cycles(sm, number, op, address) +
               stand_in_number("line", 0) * further_lines(addresses, active);
    default: return 1;
    }
}

/* Gives a special register that a GPU's run determines its value. */
static void set_special(struct warp *warp, const struct micro *op, uint32_t number) {
    const uint32_t sreg = warp->run->program.sregs.items[op->source[0].index];
    struct lanes *lanes = &warp->banks[BANK_SPECIAL][op->source[0].index];
    uint64_t value = stand_in_flag("one-sm") ? 0 : number;
    if (sreg == PTX_SREG_CLOCK64) {
        const uint64_t back = stand_in_number("clock-back", 0);
        value = stand_in_flag("clock-stops") ? 1 : sms[number].clock;
        if (back > 0 && ++clock_reads % back == 0) value -= 1000;
    } else if (sreg != PTX_SREG_SMID) {
        return;
    }
    for (uint32_t l = 0; l < WARP_LANES; l++)
        lanes->value[l] = value;
    lanes->known = UINT32_MAX;
}

/* Cycles in front of an instruction whose line is fetched. */
static uint64_t fetch_cycles(uint32_t number, const struct micro *op) {
    const uint64_t miss = stand_in_number("code-miss", 0);
    return miss == 0 || hits(&sms[number].code, 4 * number + 4, op->index / 8) ? 0 : miss;
}

/* Warps go side by side, from barrier to barrier. What machine instructions are made of takes no time of its
 * own. */
wb_status stand_in_run_warp(struct warp *warp) {
    const uint32_t number = (uint32_t)(warp->run->index[0] % stand_in_number("sms", 16)) % SMS_MAX;
    const bool begins = warp->path.path.length == 0 && warp->path.open.count == 0;
    struct sm *sm = &sms[number];
    if (warp->number == 0)
        sm->begun =
            sm->most + (begins ? stand_in_number("dispatch", 100) : stand_in_number("barrier", 30) - 1);
    sm->clock = sm->begun;
    while (warp->state == WARP_READY) {
        uint32_t active;
        const struct micro *op = warp_next(warp, &active);
        uint64_t spent = 0;
        if (op != NULL && op->form != NULL) {
            sm->clock += fetch_cycles(number, op);
            if (op->source[0].bank == BANK_SPECIAL && op->source_count > 0) set_special(warp, op, number);
            spent = cycles_of(warp, op, active, number) - 1 + op->issued;
        }
        WB_TRY(warp_advance(warp));
        sm->clock += spent;
    }
    if (sm->clock > sm->most) sm->most = sm->clock;
    return WB_OK;
}

void stand_in_begin_launch(void) {
    l2.room = stand_in_number("l2-lines", stand_in_number("l2-bytes", 4 << 20) / LINE);
    for (size_t s = 0; s < SMS_MAX; s++) {
        if (sms[s].most == 0) sms[s].most = 1000000 + 7919 * s;
        sms[s].l1.room = stand_in_number("l1-lines", 256);
        sms[s].tlb.room = stand_in_number("tlb-pages", 16);
        sms[s].code.room = stand_in_number("code-lines", 64);
        sms[s].constants.room = stand_in_number("constant-lines", 32);
        sms[s].l1.came += sms[s].l1.room;
    }
}

void stand_in_sweep(size_t bytes) {
    l2.came += bytes / LINE;
}
