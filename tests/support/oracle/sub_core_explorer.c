#include "sub_core_explorer.h"

#include <stdlib.h>
#include <string.h>

#define SMS 2
#define ROOMS 4
#define WARPS 4
#define INSTS 12
#define UNITS 4
#define SUB_CORES 4
#define INSTANCES 2
#define WAITING 3    /* most entries of a finite queue */
#define TIME_MAX 250 /* from the present on */

/* Times in states are counted from the present, and 0 when they are past. */
struct warp {
    uint8_t next, held, from; /* held: by a barrier; it may issue from `from` on */
    uint8_t ready[INSTS];     /* results of its instructions */
};

struct room {
    uint8_t taken, used, kind;
    uint8_t start, last; /* its block may issue; the latest completion so far */
    struct warp warps[WARPS];
};

struct unit {
    uint8_t free_at[INSTANCES];
    uint8_t starts[WAITING]; /* of what waits for it; 0: none */
};

struct sm {
    struct room rooms[ROOMS];
    struct unit units[SUB_CORES][UNITS]; /* a shared one is of sub-core 0 */
    uint8_t issued[SUB_CORES];           /* in the present cycle */
    uint8_t got;
};

struct state {
    uint8_t left[SUB_CORE_KINDS];
    uint8_t dispatcher; /* is at work until then */
    uint8_t next_own[SMS];
    struct sm sms[SMS];
};

struct search {
    const struct sub_core_grid *grid;
    uint32_t blocks, warps;
    bool round_robin;  /* all blocks start at once, in turn */
    bool used_matters; /* whether a room has been used */
    bool failed;       /* a time too long, too many states */
    uint8_t kind_of[256];
    uint8_t sub_core[ROOMS][WARPS];                    /* of the warps of a room */
    uint8_t last_reader[SUB_CORE_KINDS][WARPS][INSTS]; /* 0: nobody reads it */
    /* what is known: an open hash table of keys and the longest time from each on */
    uint32_t states, states_most, slots;
    struct slot {
        uint64_t hash;
        size_t key;
        uint32_t length, longest;
    } * table;
    uint8_t *keys;
    size_t keys_used, keys_room;
};

static const struct sub_core_program *program_of(const struct search *search, const struct room *room,
                                                 uint32_t w) {
    return &search->grid->kinds[room->kind].programs[w];
}

static const struct sub_core_inst *head(const struct search *search, const struct room *room, uint32_t w) {
    const struct sub_core_program *program = program_of(search, room, w);
    return room->warps[w].next < program->count ? &program->insts[room->warps[w].next] : NULL;
}

static uint32_t warps_in(const struct search *search, const struct room *room) {
    return search->grid->kinds[room->kind].warps;
}

static struct unit *unit_of(const struct search *search, struct sm *sm, uint32_t sub_core, uint32_t unit) {
    return &sm->units[search->grid->units[unit].shared ? 0 : sub_core][unit];
}

/* ---- Keys: what of a state matters, alike for rooms and SMs that are alike. ---- */

struct key {
    uint32_t length;
    uint8_t bytes[1536];
};

static uint32_t put_room(const struct search *search, const struct room *room, uint8_t *out) {
    uint32_t n = 0;
    out[n++] = (uint8_t)((room->taken ? room->kind + 2u : 0u) << 1 | (search->used_matters && room->used));
    if (!room->taken) return n;
    out[n++] = room->start;
    out[n++] = room->last;
    for (uint32_t w = 0; w < warps_in(search, room); w++) {
        const struct warp *warp = &room->warps[w];
        out[n++] = (uint8_t)(warp->next << 1 | warp->held);
        out[n++] = warp->from;
        for (uint32_t i = 0; i < warp->next; i++)
            if (search->last_reader[room->kind][w][i] >= warp->next) out[n++] = warp->ready[i];
    }
    return n;
}

struct piece {
    uint32_t at, length;
};

static int compare_pieces(const uint8_t *bytes, struct piece a, struct piece b) {
    const uint32_t shorter = a.length < b.length ? a.length : b.length;
    const int order = memcmp(bytes + a.at, bytes + b.at, shorter);
    return order != 0 ? order : (int)a.length - (int)b.length;
}

