#include "warp/interpret/execute.h"

#include <assert.h>
#include <inttypes.h>

#include "warp/alu/lanes.h"
#include "warp/interpret/base_region.h"

bool access_addresses_known(const struct warp *warp, const struct micro_address *address, uint32_t mask,
                            uint64_t addresses[WARP_LANES]) {
    const struct lanes *from = warp_slot(warp, address->base);
    uint64_t window = address_window(address->space), cut = address->mask, offset = address->offset;
    FOR_LANES(l) addresses[l] = ((from->value[l] + offset) & cut) + window;
    bool known = (mask & ~from->known) == 0;
    if (address->space == PTX_GENERIC && warp->run->module->code != NULL)
        FOR_LANES(l) addresses[l] = address_of_machine(addresses[l]);
    if (window == 0 || !known) return known;
    FOR_LANES_OF(l, mask) known &= in_window(addresses[l], window);
    return known;
}

wb_status access_addresses(struct warp *warp, const struct micro *op, const struct micro_address *address,
                           uint32_t mask, uint64_t addresses[WARP_LANES]) {
    if (access_addresses_known(warp, address, mask, addresses)) return WB_OK;
    uint32_t unknown = mask & ~warp_slot(warp, address->base)->known;
    if (unknown != 0) return warp_decline(warp, op, address->base, unknown, NEED_ADDRESS);
    uint64_t window = address_window(address->space);
    FOR_LANES_OF(l, mask) {
        if (in_window(addresses[l], window)) continue;
        return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u: address 0x%" PRIx64 " is not in .%s", l,
                         warp->number, addresses[l] - window, ptx_space_name((enum ptx_space)address->space));
    }
    return WB_OK;
}

/* Whether an address is in no region although some window holds its number: an address of global memory that
 * the launch gave as a plain number. */
static bool is_plain_number(const struct run *run, const struct micro *op, uint64_t address, bool is_store) {
    if (!run->allow_unmapped || address >= GLOBAL_START) return false;
    bool copies_from = op->form->op == PTX_OP_CP_ASYNC && !is_store;
    return (copies_from ? op->form->space_from : op->form->space) == PTX_SPACE_GLOBAL;
}

struct region *access_common_region(const struct warp *warp, const struct micro *op, uint32_t mask,
                                    const uint64_t addresses[WARP_LANES], uint32_t bytes, uint32_t align) {
    assert(mask != 0 && (align & (align - 1)) == 0);
    struct memory *memory = &warp->run->memory;
    uint32_t *hint = &warp->run->program.hints[op->index];
    uint64_t first = addresses[__builtin_ctz(mask)], misaligned = 0, outside = 0;
    struct region *region = *hint < memory->regions.count ? &memory->regions.items[*hint] : NULL;
    if (region == NULL || first - region->base >= region->size) {
        region = memory_find(memory, first);
        if (region == NULL) return NULL;
        *hint = (uint32_t)(region - memory->regions.items);
    }
    if (region->size < bytes) return NULL;
    if (is_plain_number(warp->run, op, first, false)) return NULL;
    uint64_t base = region->base, last = region->size - bytes;
    if (mask == LANES_ALL) {
        FOR_LANES(l) {
            misaligned |= addresses[l];
            outside |= addresses[l] - base > last;
        }
    } else {
        FOR_LANES_OF(l, mask) {
            misaligned |= addresses[l];
            outside |= addresses[l] - base > last;
        }
    }
    return outside != 0 || (misaligned & (align - 1)) != 0 ? NULL : region;
}

/* The regions around an address, in its window; NULL where there is none. */
struct neighbours {
    const struct region *before, *behind;
};

static struct neighbours neighbours_of(const struct memory *memory, uint64_t address) {
    struct neighbours found = {0};
    for (size_t i = 0; i < memory->regions.count; i++) {
        const struct region *region = &memory->regions.items[i];
        if (address_space_of(region->base) != address_space_of(address)) continue;
        if (region->base <= address) found.before = region;
        if (region->base > address && found.behind == NULL) found.behind = region;
    }
    return found;
}

