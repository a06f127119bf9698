#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "sim/schedule/schedule.h"

/* How far a warp is. */
struct warp_place {
    cycles done; /* the cycle behind its last issue, or in which it executed an instruction without a unit */
    bool begun;  /* its block has executed something */
};

/* What is kept of an SM. Memory instructions end after they were issued, nobody knows when: their times are
 * filled in when the simulation has ended. */
struct sm_record {
    VEC(wb_issue) issues;
    VEC(uint64_t) flights; /* per issue its flight, or FLIGHT_NONE */
    VEC(struct sim_landing) landings;
    VEC(wb_wait) waits;           /* their producers are steps, STEP_NONE where nobody is waited for */
    VEC(wb_block_time) blocks;    /* in the order of their ends */
    VEC(struct warp_place) warps; /* by slot and warp */
    uint64_t seen;                /* issues so far */
    cycles full_from;             /* issues from then on were too many; or CYCLES_SATURATED */
    bool failed;                  /* memory was exhausted */
};

struct recorder {
    struct sm_record *sms;
    uint32_t sm_count, warp_count; /* warps of a block */
    const struct timed_code *code;
    wb_schedule_options options;
    bool has_waits;            /* the model says what warps wait for */
    cycles until;              /* the end of the window */
    uint64_t most;             /* issues of an SM */
    atomic_uint_fast64_t left; /* issues of all SMs that may still be kept */
};

/* Whether one more issue may be kept. */
static bool has_room(struct recorder *recorder, const struct sm_record *own) {
    if (own->issues.count >= recorder->most) return false;
    if (recorder->options.most != 0) return true;
    uint_fast64_t left = atomic_load(&recorder->left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&recorder->left, &left, left - 1)) return true;
    return false;
}

static wb_issue issue_of(const struct recorder *recorder, uint32_t sm, const struct sim_event *event) {
    return (wb_issue){.sm = sm,
                      .slot = event->slot,
                      .block = event->block,
                      .warp = event->warp,
                      .sub_core = event->sub_core,
                      .unit = event->unit,
                      .instance = event->instance,
                      .instruction = timed_origin(recorder->code, event->instruction),
                      .step = event->step,
                      .issue = event->issue,
                      .start = event->start,
                      .free = event->init_end,
                      .ready = event->completion};
}

/* Keeps a wait, unless it lies outside of the window. */
static void keep_wait(const struct recorder *recorder, struct sm_record *own, const wb_wait *wait) {
    if (own->failed || wait->to <= wait->from || wait->to <= recorder->options.from ||
        wait->from >= cycles_min(recorder->until, own->full_from))
        return;
    own->failed = vec_push(&own->waits, *wait) != WB_OK;
}

/* Keeps what an instruction, be it issued or not, has waited for. */
static void keep_waits(const struct recorder *recorder, uint32_t sm, const struct sim_event *event) {
    struct sm_record *own = &recorder->sms[sm];
    struct sim_wait spans[SIM_WAIT_KINDS];
    const uint32_t count = sim_waits_of(event, spans);
    for (uint32_t s = 0; s < count; s++) {
        const bool has_producer = spans[s].kind == SIM_WAIT_RESULT && event->waits.producer != STEP_NONE;
        const wb_wait wait = {.sm = sm,
                              .slot = event->slot,
                              .block = event->block,
                              .warp = event->warp,
                              .reason = (wb_wait_reason)spans[s].kind,
                              .instruction = timed_origin(recorder->code, event->instruction),
                              .step = event->step,
                              .producer = has_producer ? (size_t)event->waits.producer : WB_NO_ISSUE,
                              .from = spans[s].from,
                              .to = spans[s].to};
        keep_wait(recorder, own, &wait);
    }
}

/* Notes how far a warp is. */
static void note_place(const struct recorder *recorder, struct sm_record *own, const struct sim_event *event,
                       cycles done) {
    const size_t index = (size_t)event->slot * recorder->warp_count + event->warp;
    const struct warp_place none = {0};
    while (!own->failed && own->warps.count <= index)
        own->failed = vec_push(&own->warps, none) != WB_OK;
    if (!own->failed) own->warps.items[index] = (struct warp_place){done, true};
}

static wb_status take_issue(void *user, uint32_t sm, const struct sim_event *event) {
    struct recorder *recorder = user;
    struct sm_record *own = &recorder->sms[sm];
    own->seen++;
    if (recorder->has_waits) {
        keep_waits(recorder, sm, event);
        note_place(recorder, own, event, event->issue + 1);
    }
    if (own->failed) return WB_ERR_LIMIT;
    if (event->issue < recorder->options.from || event->issue >= cycles_min(recorder->until, own->full_from))
        return WB_OK;
    if (!has_room(recorder, own)) {
        own->full_from = event->issue;
        return recorder->options.most == 0 ? WB_ERR_LIMIT : WB_OK;
    }
    WB_TRY(vec_push(&own->flights, event->flight));
    return vec_push(&own->issues, issue_of(recorder, sm, event));
}

