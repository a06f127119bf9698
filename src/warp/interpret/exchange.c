/* Instructions by which the lanes of a warp exchange values. A lane that does not execute the instruction
 * gives nothing: what would be read from it is unknown. */
#include <assert.h>

#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

static void write_lane(struct lanes *out, uint32_t lane, uint64_t value, bool known, uint32_t origin) {
    out->value[lane] = value;
    out->known = (out->known & ~(1u << lane)) | (uint32_t)known << lane;
    if (!known) lanes_unknown_by(out, 1u << lane, origin);
}

static void write_predicates(struct lanes *out, uint32_t mask, uint32_t bits, uint32_t known,
                             uint32_t origin) {
    out->value[0] = (out->value[0] & ~mask) | (bits & mask);
    out->known = (out->known & ~mask) | (known & mask);
    if ((mask & ~known) != 0) lanes_unknown_by(out, mask & ~known, origin);
}

/* The lane that `lane` reads from, and whether that is within its segment: the pseudo-code of the PTX ISA,
 * shfl. */
static uint32_t source_lane(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
    uint32_t offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    uint32_t from;
    switch (mode) {
    case PTX_MODE_UP:
        from = lane - offset;
        *inside = (int32_t)from >= (int32_t)most;
        break;
    case PTX_MODE_DOWN:
        from = lane + offset;
        *inside = from <= most;
        break;
    case PTX_MODE_BFLY:
        from = lane ^ offset;
        *inside = from <= most;
        break;
    default:
        from = least | (offset & ~segment);
        *inside = from <= most;
        break;
    }
    return *inside ? from : lane;
}

/* Lanes that execute an exchange as one: of .sync forms those with the same member mask. */
struct company {
    uint32_t lanes;   /* that execute it here */
    uint32_t members; /* of them, those that take part */
    bool certain;     /* all members are here, and `members` is known */
};

/* A member that is not here executes something else, as a branch has divided it off: on GPUs it is waited
 * for, and what it then gives is not known. Of a covering run it may be here in the execution that counts
 * only if what is unknown says so. */
static void note_absent(struct warp *warp, const struct micro *op, uint32_t absent) {
    struct run *run = warp->run;
    if (run->cover != NULL && (absent & ~warp->unsure) == 0)
        run_assume(run, ASSUMED_MEMBERS_TOGETHER);
    else
        notes_unmodelled(&run->notes, op->index, ABSENT_MEMBER);
}

/* Whether lanes that go on at an instruction leave the kernel there. */
static bool leaves_kernel(const struct frame *frame, uint32_t pc) {
    const struct micro *op = &frame->code->micros[pc];
    if (op->has_guard) return false;
    return op->execute == exit_execute || (op->execute == return_execute && frame->call == NULL);
}

/* Lanes that have not exited, but will do nothing else when it is their turn: nobody waits for them. */
static uint32_t leaving_lanes(const struct warp *warp) {
    uint32_t seen = 0, leaving = 0;
    const struct frame *frame = warp->frame;
    for (size_t i = warp->stack.count; i-- > 0;) {
        const struct simt_entry *entry = &warp->stack.items[i];
        while (i < frame->stack_base)
            frame--;
        if (i + 1 < warp->stack.count && leaves_kernel(frame, entry->pc)) leaving |= entry->mask & ~seen;
        seen |= entry->mask;
    }
    return leaving;
}

/* Takes the next company from the lanes of *left, which are some. */
static struct company next_company(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t *left) {
    const struct lanes *given = warp_slot(warp, op->source[3]);
    struct company company = {.certain = true};
    if (!op->form->sync) {
        company.lanes = company.members = mask;
    } else if ((mask & ~given->known) != 0) {
        company = (struct company){.lanes = mask, .members = mask};
        run_assume_members(warp->run);
    } else {
        const uint32_t wanted = (uint32_t)given->value[__builtin_ctz(*left)];
        FOR_LANES_OF(l, *left) company.lanes |= (uint32_t)((uint32_t)given->value[l] == wanted) << l;
        company.members = company.lanes & wanted;
        /* Lanes that have exited are not waited for; a lane that is no member must not be here. */
        uint32_t absent = wanted & warp->live & ~company.lanes;
        if (absent != 0) absent &= ~leaving_lanes(warp);
        absent |= company.lanes & ~wanted;
        company.certain = absent == 0;
        if (absent != 0) note_absent(warp, op, absent);
    }
    assert((company.lanes & *left) != 0 && (company.members & ~company.lanes) == 0);
    *left &= ~company.lanes;
    return company;
}

wb_status shuffle_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes in = *warp_slot(warp, op->source[0]); /* copied: it may be the output */
    const struct lanes b = *warp_slot(warp, op->source[1]), c = *warp_slot(warp, op->source[2]);
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t insides = 0, input_dependent = b.known & c.known, sources[WARP_LANES];
    for (uint32_t left = mask; left != 0;) {
        const struct company company = next_company(warp, op, mask, &left);
        FOR_LANES_OF(l, company.lanes) sources[l] = company.certain ? company.members : 0;
    }
    base_region_write(warp, out, mask, in.base_region);
    FOR_LANES_OF(l, mask) {
        bool inside = false;
        uint32_t from = source_lane(op->form->mode, l, (uint32_t)b.value[l], (uint32_t)c.value[l], &inside);
        bool active = (sources[l] >> from & 1) != 0;
        bool known = (input_dependent >> l & 1) != 0 && (in.known >> from & 1) != 0;
        uint32_t origin = !active                           ? op->index
                          : (input_dependent >> l & 1) != 0 ? warp_origin(&in, op)
                          : (b.known >> l & 1) != 0         ? warp_origin(&c, op)
                                                            : warp_origin(&b, op);
        write_lane(out, l, in.value[from], known && active, origin);
        if (active && (input_dependent >> l & 1) != 0 && (lanes_partial(&in) >> from & 1) != 0)
            partial_write_lane(out, l, in.half.bits[from]);
        insides |= (uint32_t)inside << l;
    }
    write_predicates(warp_slot(warp, op->destination2), mask, insides, input_dependent, op->index);
    return WB_OK;
}