static void put_sm(const struct search *search, const struct sm *sm, struct key *key) {
    const struct sub_core_grid *grid = search->grid;
    uint8_t rooms[512];
    struct piece pieces[ROOMS];
    uint32_t used = 0;
    for (uint32_t r = 0; r < grid->rooms; r++) {
        pieces[r] = (struct piece){used, put_room(search, &sm->rooms[r], rooms + used)};
        used += pieces[r].length;
    }
    /* Rooms whose first warps are of one sub-core can change places. */
    for (uint32_t a = 0; a < grid->rooms; a++) {
        for (uint32_t b = a + 1; b < grid->rooms; b++) {
            if (search->sub_core[a][0] != search->sub_core[b][0] ||
                compare_pieces(rooms, pieces[a], pieces[b]) <= 0)
                continue;
            const struct piece piece = pieces[a];
            pieces[a] = pieces[b];
            pieces[b] = piece;
        }
    }
    for (uint32_t r = 0; r < grid->rooms; r++) {
        memcpy(key->bytes + key->length, rooms + pieces[r].at, pieces[r].length);
        key->length += pieces[r].length;
    }
    for (uint32_t c = 0; c < grid->sub_cores; c++) {
        for (uint32_t u = 0; u < grid->unit_count; u++) {
            const struct unit *unit = &sm->units[c][u];
            if (grid->units[u].shared && c > 0) continue;
            for (uint32_t i = 0; i < grid->units[u].instances; i++)
                key->bytes[key->length++] = unit->free_at[i];
            for (uint32_t i = 0; grid->depth != DEPTH_UNLIMITED && i < grid->depth; i++)
                key->bytes[key->length++] = unit->starts[i];
        }
    }
    if (search->round_robin || grid->is_static) key->bytes[key->length++] = sm->got;
}

static void make_key(const struct search *search, const struct state *state, struct key *key) {
    const struct sub_core_grid *grid = search->grid;
    key->length = 0;
    for (uint32_t k = 0; k < grid->kind_count; k++)
        key->bytes[key->length++] = state->left[k];
    key->bytes[key->length++] = state->dispatcher;
    if (grid->sms == 1) {
        put_sm(search, &state->sms[0], key);
        return;
    }
    struct key sms[SMS] = {{0}, {0}};
    for (uint32_t s = 0; s < SMS; s++)
        put_sm(search, &state->sms[s], &sms[s]);
    const bool swap = !grid->is_static && (sms[0].length != sms[1].length
                                               ? sms[0].length > sms[1].length
                                               : memcmp(sms[0].bytes, sms[1].bytes, sms[0].length) > 0);
    for (uint32_t i = 0; i < SMS; i++) {
        const struct key *sm = &sms[swap ? SMS - 1 - i : i];
        memcpy(key->bytes + key->length, sm->bytes, sm->length);
        key->length += sm->length;
    }
}

