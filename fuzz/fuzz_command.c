/* The whole command: any words as its arguments, any bytes as its files, through every sub-command, preset
 * and method. It must end with one of its statuses, say why where it fails, and what its JSON says of one
 * program must fit together: simulated <= exact <= upper, lower <= upper, parts that add up to their bound.
 * Never a crash, a hang or unbounded memory.
 *
 * An input is a line of arguments, and files: each begins with a line `---- NAME`. Arguments that begin with
 * kernels/, docs/ or tests/ name files of the project. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/containers.h"
#include "command_results.h"
#include "warpbound.h"

#define WORDS_MAX 40
#define FILE_MARK "\n---- "

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

int warpbound_main(int argc, char **argv); /* main of src/cli/main.c */

/* Files are read and written here only, but for those of the project. */
static char scratch[] = "/tmp/fuzz_command.XXXXXX";

static void leave_scratch(void) {
    char line[sizeof scratch + 16];
    snprintf(line, sizeof line, "rm -rf %s", scratch);
    if (system(line) != 0) fputs("fuzz_command: the scratch folder stays\n", stderr);
}

/* CBC, which the command loads while its streams are in memory, sets up the streams of C++. These flush at
 * exit what stdout was then, and that is gone. So they are set up before. */
static void set_up_cpp_streams(void) {
    static char held[16];
    void (*set_up)(void *);
    *(void **)&set_up = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev");
    if (set_up != NULL) set_up(held);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    set_up_cpp_streams();
    if (mkdtemp(scratch) == NULL || atexit(leave_scratch) != 0) abort();
    if (freopen("/dev/null", "r", stdin) == NULL) abort(); /* the FILE - is not waited for */
    return 0;
}

static bool names_project_file(const char *word) {
    static const char *const folders[] = {"kernels/", "docs/", "tests/"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        if (strncmp(word, folders[f], strlen(folders[f])) == 0) return strstr(word, "..") == NULL;
    return false;
}

static bool is_file_name(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && (name[i] != '.' || i == 0)) return false;
    return length > 0 && length < 32;
}

/* Where the next file of an input begins, or NULL. */
static char *next_file(char *text, size_t size) {
    return memmem(text, size, FILE_MARK, strlen(FILE_MARK));
}

/* Writes the files of an input into the scratch folder, which is the current one. False: a name is none. */
static bool write_files(char *text, size_t size) {
    char *const end = text + size;
    for (char *mark = next_file(text, size), *next; mark != NULL; mark = next) {
        char *name = mark + strlen(FILE_MARK);
        char *line_end = memchr(name, '\n', (size_t)(end - name));
        if (line_end == NULL || !is_file_name(name, (size_t)(line_end - name))) return false;
        next = next_file(line_end, (size_t)(end - line_end));
        *line_end = '\0';
        FILE *file = fopen(name, "w");
        if (file == NULL) return false;
        fwrite(line_end + 1, 1, (size_t)((next == NULL ? end : next) - line_end - 1), file);
        (void)fclose(file);
    }
    return true;
}

struct words {
    int count;
    char *items[WORDS_MAX + 3];
    char paths[WORDS_MAX][512];
};

/* Ends commands that run kernels when they have had their time: whatever they have found until then counts.
 */
static void limit_time(struct words *words) {
    static const char *const commands[] = {"analyze", "simulate",  "cache",   "path",
                                           "facts",   "occupancy", "makespan"};
    static char option[] = "--time-limit", seconds[] = "1";
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        if (strcmp(words->items[1], commands[c]) != 0) continue;
        words->items[words->count++] = option;
        words->items[words->count++] = seconds;
    }
}

/* Units of sweeps are not run: they are processes of the program that this is not. Databases are read. */
static void run_no_units(struct words *words) {
    static char option[] = "--dry-run";
    static const char *const verbs[] = {"show", "plot", "diff", "merge"};
    bool reads = false;
    for (size_t v = 0; words->count > 2 && v < sizeof verbs / sizeof *verbs; v++)
        reads |= strcmp(words->items[2], verbs[v]) == 0;
    if (strcmp(words->items[1], "sweep") == 0 && !reads) words->items[words->count++] = option;
}

