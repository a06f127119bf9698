/* The flags of a gpgpusim.config: `-flag value` separated by white space, comments from '#' to the end of the
 * line, values in double quotes that may hold spaces and line breaks. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "wings/gpgpusim/import.h"

/* Largest count and memory size that a flag may state. */
#define FLAG_COUNT_MAX 64u
#define FLAG_SIZE_MAX (1u << 30)

/* Fastest clock of a flag, in megahertz. */
#define FLAG_CLOCK_MAX 100000.0

/* Longest name of a flag that is told as ignored. */
#define FLAG_NAME_MAX 100

/* Latency in `-specialized_unit_N` of a unit is its third number, its name the sixth part. */
#define SPECIALIZED_PARTS 6

enum flag_kind {
    FLAG_NUMBER,            /* one whole number from minimum to maximum */
    FLAG_TIMES,             /* 5 cycle counts, of integers also 6 */
    FLAG_CLOCKS,            /* core:interconnect:L2:DRAM, megahertz */
    FLAG_THREADS,           /* threads:warp size */
    FLAG_WIDTHS,            /* registers between the stages of the pipeline */
    FLAG_INSTRUCTION_CACHE, /* letter:sets:line:ways,policies,letter:misses:... */
    FLAG_SPECIALIZED
};

struct flag {
    const char *name;
    enum flag_kind kind;
    size_t offset; /* in struct import_config */
    uint32_t minimum, maximum;
};

#define NUMBER(name, member, minimum, maximum)                                                               \
    { name, FLAG_NUMBER, offsetof(struct import_config, member), minimum, maximum }
#define TIMES(name, member, minimum)                                                                         \
    { name, FLAG_TIMES, offsetof(struct import_config, member), minimum, MACHINE_TIME_MAX }

#define COLLECTORS(unit, member)                                                                             \
    NUMBER("-gpgpu_operand_collector_num_units_" unit, gpgpusim.member, 0, GPGPUSIM_COLLECTORS_MAX)