static void take_pass(void *user, uint32_t sm, const struct sim_event *event) {
    const struct recorder *recorder = user;
    keep_waits(recorder, sm, event);
    note_place(recorder, &recorder->sms[sm], event, event->issue);
}

static void take_landing(void *user, uint32_t sm, const struct sim_landing *landing) {
    struct sm_record *own = &((struct recorder *)user)->sms[sm];
    const struct sim_landing none = {.flight = FLIGHT_NONE};
    while (!own->failed && own->landings.count <= landing->flight)
        own->failed = vec_push(&own->landings, none) != WB_OK;
    if (!own->failed) own->landings.items[landing->flight] = *landing;
}

static void take_block(void *user, uint32_t sm, const struct sim_block *block) {
    const struct recorder *recorder = user;
    struct sm_record *own = &recorder->sms[sm];
    const wb_block_time kept = {sm, block->slot, block->block, block->start, block->end};
    if (!own->failed) own->failed = vec_push(&own->blocks, kept) != WB_OK;
    for (uint32_t w = 0; w < recorder->warp_count && recorder->has_waits; w++) {
        const size_t index = (size_t)block->slot * recorder->warp_count + w;
        const struct warp_place *place = index < own->warps.count ? &own->warps.items[index] : NULL;
        const bool begun = place != NULL && place->begun;
        keep_wait(recorder, own,
                  &(wb_wait){.sm = sm,
                             .slot = block->slot,
                             .block = block->block,
                             .warp = w,
                             .reason = WB_WAIT_END,
                             .instruction = UINT32_MAX,
                             .producer = WB_NO_ISSUE,
                             .from = begun ? place->done : block->start,
                             .to = block->end});
        if (begun) own->warps.items[index].begun = false;
    }
}

/* The same of a block by itself, on SM 0. */
static wb_status take_lone_issue(void *user, const struct sim_event *event) {
    return take_issue(user, 0, event);
}

static void take_lone_pass(void *user, const struct sim_event *event) {
    take_pass(user, 0, event);
}

static void take_lone_landing(void *user, const struct sim_landing *landing) {
    take_landing(user, 0, landing);
}

static void take_lone_block(void *user, const struct sim_block *block) {
    take_block(user, 0, block);
}

static wb_status record_block(const struct schedule_subject *subject, struct recorder *recorder,
                              wb_diagnostics *diagnostics, cycles *end) {
    const struct sim_sink sink = {.event = take_lone_issue,
                                  .user = recorder,
                                  .land = take_lone_landing,
                                  .pass = take_lone_pass,
                                  .block = take_lone_block};
    wb_simulation result;
    WB_TRY(simulate(subject->block, subject->policy, &sink, &recorder->options.watch, diagnostics, &result));
    *end = result.cycles;
    if (recorder->sms->blocks.count > 0) return WB_OK;
    /* A model that says nothing of blocks. */
    take_lone_block(recorder, &(struct sim_block){.end = result.cycles});
    return WB_OK;
}

static wb_status record_grid(const struct schedule_subject *subject, struct recorder *recorder,
                             wb_diagnostics *diagnostics, cycles *end) {
    const struct gpu_sink sink = {.sm = GPU_EVERY_SM,
                                  .issue = take_issue,
                                  .user = recorder,
                                  .land = take_landing,
                                  .pass = take_pass,
                                  .block = take_block};
    const struct gpu_options options = {
        .threads = subject->threads, .sink = &sink, .watch = &recorder->options.watch, .plan = subject->plan};
    struct gpu_scheme scheme = *subject->scheme;
    struct arena arena = {0};
    wb_gpu_simulation result;
    scheme.policy = subject->policy;
    wb_status status = gpu_simulate(subject->grid, &scheme, &options, diagnostics, &arena, &result);
    arena_free(&arena);
    if (status == WB_OK) *end = result.cycles;
    return status;
}

/* Fills in what was not known at the issue. */
static void complete_issue(const struct sm_record *own, size_t index) {
    const uint64_t flight = own->flights.items[index];
    wb_issue *issue = &own->issues.items[index];
    if (flight == FLIGHT_NONE) return;
    assert(flight < own->landings.count);
    const struct sim_landing *landing = &own->landings.items[flight];
    assert(landing->flight == flight && landing->completion >= issue->issue);
    issue->ready = landing->completion;
    if (issue->free != CYCLES_SATURATED) return;
    issue->start = landing->start;
    issue->free = landing->init_end;
    issue->instance = landing->instance;
}