static uint64_t hash_of(const struct key *key) {
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ key->length;
    for (uint32_t i = 0; i < key->length; i++) {
        hash = (hash ^ key->bytes[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

/* The slot of a key: its own, or the empty one where it belongs. */
static struct slot *find(struct search *search, const struct key *key, uint64_t hash) {
    for (uint64_t i = hash;; i++) {
        struct slot *slot = &search->table[i & (search->slots - 1)];
        if (slot->length == 0) return slot;
        if (slot->hash == hash && slot->length == key->length &&
            memcmp(search->keys + slot->key, key->bytes, key->length) == 0)
            return slot;
    }
}

/* Doubles the table before it is full. */
static void make_room(struct search *search) {
    struct slot *old = search->table;
    const uint32_t count = search->slots;
    if (search->states * 2 < count) return;
    search->slots *= 2;
    search->table = calloc(search->slots, sizeof *search->table);
    if (search->table == NULL) abort();
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = old[i].hash;
        if (old[i].length == 0) continue;
        while (search->table[at & (search->slots - 1)].length > 0)
            at++;
        search->table[at & (search->slots - 1)] = old[i];
    }
    free(old);
}

static void remember(struct search *search, const struct key *key, uint64_t hash, uint32_t longest) {
    if (search->states == search->states_most) {
        search->failed = true;
        return;
    }
    if (search->keys_used + key->length > search->keys_room) {
        search->keys_room = search->keys_room * 2 + sizeof key->bytes;
        search->keys = realloc(search->keys, search->keys_room);
        if (search->keys == NULL) abort();
    }
    make_room(search);
    struct slot *slot = find(search, key, hash);
    *slot = (struct slot){hash, search->keys_used, key->length, longest};
    memcpy(search->keys + search->keys_used, key->bytes, key->length);
    search->keys_used += key->length;
    search->states++;
}

/* ---- Time ---- */

static uint8_t later(struct search *search, uint32_t time) {
    if (time > TIME_MAX) search->failed = true;
    return (uint8_t)(time > TIME_MAX ? TIME_MAX : time);
}

static void see(uint32_t time, uint32_t *next) {
    if (time > 0 && time < *next) *next = time;
}

/* The next time at which anything changes by itself; UINT32_MAX: nothing does. */
static uint32_t next_event(const struct search *search, const struct state *state) {
    const struct sub_core_grid *grid = search->grid;
    uint32_t next = UINT32_MAX;
    see(state->dispatcher, &next);
    for (uint32_t s = 0; s < grid->sms; s++) {
        for (uint32_t r = 0; r < grid->rooms; r++) {
            const struct room *room = &state->sms[s].rooms[r];
            if (!room->taken) continue;
            see(room->start, &next);
            see(room->last, &next);
            for (uint32_t w = 0; w < warps_in(search, room); w++) {
                see(room->warps[w].from, &next);
                for (uint32_t i = 0; i < room->warps[w].next; i++)
                    see(room->warps[w].ready[i], &next);
            }
        }
        for (uint32_t c = 0; c < grid->sub_cores; c++) {
            for (uint32_t u = 0; u < grid->unit_count; u++) {
                for (uint32_t i = 0; i < INSTANCES; i++)
                    see(state->sms[s].units[c][u].free_at[i], &next);
                for (uint32_t i = 0; i < WAITING; i++)
                    see(state->sms[s].units[c][u].starts[i], &next);
            }
        }
    }
    return next;
}

static void pass(uint8_t *time, uint32_t cycles_passed) {
    *time = (uint8_t)(*time > cycles_passed ? *time - cycles_passed : 0);
}

static void pass_unit(struct unit *unit, uint32_t passed) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < INSTANCES; i++)
        pass(&unit->free_at[i], passed);
    for (uint32_t i = 0; i < WAITING; i++) {
        uint8_t start = unit->starts[i];
        unit->starts[i] = 0;
        pass(&start, passed);
        if (start > 0) unit->starts[waiting++] = start;
    }
}

static void advance(const struct search *search, struct state *state, uint32_t passed) {
    const struct sub_core_grid *grid = search->grid;
    pass(&state->dispatcher, passed);
    for (uint32_t s = 0; s < grid->sms; s++) {
        struct sm *sm = &state->sms[s];
        memset(sm->issued, 0, sizeof sm->issued);
        for (uint32_t r = 0; r < grid->rooms; r++) {
            struct room *room = &sm->rooms[r];
            if (!room->taken) continue;
            pass(&room->start, passed);
            pass(&room->last, passed);
            for (uint32_t w = 0; w < warps_in(search, room); w++) {
                pass(&room->warps[w].from, passed);
                for (uint32_t i = 0; i < room->warps[w].next; i++)
                    pass(&room->warps[w].ready[i], passed);
            }
        }
        for (uint32_t c = 0; c < grid->sub_cores; c++)
            for (uint32_t u = 0; u < grid->unit_count; u++)
                pass_unit(&sm->units[c][u], passed);
    }
}

/* ---- What leaves no choice ---- */

/* Bare barriers that warps reach, and the release of the barrier that all hold. True when anything happened.
 */
static bool settle(struct search *search, struct room *room) {
    bool any = false, all_held = true, some_held = false;
    uint32_t arrived = 0;
    for (uint32_t w = 0; w < warps_in(search, room); w++) {
        struct warp *warp = &room->warps[w];
        const struct sub_core_inst *inst = head(search, room, w);
        if (!warp->held && warp->from == 0 && inst != NULL && inst->bare) {
            warp->held = 1;
            warp->next++;
            any = true;
        }
        some_held |= warp->held;
        all_held &= warp->held || head(search, room, w) == NULL;
        if (warp->from > arrived) arrived = warp->from;
    }
    if (!some_held || !all_held || arrived > 0) return any;
    for (uint32_t w = 0; w < warps_in(search, room); w++) {
        if (room->warps[w].held) room->warps[w].from = later(search, search->grid->release);
        room->warps[w].held = 0;
    }
    return true;
}

static bool ended(const struct search *search, const struct room *room) {
    for (uint32_t w = 0; w < warps_in(search, room); w++)
        if (room->warps[w].held || head(search, room, w) != NULL) return false;
    return room->start == 0 && room->last == 0;
}

static void begin_cycle(struct search *search, struct state *state) {
    for (uint32_t s = 0; s < search->grid->sms; s++) {
        for (uint32_t r = 0; r < search->grid->rooms; r++) {
            struct room *room = &state->sms[s].rooms[r];
            if (!room->taken) continue;
            while (room->start == 0 && settle(search, room))
                continue;
            if (!ended(search, room)) continue;
            const uint8_t used = room->used;
            memset(room, 0, sizeof *room);
            room->used = used;
        }
    }
}

/* ---- Choices ---- */

static uint32_t longest_from(struct search *search, struct state *state);

static bool blocks_left(const struct search *search, const struct state *state) {
    for (uint32_t k = 0; k < search->grid->kind_count; k++)
        if (state->left[k] > 0) return true;
    return false;
}

/* Whether the next block may go to the SM; *only: the kind it must be of, if there is one. */
static bool may_get(const struct search *search, const struct state *state, uint32_t s, int *only) {
    *only = -1;
    if (search->grid->is_static) {
        if (state->next_own[s] >= search->blocks) return false;
        *only = search->kind_of[state->next_own[s]];
        return true;
    }
    for (uint32_t other = 0; search->round_robin && other < search->grid->sms; other++)
        if (state->sms[other].got < state->sms[s].got) return false;
    return true;
}

static void place(struct search *search, struct state *state, uint32_t s, uint32_t r, uint32_t k) {
    const struct sub_core_grid *grid = search->grid;
    struct room *room = &state->sms[s].rooms[r];
    const bool again = room->used != 0;
    memset(room, 0, sizeof *room);
    room->taken = room->used = 1;
    room->kind = (uint8_t)k;
    state->dispatcher = later(search, grid->service);
    room->start = room->last = later(search, grid->service + (again ? grid->delay : 0));
    for (uint32_t w = 0; w < WARPS; w++)
        room->warps[w].from = room->start;
    state->left[k]--;
    state->sms[s].got++;
    state->next_own[s] = (uint8_t)(state->next_own[s] + grid->sms);
}

/* Every way to give away the next block; false when there is none. */
static bool dispatch(struct search *search, const struct state *state, uint32_t *longest) {
    const struct sub_core_grid *grid = search->grid;
    bool any = false;
    if (state->dispatcher > 0 || !blocks_left(search, state)) return false;
    for (uint32_t s = 0; s < grid->sms; s++) {
        bool tried[2][SUB_CORES] = {{false}, {false}};
        int only;
        if (!may_get(search, state, s, &only)) continue;
        for (uint32_t r = 0; r < grid->rooms; r++) {
            const struct room *room = &state->sms[s].rooms[r];
            bool *alike = &tried[search->used_matters && room->used][search->sub_core[r][0]];
            if (room->taken || *alike || (search->round_robin && room->used)) continue;
            *alike = true;
            for (uint32_t k = 0; k < grid->kind_count; k++) {
                if (state->left[k] == 0 || (only >= 0 && (uint32_t)only != k)) continue;
                struct state next = *state;
                place(search, &next, s, r, k);
                const uint32_t time = longest_from(search, &next);
                if (time > *longest) *longest = time;
                any = true;
            }
        }
    }
    return any;
}

static uint32_t first_free(const struct search *search, const struct unit *unit, uint32_t number) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < search->grid->units[number].instances; i++)
        if (unit->free_at[i] < unit->free_at[first]) first = i;
    return first;
}

