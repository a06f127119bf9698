#include "sim/gpu_server.h"

wb_status gpu_server_init(struct gpu_server *server, const struct machine_memory *memory, uint32_t sm_count,
                          struct arena *arena) {
    *server = (struct gpu_server){.memory = memory, .sm_count = sm_count};
    server->lines = arena_array(arena, sm_count, sizeof *server->lines);
    return server->lines == NULL ? WB_ERR_LIMIT : WB_OK;
}

static const struct gpu_request *head(const struct gpu_line *line) {
    return line->first < line->requests.count ? &line->requests.items[line->first] : NULL;
}

/* Puts an SM's requests behind those that wait. */
static wb_status take_requests(struct gpu_line *line, struct gpu_mailbox *box) {
    if (box->requests.count == 0) return WB_OK;
    size_t left = line->requests.count - line->first;
    for (size_t i = 0; i < left; i++)
        line->requests.items[i] = line->requests.items[line->first + i];
    line->requests.count = left;
    line->first = 0;
    WB_TRY(vec_reserve(&line->requests, box->requests.count));
    for (size_t i = 0; i < box->requests.count; i++)
        line->requests.items[line->requests.count++] = box->requests.items[i];
    box->requests.count = 0;
    return WB_OK;
}

/* When the next service begins, or CYCLES_SATURATED. */
static cycles next_service(const struct gpu_server *server) {
    cycles first = CYCLES_SATURATED;
    for (uint32_t s = 0; s < server->sm_count; s++) {
        const struct gpu_request *request = head(&server->lines[s]);
        if (request != NULL) first = cycles_min(first, request->at);
    }
    return first == CYCLES_SATURATED ? first : cycles_max(first, server->free_at);
}

/* The SM whose first request is served in cycle `start`: some request has arrived by then. */
static uint32_t choose(const struct gpu_server *server, cycles start) {
    const bool in_turns = server->memory->arbiter == ARBITER_ROUND_ROBIN;
    uint32_t chosen = 0;
    cycles arrival = CYCLES_SATURATED;
    for (uint32_t i = 0; i < server->sm_count; i++) {
        uint32_t sm = in_turns ? (server->turn + i) % server->sm_count : i;
        const struct gpu_request *request = head(&server->lines[sm]);
        if (request == NULL || request->at > start) continue;
        if (in_turns) return sm;
        if (request->at >= arrival) continue;
        arrival = request->at;
        chosen = sm;
    }
    return chosen;
}

wb_status gpu_server_run(struct gpu_server *server, struct gpu_mailbox *boxes, cycles known_to,
                         cycles *answered, cycles *next) {
    *answered = CYCLES_SATURATED;
    for (uint32_t s = 0; s < server->sm_count; s++)
        WB_TRY(take_requests(&server->lines[s], &boxes[s]));
    while ((*next = next_service(server)) < known_to) {
        uint32_t sm = choose(server, *next);
        struct gpu_line *line = &server->lines[sm];
        server->free_at = *next + server->memory->service;
        server->turn = sm + 1;
        const struct gpu_answer answer = {server->free_at + server->return_delay,
                                          line->requests.items[line->first++].sender};
        WB_TRY(vec_push(&boxes[sm].answers, answer));
        *answered = cycles_min(*answered, answer.at);
    }
    return WB_OK;
}

void gpu_server_free(struct gpu_server *server) {
    for (uint32_t s = 0; server->lines != NULL && s < server->sm_count; s++)
        vec_free(&server->lines[s].requests);
}