/* How far behind the end of a region an address is; 0 in its last bytes. */
static uint64_t bytes_behind(const struct region *region, uint64_t address) {
    uint64_t offset = address - region->base;
    return offset > region->size ? offset - region->size : 0;
}

/* Where an address is that is in no region: what lies nearest on both sides, the nearer first. */
static void describe_outside(const struct memory *memory, uint64_t address, struct text *out) {
    const struct neighbours near = neighbours_of(memory, address);
    struct text before = {0};
    if (near.before == NULL && near.behind == NULL)
        text_printf(out, "at 0x%" PRIx64 ", where nothing is", address);
    if (near.before != NULL)
        text_printf(&before, "at offset %" PRIu64 " of %s, which has %" PRIu64 " bytes",
                    address - near.before->base, near.before->name, near.before->size);
    bool behind_first =
        near.behind != NULL &&
        (near.before == NULL || near.behind->base - address < bytes_behind(near.before, address));
    if (near.before != NULL && !behind_first) text_printf(out, "%s", before.data);
    if (near.behind != NULL)
        text_printf(out, "%s%" PRIu64 " bytes before %s", behind_first ? "" : ", ",
                    near.behind->base - address, near.behind->name);
    if (near.before != NULL && behind_first) text_printf(out, ", %s", before.data);
    if (behind_first && address_space_of(near.behind->base) == PTX_SPACE_GLOBAL)
        text_string(out, "; buf:TYPE[COUNT]+ELEMENT passes a pointer into a buffer");
    out->failed |= before.failed;
    text_free(&before);
}

static wb_status fail_outside(const struct warp *warp, const struct micro *op, uint32_t lane,
                              uint64_t address, uint32_t bytes, const char *verb) {
    struct text where = {0};
    describe_outside(&warp->run->memory, address, &where);
    wb_status status = where.failed ? warp_no_memory(warp, op)
                                    : warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u %s %u bytes %s",
                                                lane, warp->number, verb, bytes, where.data);
    text_free(&where);
    return status;
}

/* A place whose bytes are unknown, and forgotten when they are written. */
static struct place unmapped_place(struct run *run) {
    run->unmapped.known = 0;
    return (struct place){run->unmapped.bytes, &run->unmapped.known, 0, NULL};
}

wb_status access_place(const struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address,
                       uint32_t bytes, bool is_store, struct place *place) {
    const char *verb = is_store ? "writes" : "reads";
    assert(lane < WARP_LANES && bytes != 0);
    if ((address & (bytes - 1)) != 0)
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "lane %u of warp %u %s %u bytes at 0x%" PRIx64 ", which is not aligned to them",
                         lane, warp->number, verb, bytes, address);
    struct run *run = warp->run;
    uint64_t offset = address - LOCAL_WINDOW;
    if (is_plain_number(run, op, address, is_store)) {
        *place = unmapped_place(run);
        return WB_OK;
    }
    if (offset < warp->local.size && warp->local.size - offset >= bytes) {
        *place = local_place(&warp->local, lane, offset);
        return WB_OK;
    }
    struct region *region = memory_find(&run->memory, address);
    bool outside = region == NULL || region->size - (address - region->base) < bytes;
    if (outside && run->allow_unmapped) {
        *place = unmapped_place(run);
        return WB_OK;
    }
    if (outside) return fail_outside(warp, op, lane, address, bytes, verb);
    if (is_store && !region->writable)
        return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u writes to %s, which is read-only", lane,
                         warp->number, region->name);
    region->stored |= is_store;
    *place = region_place(region, address - region->base);
    return WB_OK;
}

bool access_is_shared(const struct run *run, const struct micro *op) {
    switch (op->form->space) {
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_LOCAL: return false;
    case PTX_SPACE_SHARED: return run->warp_count > 1 || op->form->shared_cluster;
    default: return true;
    }
}

