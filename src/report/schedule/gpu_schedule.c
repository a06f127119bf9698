/* The schedule of a grid on a GPU. Memory instructions end after they were issued, nobody knows when: what
 * every SM issues is kept until the simulation has ended, and is then written in the order of time. */
#include <assert.h>
#include <stdlib.h>

#include "base/names.h"
#include "report/parts/bounds.h"
#include "report/schedule/schedule.h"
#include "report/write/output.h"

/* What an SM issued, and when what flew has landed, by the numbers of flights. */
struct sm_schedule {
    VEC(struct sim_event) events;
    VEC(struct sim_landing) landings;
    bool failed; /* memory was exhausted for a landing */
};

struct gpu_schedule {
    struct sm_schedule *sms;
    uint32_t sm_count;
};

/* An event of an SM, in the order of time. */
struct event_place {
    cycles issue;
    uint32_t sm, index;
};

static wb_status keep_event(void *user, uint32_t sm, const struct sim_event *event) {
    struct gpu_schedule *schedule = user;
    if (schedule->sms[sm].failed) return WB_ERR_LIMIT;
    return vec_push(&schedule->sms[sm].events, *event);
}

static void keep_landing(void *user, uint32_t sm, const struct sim_landing *landing) {
    struct gpu_schedule *schedule = user;
    struct sm_schedule *own = &schedule->sms[sm];
    const struct sim_landing none = {.flight = FLIGHT_NONE};
    while (!own->failed && own->landings.count <= landing->flight)
        own->failed = vec_push(&own->landings, none) != WB_OK;
    if (!own->failed) own->landings.items[landing->flight] = *landing;
}

/* Fills in what was not known at the issue. */
static void complete_event(const struct sm_schedule *sm, struct sim_event *event) {
    if (event->flight == FLIGHT_NONE) return;
    assert(event->flight < sm->landings.count);
    const struct sim_landing *landing = &sm->landings.items[event->flight];
    assert(landing->flight == event->flight && landing->completion >= event->issue);
    event->completion = landing->completion;
    if (event->init_end != CYCLES_SATURATED) return;
    event->start = landing->start;
    event->init_end = landing->init_end;
    event->instance = landing->instance;
}

static int compare_places(const void *a, const void *b) {
    const struct event_place *left = a, *right = b;
    if (left->issue != right->issue) return left->issue < right->issue ? -1 : 1;
    if (left->sm != right->sm) return left->sm < right->sm ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

/* All events, by time, then SM, then the order in which it issued them. */
static struct event_place *sort_events(struct gpu_schedule *schedule, struct schedule_report *report,
                                       size_t *count) {
    *count = 0;
    for (uint32_t s = 0; s < schedule->sm_count; s++)
        *count += schedule->sms[s].events.count;
    struct event_place *places = calloc(*count + 1, sizeof *places), *place = places;
    for (uint32_t s = 0; places != NULL && s < schedule->sm_count; s++) {
        struct sm_schedule *sm = &schedule->sms[s];
        for (uint32_t i = 0; i < sm->events.count; i++) {
            struct sim_event *event = &sm->events.items[i];
            complete_event(sm, event);
            *place++ = (struct event_place){event->issue, s, i};
            if (event->slot >= report->slots) report->slots = event->slot + 1;
            report->sms = s + 1;
        }
    }
    if (places != NULL) qsort(places, *count, sizeof *places, compare_places);
    return places;
}

static wb_status write_events(struct schedule_report *report, const struct schedule_writer *format,
                              struct gpu_schedule *schedule, const wb_writer *writer) {
    size_t count;
    struct event_place *places = sort_events(schedule, report, &count);
    wb_status status = places == NULL ? WB_ERR_LIMIT : format->begin(report);
    for (size_t i = 0; status == WB_OK && i < count; i++) {
        const struct event_place *place = &places[i];
        status = format->event(report, place->sm, &schedule->sms[place->sm].events.items[place->index]);
        if (status == WB_OK) status = report_flush(&report->out, writer, false);
    }
    if (status == WB_OK) status = format->end(report);
    if (status == WB_OK) status = report_flush(&report->out, writer, true);
    free(places);
    return report_written(status, report->diagnostics);
}

/* The one name of a list. */
static wb_status choose_one(const char *what, const char *name, const char *(*name_at)(size_t),
                            wb_diagnostics *diagnostics, size_t *index) {
    uint64_t chosen;
    WB_TRY(choose_names(what, name, name_at, diagnostics, &chosen));
    *index = (size_t)__builtin_ctzll(chosen);
    if (__builtin_popcountll(chosen) == 1) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, what, "a schedule is that of one %s, not of '%s'", what, name);
    return WB_ERR_INPUT;
}

