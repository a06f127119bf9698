/* Loads, stores, asynchronous copies, matrix loads, atomics. */
#include <string.h>

#include "warp/alu/lanes.h"
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

/* A value read from memory as the register holds it: extended by the sign of its type. */
static inline uint64_t extended(const struct micro *op, uint64_t value) {
    uint32_t unused = 64 - 8 * op->memory.bytes;
    if (op->memory.is_signed) value = (uint64_t)((int64_t)(value << unused) >> unused);
    return value & op->result_mask;
}

/* Gathers one value of `bytes` bytes per lane; the size is a constant in each copy of the loop. */
static inline void gather(const uint8_t *from, const uint64_t *offsets, uint32_t mask, uint32_t bytes,
                          uint64_t *values) {
    if (mask == LANES_ALL) { /* without a search for the next lane: most loads */
        FOR_LANES(l) {
            uint64_t value = 0;
            memcpy(&value, from + offsets[l], bytes);
            values[l] = value;
        }
        return;
    }
    FOR_LANES_OF(l, mask) {
        uint64_t value = 0;
        memcpy(&value, from + offsets[l], bytes);
        values[l] = value;
    }
}

/* Writes what was read to a register. */
static inline void keep_values(const struct micro *op, uint32_t mask, const uint64_t *values,
                               struct lanes *out) {
    if (mask == LANES_ALL && !op->memory.is_signed) {
        FOR_LANES(l) out->value[l] = values[l] & op->result_mask;
        return;
    }
    FOR_LANES_OF(l, mask) out->value[l] = extended(op, values[l]);
}

/* The lanes of `mask` whose bytes in the region are all known. */
static uint32_t known_lanes(const struct region *region, const uint64_t *offsets, uint32_t mask,
                            uint32_t bytes) {
    if (region->known == NULL) return mask;
    uint32_t known = 0, bits = (1u << bytes) - 1;
    FOR_LANES_OF(l, mask) {
        bool all = (region->known[offsets[l] / 8] >> (offsets[l] % 8) & bits) == bits;
        known |= (uint32_t)all << l;
    }
    return known;
}

/* Finds the base region of what the lanes of `mask` have read. */
static void find_base_region(const struct warp *warp, const struct micro *op, uint32_t mask,
                             struct lanes *out) {
    uint64_t base_region = BASE_REGION_NONE;
    uint32_t known = op->memory.may_be_address ? mask & out->known : 0;
    FOR_LANES_OF(l, known) {
        if (out->value[l] < GLOBAL_START) continue;
        base_region = base_region_joined(base_region, base_region_of_value(warp->run, out->value[l]));
        if (base_region == BASE_REGION_SEVERAL || op->memory.uniform) break;
    }
    base_region_write(warp, out, mask, base_region);
}

/* The bits of bytes. */
static uint64_t bits_of_bytes(uint32_t bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 8; i++)
        bits |= (bytes >> i & 1) != 0 ? UINT64_C(0xff) << (8 * i) : 0;
    return bits;
}

/* For a lane some of whose bytes were not known, in a register in which it is unknown: those that were, and
 * the bits that a load puts above the bytes. */
static void keep_known_bytes(const struct micro *op, const struct place *place, uint32_t lane,
                             struct lanes *out) {
    const uint32_t bytes = op->memory.bytes, known = place_known(place, bytes);
    if (known == 0) return;
    uint64_t value = 0;
    memcpy(&value, place->bytes, bytes);
    const bool above = !op->memory.is_signed || (known >> (bytes - 1) & 1) != 0;
    out->value[lane] = extended(op, value);
    partial_write_lane(out, lane,
                       (bits_of_bytes(known) | (above ? ~low_bytes_mask(bytes) : 0)) & op->result_mask);
}

