#include "base/files.h"

#include <string.h>

#include "base/base.h"
#include "base/wing.h"

/* As much of a file is looked at. */
#define LOOKED_AT_MAX ((size_t)1 << 20)

/* A text to be looked at, not NUL-terminated. */
struct view {
    const char *text;
    size_t size;
};

static bool begins(struct view view, const char *word) {
    const size_t length = strlen(word);
    return view.size >= length && memcmp(view.text, word, length) == 0;
}

static bool contains(struct view view, const char *word) {
    return memmem(view.text, view.size, word, strlen(word)) != NULL;
}

static struct view behind(struct view view, size_t count) {
    return (struct view){view.text + count, view.size - count};
}

/* Behind white space, and behind comments of C where `comments`. */
static struct view skip_blank(struct view view, bool comments) {
    for (;;) {
        const char *end = NULL;
        if (view.size > 0 && ascii_space(view.text[0]))
            end = view.text + 1;
        else if (comments && begins(view, "//"))
            end = memchr(view.text, '\n', view.size);
        else if (comments && begins(view, "/*"))
            end = memmem(view.text + 2, view.size - 2, "*/", 2);
        if (end == NULL) return view;
        view = behind(view, (size_t)(end - view.text));
        if (comments && begins(view, "*/")) view = behind(view, 2);
    }
}

/* ---- Binary files -------------------------------------------------------------------------------------- */

/* Offset of e_machine in an ELF header, and its value in machine code of NVIDIA's GPUs. */
#define ELF_MACHINE 18
#define ELF_MACHINE_CUDA 190