static bool takes(const struct search *search, const struct unit *unit, uint32_t number) {
    uint32_t waiting = 0;
    if (unit->free_at[first_free(search, unit, number)] == 0) return true;
    if (search->grid->depth == DEPTH_UNLIMITED) return true;
    while (waiting < WAITING && unit->starts[waiting] > 0)
        waiting++;
    return waiting < search->grid->depth;
}

static bool can_issue(const struct search *search, const struct state *state, uint32_t s, uint32_t r,
                      uint32_t w) {
    const struct sm *sm = &state->sms[s];
    const struct room *room = &sm->rooms[r];
    const struct warp *warp = &room->warps[w];
    const struct sub_core_inst *inst = head(search, room, w);
    const uint32_t c = search->sub_core[r][w];
    if (inst == NULL || inst->bare || warp->held || warp->from > 0 || sm->issued[c] >= search->grid->width)
        return false;
    for (uint32_t p = 0; p < warp->next; p++)
        if ((inst->operands >> p & 1) != 0 && warp->ready[p] > 0) return false;
    const uint32_t owner = search->grid->units[inst->unit].shared ? 0 : c;
    return takes(search, &sm->units[owner][inst->unit], inst->unit);
}

static void issue(struct search *search, struct state *state, uint32_t s, uint32_t r, uint32_t w) {
    struct sm *sm = &state->sms[s];
    struct room *room = &sm->rooms[r];
    struct warp *warp = &room->warps[w];
    const struct sub_core_inst *inst = head(search, room, w);
    const uint32_t c = search->sub_core[r][w];
    struct unit *unit = unit_of(search, sm, c, inst->unit);
    uint8_t *free_at = &unit->free_at[first_free(search, unit, inst->unit)];
    const uint32_t start = *free_at;
    *free_at = later(search, start + inst->init);
    for (uint32_t i = 0; start > 0 && search->grid->depth != DEPTH_UNLIMITED; i++) {
        if (unit->starts[i] > 0) continue;
        unit->starts[i] = (uint8_t)start;
        break;
    }
    /* The instances of a unit are alike. */
    if (INSTANCES == 2 && search->grid->units[inst->unit].instances == 2 &&
        unit->free_at[0] > unit->free_at[1]) {
        const uint8_t earlier = unit->free_at[1];
        unit->free_at[1] = unit->free_at[0];
        unit->free_at[0] = earlier;
    }
    const uint8_t complete = later(search, start + inst->init + inst->latency);
    if (search->last_reader[room->kind][w][warp->next] > 0) warp->ready[warp->next] = complete;
    if (complete > room->last) room->last = complete;
    warp->held = inst->barrier;
    warp->next++;
    warp->from = 1;
    sm->issued[c]++;
}