/* Element `i` of all lanes from one region, bounds and alignment checked. */
static void load_element(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t i,
                         struct region *region, const uint64_t *addresses) {
    const struct micro_memory *memory = &op->memory;
    uint64_t offsets[WARP_LANES], values[WARP_LANES], start = i * memory->bytes - region->base;
    FOR_LANES(l) offsets[l] = addresses[l] + start;
    uint32_t known = known_lanes(region, offsets, mask, memory->bytes);
    switch (memory->bytes) {
    case 1: gather(region->bytes, offsets, known, 1, values); break;
    case 2: gather(region->bytes, offsets, known, 2, values); break;
    case 4: gather(region->bytes, offsets, known, 4, values); break;
    default: gather(region->bytes, offsets, known, 8, values); break;
    }
    struct lanes *out = warp_slot(warp, memory->values[i]);
    keep_values(op, known, values, out);
    out->known = (out->known & ~mask) | known;
    if (known != mask) {
        lanes_unknown_by(out, mask & ~known, op->index);
        FOR_LANES_OF(l, mask & ~known) {
            const struct place place = region_place(region, offsets[l]);
            keep_known_bytes(op, &place, l, out);
        }
    }
    if (memory->may_be_address || out->base_region != BASE_REGION_NONE) find_base_region(warp, op, mask, out);
}

/* A load whose lanes go to different regions, or to local memory. */
static wb_status load_each(struct warp *warp, const struct micro *op, uint32_t mask,
                           const uint64_t *addresses) {
    const struct micro_memory *memory = &op->memory;
    FOR_LANES_OF(l, mask) {
        struct place place;
        WB_TRY(access_place(warp, op, l, addresses[l], memory->bytes * memory->count, false, &place));
        for (uint32_t i = 0; i < memory->count; i++) {
            uint64_t value = 0;
            struct lanes *out = warp_slot(warp, memory->values[i]);
            WB_TRY(access_place(warp, op, l, addresses[l] + i * memory->bytes, memory->bytes, false, &place));
            bool known = place_read(&place, memory->bytes, &value);
            out->value[l] = extended(op, value);
            out->known = (out->known & ~(1u << l)) | (uint32_t)known << l;
            if (known) continue;
            lanes_unknown_by(out, 1u << l, op->index);
            keep_known_bytes(op, &place, l, out);
        }
    }
    for (uint32_t i = 0; i < memory->count; i++)
        find_base_region(warp, op, mask, warp_slot(warp, memory->values[i]));
    return WB_OK;
}

/* A load of one address by all lanes, such as that of a parameter: read once. */
static wb_status load_uniform(struct warp *warp, const struct micro *op, uint32_t mask, uint64_t address) {
    const struct micro_memory *memory = &op->memory;
    struct place place;
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    WB_TRY(access_place(warp, op, lane, address, memory->bytes * memory->count, false, &place));
    for (uint32_t i = 0; i < memory->count; i++) {
        uint64_t value = 0;
        struct lanes *out = warp_slot(warp, memory->values[i]);
        WB_TRY(access_place(warp, op, lane, address + i * memory->bytes, memory->bytes, false, &place));
        bool known = place_read(&place, memory->bytes, &value);
        value = extended(op, value);
        FOR_LANES_OF(l, mask) out->value[l] = value;
        out->known = known ? out->known | mask : out->known & ~mask;
        if (!known) {
            lanes_unknown_by(out, mask, op->index);
            FOR_LANES_OF(l, mask) keep_known_bytes(op, &place, l, out);
        }
        find_base_region(warp, op, mask, out);
    }
    return WB_OK;
}

/* Whether what others do to memory meanwhile is left open. Covering runs forget it themselves. */
static bool leaves_order_open(struct run *run) {
    if (run->cover != NULL || open_is_assumed(run, (enum launch_assumption)OPEN_ATOMIC_ORDER)) return false;
    run->left_open |= 1u << OPEN_ATOMIC_ORDER;
    return true;
}

wb_status load_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct micro_memory *memory = &op->memory;
    uint64_t addresses[WARP_LANES];
    uint32_t bytes = memory->bytes * memory->count;
    if (mask == 0) return WB_OK;
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, addresses));
    WB_TRY(
        access_record(warp, op, &op->memory.address, mask, addresses, (struct access_kind){.bytes = bytes}));
    if (memory->is_strong && access_is_shared(warp->run, op) && leaves_order_open(warp->run)) {
        warp_forget_outputs(warp, op, mask, op->index);
        return WB_OK;
    }
    if (memory->uniform && !in_window(addresses[0], LOCAL_WINDOW))
        return load_uniform(warp, op, mask, addresses[0]);
    struct region *region = access_common_region(warp, op, mask, addresses, bytes, bytes);
    if (region == NULL) return load_each(warp, op, mask, addresses);
    for (uint32_t i = 0; i < memory->count; i++)
        load_element(warp, op, mask, i, region, addresses);
    return WB_OK;
}