bool access_is_possible(const struct warp *warp, uint64_t address, uint32_t bytes, bool is_store) {
    uint64_t offset = address - LOCAL_WINDOW;
    if ((address & (bytes - 1)) != 0) return false;
    if (offset < warp->local.size) return warp->local.size - offset >= bytes;
    const struct region *region = memory_find(&warp->run->memory, address);
    if (region == NULL || region->size - (address - region->base) < bytes) return false;
    return region->writable || !is_store;
}

/* Whether the addresses of the lanes of `mask` are base + stride * lane. */
static bool find_stride(uint32_t mask, const uint64_t addresses[WARP_LANES], struct access *access) {
    uint32_t first = (uint32_t)__builtin_ctz(mask), rest = mask & (mask - 1);
    access->stride = 0;
    if (rest != 0) {
        uint32_t second = (uint32_t)__builtin_ctz(rest);
        int64_t step = (int64_t)(addresses[second] - addresses[first]);
        access->stride = step / (int64_t)(second - first);
    }
    access->base = addresses[first] - (uint64_t)access->stride * first;
    uint64_t expected = addresses[first];
    for (uint32_t l = first; l < WARP_LANES; l++, expected += (uint64_t)access->stride)
        if ((mask >> l & 1) != 0 && addresses[l] != expected) return false;
    return true;
}

/* The state space of a lane's address: resolves generic addresses, and distinguishes the memory through which
 * calls pass values from local memory. */
static uint8_t space_of(const struct micro *op, const struct micro_address *address, uint64_t at) {
    if (address->space == PTX_SPACE_GLOBAL && at < GLOBAL_START) return PTX_SPACE_GLOBAL;
    if (op->form->space == PTX_SPACE_PARAM) return PTX_SPACE_PARAM;
    uint8_t space = address_space_of(at);
    return space == PTX_GENERIC ? PTX_SPACE_GLOBAL : space;
}

/* The lanes of `mask` whose addresses are in the state space of the first one's. */
static uint32_t lanes_of_space(const struct micro *op, const struct micro_address *address, uint32_t mask,
                               const uint64_t addresses[WARP_LANES], uint8_t space) {
    uint32_t same = 0;
    if (address->space != PTX_GENERIC) return mask;
    FOR_LANES_OF(l, mask) same |= (uint32_t)(space_of(op, address, addresses[l]) == space) << l;
    return same;
}

/* Records among which one of an instruction with the same table is looked for. */
#define TABLE_LOOKBACK 128u

static bool has_table(const uint64_t *table, const uint64_t addresses[WARP_LANES],
                      const struct access *access) {
    FOR_LANES_OF(l, access->mask) if (access->base + *table++ != addresses[l]) return false;
    return true;
}

/* Gives an access the table of a record before of the same instruction that has the same addresses but for
 * where they start: in loops. */
static bool share_table(const struct access_list *list, const uint64_t addresses[WARP_LANES],
                        struct access *access) {
    const size_t count = list->items.count, end = count > TABLE_LOOKBACK ? count - TABLE_LOOKBACK : 0;
    for (size_t i = count; i-- > end;) {
        const struct access *before = &list->items.items[i];
        if (before->instruction != access->instruction || before->mask != access->mask ||
            before->space != access->space || before->table >= list->tables.count ||
            !has_table(list->tables.items + before->table, addresses, access))
            continue;
        access->table = before->table;
        return true;
    }
    return false;
}

wb_status access_append(struct access_list *list, const uint64_t addresses[WARP_LANES],
                        struct access *access) {
    assert(list->items.count == 0 || list->items.items[list->items.count - 1].step <= access->step);
    assert(access->mask != 0 && (access->unsure & ~access->mask) == 0);
    if (!find_stride(access->mask, addresses, access)) {
        access->base = addresses[__builtin_ctz(access->mask)];
        access->stride = 0;
        if (share_table(list, addresses, access)) return vec_push(&list->items, *access);
        access->table = (uint32_t)list->tables.count;
        WB_TRY(vec_reserve(&list->tables, WARP_LANES));
        FOR_LANES_OF(l, access->mask) list->tables.items[list->tables.count++] = addresses[l] - access->base;
    }
    return vec_push(&list->items, *access);
}

