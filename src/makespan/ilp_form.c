/* What the formulations have in common. */
#include "makespan/ilp_form.h"

#include <stdlib.h>

#include "makespan/closed.h"

wb_status ilp_instance_make(const struct makespan_problem *problem, struct ilp_instance *instance) {
    cycles horizon;
    *instance = (struct ilp_instance){.problem = problem};
    WB_TRY(closed_bound(problem, &horizon));
    if (cycles_mul(horizon, problem->instruction_count) > INT32_MAX) return WB_ERR_LIMIT;
    instance->horizon = (uint32_t)horizon;
    instance->warps = calloc(problem->warp_count, sizeof *instance->warps);
    if (instance->warps == NULL) return WB_ERR_LIMIT;
    struct ilp_warp *warp = instance->warps;
    uint32_t start = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t i = 0; i < group->warps; i++, warp++, start += group->length)
            *warp =
                (struct ilp_warp){problem->unit + group->first, group->length, start, i + 1 == group->warps};
    }
    return WB_OK;
}

void ilp_instance_free(struct ilp_instance *instance) {
    free(instance->warps);
    *instance = (struct ilp_instance){0};
}

uint32_t ilp_capacity(const struct makespan_problem *problem, uint32_t resource) {
    return resource == ILP_ISSUE ? problem->issue_limit : problem->capacity[resource];
}

bool ilp_uses(uint32_t unit, uint32_t resource) {
    return resource == ILP_ISSUE || unit == resource;
}

bool ilp_can_fill(const struct ilp_instance *instance, uint32_t resource) {
    uint32_t users = 0;
    for (uint32_t g = 0; g < instance->problem->group_count; g++)
        if (resource == ILP_ISSUE || problem_unit_count(instance->problem, g, resource) > 0)
            users += instance->problem->groups[g].warps;
    return users > 0 && users >= ilp_capacity(instance->problem, resource);
}

struct ilp_name ilp_full_name(uint32_t resource, uint32_t t) {
    static const char *const stems[ILP_RESOURCES] = {"full_L", "full_C", "full_S", "full_D", "full_issue"};
    return (struct ilp_name){stems[resource], {t}};
}
