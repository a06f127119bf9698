#include "wings/makespan/strings/transform.h"

#include <stdlib.h>
#include <string.h>

static const char where[] = "makespan";

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The papers' rule for units that do not serve a whole warp at once: a power of two that divides it. */
static wb_status check_unit_count(uint32_t unit, uint32_t count, uint32_t warp_size,
                                  wb_diagnostics *diagnostics) {
    if (count >= warp_size || warp_size % count == 0) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, where,
             "unit type %c: %u units do not divide a warp of %u lanes; fewer units than lanes must",
             UNIT_LETTERS[unit], count, warp_size);
    return WB_ERR_INPUT;
}

static bool spec_uses(const struct makespan_spec *spec, uint32_t unit) {
    for (size_t i = 0; i < spec->groups.count; i++) {
        const struct unit_string *string = &spec->groups.items[i].string;
        if (string->units.count > 0 && memchr(string->units.items, (int)unit, string->units.count) != NULL)
            return true;
    }
    return false;
}

/* Units are not given of some types that are used: of which, and as an example one warp a cycle of them. */
static wb_status refuse_units(const struct makespan_spec *spec, wb_diagnostics *diagnostics) {
    struct text missing = {0}, example = {0};
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        struct ratio sigma = spec->units[unit];
        if (!spec_uses(spec, unit)) continue;
        if (sigma.denominator == 0) {
            text_printf(&missing, "%s%c", missing.length > 0 ? ", " : "", UNIT_LETTERS[unit]);
            sigma = (struct ratio){spec->warp_size != 0 ? spec->warp_size : 1, 1};
        }
        text_printf(&example, "%s%c=%u", example.length > 0 ? "," : "", UNIT_LETTERS[unit], sigma.numerator);
        if (sigma.denominator != 1) text_printf(&example, "/%u", sigma.denominator);
    }
    wb_status status = missing.failed || example.failed ? WB_ERR_LIMIT : WB_ERR_INPUT;
    if (status == WB_ERR_INPUT)
        diagnose(diagnostics, SEVERITY_ERROR, where, "the units of %s are not given; for example: -u %s",
                 missing.data, example.data);
    else
        (void)diagnose_out_of_memory(diagnostics, where);
    text_free(&missing);
    text_free(&example);
    return status;
}

/* Sigma of one unit type in lowest terms. */
static wb_status find_sigma(const struct makespan_spec *spec, uint32_t unit, wb_diagnostics *diagnostics,
                            struct ratio *sigma) {
    struct ratio given = spec->units[unit];
    if (given.denominator == 0) return refuse_units(spec, diagnostics);
    if (spec->warp_size != 0) {
        if (given.denominator != 1) {
            diagnose(diagnostics, SEVERITY_ERROR, where,
                     "unit type %c: with a warp size, expected a whole number of units", UNIT_LETTERS[unit]);
            return WB_ERR_INPUT;
        }
        WB_TRY(check_unit_count(unit, given.numerator, spec->warp_size, diagnostics));
        given.denominator = spec->warp_size;
    }
    uint32_t divisor = greatest_common_divisor(given.numerator, given.denominator);
    *sigma = (struct ratio){given.numerator / divisor, given.denominator / divisor};
    return WB_OK;
}

static wb_status transform_unit(const struct makespan_spec *spec, uint32_t unit, wb_diagnostics *diagnostics,
                                struct unit_transform *result) {
    WB_TRY(find_sigma(spec, unit, diagnostics, &result->sigma));
    result->cycles = spec->cycles[unit] == 0 ? 1 : spec->cycles[unit];
    uint32_t copies = 1;
    if (result->sigma.numerator < result->sigma.denominator) {
        if (result->sigma.numerator != 1) {
            diagnose(diagnostics, SEVERITY_ERROR, where,
                     "unit type %c: a capacity of %u/%u is below 1 and not 1 divided by a whole number",
                     UNIT_LETTERS[unit], result->sigma.numerator, result->sigma.denominator);
            return WB_ERR_INPUT;
        }
        copies = result->sigma.denominator;
        result->capacity = 1;
    } else {
        result->capacity = result->sigma.numerator / result->sigma.denominator;
    }
    uint64_t letters = (uint64_t)copies * result->cycles;
    if (letters > MAKESPAN_LENGTH_MAX || result->capacity > CAPACITY_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, where, "unit type %c: its numbers are beyond what is supported",
                 UNIT_LETTERS[unit]);
        return WB_ERR_INPUT;
    }
    result->copies = (uint32_t)letters;
    return WB_OK;
}