/* A launch file is not written beside a file of the project. */
static void redirect_init(struct words *words) {
    static char option[] = "-o", file[] = "init.yaml";
    if (strcmp(words->items[1], "init") != 0) return;
    words->items[words->count++] = option;
    words->items[words->count++] = file;
}

/* The first line, in words. False: too many, or one that would reach out of the scratch folder. */
static bool split_words(char *line, struct words *words) {
    static char program[] = "warpbound";
    words->count = 0;
    words->items[words->count++] = program;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        if (words->count >= WORDS_MAX) return false;
        char *path = words->paths[words->count];
        if (names_project_file(word)) {
            if (snprintf(path, sizeof words->paths[0], "%s/%s", WB_PROJECT, word) >=
                (int)sizeof words->paths[0])
                return false;
            word = path;
        } else if (strchr(word, '/') != NULL) {
            return false;
        }
        words->items[words->count++] = word;
    }
    if (words->count == 1) return false;
    limit_time(words);
    redirect_init(words);
    run_no_units(words);
    words->items[words->count] = NULL;
    return true;
}

/* Runs the command with its streams in memory. */
static void run(struct words *words) {
    char *output = NULL, *messages = NULL;
    size_t output_size = 0, messages_size = 0;
    FILE *const out = stdout, *const err = stderr;
    stdout = open_memstream(&output, &output_size);
    stderr = open_memstream(&messages, &messages_size);
    if (stdout == NULL || stderr == NULL) abort();
    const int status = warpbound_main(words->count, words->items);
    (void)fclose(stdout);
    (void)fclose(stderr);
    stdout = out;
    stderr = err;
    require_command_results(words->items[1], status, output, messages);
    free(output);
    free(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct words words;
    char *text = malloc(size + 1);
    if (text == NULL || chdir(scratch) != 0) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    const bool written = write_files(text, size);
    text[strcspn(text, "\n")] = '\0';
    if (written && split_words(text, &words)) run(&words);
    free(text);
    return 0;
}

/* One of the choices of a registry. */
static const char *choose(struct random_state *random, const char *(*name)(size_t)) {
    size_t count = 0;
    while (name(count) != NULL)
        count++;
    return name(random_below(random, count));
}

/* Words that may be added to the arguments. */
static void choose_words(struct random_state *random, char *words, size_t size) {
    static const char *const others[] = {"--method all",
                                         "--inputs any",
                                         "--json",
                                         "--memory ideal",
                                         "-i 0,0,0",
                                         "-g 1",
                                         "-g 2,2",
                                         "-b 32",
                                         "-b 33",
                                         "-b 64",
                                         "--scheme all",
                                         "--scheme default",
                                         "--phases",
                                         "--deadline 20us",
                                         "--registers 32",
                                         "--accesses",
                                         "--schedule",
                                         "--format jcse",
                                         "--policy all",
                                         "--set sms=2",
                                         "--set sub_cores=2",
                                         "--set dispatch_depth=0",
                                         "--set mem_latency=20",
                                         "--set l1_size=1024"};
    switch (random_below(random, 6)) {
    case 0:
        snprintf(words, size, " -m %s",
                 wb_machine_preset_name((size_t)random_below(random, wb_machine_preset_count())));
        break;
    case 1: snprintf(words, size, " --method %s", choose(random, wb_method_name)); break;
    case 2: snprintf(words, size, " --policy %s", choose(random, wb_policy_name)); break;
    case 3: snprintf(words, size, " --scheme %s", choose(random, wb_scheme_name)); break;
    default: snprintf(words, size, " %s", others[random_below(random, sizeof others / sizeof *others)]);
    }
}

/* Puts `added` into the text at `at`, in place of `removed` bytes. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t at, size_t removed,
                     const char *added, size_t length) {
    if (size - removed + length > max_size) return size;
    memmove(data + at + length, data + at + removed, size - at - removed);
    memcpy(data + at, added, length);
    return size - removed + length;
}

/* One of the arguments of a line that name files of the project, or NULL. */
static const char *choose_project_file(struct random_state *random, const char *line) {
    const char *chosen = NULL;
    uint64_t seen = 0;
    for (const char *word = line; word != NULL; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (names_project_file(word) && random_below(random, ++seen) == 0) chosen = word;
    }
    return chosen;
}

/* Makes a file of the project, which the arguments name, one of the input, so that it can be changed. */
static size_t take_file_over(uint8_t *data, size_t size, size_t max_size, const char *line,
                             struct random_state *random) {
    const char *word = choose_project_file(random, line);
    if (word == NULL) return size;
    const int length = (int)strcspn(word, " ");
    const char *ending = memchr(word, '.', (size_t)length);
    const int ending_length = ending == NULL ? 0 : (int)(word + length - ending);
    char path[512], name[24];
    snprintf(path, sizeof path, "%s/%.*s", WB_PROJECT, length, word);
    snprintf(name, sizeof name, "f%u%.*s", (unsigned)random_below(random, 10), ending_length, ending);
    FILE *file = is_file_name(name, strlen(name)) ? fopen(path, "r") : NULL;
    char *contents = malloc(max_size + 64);
    if (file != NULL && contents != NULL) {
        const int begun = snprintf(contents, 64, FILE_MARK "%s\n", name);
        const size_t read = (size_t)begun + fread(contents + begun, 1, max_size, file);
        if (size + read <= max_size) {
            size = splice(data, size, max_size, size, 0, contents, read);
            size = splice(data, size, max_size, (size_t)(word - line), (size_t)length, name, strlen(name));
        }
    }
    if (file != NULL) (void)fclose(file);
    free(contents);
    return size;
}

/* Changes one file of the input, as libFuzzer likes. */
static size_t change_file(uint8_t *data, size_t size, size_t max_size, char *text,
                          struct random_state *random) {
    char *const end = text + size, *chosen = NULL;
    uint64_t seen = 0;
    for (char *mark = next_file(text, size); mark != NULL;
         mark = next_file(mark + 1, (size_t)(end - mark - 1)))
        if (random_below(random, ++seen) == 0) chosen = mark;
    char *begin = chosen == NULL ? NULL : memchr(chosen + 1, '\n', (size_t)(end - chosen - 1));
    if (begin == NULL) return size;
    begin++;
    char *next = next_file(begin, (size_t)(end - begin));
    const size_t at = (size_t)(begin - text), length = (size_t)((next == NULL ? end : next) - begin);
    const size_t most = length + (max_size - size);
    char *part = malloc(most + 1);
    if (part == NULL) return size;
    memcpy(part, begin, length);
    const size_t made = LLVMFuzzerMutate((uint8_t *)part, length, most);
    size = splice(data, size, max_size, at, length, part, made);
    free(part);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    struct random_state random = random_seeded(seed);
    char *text = malloc(size + 1), words[80];
    if (text == NULL) return size;
    memcpy(text, data, size);
    text[size] = '\0';
    const size_t line = strcspn(text, "\n");
    const bool has_files = next_file(text, size) != NULL;
    const uint64_t way = random_below(&random, has_files ? 12 : 6);
    if (way < 3) {
        choose_words(&random, words, sizeof words);
        size = splice(data, size, max_size, line, 0, words, strlen(words));
    } else if (way == 3) {
        char part[600];
        const size_t length = line < 300 ? line : 300;
        memcpy(part, text, length);
        const size_t made = LLVMFuzzerMutate((uint8_t *)part, length, sizeof part);
        size = splice(data, size, max_size, 0, length, part, made);
    } else if (way < 6) {
        text[line] = '\0';
        size = take_file_over(data, size, max_size, text, &random);
    } else {
        size = change_file(data, size, max_size, text, &random);
    }
    free(text);
    return size;
}