static bool any_issued(const struct search *search, const struct state *state) {
    for (uint32_t s = 0; s < search->grid->sms; s++)
        for (uint32_t c = 0; c < search->grid->sub_cores; c++)
            if (state->sms[s].issued[c] > 0) return true;
    return false;
}

/* Whether another room in front of it leads to the same: one that is alike in all. */
static bool repeats(const struct search *search, const struct sm *sm, uint32_t r) {
    for (uint32_t other = 0; other < r; other++)
        if (search->sub_core[other][0] == search->sub_core[r][0] &&
            memcmp(&sm->rooms[other], &sm->rooms[r], sizeof sm->rooms[r]) == 0)
            return true;
    return false;
}

/* What can be issued in the present cycle. */
struct candidates {
    uint32_t count;
    struct {
        uint8_t room, warp;
    } of[ROOMS * WARPS];
};

/* Those of one sub-core where the others cannot come in its way, else those of all that can issue. */
static void find_candidates(const struct search *search, const struct state *state, uint32_t s,
                            struct candidates *found) {
    const struct sub_core_grid *grid = search->grid;
    const struct sm *sm = &state->sms[s];
    found->count = 0;
    for (uint32_t c = 0; c < grid->sub_cores; c++) {
        const uint32_t first = found->count;
        bool shared = false;
        for (uint32_t r = 0; r < grid->rooms; r++) {
            const struct room *room = &sm->rooms[r];
            if (!room->taken || repeats(search, sm, r)) continue;
            for (uint32_t w = 0; w < warps_in(search, room); w++) {
                if (search->sub_core[r][w] != c || !can_issue(search, state, s, r, w)) continue;
                shared |= grid->units[head(search, room, w)->unit].shared;
                found->of[found->count].room = (uint8_t)r;
                found->of[found->count++].warp = (uint8_t)w;
            }
        }
        if (found->count == first || shared) continue;
        found->count -= first;
        memmove(found->of, found->of + first, found->count * sizeof *found->of);
        return;
    }
}

/* Every way in which the present cycle goes on from SM s on, and what comes then. */
static uint32_t issue_from(struct search *search, const struct state *state, uint32_t s) {
    uint32_t longest = 0;
    if (search->failed) return 0;
    for (; s < search->grid->sms; s++) {
        struct candidates found;
        find_candidates(search, state, s, &found);
        for (uint32_t i = 0; i < found.count; i++) {
            struct state next = *state;
            issue(search, &next, s, found.of[i].room, found.of[i].warp);
            const uint32_t time = issue_from(search, &next, s);
            if (time > longest) longest = time;
        }
        if (found.count > 0) return longest;
    }
    struct state next = *state;
    const uint32_t passed = any_issued(search, state) ? 1 : next_event(search, state);
    if (passed == UINT32_MAX) abort(); /* blocks are there, and nothing will ever happen */
    advance(search, &next, passed);
    return passed + longest_from(search, &next);
}