/* Element `i` of all lanes to one region that is known and stays so. */
static void store_element(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t i,
                          const struct region *region, const uint64_t *addresses) {
    const struct micro_memory *memory = &op->memory;
    const struct lanes *from = warp_slot(warp, memory->values[i]);
    uint8_t *to = region->bytes + i * memory->bytes;
    switch (memory->bytes) {
    case 4: FOR_LANES_OF(l, mask) memcpy(to + (addresses[l] - region->base), &from->value[l], 4); break;
    case 8: FOR_LANES_OF(l, mask) memcpy(to + (addresses[l] - region->base), &from->value[l], 8); break;
    default: FOR_LANES_OF(l, mask) memcpy(to + (addresses[l] - region->base), &from->value[l], memory->bytes);
    }
}

/* Whether every value that the lanes of `mask` store is known, and a number. */
static bool stores_known(const struct warp *warp, const struct micro *op, uint32_t mask) {
    uint32_t known = LANES_ALL;
    uint64_t base_regions = 0;
    for (uint32_t i = 0; i < op->memory.count; i++) {
        known &= warp_slot(warp, op->memory.values[i])->known;
        base_regions |= warp_slot(warp, op->memory.values[i])->base_region;
    }
    return (mask & ~known) == 0 && base_regions == 0;
}

/* Writes bytes of one lane, known or not. */
static wb_status write_place(const struct warp *warp, const struct micro *op, const struct place *place,
                             uint32_t bytes, uint64_t value, bool known) {
    if (!known) return place_forget(place, bytes) == WB_OK ? WB_OK : warp_no_memory(warp, op);
    place_write(place, bytes, value);
    return WB_OK;
}

/* Writes bytes of a lane of which some bits are known: those of which all are, one by one. */
static wb_status write_known_bytes(struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address,
                                   uint64_t value, uint64_t bits) {
    for (uint32_t i = 0; i < op->memory.bytes; i++) {
        struct place place;
        WB_TRY(access_place(warp, op, lane, address + i, 1, true, &place));
        WB_TRY(write_place(warp, op, &place, 1, value >> (8 * i) & 0xff, (~bits >> (8 * i) & 0xff) == 0));
    }
    return WB_OK;
}

/* A store lane by lane, the lowest first. */
static wb_status store_each(struct warp *warp, const struct micro *op, uint32_t mask,
                            const uint64_t *addresses) {
    const struct micro_memory *memory = &op->memory;
    FOR_LANES_OF(l, mask) {
        struct place place;
        WB_TRY(access_place(warp, op, l, addresses[l], memory->bytes * memory->count, true, &place));
        for (uint32_t i = 0; i < memory->count; i++) {
            const struct lanes *from = warp_slot(warp, memory->values[i]);
            WB_TRY(access_place(warp, op, l, addresses[l] + i * memory->bytes, memory->bytes, true, &place));
            bool known = (from->known >> l & 1) != 0 && base_region_is_kept(warp, from, l, memory->bytes);
            if ((lanes_partial(from) >> l & 1) != 0) {
                WB_TRY(write_known_bytes(warp, op, l, addresses[l] + i * memory->bytes, from->value[l],
                                         from->half.bits[l]));
                continue;
            }
            WB_TRY(write_place(warp, op, &place, memory->bytes, from->value[l], known));
        }
    }
    return WB_OK;
}

/* The bits that a lane stores as known ones. */
static uint64_t stored_bits(const struct lanes *from, uint32_t lane) {
    if ((from->known >> lane & 1) != 0) return UINT64_MAX;
    return (lanes_partial(from) >> lane & 1) != 0 ? from->half.bits[lane] : 0;
}

/* Whether what stays in memory depends on which of two lanes stores last to one place. What neither knows is
 * unknown either way. */
static bool lanes_conflict(const struct warp *warp, const struct micro *op, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < op->memory.count; i++) {
        const struct lanes *from = warp_slot(warp, op->memory.values[i]);
        const uint64_t known_a = stored_bits(from, a), known_b = stored_bits(from, b);
        const uint64_t differing = (from->value[a] ^ from->value[b]) & known_a & known_b;
        if ((((known_a ^ known_b) | differing) & low_bytes_mask(op->memory.bytes)) != 0) return true;
    }
    return false;
}

/* Whether each lane's address is above that of the lane before: most stores. */
static bool is_ascending(const uint64_t *addresses, uint32_t mask) {
    uint64_t next = 0;
    FOR_LANES_OF(l, mask) {
        if (addresses[l] < next) return false;
        next = addresses[l] + 1;
    }
    return true;
}

