/* From the addresses of an instruction to the accesses that the simulator makes of it. */
#include "sim/gpgpusim_sm.h"

#define SECTOR_BYTES 32u
#define WORD_BYTES 4u

/* Lanes whose words of one local address make up a sector. */
#define LOCAL_LANES (SECTOR_BYTES / WORD_BYTES)

/* The address that lane `lane` of a record accesses; `rank` is its place among the record's lanes. */
static uint64_t lane_address(const struct gs_sm *sm, const struct gs_flight *flight,
                             const struct access *access, uint32_t lane, uint32_t rank) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    return sm->block->accesses[flight->warp].tables.items[access->table + rank];
}

/* Adds a value to an ascending list in which it may stand already. Lanes mostly come in ascending order. */
static void add_ascending(uint64_t *list, uint32_t *count, uint64_t value) {
    uint32_t place = *count;
    while (place > 0 && list[place - 1] > value)
        place--;
    if ((place > 0 && list[place - 1] == value) || *count == GS_SECTORS_MAX) return;
    for (uint32_t i = *count; i > place; i--)
        list[i] = list[i - 1];
    list[place] = value;
    ++*count;
}

/* Words that all threads of the SM have at one local address: the simulator lays them side by side. */
static uint64_t local_words(const struct gs_sm *sm) {
    const uint32_t *size = sm->block->size;
    const struct machine_limits *limits = &sm->timed->machine->limits;
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t padded = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
    uint64_t blocks = limits->threads / padded;
    if (limits->blocks < blocks) blocks = limits->blocks;
    return padded * (blocks > 0 ? blocks : 1);
}

/* The sectors of lane `lane` at its local address `address`, one a word. */
static void add_local(const struct gs_sm *sm, const struct gs_flight *flight, uint64_t address, uint32_t lane,
                      uint64_t *sectors, uint32_t *count) {
    uint32_t bytes = flight->inst->data_bytes;
    uint64_t thread = (uint64_t)flight->warp * WARP_LANES + lane;
    for (uint32_t word = 0; word * WORD_BYTES < bytes; word++) {
        uint64_t position = (address / WORD_BYTES + word) * local_words(sm) + thread;
        add_ascending(sectors, count, position / LOCAL_LANES);
    }
}

/* The sectors of one record. */
static void add_record(const struct gs_sm *sm, const struct gs_flight *flight, const struct access *access,
                       uint64_t *sectors, uint32_t *count) {
    uint32_t rank = 0;
    for (uint32_t lanes = access->mask; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t address = lane_address(sm, flight, access, lane, rank++);
        if (access->space == PTX_SPACE_LOCAL) {
            add_local(sm, flight, address, lane, sectors, count);
            continue;
        }
        add_ascending(sectors, count, address / SECTOR_BYTES);
        add_ascending(sectors, count, (address + flight->inst->data_bytes - 1) / SECTOR_BYTES);
    }
}

uint32_t gs_store_sectors(const struct gs_sm *sm, const struct gs_flight *flight,
                          uint64_t sectors[GS_SECTORS_MAX]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < flight->access_count; i++)
        add_record(sm, flight, &flight->accesses[i], sectors, &count);
    return count;
}

/* The addresses of all lanes, ascending: their number. */
static uint32_t sorted_addresses(const struct gs_sm *sm, const struct gs_flight *flight,
                                 uint64_t addresses[WARP_LANES]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < flight->access_count; i++) {
        const struct access *access = &flight->accesses[i];
        uint32_t rank = 0;
        for (uint32_t lanes = access->mask; lanes != 0 && count < WARP_LANES; lanes &= lanes - 1) {
            uint64_t address = lane_address(sm, flight, access, (uint32_t)__builtin_ctz(lanes), rank++);
            uint32_t place = count++;
            for (; place > 0 && addresses[place - 1] > address; place--)
                addresses[place] = addresses[place - 1];
            addresses[place] = address;
        }
    }
    return count;
}

uint32_t gs_atomic_accesses(const struct gs_sm *sm, const struct gs_flight *flight) {
    uint64_t addresses[WARP_LANES];
    uint32_t count = sorted_addresses(sm, flight, addresses);
    uint32_t accesses = 0;
    uint32_t same = 0; /* lanes so far at this address */
    uint32_t most = 0; /* at one address of this sector */
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || addresses[i] / SECTOR_BYTES != addresses[i - 1] / SECTOR_BYTES) most = 0;
        same = i > 0 && addresses[i] == addresses[i - 1] ? same + 1 : 1;
        if (same <= most) continue;
        most = same;
        accesses++;
    }
    return accesses;
}

bool gs_accesses_shared(const struct gs_flight *flight) {
    if (flight->access_count > 0) return flight->accesses[0].space == PTX_SPACE_SHARED;
    return flight->inst->space == PTX_SPACE_SHARED;
}