/* Appends the issues of an SM before cycle `until`. */
static wb_status add_issues(const struct sm_record *own, cycles until, struct wb_schedule *schedule) {
    WB_TRY(vec_reserve(&schedule->issues, own->issues.count));
    for (size_t i = 0; i < own->issues.count && own->issues.items[i].issue < until; i++) {
        complete_issue(own, i);
        schedule->issues.items[schedule->issues.count++] = own->issues.items[i];
    }
    return WB_OK;
}

static int compare_waits(const void *a, const void *b) {
    const wb_wait *left = a, *right = b;
    if (left->slot != right->slot) return left->slot < right->slot ? -1 : 1;
    if (left->warp != right->warp) return left->warp < right->warp ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static int compare_blocks(const void *a, const void *b) {
    const wb_block_time *left = a, *right = b;
    if (left->slot != right->slot) return left->slot < right->slot ? -1 : 1;
    if (left->start != right->start) return left->start < right->start ? -1 : 1;
    return (left->block > right->block) - (left->block < right->block);
}

static int compare_steps(const void *a, const void *b, void *schedule) {
    const wb_issue *issues = ((const struct wb_schedule *)schedule)->issues.items;
    const wb_issue *left = &issues[*(const size_t *)a], *right = &issues[*(const size_t *)b];
    if (left->block != right->block) return left->block < right->block ? -1 : 1;
    if (left->warp != right->warp) return left->warp < right->warp ? -1 : 1;
    return (left->step > right->step) - (left->step < right->step);
}

/* The issue of step `wait->producer` of the wait's warp, or WB_NO_ISSUE; `order`: the SM's issues by block,
 * warp and step. */
static size_t find_producer(const struct wb_schedule *schedule, const size_t *order, size_t count,
                            const wb_wait *wait) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const wb_issue *issue = &schedule->issues.items[order[middle]];
        const bool before = issue->block != wait->block ? issue->block < wait->block
                            : issue->warp != wait->warp ? issue->warp < wait->warp
                                                        : issue->step < wait->producer;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count) return WB_NO_ISSUE;
    const wb_issue *issue = &schedule->issues.items[order[low]];
    return issue->block == wait->block && issue->warp == wait->warp && issue->step == wait->producer
               ? order[low]
               : WB_NO_ISSUE;
}

/* Replaces the steps that the waits from number `first` on wait for by issues, which are those from `base`
 * on. */
static wb_status find_producers(struct wb_schedule *schedule, size_t base, size_t first) {
    const size_t count = schedule->issues.count - base;
    size_t *order = malloc((count + 1) * sizeof *order);
    if (order == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < count; i++)
        order[i] = base + i;
    qsort_r(order, count, sizeof *order, compare_steps, schedule);
    for (size_t w = first; w < schedule->waits.count; w++) {
        wb_wait *wait = &schedule->waits.items[w];
        if (wait->producer != WB_NO_ISSUE) wait->producer = find_producer(schedule, order, count, wait);
    }
    free(order);
    return WB_OK;
}

/* Appends the waits of an SM, cut to the window; its issues, from `base` on, are there. */
static wb_status add_waits(const struct recorder *recorder, const struct sm_record *own, cycles until,
                           size_t base, struct wb_schedule *schedule) {
    const size_t first = schedule->waits.count;
    if (own->waits.count > 0)
        qsort(own->waits.items, own->waits.count, sizeof *own->waits.items, compare_waits);
    WB_TRY(vec_reserve(&schedule->waits, own->waits.count));
    for (size_t w = 0; w < own->waits.count; w++) {
        wb_wait wait = own->waits.items[w];
        if (wait.from >= until) continue;
        wait.from = cycles_max(wait.from, recorder->options.from);
        wait.to = cycles_min(wait.to, until);
        schedule->waits.items[schedule->waits.count++] = wait;
    }
    return find_producers(schedule, base, first);
}

static wb_status add_blocks(const struct sm_record *own, struct wb_schedule *schedule) {
    if (own->blocks.count > 0)
        qsort(own->blocks.items, own->blocks.count, sizeof *own->blocks.items, compare_blocks);
    WB_TRY(vec_reserve(&schedule->blocks, own->blocks.count));
    for (size_t b = 0; b < own->blocks.count; b++) {
        const wb_block_time *block = &own->blocks.items[b];
        schedule->blocks.items[schedule->blocks.count++] = *block;
        if (block->slot >= schedule->info.slot_count) schedule->info.slot_count = block->slot + 1;
        schedule->info.sm_count = block->sm + 1;
    }
    return WB_OK;
}