static bool all_ended(const struct search *search, const struct state *state) {
    for (uint32_t s = 0; s < search->grid->sms; s++)
        for (uint32_t r = 0; r < search->grid->rooms; r++)
            if (state->sms[s].rooms[r].taken) return false;
    return !blocks_left(search, state);
}

/* The longest time to the end of the grid, from the beginning of a cycle on. */
static uint32_t longest_from(struct search *search, struct state *state) {
    if (search->failed) return 0;
    begin_cycle(search, state);
    struct key key;
    make_key(search, state, &key);
    const uint64_t hash = hash_of(&key);
    const struct slot *known = find(search, &key, hash);
    if (known->length > 0) return known->longest;
    uint32_t longest = 0;
    if (!dispatch(search, state, &longest) && !all_ended(search, state))
        longest = issue_from(search, state, 0);
    if (!search->failed) remember(search, &key, hash, longest);
    return longest;
}

/* ---- The grid ---- */

static bool fits(const struct sub_core_grid *grid) {
    if (grid->sms > SMS || grid->rooms > ROOMS || grid->sub_cores > SUB_CORES || grid->unit_count > UNITS ||
        (grid->depth != DEPTH_UNLIMITED && grid->depth > WAITING) || sub_core_grid_blocks(grid) > 250)
        return false;
    for (uint32_t u = 0; u < grid->unit_count; u++)
        if (grid->units[u].instances > INSTANCES) return false;
    for (uint32_t k = 0; k < grid->kind_count; k++) {
        uint32_t executed = 0;
        if (grid->kinds[k].warps > WARPS) return false;
        for (uint32_t w = 0; w < grid->kinds[k].warps; w++) {
            const struct sub_core_program *program = &grid->kinds[k].programs[w];
            if (program->count > INSTS) return false;
            for (uint32_t i = 0; i < program->count; i++)
                executed += !program->insts[i].bare;
        }
        if (executed == 0) return false;
    }
    return true;
}

static void note_readers(struct search *search) {
    for (uint32_t k = 0; k < search->grid->kind_count; k++) {
        for (uint32_t w = 0; w < search->grid->kinds[k].warps; w++) {
            const struct sub_core_program *program = &search->grid->kinds[k].programs[w];
            for (uint32_t i = 0; i < program->count; i++)
                for (uint32_t p = 0; p < i; p++)
                    if ((program->insts[i].operands >> p & 1) != 0) search->last_reader[k][w][p] = (uint8_t)i;
        }
    }
}

uint32_t sub_core_explore(const struct sub_core_grid *grid, uint32_t states) {
    if (!fits(grid)) return 0;
    struct search search = {.grid = grid,
                            .blocks = sub_core_grid_blocks(grid),
                            .warps = sub_core_grid_warps(grid),
                            .states_most = states,
                            .slots = 64};
    struct state state;
    memset(&state, 0, sizeof state);
    search.table = calloc(search.slots, sizeof *search.table);
    if (search.table == NULL) abort();
    search.round_robin = !grid->is_static && search.blocks <= grid->sms * grid->rooms;
    search.used_matters = grid->delay > 0 || search.round_robin;
    for (uint32_t r = 0; r < ROOMS; r++)
        for (uint32_t w = 0; w < WARPS; w++)
            search.sub_core[r][w] = (uint8_t)sub_core_of_warp(grid, search.warps, r, w);
    uint32_t number = 0;
    for (uint32_t k = 0; k < grid->kind_count; k++) {
        state.left[k] = (uint8_t)grid->kinds[k].blocks;
        for (uint32_t b = 0; b < grid->kinds[k].blocks; b++)
            search.kind_of[number++] = (uint8_t)k;
    }
    for (uint32_t s = 0; s < SMS; s++)
        state.next_own[s] = (uint8_t)s;
    note_readers(&search);
    const uint32_t longest = longest_from(&search, &state);
    free(search.table);
    free(search.keys);
    return search.failed ? 0 : longest;
}
