#include "order_model.h"

#include <stdlib.h>
#include <string.h>

#include "hand_grid.h"
#include "memory/requests/requests.h"

/* ---- From a grid to a model ---------------------------------------------------------------------------- */

static void must(bool holds) {
    if (!holds) abort();
}

static void read_warp(const struct traffic *traffic, uint32_t block, uint32_t number,
                      struct model_warp *warp) {
    const struct wb_grid *grid = traffic->grid;
    uint32_t shape = grid->blocks.items[block].shape;
    struct path_cursor cursor = path_begin(&grid->paths.items[grid->shapes.items[shape].warps[number].path]);
    const struct traffic_access *access = traffic_pattern_of(traffic, block, number)->accesses;
    for (struct path_step step; path_next(&cursor, &step);) {
        if (step.instruction == HAND_OTHER) continue;
        must(warp->op_count < MODEL_OPS_MAX && warp->access_count < MODEL_ACCESSES_MAX);
        struct model_op *op = &warp->ops[warp->op_count];
        if (step.instruction < HAND_INSTRUCTIONS) {
            *op = (struct model_op){MODEL_ACCESS, (uint8_t)access->request_count};
            access++;
            warp->ranks[warp->access_count] = UINT32_MAX;
            warp->access_ops[warp->access_count++] = warp->op_count;
        } else {
            op->kind = step.instruction == HAND_BARRIER ? MODEL_BARRIER : MODEL_USE;
        }
        warp->op_count++;
    }
}

/* ---- Readings of the order ----------------------------------------------------------------------------- */

/* An access with the parts of its key in a reading, most significant first. */
struct keyed_service {
    uint64_t key[5];
    struct model_service service;
};

static int compare_services(const void *a, const void *b) {
    const struct keyed_service *left = a, *right = b;
    for (int i = 0; i < 5; i++)
        if (left->key[i] != right->key[i]) return left->key[i] < right->key[i] ? -1 : 1;
    return 0;
}

/* Sets the key of access `index` of a warp; `epoch` is counted without joins. */
static void set_key(const struct traffic *traffic, enum order_reading reading, uint32_t resident,
                    uint32_t block, uint32_t warp, uint32_t index, uint32_t epoch, uint64_t key[5]) {
    uint32_t address = traffic_pattern_of(traffic, block, warp)->accesses[index].instruction;
    uint32_t joined = traffic_positions_of(traffic, block, warp)[index].epoch;
    uint32_t generation = block / resident;
    uint64_t keys[][5] = {
        [READING_LOWEST_ADDRESS] = {address, block, warp, index},
        [READING_ONE_SHOT] = {address, block, warp, index},
        [READING_KTH_ACCESS] = {index, block, warp},
        [READING_WITHOUT_JOIN] = {generation, epoch, address, block, warp},
        [READING_WITHOUT_GENERATION] = {joined, address, block, warp},
    };
    memcpy(key, keys[reading], sizeof *keys);
}

/* The order of a reading that sorts by a key. */
static void sort_services(const struct traffic *traffic, enum order_reading reading,
                          struct order_model *model) {
    struct keyed_service all[MODEL_WARPS_MAX * MODEL_ACCESSES_MAX];
    uint32_t count = 0;
    for (uint32_t w = 0; w < model->block_count * model->warp_count; w++) {
        uint32_t block = w / model->warp_count, warp = w % model->warp_count, epoch = 0, least = 0;
        const struct traffic_access *accesses = traffic_pattern_of(traffic, block, warp)->accesses;
        uint64_t served = 0; /* bit i: the flag of address i was cleared */
        for (uint32_t i = 0; i < model->warps[w].access_count; i++) {
            uint64_t flag = UINT64_C(1) << accesses[i].instruction;
            epoch += accesses[i].instruction < least;
            least = accesses[i].instruction + 1;
            if (reading == READING_ONE_SHOT && (served & flag) != 0) continue;
            served |= flag;
            set_key(traffic, reading, model->resident, block, warp, i, epoch, all[count].key);
            all[count++].service = (struct model_service){w, i};
        }
    }
    qsort(all, count, sizeof *all, compare_services);
    for (uint32_t i = 0; i < count; i++)
        model->order[model->order_count++] = all[i].service;
}

/* The order that the library enumerates. */
static void enumerate_keys(const struct traffic *traffic, struct order_model *model) {
    const struct sm_share share = {.sms = 1, .resident = model->resident};
    struct access_order order;
    struct ordered_access next;
    must(access_order_begin(traffic, &share, &order) == WB_OK);
    while (access_order_next(&order, &next)) {
        uint32_t index = (uint32_t)(next.access - next.pattern->accesses);
        model->order[model->order_count++] =
            (struct model_service){next.block * model->warp_count + next.warp, index};
    }
    access_order_end(&order);
}

/* Whether the next access of a warp may come next in an extension of the three orders: no access of an older
 * generation and none of an earlier phase of its block is left. */
static bool may_follow(const struct traffic *traffic, const struct order_model *model, const uint32_t *next,
                       uint32_t warp) {
    uint32_t block = warp / model->warp_count;
    const struct access_position *position = traffic_positions_of(traffic, block, warp % model->warp_count);
    for (uint32_t v = 0; v < model->block_count * model->warp_count; v++) {
        uint32_t other = v / model->warp_count;
        if (next[v] == model->warps[v].access_count) continue;
        if (other / model->resident < block / model->resident) return false;
        const struct access_position *of = traffic_positions_of(traffic, other, v % model->warp_count);
        if (other == block && of[next[v]].phase < position[next[warp]].phase) return false;
    }
    return true;
}

static void extend_randomly(const struct traffic *traffic, uint64_t seed, struct order_model *model) {
    struct random_state random = random_seeded(seed);
    uint32_t next[MODEL_WARPS_MAX] = {0}, warps = model->block_count * model->warp_count;
    for (;;) {
        uint32_t able[MODEL_WARPS_MAX], count = 0;
        for (uint32_t w = 0; w < warps; w++)
            if (next[w] < model->warps[w].access_count && may_follow(traffic, model, next, w))
                able[count++] = w;
        if (count == 0) return;
        uint32_t chosen = able[random_below(&random, count)];
        model->order[model->order_count++] = (struct model_service){chosen, next[chosen]++};
    }
}

void order_model_make(const struct traffic *traffic, enum order_reading reading, uint32_t resident,
                      const struct channel_rules *rules, uint64_t seed, struct order_model *model) {
    memset(model, 0, sizeof *model);
    model->block_count = (uint32_t)traffic->grid->blocks.count;
    model->warp_count = traffic->grid->warp_count;
    model->resident = resident;
    model->rules = *rules;
    must(model->block_count * model->warp_count <= MODEL_WARPS_MAX &&
         rules->unit_entries <= MODEL_UNIT_ENTRIES_MAX);
    for (uint32_t w = 0; w < model->block_count * model->warp_count; w++)
        read_warp(traffic, w / model->warp_count, w % model->warp_count, &model->warps[w]);
    if (reading == READING_WITH_PHANTOM)
        model->order[model->order_count++] = (struct model_service){0, UINT32_MAX};
    if (reading == READING_KEYS || reading == READING_WITH_PHANTOM)
        enumerate_keys(traffic, model);
    else if (reading == READING_ANY_EXTENSION)
        extend_randomly(traffic, seed, model);
    else
        sort_services(traffic, reading, model);
    for (uint32_t i = 0; i < model->order_count; i++)
        if (model->order[i].index != UINT32_MAX)
            model->warps[model->order[i].warp].ranks[model->order[i].index] = i;
}