/* Puts together what all SMs have done, as far as it was kept of all of them. */
static wb_status put_together(struct recorder *recorder, struct wb_schedule *schedule) {
    cycles until = recorder->until;
    for (uint32_t s = 0; s < recorder->sm_count; s++) {
        if (recorder->sms[s].failed) return WB_ERR_LIMIT;
        until = cycles_min(until, recorder->sms[s].full_from);
        schedule->info.issues += recorder->sms[s].seen;
    }
    schedule->info.kept_from = recorder->options.from;
    schedule->info.kept_until = until;
    for (uint32_t s = 0; s < recorder->sm_count; s++) {
        const struct sm_record *own = &recorder->sms[s];
        const size_t base = schedule->issues.count;
        WB_TRY(add_issues(own, until, schedule));
        WB_TRY(add_waits(recorder, own, until, base, schedule));
        WB_TRY(add_blocks(own, schedule));
    }
    return WB_OK;
}

static wb_status refuse_length(const struct recorder *recorder, const char *origin,
                               wb_diagnostics *diagnostics) {
    cycles until = CYCLES_SATURATED;
    for (uint32_t s = 0; s < recorder->sm_count; s++)
        until = cycles_min(until, recorder->sms[s].full_from);
    diagnose(diagnostics, SEVERITY_ERROR, origin,
             "the schedule has more than %" PRIu64
             " instructions: choose a window of its cycles; from cycle %" PRIu64
             " there is room up to cycle %" PRIu64,
             SCHEDULE_ISSUES_MAX, recorder->options.from, until);
    return WB_ERR_LIMIT;
}

static wb_status record(const struct schedule_subject *subject, struct recorder *recorder,
                        wb_diagnostics *diagnostics, struct wb_schedule *schedule) {
    cycles end = 0;
    recorder->sms = calloc((size_t)recorder->sm_count + 1, sizeof *recorder->sms);
    if (recorder->sms == NULL) return diagnose_out_of_memory(diagnostics, subject->policy->name);
    for (uint32_t s = 0; s < recorder->sm_count; s++)
        recorder->sms[s].full_from = CYCLES_SATURATED;
    const wb_status status = subject->block != NULL ? record_block(subject, recorder, diagnostics, &end)
                                                    : record_grid(subject, recorder, diagnostics, &end);
    if (status != WB_OK && atomic_load(&recorder->left) == 0)
        return refuse_length(recorder, subject->policy->name, diagnostics);
    WB_TRY(status);
    schedule->info.cycles = end;
    if (put_together(recorder, schedule) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, subject->policy->name);
}

static void recorder_free(struct recorder *recorder) {
    for (uint32_t s = 0; recorder->sms != NULL && s < recorder->sm_count; s++) {
        struct sm_record *own = &recorder->sms[s];
        vec_free(&own->issues);
        vec_free(&own->flights);
        vec_free(&own->landings);
        vec_free(&own->waits);
        vec_free(&own->blocks);
        vec_free(&own->warps);
    }
    free(recorder->sms);
}

/* What the schedule is of, as far as it is known before it is simulated. */
static void describe(const struct schedule_subject *subject, const wb_schedule_info *info,
                     struct wb_schedule *schedule) {
    const bool isolated = subject->block != NULL;
    schedule->info = *info;
    schedule->info.policy = subject->policy->name;
    schedule->info.scheme =
        isolated || !memory_has_hierarchy(&subject->grid->machine->memory) ? NULL : subject->scheme->name;
    schedule->info.warp_count = isolated ? subject->block->warp_count : subject->grid->grid->warp_count;
    schedule->machine = isolated ? subject->block->machine : subject->grid->machine;
    schedule->code = isolated ? &subject->block->code : &subject->grid->code;
    schedule->block = subject->traced;
    if (!isolated && subject->traced == NULL && subject->grid->grid->kernel != NULL)
        schedule->grid = subject->grid->grid;
}

wb_status schedule_record(const struct schedule_subject *subject, const wb_schedule_info *info,
                          const wb_schedule_options *options, wb_diagnostics *diagnostics,
                          struct wb_schedule **schedule) {
    struct recorder recorder = {.sm_count = 1};
    WB_TRY(OPTIONS_TAKE(wb_schedule_options, options, &recorder.options, diagnostics));
    struct wb_schedule *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, subject->policy->name);
    describe(subject, info, made);
    recorder.code = made->code;
    recorder.warp_count = made->info.warp_count;
    recorder.has_waits = machine_unproven(made->machine) == NULL;
    recorder.until = recorder.options.until == 0 ? CYCLES_SATURATED : recorder.options.until;
    recorder.most = recorder.options.most == 0 ? SCHEDULE_ISSUES_MAX : recorder.options.most;
    atomic_init(&recorder.left, SCHEDULE_ISSUES_MAX);
    if (subject->block == NULL) recorder.sm_count = made->machine->memory.sms;
    const wb_status status = record(subject, &recorder, diagnostics, made);
    recorder_free(&recorder);
    if (status != WB_OK) {
        wb_schedule_free(made);
        return status;
    }
    *schedule = made;
    return WB_OK;
}