/* Places of a hash table of the addresses of a warp. */
#define STORE_SLOTS 64u

bool store_conflicts(const struct warp *warp, const struct micro *op, uint32_t mask,
                     const uint64_t *addresses) {
    uint8_t first[STORE_SLOTS] = {0}; /* 1 + the first lane that stores to an address */
    if (is_ascending(addresses, mask)) return false;
    FOR_LANES_OF(l, mask) {
        if (in_window(addresses[l], LOCAL_WINDOW)) continue; /* each lane has its own */
        uint32_t slot = (uint32_t)(addresses[l] * UINT64_C(0x9e3779b97f4a7c15) >> 58);
        while (first[slot] != 0 && addresses[first[slot] - 1] != addresses[l])
            slot = (slot + 1) % STORE_SLOTS;
        /* Addresses are aligned to the size of the access: it is the same place, or another. */
        if (first[slot] != 0 && lanes_conflict(warp, op, first[slot] - 1u, l)) return true;
        if (first[slot] == 0) first[slot] = (uint8_t)(l + 1);
    }
    return false;
}

wb_status store_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct micro_memory *memory = &op->memory;
    uint64_t addresses[WARP_LANES];
    uint32_t bytes = memory->bytes * memory->count;
    if (mask == 0) return WB_OK;
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, addresses));
    WB_TRY(access_record(warp, op, &op->memory.address, mask, addresses,
                         (struct access_kind){.bytes = bytes, .is_store = true}));
    const bool assumed = (warp->run->notes.assumed & assumed_bit(ASSUMED_LAST_LANE)) != 0;
    if (!assumed && store_conflicts(warp, op, mask, addresses)) run_assume(warp->run, ASSUMED_LAST_LANE);
    struct region *region = access_common_region(warp, op, mask, addresses, bytes, bytes);
    if (region == NULL || !region->writable || region->known != NULL || !stores_known(warp, op, mask))
        return store_each(warp, op, mask, addresses);
    region->stored = true;
    for (uint32_t i = 0; i < memory->count; i++)
        store_element(warp, op, mask, i, region, addresses);
    return WB_OK;
}

/* How many bytes a lane of cp.async reads; the rest of what it writes is zeros. */
static uint32_t copied_bytes(const struct warp *warp, const struct micro *op, uint32_t lane) {
    if (op->immediate != 0) /* a predicate: whether the source is ignored */
        return (warp_predicate(warp, op->source[0]) >> lane & 1) != 0 ? 0 : op->memory.bytes;
    uint64_t bytes = warp_slot(warp, op->source[0])->value[lane];
    return bytes < op->memory.bytes ? (uint32_t)bytes : op->memory.bytes;
}

/* One lane of cp.async, in units of at most 8 bytes. */
static wb_status copy_lane(struct warp *warp, const struct micro *op, uint32_t lane, uint64_t to,
                           uint64_t from) {
    uint32_t left = copied_bytes(warp, op, lane), unit = op->memory.bytes < 8 ? 4 : 8;
    struct place source, target;
    WB_TRY(access_place(warp, op, lane, to, op->memory.bytes, true, &target));
    if (left != 0) WB_TRY(access_place(warp, op, lane, from, op->memory.bytes, false, &source));
    for (uint32_t at = 0; at < op->memory.bytes; at += unit) {
        uint64_t value = 0;
        bool known = true;
        if (left != 0) {
            WB_TRY(access_place(warp, op, lane, from + at, unit, false, &source));
            known = place_read(&source, unit, &value);
            value &= low_bytes_mask(left);
            left -= left < unit ? left : unit;
        }
        WB_TRY(access_place(warp, op, lane, to + at, unit, true, &target));
        WB_TRY(write_place(warp, op, &target, unit, value, known));
    }
    return WB_OK;
}