static enum content binary_content(struct view view) {
    if (begins(view, "\x7f"
                     "ELF")) {
        const bool cuda =
            view.size > ELF_MACHINE && (unsigned char)view.text[ELF_MACHINE] == ELF_MACHINE_CUDA;
        return cuda ? CONTENT_CUBIN : CONTENT_ELF;
    }
    if (begins(view, "\x50\xed\x55\xba")) return CONTENT_FATBIN;
    if (begins(view, "BC\xc0\xde")) return CONTENT_BITCODE;
    if (begins(view, "!<arch>\n") || begins(view, "!<thin>\n")) return CONTENT_ARCHIVE;
    return CONTENT_UNKNOWN;
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

/* Whether a line begins with the word, behind "- " where `in_list`. */
static bool has_line(struct view view, const char *word, bool in_list) {
    while (view.size > 0) {
        struct view line = view;
        if (in_list && begins(line, "- ")) line = behind(line, 2);
        if (begins(line, word)) return true;
        const char *end = memchr(view.text, '\n', view.size);
        if (end == NULL) return false;
        view = behind(view, (size_t)(end - view.text) + 1);
    }
    return false;
}

static bool has_any_line(struct view view, const char *const *words, bool in_list) {
    for (; *words != NULL; words++)
        if (has_line(view, *words, in_list)) return true;
    return false;
}

/* By keys that only one kind of file has. */
static enum content yaml_content(struct view view) {
    static const char *const machine[] = {"clock_mhz:", "classes:", "mem_latency:", "base:", NULL};
    static const char *const launch[] = {"kernel:", "grid:", "arguments:", "variables:", NULL};
    if (has_any_line(view, machine, false)) return CONTENT_MACHINE;
    return has_any_line(view, launch, true) ? CONTENT_LAUNCH : CONTENT_UNKNOWN;
}

/* Code, by what stands in front of all else and what hardly any other text has inside. */
static enum content code_content(struct view view) {
    static const char *const cuda[] = {"__global__", "__device__", "threadIdx", "#include", NULL};
    static const char *const llvm[] = {
        "; ModuleID", "source_filename = ", "target triple = ", "target datalayout = ", NULL};
    const struct view code = skip_blank(view, true);
    if (begins(code, ".")) return CONTENT_PTX;
    if (has_any_line(view, llvm, false)) return CONTENT_LLVM;
    if (has_line(view, "Fatbin ptx code:", false) || has_line(view, "Fatbin elf code:", false))
        return CONTENT_LISTING;
    if (begins(code, "kernel ")) return CONTENT_FACTS;
    for (size_t i = 0; cuda[i] != NULL; i++)
        if (contains(view, cuda[i])) return CONTENT_CUDA;
    return CONTENT_UNKNOWN;
}

/* The wing that reads files of a kind of its own, or NULL. */
static const struct wing *wing_of_files(void) {
    size_t i = 0;
    while (wing_at(i) != NULL && wing_at(i)->file_line == NULL)
        i++;
    return wing_at(i);
}

enum content content_of(const char *text, size_t size) {
    struct view view = {text, size < LOOKED_AT_MAX ? size : LOOKED_AT_MAX};
    if (skip_blank(view, false).size == 0) return CONTENT_EMPTY;
    const enum content binary = binary_content(view);
    if (binary != CONTENT_UNKNOWN) return binary;
    if (memchr(view.text, '\0', view.size) != NULL) return CONTENT_UNKNOWN;
    if (wing_of_files() != NULL && has_line(view, wing_of_files()->file_line, false)) return CONTENT_OF_WING;
    const enum content code = code_content(view);
    return code != CONTENT_UNKNOWN ? code : yaml_content(view);
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

#define GIVE_CODE "code comes first: warpbound analyze %s"

/* What a kind of file is called, and what to do with one; %s: its name. */
static const struct kind {
    const char *name, *remedy;
} kinds[] = {
    [CONTENT_UNKNOWN] = {"something else", NULL},
    [CONTENT_EMPTY] = {"an empty file", NULL},
    [CONTENT_PTX] = {"PTX", "PTX comes first: warpbound analyze %s"},
    [CONTENT_LAUNCH] = {"a launch file", "give a launch file with --launch: analyze k.ptx --launch %s"},
    [CONTENT_MACHINE] = {"a machine file", "give a machine with --machine: analyze k.ptx --machine %s"},
    [CONTENT_BLOCK] = {"a handwritten block", NULL},
    [CONTENT_FACTS] = {"a file of flow facts", "give flow facts with --facts: analyze k.ptx --facts %s"},
    [CONTENT_CUDA] = {"CUDA source", "to compile it: nvcc -cubin -lineinfo -arch=sm_XX -o k.cubin %s"},
    [CONTENT_LLVM] = {"LLVM assembly", "to compile it to PTX: llc -march=nvptx64 -mcpu=sm_XX -o k.ptx %s"},
    [CONTENT_BITCODE] = {"LLVM bitcode", "to compile it to PTX: llc -march=nvptx64 -mcpu=sm_XX -o k.ptx %s"},
    [CONTENT_CUBIN] = {"machine code of a GPU (cubin)", GIVE_CODE},
    [CONTENT_FATBIN] = {"a fatbinary", GIVE_CODE},
    [CONTENT_ELF] = {"an object file or program of the host", GIVE_CODE},
    [CONTENT_ARCHIVE] = {"a library", GIVE_CODE},
    [CONTENT_LISTING] = {"cuobjdump output with a heading",
                         "to remove the heading: sed -n '/^\\.version/,$p' %s > k.ptx"},
};

static struct kind kind_of(enum content content) {
    const struct wing *wing = wing_of_files();
    return content != CONTENT_OF_WING ? kinds[content] : (struct kind){wing->file_name, wing->file_remedy};
}

wb_status content_expect(enum content expected, const char *name, const char *text, size_t size,
                         wb_diagnostics *diagnostics) {
    const enum content content = content_of(text, size);
    if (content == CONTENT_UNKNOWN || content == expected) return WB_OK;
    /* Other files may be empty, and have anything in their comments. */
    if (expected != CONTENT_PTX && (content == CONTENT_EMPTY || content == CONTENT_CUDA)) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, name, "expected %s, but this is %s",
             expected == CONTENT_PTX ? "PTX or machine code" : kind_of(expected).name, kind_of(content).name);
    if (kind_of(content).remedy != NULL) {
        struct text note = {0};
        text_printf(&note, kind_of(content).remedy, name);
        if (!note.failed) diagnose(diagnostics, SEVERITY_NOTE, name, "%s", note.data);
        text_free(&note);
    }
    return WB_ERR_INPUT;
}