static const struct flag flags[] = {
    TIMES("-ptx_opcode_latency_int", latency_int, 0),
    TIMES("-ptx_opcode_latency_fp", latency_fp, 0),
    TIMES("-ptx_opcode_latency_dp", latency_dp, 0),
    TIMES("-ptx_opcode_initiation_int", init_int, 1),
    TIMES("-ptx_opcode_initiation_fp", init_fp, 1),
    TIMES("-ptx_opcode_initiation_dp", init_dp, 1),
    NUMBER("-ptx_opcode_latency_sfu", latency_sfu, 0, MACHINE_TIME_MAX),
    NUMBER("-ptx_opcode_initiation_sfu", init_sfu, 1, MACHINE_TIME_MAX),
    NUMBER("-ptx_opcode_latency_tesnor", latency_tensor, 0, MACHINE_TIME_MAX), /* the simulator's spelling */
    NUMBER("-ptx_opcode_latency_tensor", latency_tensor, 0, MACHINE_TIME_MAX),
    NUMBER("-ptx_opcode_initiation_tensor", init_tensor, 1, MACHINE_TIME_MAX),
    NUMBER("-gpgpu_num_sched_per_core", schedulers, 1, 16),
    NUMBER("-gpgpu_sub_core_model", sub_core_model, 0, 1),
    NUMBER("-gpgpu_max_insn_issue_per_warp", issue_per_warp, 1, 8),
    NUMBER("-gpgpu_dual_issue_diff_exec_units", issue_to_other_units, 0, 1),
    NUMBER("-gpgpu_num_sp_units", sp_units, 1, FLAG_COUNT_MAX),
    NUMBER("-gpgpu_num_int_units", int_units, 0, FLAG_COUNT_MAX),
    NUMBER("-gpgpu_num_dp_units", dp_units, 0, FLAG_COUNT_MAX),
    NUMBER("-gpgpu_num_sfu_units", sfu_units, 1, FLAG_COUNT_MAX),
    NUMBER("-gpgpu_num_tensor_core_units", tensor_units, 0, FLAG_COUNT_MAX),
    NUMBER("-gpgpu_tensor_core_avail", tensor_available, 0, 1),
    NUMBER("-gpgpu_smem_latency", smem_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-smem_latency", smem_latency, 0, MACHINE_TIME_MAX), /* older files */
    NUMBER("-gpgpu_l1_latency", l1_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-gpgpu_l2_rop_latency", l2_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-rop_latency", l2_latency, 0, MACHINE_TIME_MAX), /* older files */
    NUMBER("-dram_latency", dram_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-gpgpu_l1_banks", l1_banks, 1, GPGPUSIM_STORE_BANKS_MAX),
    NUMBER("-gpgpu_gmem_skip_L1D", skip_l1, 0, 1),
    NUMBER("-gpgpu_perfect_mem", perfect_memory, 0, 1),
    NUMBER("-gpgpu_num_reg_banks", gpgpusim.register_banks, 1, GPGPUSIM_BANKS_MAX),
    NUMBER("-gpgpu_reg_file_port_throughput", gpgpusim.collector_steps, 1, 64),
    NUMBER("-gpgpu_enable_specialized_operand_collector", own_collectors, 0, 1),
    NUMBER("-gpgpu_operand_collector_num_in_ports_gen", gpgpusim.generic_ports, 0, GPGPUSIM_COLLECTORS_MAX),
    COLLECTORS("gen", generic_collectors),
    COLLECTORS("sp", collectors[GPGPUSIM_SP]),
    COLLECTORS("dp", collectors[GPGPUSIM_DP]),
    COLLECTORS("int", collectors[GPGPUSIM_INT]),
    COLLECTORS("sfu", collectors[GPGPUSIM_SFU]),
    COLLECTORS("tensor_core", collectors[GPGPUSIM_TENSOR]),
    COLLECTORS("mem", collectors[GPGPUSIM_LSU]),
    NUMBER("-gpgpu_perfect_inst_const_cache", perfect_fetch, 0, 1),
    NUMBER("-gpgpu_inst_fetch_throughput", fetch.per_cycle, 1, 1024),
    {.name = "-gpgpu_cache:il1", .kind = FLAG_INSTRUCTION_CACHE},
    NUMBER("-gpgpu_n_clusters", clusters, 1, 1024),
    NUMBER("-gpgpu_n_cores_per_cluster", cluster_sms, 1, 1024),
    NUMBER("-gpgpu_kernel_launch_latency", launch_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-gpgpu_TB_launch_latency", block_latency, 0, MACHINE_TIME_MAX),
    NUMBER("-gpgpu_coalesce_arch", coalescing, 0, 1000),
    NUMBER("-gpgpu_shmem_per_block", block_shared_bytes, 0, FLAG_SIZE_MAX),
    NUMBER("-gpgpu_shader_cta", blocks, 1, 1024),
    NUMBER("-gpgpu_shader_registers", registers, 1, FLAG_SIZE_MAX),
    NUMBER("-gpgpu_shmem_size", shared_bytes, 0, FLAG_SIZE_MAX),
    {.name = "-gpgpu_clock_domains", .kind = FLAG_CLOCKS},
    {.name = "-gpgpu_shader_core_pipeline", .kind = FLAG_THREADS},
    {.name = "-gpgpu_pipeline_widths", .kind = FLAG_WIDTHS},
};

/* One word of the file, without its quotes. */
struct token {
    const char *text;
    size_t length;
    size_t at; /* byte offset */
    bool quoted;
};

static bool is_of_token(char c) {
    return !ascii_space(c) && c != '#';
}

/* The next word; one of length 0 that is not quoted at the end of the file. */
static wb_status next_token(struct scanner *scanner, struct token *token) {
    const bool quoted = scan_peek(scanner) == '"';
    *token = (struct token){.at = scanner->at, .quoted = quoted};
    if (!quoted) {
        token->length = scan_word(scanner, is_of_token, &token->text);
        return WB_OK;
    }
    token->text = scanner->text + ++scanner->at;
    const char *close = memchr(token->text, '"', scanner->size - scanner->at);
    if (close == NULL) return scan_fail_at(scanner, token->at, "expected a closing '\"'");
    token->length = (size_t)(close - token->text);
    scanner->at += token->length + 1;
    return WB_OK;
}

/* A flag is '-' and a letter, so that a negative number is a value. */
static bool is_flag(const struct token *token) {
    return !token->quoted && token->length >= 2 && token->text[0] == '-' && ascii_letter(token->text[1]);
}

static bool token_is(const struct token *token, const char *text) {
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

/* Cuts the value at `separator` into at most `most` parts; their number, or most + 1 when there are more. */
static size_t split(const struct token *value, char separator, struct token *parts, size_t most) {
    size_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= value->length; i++) {
        if (i < value->length && value->text[i] != separator) continue;
        if (count == most) return most + 1;
        parts[count++] = (struct token){value->text + start, i - start, value->at + start, false};
        start = i + 1;
    }
    return count;
}

static bool token_number(const struct token *token, uint32_t minimum, uint32_t maximum, uint32_t *number) {
    uint64_t value;
    if (!number_u64(token->text, token->length, &value) || value < minimum || value > maximum) return false;
    *number = (uint32_t)value;
    return true;
}

static wb_status read_number(const struct scanner *scanner, const struct flag *flag,
                             const struct token *value, uint32_t *member) {
    if (token_number(value, flag->minimum, flag->maximum, member)) return WB_OK;
    return scan_fail_at(scanner, value->at, "%s: expected a whole number from %u to %u", flag->name,
                        flag->minimum, flag->maximum);
}

/* ADD,MAX,MUL,MAD,DIV and for integers optionally SHFL. */
static wb_status read_times(const struct scanner *scanner, const struct flag *flag, const struct token *value,
                            struct import_times *times) {
    struct token parts[IMPORT_NUMBERS_MAX];
    size_t count = split(value, ',', parts, IMPORT_NUMBERS_MAX);
    if (count != IMPORT_DIV + 1 && count != IMPORT_SHFL + 1) {
        return scan_fail_at(scanner, value->at,
                            "%s: expected the numbers ADD,MAX,MUL,MAD,DIV or ADD,MAX,MUL,MAD,DIV,SHFL",
                            flag->name);
    }
    for (size_t i = 0; i < count; i++)
        WB_TRY(read_number(scanner, flag, &parts[i], &times->op[i]));
    return WB_OK;
}

static wb_status read_clocks(const struct scanner *scanner, const struct flag *flag,
                             const struct token *value, struct import_config *config) {
    struct token parts[4];
    struct decimal clock;
    size_t count = split(value, ':', parts, 4);
    bool good = count == 4 && number_decimal(parts[0].text, parts[0].length, &clock) && clock.digits > 0;
    double megahertz = good ? (double)clock.digits / (double)number_power_of_ten(clock.scale) : 0;
    if (good && megahertz <= FLAG_CLOCK_MAX && megahertz >= 1e-6) {
        config->clock_mhz = round(megahertz * 1e6) / 1e6;
        return WB_OK;
    }
    return scan_fail_at(scanner, value->at, "%s: expected CORE:INTERCONNECT:L2:DRAM in megahertz",
                        flag->name);
}

static wb_status read_threads(const struct scanner *scanner, const struct flag *flag,
                              const struct token *value, struct import_config *config) {
    struct token parts[2];
    uint32_t threads;
    if (split(value, ':', parts, 2) == 2 && token_is(&parts[1], "32") &&
        token_number(&parts[0], 32, 65536, &threads) && threads % 32 == 0) {
        config->threads = threads;
        return WB_OK;
    }
    return scan_fail_at(scanner, value->at, "%s: expected THREADS:32, the threads being a multiple of 32",
                        flag->name);
}

/* ID_OC_SP,ID_OC_DP,ID_OC_INT,ID_OC_SFU,ID_OC_MEM,OC_EX_SP,...,OC_EX_MEM,EX_WB,ID_OC_TENSOR,OC_EX_TENSOR and,
 * in some versions, more: instructions that each of the registers holds. Widths that the model gpgpusim does
 * not have are taken as the largest that it has. */
static wb_status read_widths(const struct scanner *scanner, const struct token *value,
                             struct import_config *config) {
    enum { WIDTHS = 11, WIDTHS_MAX = 16, OC_EX_FIRST = 5, EX_WB = 10, TENSOR = 11 };
    static const uint8_t order[] = {GPGPUSIM_SP, GPGPUSIM_DP, GPGPUSIM_INT, GPGPUSIM_SFU, GPGPUSIM_LSU};
    struct token parts[WIDTHS_MAX];
    uint32_t widths[WIDTHS_MAX];
    size_t count = split(value, ',', parts, WIDTHS_MAX);
    for (size_t i = 0; i < count && i < WIDTHS_MAX; i++)
        if (!token_number(&parts[i], 1, FLAG_COUNT_MAX, &widths[i])) count = 0;
    if (count < WIDTHS || count > WIDTHS_MAX)
        return scan_fail_at(
            scanner, value->at,
            "-gpgpu_pipeline_widths: expected 11 to 16 numbers from 1 to 64, separated by commas");
    for (size_t i = 0; i < count; i++)
        if (widths[i] > GPGPUSIM_WIDTH_MAX) widths[i] = GPGPUSIM_WIDTH_MAX;
    config->widest_oc_ex = 1;
    for (size_t i = 0; i < sizeof order; i++) {
        config->gpgpusim.id_oc[order[i]] = widths[i];
        if (widths[OC_EX_FIRST + i] > config->widest_oc_ex) config->widest_oc_ex = widths[OC_EX_FIRST + i];
    }
    config->gpgpusim.result_buses = widths[EX_WB];
    if (count > TENSOR) config->gpgpusim.id_oc[GPGPUSIM_TENSOR] = widths[TENSOR];
    return WB_OK;
}

/* [TYPE:]SETS:LINE:WAYS,POLICIES,TYPE:MISSES:MERGED,...; the rest is of no matter here. */
static wb_status read_instruction_cache(const struct scanner *scanner, const struct token *value,
                                        struct import_config *config) {
    enum { PARTS = 6, SHAPE = 4, ENTRIES = 2 };
    struct token parts[PARTS], shape[SHAPE], entries[SHAPE];
    uint32_t sets = 0;
    struct machine_fetch *fetch = &config->fetch;
    struct text problem = {0};
    const size_t count = split(value, ',', parts, PARTS);
    const size_t numbers = split(&parts[0], ':', shape, SHAPE);
    bool good = count > ENTRIES && count <= PARTS && numbers >= SHAPE - 1 && numbers <= SHAPE;
    const struct token *first = &shape[numbers == SHAPE ? 1 : 0];
    good = good && token_number(&first[0], 1, FLAG_SIZE_MAX, &sets) &&
           token_number(&first[1], 8, 1024, &fetch->line) && token_number(&first[2], 1, 1024, &fetch->ways) &&
           split(&parts[ENTRIES], ':', entries, SHAPE) > 1 &&
           token_number(&entries[1], 1, 1024, &fetch->misses) &&
           !__builtin_mul_overflow(sets, fetch->line * fetch->ways, &fetch->size) &&
           fetch->size <= FETCH_BYTES_MAX && machine_fetch_check(fetch, &problem);
    text_free(&problem);
    if (good) return WB_OK;
    return scan_fail_at(
        scanner, value->at,
        "-gpgpu_cache:il1: expected TYPE:SETS:LINE:WAYS,POLICIES,TYPE:MISSES:MERGED,... with a line of "
        "8 to 1024 bytes, a power of two");
}

static bool starts_with_mem(const struct token *name) {
    return name->length >= 3 && ascii_lower(name->text[0]) == 'm' && ascii_lower(name->text[1]) == 'e' &&
           ascii_lower(name->text[2]) == 'm';
}

/* `-specialized_unit_N enabled,units,latency,id_oc_width,oc_ex_width,NAME`. In PTX mode only a unit for
 * global loads matters: MEM... in the simulator of ECRTS 2025. */
static wb_status read_specialized(const struct scanner *scanner, const struct token *value,
                                  struct import_config *config) {
    struct token parts[SPECIALIZED_PARTS];
    uint32_t enabled = 0;
    uint32_t count = 0;
    uint32_t latency = 0;
    if (split(value, ',', parts, SPECIALIZED_PARTS) != SPECIALIZED_PARTS ||
        !token_number(&parts[0], 0, 1, &enabled) || !token_number(&parts[1], 0, FLAG_COUNT_MAX, &count) ||
        !token_number(&parts[2], 0, MACHINE_TIME_MAX, &latency))
        return scan_fail_at(scanner, value->at,
                            "-specialized_unit: expected ENABLED,UNITS,LATENCY,ID_OC_WIDTH,OC_EX_WIDTH,NAME");
    const struct token *name = &parts[SPECIALIZED_PARTS - 1];
    uint32_t width = 1;
    if (!token_number(&parts[3], 1, FLAG_COUNT_MAX, &width)) width = 1;
    if (enabled == 1 && count > 0 && starts_with_mem(name)) {
        config->mem_unit_count = count;
        config->mem_unit_latency = latency;
        config->gpgpusim.id_oc[GPGPUSIM_MEM] = width < GPGPUSIM_WIDTH_MAX ? width : GPGPUSIM_WIDTH_MAX;
    }
    return WB_OK;
}

static wb_status read_value(const struct scanner *scanner, const struct flag *flag, const struct token *value,
                            struct import_config *config) {
    void *member = (char *)config + flag->offset;
    config->known_flags++;
    switch (flag->kind) {
    case FLAG_NUMBER:
        if (flag->offset == offsetof(struct import_config, issue_to_other_units))
            config->one_unit_at = value->at;
        return read_number(scanner, flag, value, member);
    case FLAG_TIMES: return read_times(scanner, flag, value, member);
    case FLAG_CLOCKS: return read_clocks(scanner, flag, value, config);
    case FLAG_THREADS: return read_threads(scanner, flag, value, config);
    case FLAG_WIDTHS: return read_widths(scanner, value, config);
    case FLAG_INSTRUCTION_CACHE: return read_instruction_cache(scanner, value, config);
    case FLAG_SPECIALIZED: break;
    }
    return read_specialized(scanner, value, config);
}

/* The table's flag of that name, the one of all specialized units, or NULL. */
static const struct flag *find_flag(const struct token *token) {
    static const struct flag specialized = {.name = "-specialized_unit", .kind = FLAG_SPECIALIZED};
    static const char prefix[] = "-specialized_unit_";
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (token_is(token, flags[i].name)) return &flags[i];
    if (token->length == sizeof prefix && memcmp(token->text, prefix, sizeof prefix - 1) == 0)
        return &specialized;
    return NULL;
}

/* Adds a flag to those that are ignored, unless it is there. */
static void note_ignored(const struct token *token, struct text *ignored, uint32_t *count) {
    const char *at = ignored->data;
    char name[FLAG_NAME_MAX];
    if (token->length + 3 > sizeof name) return; /* of no simulator */
    (void)text_format(name, sizeof name, " %.*s,", (int)token->length, token->text);
    if (at != NULL && strstr(at, name) != NULL) return;
    text_string(ignored, name);
    ++*count;
}

/* Says which flags are ignored. */
static void say_ignored(const struct source *source, const struct text *ignored, uint32_t count,
                        wb_diagnostics *diagnostics) {
    if (count == 0 || ignored->failed) return;
    diagnose(diagnostics, SEVERITY_NOTE, source->name,
             "%u flag%s of this file %s no counterpart in machine files and %s ignored:%.*s", count,
             count == 1 ? "" : "s", count == 1 ? "has" : "have", count == 1 ? "is" : "are",
             (int)ignored->length - 1, ignored->data);
}

/* Reads all flags; those that no key is for go to *ignored. */
static wb_status read_flags(struct scanner *scanner, struct import_config *config, struct text *ignored,
                            uint32_t *ignored_count) {
    struct token token;
    WB_TRY(next_token(scanner, &token));
    while (token.length > 0 || token.quoted) {
        if (!is_flag(&token)) return scan_fail_at(scanner, token.at, "expected a flag that starts with '-'");
        struct token value;
        WB_TRY(next_token(scanner, &value));
        bool has_value = value.quoted || (value.length > 0 && !is_flag(&value));
        const struct flag *flag = find_flag(&token);
        if (flag != NULL && !has_value) {
            return scan_fail_at(scanner, token.at, "%s: expected a value", flag->name);
        }
        if (flag != NULL)
            WB_TRY(read_value(scanner, flag, &value, config));
        else
            note_ignored(&token, ignored, ignored_count);
        if (has_value)
            WB_TRY(next_token(scanner, &token));
        else
            token = value;
    }
    return WB_OK;
}

wb_status import_read(const struct source *source, wb_diagnostics *diagnostics,
                      struct import_config *config) {
    struct scanner scanner = scanner_of(source, SCAN_SPACES | SCAN_HASH_COMMENTS, diagnostics);
    struct text ignored = {0};
    uint32_t ignored_count = 0;
    wb_status status = read_flags(&scanner, config, &ignored, &ignored_count);
    if (status == WB_OK && config->known_flags == 0) {
        diagnose(diagnostics, SEVERITY_ERROR, source->name,
                 "not a gpgpusim.config: none of its flags describes an SM");
        status = WB_ERR_INPUT;
    }
    if (status == WB_OK) say_ignored(source, &ignored, ignored_count, diagnostics);
    text_free(&ignored);
    return status;
}
