/* The game behind K-CHAIN (docs/policy-bounds.md, equal blocks): what blocks of e cycles of work and lam idle
 * ones on each of two sub-cores take in the long run, by value iteration; more than the conjecture that
 * charges the latency twice, never more than K-CHAIN.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { SUB_CORES = 2, ROOMS_MOST = 6, STATES_MOST = 1 << 16, STEPS_MOST = 1 << 21 };

/* What a block has left on a sub-core: cycles of work, and idle cycles until it is later than its chain
 * allows; -1 if it is. On some sub-core it must not be. */
struct left {
    int8_t work, idle;
};
struct room {
    struct left on[SUB_CORES];
};

/* A cycle leads to a state after some blocks have ended. */
struct step {
    int state, ended;
};

struct game {
    int rooms, work, idle;
    int count, steps;
    struct room states[STATES_MOST][ROOMS_MOST];
    int first_step[STATES_MOST + 1], order[STATES_MOST], hash[2 * STATES_MOST];
    struct step step[STEPS_MOST];
};

static int by_bytes(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct room));
}

/* The number of a state, up to the order of the rooms. */
static int state_number(struct game *game, const struct room *rooms) {
    struct room sorted[ROOMS_MOST] = {0};
    memcpy(sorted, rooms, (size_t)game->rooms * sizeof *rooms);
    qsort(sorted, (size_t)game->rooms, sizeof *sorted, by_bytes);
    uint64_t at = 14695981039346656037U;
    for (size_t i = 0; i < sizeof sorted; i++)
        at = (at ^ ((const unsigned char *)sorted)[i]) * 1099511628211U;
    for (at %= 2 * STATES_MOST; game->hash[at]; at = (at + 1) % (2 * STATES_MOST))
        if (memcmp(game->states[game->hash[at] - 1], sorted, sizeof sorted) == 0) return game->hash[at] - 1;
    assert_true(game->count < STATES_MOST);
    memcpy(game->states[game->count], sorted, sizeof sorted);
    game->hash[at] = ++game->count;
    return game->count - 1;
}

static struct room fresh_room(const struct game *game) {
    struct room room;
    for (int c = 0; c < SUB_CORES; c++)
        room.on[c] = (struct left){(int8_t)game->work, (int8_t)game->idle};
    return room;
}

/* Blocks without work left may end, and others take their rooms. */
static void end_blocks(struct game *game, struct room *rooms, int room, int ended) {
    if (room == game->rooms) {
        assert_true(game->steps < STEPS_MOST);
        game->step[game->steps++] = (struct step){state_number(game, rooms), ended};
        return;
    }
    end_blocks(game, rooms, room + 1, ended);
    const struct room before = rooms[room];
    if (before.on[0].work == 0 && before.on[1].work == 0) {
        rooms[room] = fresh_room(game);
        end_blocks(game, rooms, room + 1, ended + 1);
        rooms[room] = before;
    }
}

/* Each sub-core works for a block, or is idle for all of them. */
static void pass_cycle(struct game *game, struct room *rooms, int c) {
    if (c == SUB_CORES) {
        for (int i = 0; i < game->rooms; i++)
            if (rooms[i].on[0].idle < 0 && rooms[i].on[1].idle < 0) return;
        end_blocks(game, rooms, 0, 0);
        return;
    }
    struct room before[ROOMS_MOST];
    memcpy(before, rooms, sizeof before);
    int may_idle = 1;
    for (int i = 0; i < game->rooms; i++) {
        if (before[i].on[c].work > 0) {
            rooms[i].on[c].work--;
            pass_cycle(game, rooms, c + 1);
            rooms[i] = before[i];
            may_idle = may_idle && before[i].on[c].idle > 0;
        }
    }
    for (int i = 0; i < game->rooms && may_idle; i++)
        rooms[i].on[c].idle -= before[i].on[c].idle >= 0;
    if (may_idle) pass_cycle(game, rooms, c + 1);
    memcpy(rooms, before, sizeof before);
}

/* Falls in every cycle in which no block ends. */
static int left_in_state(const struct game *game, int state) {
    int sum = 0;
    for (int i = 0; i < game->rooms; i++)
        for (int c = 0; c < SUB_CORES; c++)
            sum += game->states[state][i].on[c].work + game->states[state][i].on[c].idle + 1;
    return sum;
}

/* The states in rising order of what is left. */
static void order_states(struct game *game) {
    int at = 0;
    for (int left = 0; left <= game->rooms * SUB_CORES * (game->work + game->idle + 1); left++)
        for (int s = 0; s < game->count; s++)
            if (left_in_state(game, s) == left) game->order[at++] = s;
    assert_int_equal(at, game->count);
}

/* most[n % 8][s]: the most cycles from s until n blocks have ended; that from the start for n = blocks. */
static int cycles_of_blocks(const struct game *game, int blocks) {
    int *const most = calloc(8 * (size_t)game->count, sizeof *most);
    assert_non_null(most);
    for (int n = 1; n <= blocks; n++) {
        for (int i = 0; i < game->count; i++) {
            const int state = game->order[i];
            int best = -1000000; /* no cycle is possible: the blocks should have ended */
            for (int s = game->first_step[state]; s < game->first_step[state + 1]; s++) {
                const struct step step = game->step[s];
                const int rest = step.ended >= n ? 0 : most[(n - step.ended) % 8 * game->count + step.state];
                best = rest + 1 > best ? rest + 1 : best;
            }
            most[n % 8 * game->count + state] = best;
        }
    }
    const int cycles = most[blocks % 8 * game->count];
    free(most);
    return cycles;
}

/* In the long run `blocks` more blocks take `cycles`. */
static void check_slope(int rooms, int work, int idle, int blocks, int cycles) {
    struct game *const game = calloc(1, sizeof *game);
    assert_non_null(game);
    *game = (struct game){.rooms = rooms, .work = work, .idle = idle};
    struct room start[ROOMS_MOST] = {0};
    for (int i = 0; i < rooms; i++)
        start[i] = fresh_room(game);
    state_number(game, start);
    for (int s = 0; s < game->count; s++) {
        struct room at[ROOMS_MOST];
        memcpy(at, game->states[s], sizeof at);
        game->first_step[s] = game->steps;
        pass_cycle(game, at, 0);
    }
    game->first_step[game->count] = game->steps;
    order_states(game);
    const int slope = cycles_of_blocks(game, 60 + blocks) - cycles_of_blocks(game, 60);
    assert_int_equal(slope, cycles);
    assert_true(rooms * slope <= blocks * ((2 * rooms - 1) * work + idle)); /* K-CHAIN */
    free(game);
}

/* e = lam = 1: 1 + 3 / (R + 2) cycles per block. */
static void test_equal_blocks(void **state) {
    (void)state;
    check_slope(2, 1, 1, 8, 14);
    check_slope(3, 1, 1, 10, 16);
    check_slope(4, 1, 1, 12, 18);
    check_slope(5, 1, 1, 14, 20); /* more than 14 + (14 / 5) * 2 = 19.6 */
}

/* K-CHAIN is attained. */
static void test_long_latencies(void **state) {
    (void)state;
    check_slope(2, 1, 2, 8, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_blocks),
        cmocka_unit_test(test_long_latencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