/* The scheme under the policy that is asked for, or its own. */
static wb_status choose_scheme(const char *scheme, const char *policy, wb_diagnostics *diagnostics,
                               struct gpu_scheme *chosen) {
    size_t index;
    WB_TRY(choose_one("scheme", scheme, wb_scheme_name, diagnostics, &index));
    *chosen = *gpu_scheme_at(index);
    if (policy == NULL) return WB_OK;
    WB_TRY(choose_one("policy", policy, wb_policy_name, diagnostics, &index));
    if (chosen->policy->work_conserving) chosen->policy = policy_at(index);
    return WB_OK;
}

static wb_status simulate_events(const wb_gpu *gpu, const struct gpu_scheme *scheme, const wb_watch *watch,
                                 wb_diagnostics *diagnostics, struct gpu_schedule *schedule) {
    const struct gpu_sink sink = {
        .sm = GPU_EVERY_SM, .issue = keep_event, .user = schedule, .land = keep_landing};
    const struct gpu_options options = {.threads = gpu->threads, .sink = &sink, .watch = watch};
    struct arena arena = {0};
    wb_gpu_simulation result;
    schedule->sm_count = gpu->timed.machine->memory.sms;
    schedule->sms = calloc((size_t)schedule->sm_count + 1, sizeof *schedule->sms);
    if (schedule->sms == NULL) return diagnose_out_of_memory(diagnostics, scheme->name);
    wb_status status = gpu_simulate(&gpu->timed, scheme, &options, diagnostics, &arena, &result);
    arena_free(&arena);
    for (uint32_t s = 0; status == WB_OK && s < schedule->sm_count; s++)
        if (schedule->sms[s].failed) status = diagnose_out_of_memory(diagnostics, scheme->name);
    return status;
}

wb_status wb_gpu_schedule_report(const wb_gpu *gpu, const char *scheme, const char *policy,
                                 wb_schedule_format format, const wb_watch *watch, const wb_writer *writer,
                                 wb_diagnostics *diagnostics) {
    struct gpu_scheme chosen;
    struct gpu_schedule schedule = {0};
    WB_TRY(choose_scheme(scheme, policy, diagnostics, &chosen));
    if (format == WB_SCHEDULE_SVG) {
        diagnose(diagnostics, SEVERITY_ERROR, chosen.name, "a picture is of the schedule of one block");
        return WB_ERR_INPUT;
    }
    if (gpu_instructions(gpu->timed.grid) > SCHEDULE_EVENTS_MAX)
        return schedule_refuse_length(diagnostics, chosen.name);
    struct schedule_report report = {.machine = gpu->timed.machine,
                                     .code = &gpu->timed.code,
                                     .grid = gpu->timed.grid,
                                     .policy = chosen.policy->name,
                                     .scheme = chosen.name,
                                     .warp_count = gpu->timed.grid->warp_count,
                                     .diagnostics = diagnostics};
    wb_status status = simulate_events(gpu, &chosen, watch, diagnostics, &schedule);
    if (status == WB_OK)
        status = write_events(&report, format == WB_SCHEDULE_TRACE ? &schedule_trace : &schedule_table,
                              &schedule, writer);
    for (uint32_t s = 0; schedule.sms != NULL && s < schedule.sm_count; s++) {
        vec_free(&schedule.sms[s].events);
        vec_free(&schedule.sms[s].landings);
    }
    free(schedule.sms);
    sheet_close(&report.table, &report.out);
    text_free(&report.out);
    return status;
}