/* The letters of a group, each repeated as often as its unit type says. */
static wb_status expand(const struct transform *transform, const struct unit_string *string,
                        wb_diagnostics *diagnostics, struct unit_string *expanded) {
    uint64_t length = 0;
    for (size_t i = 0; i < string->units.count; i++)
        length += transform->of[string->units.items[i]].copies;
    if (length > MAKESPAN_LENGTH_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, where,
                 "a string has more than %u letters after the transformation", MAKESPAN_LENGTH_MAX);
        return WB_ERR_INPUT;
    }
    if (vec_reserve(&expanded->units, length) != WB_OK) return diagnose_out_of_memory(diagnostics, where);
    for (size_t i = 0; i < string->units.count; i++) {
        uint8_t unit = string->units.items[i];
        memset(expanded->units.items + expanded->units.count, unit, transform->of[unit].copies);
        expanded->units.count += transform->of[unit].copies;
    }
    return WB_OK;
}

/* A group has its own number of warps or, without one, the spec's, which must be of use to some group. */
static wb_status check_warps(const struct makespan_spec *spec, wb_diagnostics *diagnostics) {
    bool wanted = false;
    for (size_t i = 0; i < spec->groups.count; i++)
        if (spec->groups.items[i].warps == 0) wanted = true;
    if (wanted == (spec->warps != 0)) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, where, "%s",
             wanted ? "the number of warps is not given (-w N)"
                    : "a number of warps is given (-w N), but every string has its own");
    return WB_ERR_INPUT;
}

/* The groups of the problem; `strings` has one empty string a group. */
static wb_status expand_groups(const struct makespan_spec *spec, const struct transform *transform,
                               wb_diagnostics *diagnostics, struct unit_string *strings,
                               struct string_use *uses) {
    for (size_t i = 0; i < spec->groups.count; i++) {
        const struct spec_group *group = &spec->groups.items[i];
        uses[i].warps = group->warps != 0 ? group->warps : spec->warps;
        WB_TRY(expand(transform, &group->string, diagnostics, &strings[i]));
        uses[i].units = strings[i].units.items;
        uses[i].length = (uint32_t)strings[i].units.count;
    }
    return WB_OK;
}

static wb_status make_problem(const struct makespan_spec *spec, const struct transform *transform,
                              const struct string_use *uses, wb_diagnostics *diagnostics,
                              struct makespan_problem *problem) {
    uint32_t capacity[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        capacity[unit] = transform->of[unit].used ? transform->of[unit].capacity : 1;
    wb_status status = problem_make(uses, (uint32_t)spec->groups.count, capacity, spec->issue, problem);
    if (status == WB_OK) return WB_OK;
    problem_free(problem);
    if (status == WB_ERR_LIMIT) return diagnose_out_of_memory(diagnostics, where);
    diagnose(diagnostics, SEVERITY_ERROR, where,
             "too large: at most %u warps, %u letters of all strings and %llu instructions of all warps",
             MAKESPAN_WARPS_MAX, MAKESPAN_LENGTH_MAX, (unsigned long long)MAKESPAN_INSTRUCTIONS_MAX);
    return status;
}

wb_status transform_spec(const struct makespan_spec *spec, wb_diagnostics *diagnostics,
                         struct transform *transform, struct makespan_problem *problem) {
    *transform = (struct transform){0};
    if (spec->groups.count == 0) {
        diagnose(diagnostics, SEVERITY_ERROR, where, "no kernel instruction string is given");
        return WB_ERR_INPUT;
    }
    WB_TRY(check_warps(spec, diagnostics));
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        transform->of[unit].used = spec_uses(spec, unit);
        if (transform->of[unit].used) WB_TRY(transform_unit(spec, unit, diagnostics, &transform->of[unit]));
    }
    struct unit_string *strings = calloc(spec->groups.count, sizeof *strings);
    struct string_use *uses = calloc(spec->groups.count, sizeof *uses);
    wb_status status = WB_OK;
    if (strings == NULL || uses == NULL) status = diagnose_out_of_memory(diagnostics, where);
    if (status == WB_OK) status = expand_groups(spec, transform, diagnostics, strings, uses);
    if (status == WB_OK) status = make_problem(spec, transform, uses, diagnostics, problem);
    for (size_t i = 0; strings != NULL && i < spec->groups.count; i++)
        unit_string_free(&strings[i]);
    free(strings);
    free(uses);
    return status;
}

bool transform_repeats(const struct transform *transform) {
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (transform->of[unit].used && transform->of[unit].copies > 1) return true;
    return false;
}

bool transform_rounds(const struct transform *transform) {
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        const struct ratio *sigma = &transform->of[unit].sigma;
        if (transform->of[unit].used && sigma->denominator > 1 && sigma->numerator > sigma->denominator)
            return true;
    }
    return false;
}

bool transform_changes(const struct transform *transform) {
    return transform_repeats(transform) || transform_rounds(transform);
}