/* cp.async copies at once: a program that waits for it cannot tell. */
wb_status copy_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint64_t to[WARP_LANES], from[WARP_LANES];
    uint32_t unknown = mask & ~warp_slot(warp, op->source[0])->known;
    if (mask == 0) return WB_OK;
    if (unknown != 0) return warp_decline(warp, op, op->source[0], unknown, NEED_SIZE);
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, to));
    WB_TRY(access_addresses(warp, op, &op->memory.from, mask, from));
    uint32_t reading = 0;
    FOR_LANES_OF(l, mask) reading |= (uint32_t)(copied_bytes(warp, op, l) != 0) << l;
    WB_TRY(access_record(warp, op, &op->memory.from, reading, from,
                         (struct access_kind){.bytes = op->memory.bytes}));
    WB_TRY(access_record(warp, op, &op->memory.address, mask, to,
                         (struct access_kind){.bytes = op->memory.bytes, .is_store = true}));
    FOR_LANES_OF(l, mask) WB_TRY(copy_lane(warp, op, l, to[l], from[l]));
    return WB_OK;
}

/* Two 16-bit elements of a matrix: of row `row` from column `column` on, or, transposed, of the column. */
static wb_status matrix_pair(struct warp *warp, const struct micro *op, const uint64_t *rows, uint32_t lane,
                             bool transposed, struct lanes *out) {
    uint64_t pair = 0;
    bool known = true;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t row = lane / 4, column = lane % 4 * 2 + i;
        uint64_t address = transposed ? rows[column] + row * 2 : rows[row] + column * 2;
        uint64_t element = 0;
        struct place place;
        WB_TRY(access_place(warp, op, lane, address, 2, false, &place));
        known &= place_read(&place, 2, &element);
        pair |= element << (16 * i);
    }
    out->value[lane] = pair;
    out->known = (out->known & ~(1u << lane)) | (uint32_t)known << lane;
    if (!known) lanes_unknown_by(out, 1u << lane, op->index);
    return WB_OK;
}

/* ldmatrix: lanes 8 m .. 8 m + 7 hold the row addresses of matrix m. */
wb_status ldmatrix_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint64_t rows[WARP_LANES];
    uint32_t givers = op->memory.count == 4 ? LANES_ALL : (1u << (8 * op->memory.count)) - 1;
    if (mask != LANES_ALL) return unrecorded_execute(warp, op, mask);
    WB_TRY(access_addresses(warp, op, &op->memory.address, givers, rows));
    WB_TRY(access_record(warp, op, &op->memory.address, givers, rows, (struct access_kind){.bytes = 16}));
    bool transposed = strstr(op->form->text, ".trans") != NULL;
    for (uint32_t m = 0; m < op->memory.count; m++) {
        struct lanes *out = warp_slot(warp, op->memory.values[m]);
        FOR_LANES_OF(l, mask) WB_TRY(matrix_pair(warp, op, rows + 8 * m, l, transposed, out));
    }
    return WB_OK;
}

/* Makes what a lane may have written unknown. */
static wb_status forget_bytes(struct warp *warp, const struct micro *op, uint32_t mask, bool whole_region) {
    uint64_t addresses[WARP_LANES];
    uint32_t bytes = op->memory.bytes * op->memory.count;
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, addresses));
    FOR_LANES_OF(l, mask) {
        struct place place;
        for (uint32_t at = 0; at < (whole_region ? 1 : bytes); at += 8) {
            uint32_t unit = whole_region ? 1 : bytes - at < 8 ? bytes - at : 8;
            WB_TRY(access_place(warp, op, l, addresses[l] + at, unit, true, &place));
            bool whole = place.region != NULL && whole_region;
            warp->run->forgotten += whole ? !place.region->unknown : place_known(&place, unit) != 0;
            wb_status status = whole ? region_forget(place.region) : place_forget(&place, unit);
            if (status != WB_OK) return warp_no_memory(warp, op);
        }
    }
    return WB_OK;
}

wb_status opaque_store_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    warp_forget_outputs(warp, op, mask, op->index);
    return mask == 0 ? WB_OK : forget_bytes(warp, op, mask, true);
}

/* Whether two rows of 16 bytes have bytes in common: then it is open which of them stay. */
static bool rows_overlap(const uint64_t *rows, uint32_t count) {
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (rows[a] - rows[b] < 16 || rows[b] - rows[a] < 16) return true;
    return false;
}

/* Two 16-bit elements of a matrix, from the lane that has them to their places. */
static wb_status store_pair(struct warp *warp, const struct micro *op, const uint64_t *rows, uint32_t lane,
                            bool transposed, const struct lanes *from) {
    const bool known = (from->known >> lane & 1) != 0 && base_region_is_kept(warp, from, lane, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t row = lane / 4, column = lane % 4 * 2 + i;
        const uint64_t address = transposed ? rows[column] + row * 2 : rows[row] + column * 2;
        struct place place;
        WB_TRY(access_place(warp, op, lane, address, 2, true, &place));
        WB_TRY(write_place(warp, op, &place, 2, from->value[lane] >> (16 * i) & 0xffff, known));
    }
    return WB_OK;
}