/* The vote of one company; a known vote can decide although others are not known. */
static void vote_company(struct warp *warp, const struct micro *op, const struct company *company) {
    const uint32_t known = warp_slot(warp, op->source[0])->known, members = company->members;
    const uint32_t trues = warp_predicate(warp, op->source[0]) & members & known;
    const uint32_t falses = ~warp_predicate(warp, op->source[0]) & members & known;
    const bool all_known = (members & ~known) == 0, certain = company->certain;
    const uint32_t origin = certain ? warp_origin(warp_slot(warp, op->source[0]), op) : op->index;
    struct lanes *out = warp_slot(warp, op->destination);
    bool result, decided;
    switch (op->form->mode) {
    case PTX_MODE_ALL:
        result = falses == 0;
        decided = all_known || falses != 0;
        break;
    case PTX_MODE_ANY:
        result = trues != 0;
        decided = all_known || trues != 0;
        break;
    case PTX_MODE_UNI:
        result = trues == 0 || falses == 0;
        decided = all_known || (trues != 0 && falses != 0);
        break;
    default: FOR_LANES_OF(l, company->lanes) write_lane(out, l, trues, all_known && certain, origin); return;
    }
    write_predicates(out, company->lanes, result ? LANES_ALL : 0, decided && certain ? LANES_ALL : 0, origin);
}

wb_status vote_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    for (uint32_t left = mask; left != 0;) {
        const struct company company = next_company(warp, op, mask, &left);
        vote_company(warp, op, &company);
    }
    return WB_OK;
}

/* The members whose value is that of lane `lane`. */
static uint32_t equal_lanes(const struct lanes *in, uint32_t members, uint32_t lane) {
    uint32_t equal = 0;
    FOR_LANES_OF(m, members) equal |= (uint32_t)(in->value[m] == in->value[lane]) << m;
    return equal;
}

wb_status match_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes in = *warp_slot(warp, op->source[0]);
    const bool any = op->form->mode == PTX_MODE_ANY;
    for (uint32_t left = mask; left != 0;) {
        const struct company company = next_company(warp, op, mask, &left);
        const bool known = company.certain && (company.members & ~in.known) == 0;
        const uint32_t origin = company.certain ? warp_origin(&in, op) : op->index;
        uint32_t agreed = 0;
        FOR_LANES_OF(l, company.lanes) {
            uint32_t equal = equal_lanes(&in, company.members, l);
            bool all = equal == company.members;
            write_lane(warp_slot(warp, op->destination), l,
                       any   ? equal
                       : all ? company.members
                             : 0,
                       known, origin);
            agreed |= (uint32_t)all << l;
        }
        write_predicates(warp_slot(warp, op->destination2), company.lanes, agreed, known ? LANES_ALL : 0,
                         origin);
    }
    return WB_OK;
}

wb_status activemask_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    FOR_LANES_OF(l, mask) write_lane(out, l, mask, true, 0);
    return WB_OK;
}

static uint64_t reduced(const struct ptx_form *form, uint64_t a, uint64_t b) {
    bool b_less = form->type == PTX_S32 ? (int32_t)b < (int32_t)a : b < a;
    switch (form->mode) {
    case PTX_MODE_ADD: return (uint32_t)(a + b);
    case PTX_MODE_MIN: return b_less ? b : a;
    case PTX_MODE_MAX: return b_less ? a : b;
    case PTX_MODE_AND: return a & b;
    case PTX_MODE_OR: return a | b;
    default: return a ^ b;
    }
}

wb_status redux_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes in = *warp_slot(warp, op->source[0]); /* copied: it may be the output */
    for (uint32_t left = mask; left != 0;) {
        const struct company company = next_company(warp, op, mask, &left);
        const bool known = company.certain && (company.members & ~in.known) == 0;
        const uint32_t origin = company.certain ? warp_origin(&in, op) : op->index;
        uint64_t result = 0;
        bool first = true;
        FOR_LANES_OF(m, company.members) {
            result = first ? in.value[m] : reduced(op->form, result, in.value[m]);
            first = false;
        }
        FOR_LANES_OF(l, company.lanes)
        write_lane(warp_slot(warp, op->destination), l, result, known, origin);
    }
    return WB_OK;
}

wb_status elect_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    for (uint32_t left = mask; left != 0;) {
        const struct company company = next_company(warp, op, mask, &left);
        const uint32_t leader = company.members == 0 ? 0 : (uint32_t)__builtin_ctz(company.members);
        FOR_LANES_OF(l, company.lanes)
        write_lane(warp_slot(warp, op->destination), l, leader, company.certain, op->index);
        write_predicates(warp_slot(warp, op->destination2), company.lanes, 1u << leader,
                         company.certain ? LANES_ALL : 0, op->index);
    }
    return WB_OK;
}

wb_status warp_sync_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    for (uint32_t left = mask; left != 0;)
        (void)next_company(warp, op, mask, &left);
    return WB_OK;
}