/* Most accesses that are recorded of one warp, and addresses that are no base and stride. */
#define RECORDS_MAX ((size_t)1 << 24)
#define TABLE_MAX ((size_t)1 << 26)

/* That no more records fit. */
#define NO_ROOM "warp %u: more accesses than can be recorded; bound a launch whose warps do less"

/* WB_ERR_LIMIT with a message when no more records fit. */
static wb_status check_room(const struct warp *warp, const struct micro *op) {
    const struct access_list *list = warp->accesses;
    if (list->items.count < RECORDS_MAX && list->tables.count < TABLE_MAX) return WB_OK;
    return warp_fail(warp, op, WB_ERR_LIMIT, NO_ROOM, warp->number);
}

/* The memory that an access to addresses some of which are not known stays inside of, as in struct access. */
static uint32_t object_of(const struct warp *warp, const struct micro_address *address, uint32_t mask) {
    const struct memory *memory = &warp->run->memory;
    uint64_t base_region = BASE_REGION_NO_LANES;
    if (address->space != PTX_SPACE_GLOBAL) return 0;
    base_region_of_lanes(warp->run, warp_slot(warp, address->base), mask, &base_region);
    for (size_t r = 0; base_region != BASE_REGION_NONE && r < memory->regions.count; r++)
        if (memory->regions.items[r].base == base_region) return (uint32_t)r + 1;
    return 0;
}

/* Where accesses of an instruction are recorded, NULL: nowhere. Constants that an instruction of machine code
 * has as operands are no accesses of its own. */
static struct access_list *records_of(const struct warp *warp, const struct micro *op,
                                      const struct micro_address *address) {
    const bool constant = address->space == PTX_SPACE_PARAM || address->space == PTX_SPACE_CONST;
    return !op->issued && constant ? NULL : warp->accesses;
}

wb_status access_record_unknown(struct warp *warp, const struct micro *op,
                                const struct micro_address *address, uint32_t mask, struct access_kind kind) {
    struct access_list *list = records_of(warp, op, address);
    bool generic = address->space == PTX_GENERIC;
    /* Local memory, whose words are interleaved over the lanes, may take more requests than global memory. */
    uint8_t slowest = warp->local.size != 0 ? PTX_SPACE_LOCAL : PTX_SPACE_GLOBAL;
    struct access access = {.step = warp->path.path.length,
                            .instruction = op->index,
                            .mask = mask,
                            .table = ACCESS_UNKNOWN,
                            .unsure = mask & warp->doubtful,
                            .object = object_of(warp, address, mask),
                            .bytes = (uint8_t)kind.bytes,
                            .space = generic ? slowest : address->space,
                            .is_store = kind.is_store,
                            .is_atomic = kind.is_atomic};
    if (list == NULL || mask == 0) return WB_OK;
    WB_TRY(check_room(warp, op));
    if (vec_push(&list->items, access) != WB_OK) return warp_no_memory(warp, op);
    access.space = PTX_SPACE_SHARED;
    if (generic && vec_push(&list->items, access) != WB_OK) return warp_no_memory(warp, op);
    return WB_OK;
}

wb_status access_record(struct warp *warp, const struct micro *op, const struct micro_address *address,
                        uint32_t mask, const uint64_t addresses[WARP_LANES], struct access_kind kind) {
    struct access_list *list = records_of(warp, op, address);
    while (list != NULL && mask != 0) {
        uint64_t first = addresses[__builtin_ctz(mask)], relative[WARP_LANES];
        uint8_t space = space_of(op, address, first);
        struct access access = {
            .step = warp->path.path.length,
            .instruction = op->index,
            .mask = lanes_of_space(op, address, mask, addresses, space),
            .table = ACCESS_AFFINE,
            .bytes = (uint8_t)kind.bytes,
            .space = space,
            .is_store = kind.is_store,
            .is_atomic = kind.is_atomic,
        };
        bool in_frame = space == PTX_SPACE_PARAM && in_window(first, LOCAL_WINDOW);
        uint64_t window = in_frame ? LOCAL_WINDOW : address_window(space);
        access.unsure = access.mask & warp->doubtful;
        FOR_LANES(l) relative[l] = addresses[l] - window;
        WB_TRY(check_room(warp, op));
        if (access_append(list, relative, &access) != WB_OK) return warp_no_memory(warp, op);
        mask &= ~access.mask;
    }
    return WB_OK;
}