/* stmatrix: what ldmatrix reads, written. */
wb_status stmatrix_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint64_t rows[WARP_LANES];
    const uint32_t count = 8u * op->memory.count, givers = LANES_ALL >> (WARP_LANES - count);
    if (mask != LANES_ALL) return unrecorded_execute(warp, op, mask);
    WB_TRY(access_addresses(warp, op, &op->memory.address, givers, rows));
    WB_TRY(access_record(warp, op, &op->memory.address, givers, rows,
                         (struct access_kind){.bytes = 16, .is_store = true}));
    if (rows_overlap(rows, count)) return opaque_store_execute(warp, op, givers);
    const bool transposed = strstr(op->form->text, ".trans") != NULL;
    for (uint32_t m = 0; m < op->memory.count; m++) {
        const struct lanes *from = warp_slot(warp, op->memory.values[m]);
        FOR_LANES_OF(l, mask) WB_TRY(store_pair(warp, op, rows + 8 * m, l, transposed, from));
    }
    return WB_OK;
}

/* Records one side of an access of all lanes that may take part, if their addresses are known. */
static wb_status record_possible(struct warp *warp, const struct micro *op,
                                 const struct micro_address *address, uint32_t lanes,
                                 struct access_kind kind) {
    uint64_t addresses[WARP_LANES];
    if (access_addresses_known(warp, address, lanes, addresses))
        return access_record(warp, op, address, lanes, addresses, kind);
    run_note_uncounted(warp->run, op);
    return WB_OK;
}

static wb_status record_unsure(struct warp *warp, const struct micro *op, uint32_t lanes) {
    uint32_t bytes = op->memory.bytes * op->memory.count;
    const struct access_kind load = {.bytes = bytes}, store = {.bytes = bytes, .is_store = true},
                             atomic = {.bytes = bytes, .is_store = true, .is_atomic = true};
    if (op->execute == copy_execute) WB_TRY(record_possible(warp, op, &op->memory.from, lanes, load));
    if (op->execute == copy_execute || op->execute == store_execute)
        return record_possible(warp, op, &op->memory.address, lanes, store);
    if (op->execute == load_execute) return record_possible(warp, op, &op->memory.address, lanes, load);
    if (op->execute == atomic_execute) return record_possible(warp, op, &op->memory.address, lanes, atomic);
    run_note_uncounted(warp->run, op);
    return WB_OK;
}

wb_status unsure_access(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    struct access_list *list = warp->accesses;
    warp->run->unrecorded = op->index;
    WB_TRY(record_unsure(warp, op, mask | unsure));
    warp->accesses = NULL; /* what the lanes of `mask` do is recorded */
    wb_status status = op->unsure(warp, op, mask, unsure);
    warp->accesses = list;
    return status;
}

wb_status unsure_store(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (mask != 0) WB_TRY(op->execute(warp, op, mask));
    warp_forget_outputs(warp, op, unsure, warp_origin(warp_slot(warp, op->guard), op));
    return forget_bytes(warp, op, unsure, op->unrecorded == opaque_store_execute);
}

/* ---- atom and red: lanes take effect in their order ---------------------------------------------------- */

static bool less(const struct ptx_form *form, uint64_t a, uint64_t b) {
    switch (form->type) {
    case PTX_S32: return (int32_t)a < (int32_t)b;
    case PTX_S64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

/* atom.add.f32 flushes subnormal numbers in global memory, not in shared memory (PTX ISA, atom). */
static uint64_t add_f32(uint64_t a, uint64_t b, bool flush) {
    float x = float_of(a), y = float_of(b);
    if (!flush) return result_f32(x + y);
    return result_f32(flush_f32(flush_f32(x) + flush_f32(y)));
}

/* The value that memory holds afterwards. */
static uint64_t updated(const struct ptx_form *form, uint64_t old, uint64_t b, uint64_t c, bool flush) {
    switch (form->mode) {
    case PTX_MODE_ADD:
        if (form->type == PTX_F32) return add_f32(old, b, flush);
        if (form->type == PTX_F64) return result_f64(double_of(old) + double_of(b));
        return old + b;
    case PTX_MODE_AND: return old & b;
    case PTX_MODE_OR: return old | b;
    case PTX_MODE_XOR: return old ^ b;
    case PTX_MODE_MIN: return less(form, b, old) ? b : old;
    case PTX_MODE_MAX: return less(form, old, b) ? b : old;
    case PTX_MODE_INC: return old >= b ? 0 : old + 1;
    case PTX_MODE_DEC: return old == 0 || old > b ? b : old - 1;
    case PTX_MODE_CAS: return old == b ? c : old;
    default: return b; /* exch */
    }
}

/* Whether the new value is known: that of exch needs no old one. */
static bool update_known(const struct ptx_form *form, bool old_known, bool b_known, bool c_known) {
    if (form->mode == PTX_MODE_EXCH) return b_known;
    return old_known && b_known && c_known;
}

static wb_status atomic_lane(struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address) {
    const struct lanes *b = warp_slot(warp, op->source[0]), *c = warp_slot(warp, op->source[1]);
    uint32_t bytes = op->memory.bytes;
    struct place place;
    uint64_t old = 0;
    WB_TRY(access_place(warp, op, lane, address, bytes, true, &place));
    bool old_known = place_read(&place, bytes, &old);
    bool flush = !in_window(address, SHARED_WINDOW);
    uint64_t value = updated(op->form, old, b->value[lane], c->value[lane], flush);
    bool b_known = (b->known >> lane & 1) != 0 && base_region_is_kept(warp, b, lane, bytes);
    bool c_known = (c->known >> lane & 1) != 0 && base_region_is_kept(warp, c, lane, bytes);
    if (update_known(op->form, old_known, b_known, c_known))
        place_write(&place, bytes, value);
    else if (place_forget(&place, bytes) != WB_OK)
        return warp_no_memory(warp, op);
    struct lanes *out = warp_slot(warp, op->destination);
    out->value[lane] = old;
    out->known = (out->known & ~(1u << lane)) | (uint32_t)old_known << lane;
    if (!old_known) lanes_unknown_by(out, 1u << lane, op->index);
    out->numbers &= ~(1u << lane);
    if (old_known && bytes == 8)
        out->base_region = base_region_joined(out->base_region, base_region_of_value(warp->run, old));
    return WB_OK;
}

/* Whether the order of atomics shows in memory: in rounding, and in which of several values stays. */
static bool order_stays(const struct micro *op) {
    const uint8_t mode = op->form->mode;
    return ptx_type_kind((enum ptx_type)op->form->type) == PTX_KIND_FLOAT || mode == PTX_MODE_EXCH ||
           mode == PTX_MODE_CAS || mode == PTX_MODE_INC || mode == PTX_MODE_DEC;
}

/* Makes unknown what depends on the order of atomics: what they return, and memory where they do not commute
 * with each other, or with those of another kind there. */
static wb_status forget_order(struct warp *warp, const struct micro *op, uint32_t mask,
                              const uint64_t *addresses) {
    warp_forget_outputs(warp, op, mask, op->index);
    FOR_LANES_OF(l, mask) {
        struct place place;
        WB_TRY(access_place(warp, op, l, addresses[l], op->memory.bytes, true, &place));
        if (place.region == NULL) continue;
        place.region->modes |= 1u << op->form->mode;
        const bool commutes = !order_stays(op) && place.region->modes == 1u << op->form->mode;
        if (!commutes && place_forget(&place, op->memory.bytes) != WB_OK) return warp_no_memory(warp, op);
    }
    return WB_OK;
}

wb_status atomic_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint64_t addresses[WARP_LANES];
    if (mask == 0) return WB_OK;
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, addresses));
    WB_TRY(access_record(warp, op, &op->memory.address, mask, addresses,
                         (struct access_kind){.bytes = op->memory.bytes * op->memory.count,
                                              .is_store = true,
                                              .is_atomic = true}));
    if (op->memory.uncomputed) {
        warp_forget_outputs(warp, op, mask, op->index);
        WB_TRY(forget_bytes(warp, op, mask, false));
    } else {
        if (warp->run->module->code != NULL)
            base_region_write(warp, warp_slot(warp, op->destination), mask, BASE_REGION_NONE);
        FOR_LANES_OF(l, mask) WB_TRY(atomic_lane(warp, op, l, addresses[l]));
    }
    return leaves_order_open(warp->run) ? forget_order(warp, op, mask, addresses) : WB_OK;
}