/* ---- Passes of loops ---- */

/* The addresses of the lanes of a record, from the start of the space. */
static void addresses_of(const struct access_list *list, const struct access *access,
                         uint64_t addresses[WARP_LANES]) {
    FOR_LANES_OF(l, access->mask) addresses[l] = access_address(access, list->tables.items, l);
}

bool access_lists_alike(const struct access_list *a, const struct access_list *b) {
    bool alike = a->items.count == b->items.count;
    for (size_t i = 0; alike && i < a->items.count; i++) {
        const struct access *x = &a->items.items[i], *y = &b->items.items[i];
        alike = x->instruction == y->instruction && x->mask == y->mask && x->bytes == y->bytes &&
                x->space == y->space && x->is_store == y->is_store && x->is_atomic == y->is_atomic &&
                x->table != ACCESS_UNKNOWN && y->table != ACCESS_UNKNOWN;
    }
    return alike;
}

/* Whether the addresses of two records in tables differ by one number: then a record of a later pass shares
 * the table of the pass before, if that is among those that are looked at. */
static bool moves_as_whole(const struct access_list *pass, const struct access *from,
                           const struct access_list *next, const struct access *to) {
    const size_t lanes = (size_t)__builtin_popcount(from->mask);
    return pass->items.count <= TABLE_LOOKBACK && from->table != ACCESS_AFFINE &&
           to->table != ACCESS_AFFINE &&
           memcmp(pass->tables.items + from->table, next->tables.items + to->table,
                  lanes * sizeof *pass->tables.items) == 0;
}

/* Appends the record as it is `passes` passes later. */
static wb_status append_later(struct access_list *list, struct access access, const struct access_list *pass,
                              const struct access_list *next, size_t at, uint64_t passes) {
    const struct access *from = &pass->items.items[at], *to = &next->items.items[at];
    uint64_t addresses[WARP_LANES], first[WARP_LANES], second[WARP_LANES];
    const bool affine = from->table == ACCESS_AFFINE && to->table == ACCESS_AFFINE;
    if (access.table == ACCESS_AFFINE ? affine && from->stride == to->stride
                                      : moves_as_whole(pass, from, next, to)) {
        access.base += passes * (to->base - from->base);
        return vec_push(&list->items, access);
    }
    addresses_of(list, &access, addresses);
    addresses_of(pass, from, first);
    addresses_of(next, to, second);
    FOR_LANES_OF(l, access.mask) addresses[l] += passes * (second[l] - first[l]);
    access.table = ACCESS_AFFINE;
    return access_append(list, addresses, &access);
}

wb_status access_need_room(const struct warp *warp, uint64_t passes, size_t count) {
    const struct run *run = warp->run;
    const size_t room = warp->accesses == NULL ? SIZE_MAX : RECORDS_MAX - warp->accesses->items.count;
    if (count == 0 || passes <= room / count) return WB_OK;
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel), NO_ROOM, warp->number);
    return WB_ERR_LIMIT;
}

wb_status access_repeat(struct access_list *list, const struct access_list *pass,
                        const struct access_list *next, uint64_t length, uint64_t times) {
    const size_t count = pass->items.count, begin = list->items.count - count;
    assert(list->items.count >= count && next->items.count == count);
    for (uint64_t k = 1; k <= times; k++)
        for (size_t i = 0; i < count; i++) {
            struct access access = list->items.items[begin + i];
            assert(access.instruction == pass->items.items[i].instruction &&
                   access.mask == pass->items.items[i].mask);
            access.step += k * length;
            if (list->tables.count >= TABLE_MAX) return WB_ERR_LIMIT;
            WB_TRY(append_later(list, access, pass, next, i, k));
        }
    return WB_OK;
}
