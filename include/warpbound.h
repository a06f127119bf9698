/*
 * Warpbound: bounds on the worst-case execution time of GPU kernels, from their PTX or machine code.
 *
 * The way of the data:
 *
 *     wb_module_read ──▶ wb_kernel ─┐
 *     wb_launch_*    ──────────────┼──▶ wb_analyze ──▶ wb_analysis_judge, wb_analysis_bounds, wb_report
 *     wb_machine_load ─────────────┘
 *
 * docs/library.md shows a program; the steps that wb_analyze takes are functions, too.
 *
 * Ownership, once for all: a function named `..._new`, `..._read`, `..._load`, `..._parse`, `..._import`,
 * `..._trace` makes an object that its caller frees with the `..._free` of the same name. Objects made from
 * others refer to them: free a block before its module, an analysis before its block and its machine. `char
 * **` results are malloc'd strings, freed with free(). `const` results belong to the object they were asked
 * of. Every `..._free` takes NULL. Elsewhere a pointer may be NULL only where the comment of the function
 * says so; what it then means stands there. Nothing else is checked for NULL: that is an error of the
 * caller's.
 *
 * Errors: a function that can fail returns a wb_status and puts at least one message into the given
 * wb_diagnostics; its output parameter is then untouched, unless its comment says otherwise. The library
 * never prints and never exits.
 *
 * Threads: there is no global state. Functions that take an object as `const` do not change it, nor what it
 * refers to, not even in secret: any number of threads may share a module with its kernels, a launch, a
 * machine, facts, blocks and grids that none of them changes or frees at the time. An object that is not
 * `const` (wb_diagnostics, wb_analysis) belongs to one thread at a time.
 *
 * Options: a struct of options begins with its size, which its caller sets to sizeof of its type; what is
 * zero or NULL behind it stands for the usual. In place of the struct, NULL is all of that.
 *
 * Files: "-" as the path of a file to be read is the standard input of the process.
 *
 * Units: times are cycles of the SM's clock unless a name says otherwise; sizes are bytes.
 */
#ifndef WARPBOUND_H
#define WARPBOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. The values are the exit statuses of the command. */
typedef enum {
    WB_OK = 0,
    WB_ERR_INPUT = 2,    /* a file, an option or an argument is wrong */
    WB_ERR_DECLINED = 3, /* something that is needed is unknown; the message names it */
    WB_ERR_LIMIT = 4,    /* memory, a size limit or the user's patience was exhausted */
} wb_status;

/* The version of this header, from which the build takes the version of all that it makes. */
#define WB_VERSION_MAJOR 0
#define WB_VERSION_MINOR 1
#define WB_VERSION_PATCH 0

/* The version of this library, such as "0.1.0". */
const char *wb_version(void);

/* A checksum of the sources that this library is built from, such as "0a1b2c3d4e5f": two builds with the same
 * one give the same numbers. */
const char *wb_build(void);

/* ---- Messages ------------------------------------------------------------------------------------------ */

typedef struct wb_diagnostics wb_diagnostics;

/* An empty collection of messages, or NULL when memory is exhausted. */
wb_diagnostics *wb_diagnostics_new(void);
void wb_diagnostics_free(wb_diagnostics *diagnostics);

/* How many errors were reported (warnings and notes not counted). */
size_t wb_diagnostics_errors(const wb_diagnostics *diagnostics);

/* Whether what failed would succeed if flow facts were given that wb_facts_template lists. */
bool wb_diagnostics_needs_facts(const wb_diagnostics *diagnostics);

/* Whether a kernel was to be executed of whose launch nothing was said. */
bool wb_diagnostics_needs_launch(const wb_diagnostics *diagnostics);

/* All messages so far as `file:line:col: error: ...` lines, each with its source line and a caret. */
const char *wb_diagnostics_text(const wb_diagnostics *diagnostics);

/* From here on messages that have no place in a file are about this, such as "--grid 0", whatever name the
 * library has for it; until NULL. The text is not copied. */
void wb_diagnostics_about(wb_diagnostics *diagnostics, const char *about);

typedef enum { WB_SEVERITY_ERROR, WB_SEVERITY_WARNING, WB_SEVERITY_NOTE } wb_severity;

/* "error", "warning", "note" */
const char *wb_severity_name(wb_severity severity);

/* A message, for programs. Its texts are good until there is another one. */
typedef struct {
    wb_severity severity;
    const char *where; /* the file's name as it was given; of what is no file, such as an option, its text */
    uint32_t line, column; /* in the file, counted from 1, columns in bytes; 0: it is about no place in it */
    const char *text;
    const char
        *source; /* the source that the code at that place was made of, as line information names it; */
    uint32_t source_line; /* NULL and 0 where there is none */
} wb_message;

/* The `index`-th message, of the first fifty; false past the end. */
bool wb_diagnostics_message(const wb_diagnostics *diagnostics, size_t index, wb_message *message);

/* Appends the messages of `from`. */
void wb_diagnostics_append(wb_diagnostics *diagnostics, const wb_diagnostics *from);

/* Adds a note or a warning of the caller's own, as below. */
void wb_diagnostics_note(wb_diagnostics *diagnostics, const char *where, const char *message);
void wb_diagnostics_warning(wb_diagnostics *diagnostics, const char *where, const char *message);

/* Adds an error of the caller's own, such as one about a command line; `where` stands for the file name. */
void wb_diagnostics_error(wb_diagnostics *diagnostics, const char *where, const char *message);

/* What was probably meant by a word that is none of the names: the one that is spelt most like it, or NULL
 * when none is. */
const char *wb_nearest_name(const char *word, const char *const *names, size_t count);

/* Whether a list of names, separated by commas, is of those that `name_at` gives by their numbers (NULL past
 * the end), such as wb_method_name; "all" is one that every list may be. Else WB_ERR_INPUT with a message
 * that says what was probably meant. */
wb_status wb_names_check(const char *list, const char *(*name_at)(size_t), wb_diagnostics *diagnostics);

/* ---- Inputs -------------------------------------------------------------------------------------------- */

/* What a text that was read is to the analysis. */
typedef enum {
    WB_INPUT_PTX,
    WB_INPUT_LAUNCH,  /* a launch file, */
    WB_INPUT_DATA,    /* and a file of the contents of a buffer or a variable (@FILE) */
    WB_INPUT_FACTS,   /* flow facts */
    WB_INPUT_PRESET,  /* a machine that the library has, by its name; also as the base of a file */
    WB_INPUT_MACHINE, /* a machine's file */
    WB_INPUT_BY_HAND, /* a block, a grid or abstract warps written by hand */
    WB_INPUT_PROBLEM, /* a problem of a wing */
    WB_INPUT_PTXAS,   /* what ptxas printed of a kernel */
    WB_INPUT_CUBIN,   /* machine code of a GPU, an ELF file */
    WB_INPUT_PROGRAM, /* a file that holds PTX or machine code (wb_program) */
} wb_input_role;

/* "ptx", "launch", "data", ... */
const char *wb_input_role_name(wb_input_role role);

#define WB_SHA256_DIGITS 64

/* A text that a result was made from. */
typedef struct {
    wb_input_role role;
    const char *path; /* as it was given; "-" is standard input. Owned by what was read. */
    uint64_t bytes;
    char sha256[WB_SHA256_DIGITS + 1]; /* of those, in hexadecimal digits */
} wb_input;

/* ---- Code: PTX and machine code ------------------------------------------------------------------------ */

typedef struct wb_module wb_module;
typedef struct wb_kernel wb_kernel; /* belongs to its module */

/* Reads a file with code ("/dev/stdin" works), which its first bytes tell: PTX, machine code for one
 * architecture (a cubin), or a file that holds such code (wb_program below). Of several images of a
 * translation unit PTX is taken, else the machine code. Malformed text, and a file that is cut short or
 * contradicts itself, is WB_ERR_INPUT. An unknown opcode is an error only when a kernel that uses it is
 * looked up. */
wb_status wb_module_read(const char *path, wb_diagnostics *diagnostics, wb_module **module);

/* The same of `size` bytes in memory, which are copied; `name` stands for the file name in messages. */
wb_status wb_module_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                          wb_module **module);
void wb_module_free(wb_module *module);

/* The module as text: PTX in one canonical form, so that printing what was parsed from it changes nothing; of
 * machine code its instructions with addresses, control fields and lines. */
wb_status wb_module_print(const wb_module *module, wb_diagnostics *diagnostics, char **text);

/* The file that the module was made of. */
const wb_input *wb_module_input(const wb_module *module);

/* The architecture that machine code is for, such as 86 for sm_86; 0: PTX, which is for many. */
uint32_t wb_module_architecture(const wb_module *module);

/* Which code the module is, where it was taken from a file with several images, such as "machine code for
 * sm_86, unit blur.o"; of the first unit, where there are several. NULL: the file is the code. */
const char *wb_module_origin(const wb_module *module);

size_t wb_module_kernel_count(const wb_module *module);
const wb_kernel *wb_module_kernel(const wb_module *module, size_t index);

/* The kernel whose name is `name`: as the code has it, or else demangled with its parameters or without ("f"
 * of "void ns::f<int>(int)"), or else the only one whose name, mangled or demangled, has it inside; the only
 * kernel of the module when `name` is NULL. WB_ERR_INPUT with the candidates otherwise; WB_ERR_DECLINED when
 * the kernel (or a function that it can call) has an instruction that is not known. */
wb_status wb_module_find_kernel(const wb_module *module, const char *name, wb_diagnostics *diagnostics,
                                const wb_kernel **kernel);

/* The kernel's name as the code has it. */
const char *wb_kernel_name(const wb_kernel *kernel);

/* The name without namespaces, arguments of templates and parameters, as a text to be freed; NULL when memory
 * is exhausted. */
char *wb_kernel_short_name(const wb_kernel *kernel);

/* Registers of a thread, which machine code says; 0: PTX does not. */
uint32_t wb_kernel_registers(const wb_kernel *kernel);

typedef struct wb_launch wb_launch; /* see below */

typedef enum { WB_CFG_TEXT, WB_CFG_DOT } wb_cfg_format;

/* Control flow of one kernel: basic blocks, dominators, post-dominators, reconvergence points, loops; which
 * branches may divide a warp. Of the launch the shape of a block counts, in which threads may stand such that
 * %tid.x / 32 is the same for a warp; NULL: it is not known but by .reqntid. */
wb_status wb_kernel_cfg(const wb_kernel *kernel, const wb_launch *launch, wb_cfg_format format,
                        wb_diagnostics *diagnostics, char **text);

/* Why the branches to a label of the kernel, and the one that ends the block behind it, are uniform or
 * divergent: step by step from their conditions to what differs between the threads of a warp. WB_ERR_INPUT
 * with the kernel's labels when it has none of that name. */
wb_status wb_kernel_why(const wb_kernel *kernel, const wb_launch *launch, const char *label,
                        wb_diagnostics *diagnostics, char **text);

/* ---- Programs ------------------------------------------------------------------------------------------ */

/* A file as compilers leave it, with the code that is in it: an executable, a shared library, an object file,
 * an archive, a fat binary; or PTX or a cubin, which is its own one image. */
typedef struct wb_program wb_program;

typedef enum {
    WB_IMAGE_PTX,
    WB_IMAGE_CODE,  /* machine code */
    WB_IMAGE_OTHER, /* what is neither, such as the input of link-time optimisation: it is never taken */
} wb_image_kind;

typedef struct {
    wb_image_kind kind;
    const char *name; /* "sm_86", "sm_90a" of machine code, "compute_86" of PTX; "" where the file is PTX */
    uint32_t architecture; /* 86; 0: likewise */
    char feature;          /* 'a', 'f', or 0 */
    bool relocatable;      /* it has not been linked for the device: it is never taken */
    const char *unit; /* the translation unit: a member of the archive, a source, "#2"; "": the only one */
    uint64_t bytes;   /* of it, unpacked */
} wb_image;

/* Reads the file and finds its images. WB_ERR_INPUT when it is damaged, or larger than is read; a file
 * without any code has no images. */
wb_status wb_program_read(const char *path, wb_diagnostics *diagnostics, wb_program **program);
void wb_program_free(wb_program *program);

/* The bytes of an image, unpacked and malloc'd, with a zero byte behind them. WB_ERR_INPUT when they are
 * damaged. */
wb_status wb_program_unpack(const wb_program *program, size_t index, wb_diagnostics *diagnostics,
                            char **bytes, size_t *size);

/* Whether it is a file that may hold several images. */
bool wb_program_is_container(const wb_program *program);

/* The images, those of a unit together; NULL past the end. */
const wb_image *wb_program_image(const wb_program *program, size_t index);

typedef struct wb_machine wb_machine; /* see below */

/* Makes a module of the image that is wanted of each unit: its kernels are those of all units. `image` is a
 * list, separated by commas, of names of images, "sm" (machine code), "compute" (PTX), and names of units, of
 * which no others are then taken; NULL: any. What it leaves open the machine decides: one that times machine
 * code takes what is for its architecture, else what also runs there; one that times PTX, and no machine
 * (NULL), PTX, else machine code. WB_ERR_INPUT when nothing is left, or several images of a unit are, with
 * what the file has. PTX and cubins are taken as they are. The program may be freed before the module. */
wb_status wb_program_module(const wb_program *program, const wb_machine *machine, const char *image,
                            wb_diagnostics *diagnostics, wb_module **module);

/* wb_program_read and wb_program_module in one. */
wb_status wb_module_read_for(const char *path, const wb_machine *machine, const char *image,
                             wb_diagnostics *diagnostics, wb_module **module);

/* ---- Machine ------------------------------------------------------------------------------------------- */

/* The presets that commands take where none is named: of kernels, and of kernels on a whole GPU with caches.
 */
#define WB_MACHINE_USUAL "ecrts2025-orin"
#define WB_MACHINE_WITH_CACHES "jcse2017"

/* A preset by name ("ecrts2025-orin") or a YAML file by path (docs/machine.md documents its keys). */
wb_status wb_machine_load(const char *name_or_path, wb_diagnostics *diagnostics, wb_machine **machine);

void wb_machine_free(wb_machine *machine);

/* Whether simulating a block on the machine needs wb_trace_options.record_accesses. */
bool wb_machine_needs_accesses(const wb_machine *machine);

/* Whether whole grids can be analysed and simulated on the machine, not only single blocks. */
bool wb_machine_takes_grids(const wb_machine *machine);

/* Whether the machine times PTX, and machine code by the classes of PTX; else it times machine code by its
 * control fields, and PTX is refused. */
bool wb_machine_takes_ptx(const wb_machine *machine);

/* The architecture whose machine code the machine times, such as 86 for sm_86; 0: it times PTX. */
uint32_t wb_machine_architecture(const wb_machine *machine);

/* The policies that are simulated unless others are asked for, separated by commas; the one that is closest
 * to what the machine does comes first. */
const char *wb_machine_policies(const wb_machine *machine);

/* Threads of a warp on the machine: what wb_trace_options.warp_width has to be. */
uint32_t wb_machine_warp_width(const wb_machine *machine);

/* Overrides one key: "mem_latency=200", "dispatch_depth=unlimited", "class.fp32.latency=3",
 * "unit.INT.count=2"; or promises where a launch finds its memory: "resident=data,code", names of
 * wb_resident_name_at, once and behind the others; "data.x": the buffer that argument x, or a field, is; or
 * takes some of its SMs for the GPU: "partition=8,green-context" (or sm-mask, mps, mig), once; or has memory
 * serve others, too: "interference=1000,200", requests at any time and bytes per us, once; with a third part
 * for the launch file of a kernel that these are of. */
wb_status wb_machine_set(wb_machine *machine, const char *assignment, wb_diagnostics *diagnostics);

/* The promises, in order; NULL past the end. Each has an assumption (P1 to P5) that says what it means; P6 is
 * that of named buffers. */
const char *wb_resident_name_at(size_t index);

/* Whether what overrides left fits together, such as a cache's size and ways; to be called behind the last of
 * them. WB_ERR_INPUT with a message when it does not. */
wb_status wb_machine_check(const wb_machine *machine, wb_diagnostics *diagnostics);

const char *wb_machine_name(const wb_machine *machine);

/* What the machine was read from: the preset or the file, then its bases; NULL past the end. And what
 * overrode its keys since (wb_machine_set), in that order; NULL past the end. */
const wb_input *wb_machine_input(const wb_machine *machine, size_t index);
const char *wb_machine_setting(const wb_machine *machine, size_t index);

/* The machine as YAML that wb_machine_load reads back. */
wb_status wb_machine_print(const wb_machine *machine, wb_diagnostics *diagnostics, char **text);

size_t wb_machine_preset_count(void);
const char *wb_machine_preset_name(size_t index);

/* The names of the presets that time machine code of exactly that architecture, with commas between, and
 * their number. To be freed; NULL when memory is exhausted. */
char *wb_machine_presets_for(uint32_t architecture, size_t *count);

/* Small kernels, as PTX for one architecture, whose machine code shows what a compiler keeps between machine
 * instructions: for wb_calibrate. */
wb_status wb_calibration_ptx(uint32_t architecture, wb_diagnostics *diagnostics, char **text);

/* The preset that times machine code of exactly that architecture, and that those of other GPUs stand on.
 * WB_ERR_INPUT when there is none. */
wb_status wb_calibration_machine(uint32_t architecture, wb_diagnostics *diagnostics, wb_machine **machine);

/* Reads the stall counts and dependence counters of machine code, and writes a machine file that stands on
 * `machine`, a preset for exactly its architecture: as comments the fewest cycles that the compiler, which is
 * called `compiler`, leaves between instructions and those that read their results, and as a source of the
 * machine which classes of instructions these show to be of fixed latency, or not. WB_ERR_INPUT when the
 * machine states another latency than the code has: a message for each class. */
wb_status wb_calibrate(const wb_module *module, const wb_machine *machine, const char *compiler,
                       wb_diagnostics *diagnostics, char **text);

/* ---- Launch -------------------------------------------------------------------------------------------- */

/* A launch with nothing given yet, or NULL when memory is exhausted. */
wb_launch *wb_launch_new(void);

/* Which files a launch file may name for the contents of buffers. */
typedef enum {
    WB_FILES_BELOW, /* those in its own folder and below: no path from the root, none with `..` */
    WB_FILES_ANY,   /* all that can be read: of launch files that are trusted */
} wb_launch_files;

/* Reads a YAML launch file (docs/launch.md documents its keys). WB_ERR_INPUT, too, when it is a list. */
wb_status wb_launch_read(const char *path, wb_launch_files files, wb_diagnostics *diagnostics,
                         wb_launch **launch);
void wb_launch_free(wb_launch *launch);

/* A launch file to be completed by hand: what the kernel says of its launch, and ___ in place of each value
 * that its user has to say. `code` is how the file names the kernel's, or NULL; `registers` of a thread, or
 * 0. */
wb_status wb_launch_template(const wb_kernel *kernel, const char *code, uint32_t registers,
                             wb_diagnostics *diagnostics, char **text);

/* The launches of a file: one, or a list of those of a stream, which run one after another. */
typedef struct wb_launches wb_launches;

/* Reads a YAML launch file that may be a list. WB_ERR_DECLINED when its launches are in different streams. */
wb_status wb_launches_read(const char *path, wb_launch_files files, wb_diagnostics *diagnostics,
                           wb_launches **launches);
void wb_launches_free(wb_launches *launches);

/* Has memory serve others, too, as a launch file states it (WB_LAUNCH_INTERFERENCE): wb_machine_set of
 * "interference=" and that, where it names the launch file of another kernel with what this asks memory for
 * at most. To be called behind all that is set of the machine. */
wb_status wb_machine_set_neighbours(wb_machine *machine, const char *stated, wb_launch_files files,
                                    wb_diagnostics *diagnostics);

/* Whether the file is a list, be it of one launch. */
bool wb_launches_is_list(const wb_launches *launches);

/* How many there are, at least one, and each of them. */
size_t wb_launches_count(const wb_launches *launches);
const wb_launch *wb_launches_at(const wb_launches *launches, size_t index);

/* Hands a launch over to the caller, who frees it; NULL stands in its place. */
wb_launch *wb_launches_take(wb_launches *launches, size_t index);

/* What the launch was read from: its file and the data that it names; NULL past the end. */
const wb_input *wb_launch_input(const wb_launch *launch, size_t index);

/* What a launch file may say in place of an option of the command. */
typedef enum {
    WB_LAUNCH_CODE,         /* the PTX file or cubin */
    WB_LAUNCH_FACTS,        /* the file of flow facts */
    WB_LAUNCH_PTXAS_INFO,   /* the file with what ptxas -v printed */
    WB_LAUNCH_MACHINE,      /* the name of a preset or a file */
    WB_LAUNCH_DEADLINE,     /* as wb_deadline_cycles takes it */
    WB_LAUNCH_ACCEPT,       /* as wb_accept_read takes it */
    WB_LAUNCH_COMPILE,      /* "ptxas": PTX is compiled with it for the machine */
    WB_LAUNCH_RESIDENT,     /* as wb_machine_set takes it behind "resident=" */
    WB_LAUNCH_PARTITION,    /* likewise behind "partition=" */
    WB_LAUNCH_INTERFERENCE, /* as wb_machine_set_neighbours takes it */
    WB_LAUNCH_IMAGE,        /* as wb_program_module takes it */
    WB_LAUNCH_KERNEL,       /* as wb_module_find_kernel takes it; of each launch of a list */
} wb_launch_setting;

/* What the first launch that says it says; files as they can be opened, though they stand in the launch file
 * relative to its folder. NULL where none does. Part of `launches`. */
const char *wb_launches_setting(const wb_launches *launches, wb_launch_setting setting);

/* Adds a note at the place in the launch file where it first says that, if it does. */
void wb_launches_note(const wb_launches *launches, wb_launch_setting setting, const char *note,
                      wb_diagnostics *diagnostics);

/* The code that they are of: what they name (WB_LAUNCH_CODE), or else the PTX file or cubin that lies beside
 * their file with the same name but for its ending. NULL when there is none. Part of `launches`. */
const char *wb_launches_code(const wb_launches *launches);

/* Whether a file can be read and is YAML that describes a launch or a list of launches, rather than a block,
 * a machine or a problem of a wing. WB_ERR_LIMIT when memory is exhausted: then nobody knows. */
wb_status wb_is_launch_file(const char *path, wb_diagnostics *diagnostics, bool *is_launch);

/* The kernel name that the launch file gives, or NULL. */
const char *wb_launch_kernel(const wb_launch *launch);

/* Number of blocks in the grid, of threads in a block, in x, y and z. WB_ERR_INPUT beyond CUDA's limits. */
wb_status wb_launch_set_grid(wb_launch *launch, const uint32_t blocks[3], wb_diagnostics *diagnostics);
wb_status wb_launch_set_block(wb_launch *launch, const uint32_t threads[3], wb_diagnostics *diagnostics);

/* Bytes: "4096", "0x1000", "48K", "48KB", "48KiB", "2M" or "1G", of which each is 1024 of the one before. */
bool wb_read_bytes(const char *text, uint64_t *bytes);

/* Bytes of dynamic shared memory per block. */
wb_status wb_launch_set_shared(wb_launch *launch, uint64_t bytes, wb_diagnostics *diagnostics);

/* Registers of a thread, which PTX does not say: from 1 to 255. They decide how many blocks an SM holds. Of
 * machine code its own number counts instead (wb_kernel_registers). */
wb_status wb_launch_set_registers(wb_launch *launch, uint32_t registers, wb_diagnostics *diagnostics);

/* One execution, as Accel-Sim's tracer (versions 3 to 5) wrote it, ordered by blocks (.traceg): it says grid,
 * block and kernel, and what warps execute and access, of the machine code that it was traced from. Results
 * hold for that execution. A launch with a trace has no arguments. Unpacks what xz compressed, if it was
 * built with liblzma. WB_ERR_INPUT, with its line, for what is no such file. */
wb_status wb_launch_set_trace(wb_launch *launch, const char *path, wb_diagnostics *diagnostics);

/* The same from a file ("-": standard input) with what `ptxas -v`, `nvcc --resource-usage` or `cuobjdump
 * --dump-resource-usage` printed, which may be about other kernels, too. Warnings say what of the machine
 * code the PTX does not have. WB_ERR_INPUT when the file does not say one number of registers of the kernel.
 */
wb_status wb_launch_read_ptxas_info(wb_launch *launch, const char *path, const wb_kernel *kernel,
                                    wb_diagnostics *diagnostics);

/* Registers of a thread, or 0: they are not known. */
uint32_t wb_launch_registers(const wb_launch *launch);

/* What the PTX ISA leaves open, so that hardware may do it otherwise than it is executed here. */
typedef enum {
    WB_TAKE_APPROX = 1,         /* "approx": results of approximate functions */
    WB_TAKE_DIV_ZERO = 2,       /* "div-zero": of integer divisions by zero */
    WB_TAKE_POINTER_ORDER = 4,  /* "pointer-order": where buffers and variables stand in memory */
    WB_TAKE_NO_CONTRACTION = 8, /* "no-contraction": products and their sums are not fused */
    WB_TAKE_ALL = 15,
} wb_taken;

/* Takes these for known, values of wb_taken or-ed. Without it covering paths take them for anything, and
 * executions with the given data take for known what control or addresses depend on. Numbers that rely on one
 * say so among their assumptions. WB_ERR_INPUT for a set that has others in it, or none. */
wb_status wb_launch_assume(wb_launch *launch, unsigned assumed, wb_diagnostics *diagnostics);

/* The name of one of them, as launch files have it; NULL of what is not one. The same by a number from 0 on,
 * NULL past the end. */
const char *wb_taken_name(wb_taken assumed);
const char *wb_taken_name_at(size_t index);

/* Appends one argument: "i32:1024", "f32:0.5", "buf:f32[1024]",
 * "buf:f32[1024]=iota|zero|random(SEED)|@FILE|VALUE", "buf:f32[1024]+16" (the address of element 16), "buf:a"
 * and "buf:a+16" (the same in the buffer of argument a, which stands before it), "struct
 * {in: buf:f32[64], n: i32:64}". A launch file's arguments are dropped by the first call. */
wb_status wb_launch_add_argument(wb_launch *launch, const char *argument, wb_diagnostics *diagnostics);

/* Whether a text is "NAME=VALUE", which wb_launch_set_argument takes, rather than an argument by itself. */
bool wb_is_named_argument(const char *text);

/* "NAME=VALUE": another value for one of the arguments that the launch has. NAME is what its launch file
 * calls it, the kernel's parameter, or a place from 1 on, and p.n a field of a struct; VALUE is an argument
 * as above or, of a scalar, what stands behind the type there: n=2048 makes i32:2048 of i32:1024. `kernel`
 * may be NULL: its parameters are not known then. */
wb_status wb_launch_set_argument(wb_launch *launch, const wb_kernel *kernel, const char *assignment,
                                 wb_diagnostics *diagnostics);

/* "NAME=f32[16]=iota": contents of a .const or .global variable of the module. */
wb_status wb_launch_set_variable(wb_launch *launch, const char *assignment, wb_diagnostics *diagnostics);

/* ---- Occupancy ----------------------------------------------------------------------------------------- */

/* Of a limit that is not stated, and of what it limits. */
#define WB_UNLIMITED UINT32_MAX

#define WB_OCCUPANCY_RESOURCES 5
#define WB_OCCUPANCY_STEPS_MAX 64

/* Where the number of registers of a thread comes from. */
typedef enum {
    WB_REGISTERS_GIVEN,         /* the launch */
    WB_REGISTERS_MAXNREG,       /* at most what .maxnreg says */
    WB_REGISTERS_LAUNCH_BOUNDS, /* at most what .maxntid or .reqntid and .minnctapersm leave */
    WB_REGISTERS_OF_MACHINE,    /* at most as many as a thread of the machine can have */
    WB_REGISTERS_ONE_BLOCK,     /* at most as many as let one block fit */
    WB_REGISTERS_UNKNOWN,       /* neither launch, kernel nor machine says anything */
    WB_REGISTERS_OF_CODE,       /* the machine code, whatever the launch says */
} wb_register_source;

/* Something that the blocks on an SM share. Where the registers of a thread are not known there are two ends:
 * block_least and blocks_most are with the fewest of them, block_most and blocks_least with the most. */
typedef struct {
    const char *name;                   /* "blocks", "warps", "threads", "registers", "shared memory" */
    uint64_t block_least, block_most;   /* what a block takes, with what is given to it in vain */
    uint64_t block_limit;               /* most that a block may ask for; 0: not stated */
    uint64_t sm;                        /* what an SM has; 0: not stated */
    uint32_t blocks_least, blocks_most; /* that it has room for; WB_UNLIMITED: any number */
    bool binds_least, binds_most;       /* it is what there is too little of for more blocks */
} wb_occupancy_resource;

/* What would let so many blocks fit. */
typedef struct {
    uint32_t blocks;
    bool fewer_registers; /* at most `registers` of a thread are needed */
    uint32_t registers;
    bool less_shared; /* at most `shared_bytes` of shared memory of a block are needed */
    uint64_t shared_bytes;
} wb_occupancy_step;

/* How many blocks of a launch an SM holds at a time, and why no more (docs/occupancy.md). */
typedef struct {
    const wb_kernel *kernel;
    const wb_launch *launch;
    const wb_machine *machine;
    uint32_t block[3];        /* threads of a block */
    uint32_t threads, warps;  /* of a block */
    uint32_t warps_of_sm;     /* most warps of an SM; 0: not stated */
    uint64_t shared_bytes;    /* of a block, static and dynamic */
    uint32_t registers_least; /* of a thread */
    uint32_t registers_most;  /* WB_UNLIMITED: not known */
    wb_register_source register_source;
    wb_occupancy_resource resources[WB_OCCUPANCY_RESOURCES];
    uint32_t blocks_least, blocks_most;              /* resident at a time; 0: no block fits */
    wb_occupancy_step steps[WB_OCCUPANCY_STEPS_MAX]; /* to more blocks, as far as registers and shared memory
                                                        decide on them */
    size_t step_count;
} wb_occupancy;

/* The occupancy of a launch, for which grid and arguments need not be given. `occupancy` refers to kernel,
 * launch and machine. WB_ERR_DECLINED when the machine states no limits. */
wb_status wb_occupancy_find(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics, wb_occupancy *occupancy);

/* ---- Flow facts ---------------------------------------------------------------------------------------- */

/* What is known of a kernel's control flow beyond what the analyses find (docs/flow-facts.md). */
typedef struct wb_facts wb_facts;

/* Reads the facts of a kernel, which must outlive them. WB_ERR_INPUT, too, when they are about another kernel
 * or another version of it: the file names the kernel with a checksum of its code. Limits that were found for
 * one launch are refused when facts are used in another one. */
wb_status wb_facts_read(const char *path, const wb_kernel *kernel, wb_diagnostics *diagnostics,
                        wb_facts **facts);

/* Parses `size` bytes of facts; `name` stands for the file name in messages. The text is copied. */
wb_status wb_facts_parse(const char *name, const char *text, size_t size, const wb_kernel *kernel,
                         wb_diagnostics *diagnostics, wb_facts **facts);
void wb_facts_free(wb_facts *facts);

/* A file of facts to be completed by hand: what covering the launch needs to be told, each with ?, and the
 * limits of loops that are found from the code and from what is known of the launch. Where the launch is not
 * complete, every loop without a limit, or with one that says little, has ?. */
wb_status wb_facts_template(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                            char **text);

/* ---- What a block executes ------------------------------------------------------------------------------
 */

typedef struct wb_block wb_block;

/* Asked regularly during long work with what was done so far (`total` 0: not known); false stops the work
 * with WB_ERR_LIMIT. `poll` NULL: nobody is asked. This is the way to cancel work and to limit its time: the
 * caller's function looks at a flag or a clock. It is called after counted amounts of work. */
typedef struct {
    bool (*poll)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
} wb_watch;

typedef struct {
    size_t size;          /* sizeof(wb_trace_options) */
    uint32_t block[3];    /* which block of the grid */
    bool record_accesses; /* keep the addresses of every memory instruction (wb_block_report shows them; see
                             wb_machine_needs_accesses) */
    uint32_t warp_width;  /* threads of a warp, as the machine has it (wb_machine_warp_width); 0: 32 */
    bool cover; /* instead of declining what depends on unknown values, take all of it for possible: the paths
                   are then covering paths, of which every real path of their warp is a subsequence */
    bool unknown_contents; /* take the contents of all buffers and variables for unknown, whatever the launch
                              gives; scalars stay known */
    const wb_facts *facts; /* of `cover`: flow facts, complete; or NULL */
    uint64_t instruction_limit; /* warp instructions after which WB_ERR_LIMIT is returned; 0: 10^8 */
    uint64_t memory_limit;      /* bytes that paths, addresses, registers and contents of buffers may take
                                   together, or a grid's requests, before WB_ERR_LIMIT; 0: 2 GiB */
    wb_watch watch;
    bool any_order; /* not of `cover`: of any order of atomics, and of accesses to memory that warps share
                       without a barrier; where control or an address hangs on that, they are not known */
    uint64_t passes_from; /* not of `cover`: as in wb_grid_options */
} wb_trace_options;

/* Executes one block on known and unknown values and keeps each warp's path. WB_ERR_DECLINED when a branch or
 * an address depends on an unknown value: the message names the source line and the load that it came from;
 * with `cover` when a loop needs a bound that neither analysis nor facts give, each with a message. */
wb_status wb_block_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_trace_options *options,
                         wb_diagnostics *diagnostics, wb_block **block);
void wb_block_free(wb_block *block);

typedef struct wb_grid wb_grid;

typedef struct {
    size_t size;         /* sizeof(wb_grid_options) */
    bool one_block;      /* execute only block `block`, on the memory that the launch describes */
    uint32_t block[3];   /* with one_block: which block of the grid */
    bool allow_unmapped; /* accesses outside of all buffers are no error: loads give unknown values, stores
                            are dropped; both are recorded */
    uint32_t warp_width; /* threads of a warp, as the machine has it (wb_machine_warp_width); 0: 32 */
    bool cover; /* execute every block by itself on covering paths (see wb_trace_options), whatever the others
                   store to memory; not with one_block or allow_unmapped */
    bool unknown_contents;      /* of `cover`: as in wb_trace_options */
    bool record_accesses;       /* of `cover`: keep addresses (see wb_machine_needs_accesses); else they are
                                   kept in any case */
    const wb_facts *facts;      /* of `cover`: flow facts, complete; or NULL */
    uint64_t instruction_limit; /* warp instructions after which WB_ERR_LIMIT is returned; 0: 10^8 */
    uint64_t memory_limit;      /* bytes that paths, addresses, registers and contents of buffers may take
                                   together, or a grid's requests, before WB_ERR_LIMIT; 0: 2 GiB */
    wb_watch watch;
    bool any_order;        /* not of `cover`: as in wb_trace_options */
    uint32_t classes_from; /* grids of so many blocks or more are executed by classes: one block of each, if
                              others are known to do the same. The grid is the same, but that other data does
                              not show in its notes; with `cover` it is one of unknown contents, made where
                              every block would take seconds. 0: 64, and smaller ones that take long;
                              UINT32_MAX: none */
    uint32_t counted_from; /* of those by classes, grids of so many blocks or more keep one block for all that
                              ask for the same but for whole lines of memory, and how many there are. Such a
                              grid can be bounded, but neither simulated, searched nor listed, nor bounded on
                              machines with caches or static dispatch. 0: 2^22 + 1 */
    uint64_t passes_from;  /* not of `cover`: after so many warp instructions, and again after as many, passes
                              of a loop are skipped where they follow from one of them. If blocks are not
                              executed by classes, it only computes with integers. They do not count for
                              `instruction_limit`. 0: 2^16, by classes 2^12; UINT64_MAX: none */
    bool until_unknown;    /* not of `cover`: the grid ends with the first block of which not all is known */
    uint32_t first_blocks; /* not of `cover`: only so many blocks, the first ones, x first. 0: all */
} wb_grid_options;

/* Executes all blocks of the grid one after another (in index order, each on the memory that the earlier ones
 * left) and keeps what every warp executes and accesses; what blocks have in common up to a shift of
 * addresses is kept once. With `cover` it keeps covering paths, for machines without
 * caches; WB_ERR_DECLINED then as of wb_block_trace. */
wb_status wb_grid_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics, wb_grid **grid);
void wb_grid_free(wb_grid *grid);

uint32_t wb_block_warp_count(const wb_block *block);

/* Warp instructions that warp `warp` executes, predicated-off ones included, `ret` excluded; 0 of a warp that
 * the block does not have. */
uint64_t wb_block_warp_instructions(const wb_block *block, uint32_t warp);

/* ---- Bounds and simulations -----------------------------------------------------------------------------
 */

/* What kind of number a number is. Honesty of kinds is what this library is for. */
typedef enum {
    WB_EXACT,     /* the worst case over all schedules the model allows, found and proven */
    WB_UPPER,     /* proven not to be exceeded in the stated model */
    WB_LOWER,     /* a schedule that takes this long was found */
    WB_SIMULATED, /* what one concrete policy took */
    WB_ESTIMATE,  /* a published formula that is not a proven bound; `reason` says why */
    WB_MEASURED,  /* what one execution on a GPU took, by its clock */
} wb_kind;

const char *wb_kind_name(wb_kind kind);

/* What a number rests on; wb_assumption_text says it in a sentence. The list grows: a program should print
 * those that it does not know. */
typedef enum {
    /* What the execution of the kernel takes for granted. */
    WB_ASSUME_WHOLE_WARP_BARRIERS,
    WB_ASSUME_WARPS_AT_BARRIERS,
    WB_ASSUME_WARP_GROUPS,
    WB_ASSUME_DIVIDED_LANES,
    WB_ASSUME_MEMBERS_TOGETHER,
    WB_ASSUME_LAST_LANE,
    WB_ASSUME_ATOMIC_ORDER,
    WB_ASSUME_WARP_NUMBERS,
    WB_ASSUME_ALIGNED_BUFFERS,
    WB_ASSUME_APPROXIMATE_RESULTS,
    WB_ASSUME_DIVISION_BY_ZERO,
    WB_ASSUME_POINTER_ORDER,
    WB_ASSUME_ELECTION,
    WB_ASSUME_CONVERGENCE,
    WB_ASSUME_EARLIER_GRIDS,
    WB_ASSUME_OTHER_GPUS,
    WB_ASSUME_ABORT,
    WB_ASSUME_ASSERTION,
    WB_ASSUME_RUNTIME,
    WB_ASSUME_MACHINE_CODE_CLASSES,
    WB_ASSUME_PTX_FOR_MACHINE_CODE,
    WB_ASSUME_DIVIDED_MACHINE_LANES,
    WB_ASSUME_REFINED_RESULTS,
    WB_ASSUME_DIVISION_CHECKS,
    WB_ASSUME_START_OF_SM_87,
    WB_ASSUME_RETURNS_BY_STACK,
    WB_ASSUME_INITIAL_VARIABLES,
    WB_ASSUME_NO_CONTRACTION,
    WB_ASSUME_NAN_BITS,
    WB_ASSUME_TRACED,
    /* What warps execute. */
    WB_ASSUME_PATHS_ON_SM,
    WB_ASSUME_PATHS_ON_GPU,
    WB_ASSUME_PATHS_OF_BLOCKS,
    WB_ASSUME_PATHS_AND_ADDRESSES,
    WB_ASSUME_COVERING_PATHS_ON_SM,
    WB_ASSUME_COVERING_PATHS_ON_GPU,
    WB_ASSUME_COVERING_PATHS_OF_BLOCKS,
    WB_ASSUME_NO_RACES,
    WB_ASSUME_INSIDE_OBJECTS,
    WB_ASSUME_FLOW_FACTS,
    /* The machine. */
    WB_ASSUME_WORK_CONSERVING,
    WB_ASSUME_STRICT_ROUND_ROBIN,
    WB_ASSUME_SUB_CORES_KEPT,
    WB_ASSUME_OLDEST_FIRST,
    WB_ASSUME_REORDERED_REQUESTS,
    WB_ASSUME_TIMES_OR_SHORTER,
    WB_ASSUME_TIMES_AS_STATED,
    WB_ASSUME_UNITS_NOT_IDLE,
    WB_ASSUME_UNITS_IN_ISSUE_ORDER,
    WB_ASSUME_LARGEST_INITIATIONS,
    WB_ASSUME_NO_FETCH_STALLS,
    WB_ASSUME_FETCH_AS_STATED,
    WB_ASSUME_LATENCIES_IN_INTERVALS,
    WB_ASSUME_MACHINE_CODE_TIMES,
    WB_ASSUME_NO_CACHE_MISSES,
    WB_ASSUME_NO_DATA_CACHE_MISSES,
    WB_ASSUME_CACHES_AS_STATED,
    WB_ASSUME_ONE_MEMORY,
    WB_ASSUME_MEMORY_ANY_ORDER,
    WB_ASSUME_MEMORY_IN_ARRIVAL_ORDER,
    WB_ASSUME_MEMORY_ROUND_ROBIN,
    WB_ASSUME_MEMORY_IN_LEVEL,
    WB_ASSUME_ATOMICS_IN_TURN,
    WB_ASSUME_TRANSLATIONS_KEPT,
    WB_ASSUME_SECTORS_KEPT,
    WB_ASSUME_LOADS_KEPT,
    /* Promises of where memory is, as wb_resident_name_at has them. */
    WB_ASSUME_RESIDENT_TRANSLATIONS,
    WB_ASSUME_RESIDENT_DATA,
    WB_ASSUME_RESIDENT_CODE,
    WB_ASSUME_RESIDENT_CODE_L1,
    WB_ASSUME_RESIDENT_BLOCK_L1,
    WB_ASSUME_RESIDENT_BUFFERS,
    /* What sets a part of the GPU apart (wb_machine_set, "partition"). */
    WB_ASSUME_PARTITION_GREEN_CONTEXT,
    WB_ASSUME_PARTITION_SM_MASK,
    WB_ASSUME_PARTITION_MPS,
    WB_ASSUME_PARTITION_MIG,
    WB_ASSUME_PARTITION_OF_SMS, /* beside neighbours */
    /* What is stated of others ("interference"). */
    WB_ASSUME_NEIGHBOURS_IN_BUDGET,
    WB_ASSUME_NEIGHBOURS_SERVED,
    WB_ASSUME_NEIGHBOURS_RUN_KERNEL,
    WB_ASSUME_TASK_ORDER, /* of tasks (docs/task.md) */
    /* Cores that execute machine code (docs/machine-code-bounds.md). */
    WB_ASSUME_STALLS_KEPT,
    WB_ASSUME_CONSTANTS_MISSED_ONCE,
    WB_ASSUME_CODE_STAYS_CACHED,
    WB_ASSUME_FETCHED_AHEAD,
    WB_ASSUME_FILLS_UNCONTENDED,
    WB_ASSUME_WARPS_IN_ORDER,
    WB_ASSUME_RESULTS_NOT_STARVED,
    WB_ASSUME_COUNTERS_NOT_FULL,
    WB_ASSUME_CACHE_CONTROL,
    WB_ASSUME_BARRIER_COUNTERS,
    WB_ASSUME_TOUCHED,
    /* The way of blocks to SMs. */
    WB_ASSUME_DISPATCH_TO_ANY_SM,
    WB_ASSUME_DISPATCH_ROUND_ROBIN_AT_START,
    WB_ASSUME_DISPATCH_IN_ANY_ORDER,
    WB_ASSUME_STATIC_DISPATCH,
    WB_ASSUME_STATIC_DISPATCH_WHEN_ROOM,
    WB_ASSUME_REGISTERS_IGNORED,
    WB_ASSUME_REGISTERS_ANY,
    WB_ASSUME_REGISTERS_FEWEST,
    WB_ASSUME_TOGETHER_EXACT,
    WB_ASSUME_TOGETHER_PROVEN,
    WB_ASSUME_OTHER_CLASSES_AS_SUMMED,
    /* Abstract CTA simulation (docs/abstract-cta.md). */
    WB_ASSUME_UNIFORM_BRANCHES,
    WB_ASSUME_WARPS_AS_WRITTEN,
    WB_ASSUME_LOOPS_AND_SIDES_AS_TRACED,
    WB_ASSUME_LOOPS_AS_TRACED,
    WB_ASSUME_CTA_CONVENTIONS,
    WB_ASSUME_ROUND_ROBIN_FROM_BARRIERS,
    WB_ASSUME_LATENCIES_OR_SHORTER,
    /* Kernel instruction strings (docs/makespan.md). */
    WB_ASSUME_ONE_CYCLE_EACH,
    WB_ASSUME_ONE_ISSUE_PER_WARP,
    WB_ASSUME_THESE_STRINGS,
    WB_ASSUME_STRINGS_WITHOUT_WAITS,
    WB_ASSUME_CAPACITY_ROUNDED_DOWN,
    WB_ASSUME_LETTERS_ISSUE_EACH,
    WB_ASSUME_SOLVER_ARITHMETIC,
    /* Kernels that are launched one after another (docs/launch.md). */
    WB_ASSUME_LAUNCHES_IN_TURN,
    WB_ASSUME_NOTHING_CARRIED_IN,
    WB_ASSUMPTION_COUNT
} wb_assumption;

/* The sentence, valid for ever. */
const char *wb_assumption_text(wb_assumption what);

/* A letter and a number, such as "S1", that never change and that no other assumption has: the letter is that
 * of a group (docs/reading-a-bound.md lists them all). */
const char *wb_assumption_id(wb_assumption what);

/* The group of an assumption: "kernel", "machine", "scheduler", ... */
const char *wb_assumption_group(wb_assumption what);

#define WB_PARTS_MAX 56

/* What some cycles of a bound are spent on. */
typedef enum {
    WB_PART_ISSUE,
    WB_PART_UNIT,
    WB_PART_BUSY, /* issue and units, where they are not told apart */
    WB_PART_LATENCY,
    WB_PART_MEMORY,
    WB_PART_L1,           /* of machine code: waiting for data: as if it were in the L1, */
    WB_PART_L2,           /* more than that as if it were in the L2, */
    WB_PART_DRAM,         /* more than that as from DRAM; and sectors from and to it, counted once each; */
    WB_PART_TRANSLATIONS, /* and misses of the TLB, of each access or counted once a page */
    WB_PART_CODE,         /* likewise: code and constants that the SM's cache of them misses */
    WB_PART_FETCH,        /* of instructions; of machine code from the SM's cache */
    WB_PART_STALL,        /* of machine code: stall counts beyond the issue, and what jumps take */
    WB_PART_BANKS,        /* likewise: operands that are read from one bank of registers */
    WB_PART_CONSTANTS,    /* likewise: constants from the SM's cache */
    WB_PART_DISPATCH,
    WB_PART_TAIL,
    WB_PART_SUB_CORES,    /* initiations in other sub-cores than the busiest of their block */
    WB_PART_INTERFERENCE, /* initiations and issue slots of other warps, which a warp waits for */
    WB_PART_NEIGHBOURS,   /* requests of others than the kernel ("interference"), which memory serves */
    WB_PART_WAIT,         /* of a simulation: ready, or waiting for a unit, while others are served */
    WB_PART_COUNT
} wb_part_kind;

/* "issue", "unit", "busy", ... */
const char *wb_part_name(wb_part_kind what);

typedef struct {
    wb_part_kind what;
    const char *unit; /* of WB_PART_UNIT: which; else NULL */
    uint64_t cycles;
} wb_part;

/* Windows of abstract CTA simulation (docs/abstract-cta.md) that follow one another and are alike. A window
 * is what the warps of a block do from one barrier to the next. Its cycles are the sum of instructions,
 * barrier, stalls and shifts; with interleavings, of the one that takes longest. */
typedef struct {
    uint64_t count;        /* of them; what follows is of one */
    uint64_t cycles;       /* that it takes */
    uint64_t instructions; /* cycles of T_instr, over all warps */
    uint64_t barrier;      /* that the barrier at its end takes */
    uint64_t stalls;       /* that are waited for memory */
    uint64_t shifts;       /* that are charged for divergence besides */
    uint64_t apart; /* the analysis window: by how many cycles divergence can have parted two warps when
                       they come to its barrier, behind which they are together again */
    uint64_t least; /* fewest cycles of its interleavings; of a sum: `cycles` */
    uint64_t interleavings; /* that were simulated; 0: none, it is a sum */
    uint32_t warps;         /* in it */
    uint32_t arriving;      /* of them at its barrier; the others end in it */
} wb_window;

/* What one form of the bound of a kernel says. */
typedef struct {
    const char *name;   /* "area", "balance", ... */
    uint64_t cycles;    /* 0: no result */
    const char *reason; /* why there is none, else NULL; owned as that of the bound is */
} wb_form;

typedef struct {
    const char *method; /* its name in the registry */
    wb_kind kind;
    uint64_t cycles; /* the value; the upper end where the method gives an interval */
    uint64_t lower;  /* 0 <= lower <= worst case; 0 where the method says nothing */
    wb_assumption assumptions[WB_ASSUMPTION_COUNT]; /* each once */
    size_t assumption_count;
    const char *reason; /* of an estimate: why it is no bound; of a search that a limit stopped: which, and
                           what was seen; else NULL. Owned by what was analysed. */
    wb_part parts[WB_PARTS_MAX]; /* of a bound of a kernel, and of machine code that is timed: what `cycles`
                                    is the sum of, largest first */
    size_t part_count;
    const wb_window *windows; /* of abstract CTA simulation: `cycles` is their sum. Owned as `reason` is */
    size_t window_count;
    uint64_t windows_left_out; /* behind these, as they are too many */
    const wb_form *forms;      /* of `kernel`: what each of its forms says. Owned as `reason` is */
    size_t form_count;
    const char *form;    /* which of them is the least; else NULL */
    uint64_t neighbours; /* of `cycles`: that memory serves others than the kernel ("interference") */
    double seconds;      /* processor time the method took */
} wb_bound;

/* A method, or a policy, without a result. */
typedef struct {
    const char *method; /* its name in the registry */
    wb_status status;   /* WB_ERR_DECLINED: it is not for what is analysed, or something is not known;
                           WB_ERR_LIMIT: a limit came before a result; WB_OK: not run, as "all" leaves it to
                           those   who name it */
    const char *reason; /* owned by the analysis */
} wb_declined;

typedef struct {
    const char *policy;
    bool work_conserving;
    uint64_t cycles;      /* from the first issue (cycle 0) until the block has ended; on a machine of model
                             gpgpusim what GPGPU-Sim counts (gpu_sim_cycle): the first issue is in cycle 2 */
    uint64_t last_commit; /* when the last result was written */
    uint64_t last_issue;  /* cycle of the last issue */
    uint64_t warp_instructions;
    uint64_t fetches, fetch_misses; /* of instructions, where the machine has an instruction cache (fetch);
                                       of a line that is on its way already there is no miss */
    double seconds;
} wb_simulation;

/* What the executions of one instruction of the program accessed beyond the SMs' own memories. */
typedef struct {
    uint64_t accesses; /* warp instructions with requests */
    uint64_t requests; /* of them all */
    uint64_t misses;   /* of the first level; only loads miss */
} wb_instruction_traffic;

/* A grid on the whole GPU under one scheme of access to the first level (docs/memory-model.md). Sums are over
 * all SMs and partitions. */
typedef struct {
    const char *scheme, *policy;
    bool work_conserving;
    uint64_t cycles;     /* from cycle 0, in which the first blocks start, until the last block has ended */
    uint32_t last_sm;    /* the SM with the block that ended last; of several the first */
    uint64_t last_issue; /* cycle of the last issue */
    uint64_t warp_instructions;
    uint64_t loads, hits, misses; /* requests of loads at the first level: loads = hits + misses */
    uint64_t hits_under_miss;     /* of the hits: the data was still on its way */
    uint64_t stores, atomics;     /* their requests */
    uint64_t l2_hits, l2_misses;  /* requests of loads at the second level */
    uint64_t dram_reads, dram_writes;
    uint64_t mshr_stalls,
        victim_stalls;       /* cycles that first levels waited for an entry; for a victim's data */
    uint64_t reorder_stalls; /* cycles that first levels were idle, with instructions waiting whose turn it
                                was not */
    uint64_t channel_stalls; /* cycles that warps waited only for an entry of their channel */
    uint64_t fetches, fetch_misses;             /* as in wb_simulation */
    const wb_instruction_traffic *instructions; /* by index of the instruction */
    size_t instruction_count;
    double seconds; /* elapsed time, since a simulation uses several threads */
} wb_gpu_simulation;

typedef struct wb_gpu wb_gpu;

/* A grid on a machine, with caches (key l1_size) or without, both of which must outlive it: ready to be
 * simulated. WB_ERR_DECLINED when a value that is not known steers a warp, WB_ERR_INPUT when the machine
 * lacks a class that is needed. */
wb_status wb_gpu_new(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics,
                     wb_gpu **gpu);
void wb_gpu_free(wb_gpu *gpu);

/* Threads of a simulation (default 1); results do not depend on it. */
void wb_gpu_set_threads(wb_gpu *gpu, uint32_t threads);

/* Simulates the schemes of a comma-separated list, or all for "all", each under its own policy, or under each
 * of those in `policies` (NULL: its own; pure-rr is one of strict round-robin). Results are kept in the order
 * of the registries, once each. */
wb_status wb_gpu_simulate(wb_gpu *gpu, const char *schemes, const char *policies, const wb_watch *watch,
                          wb_diagnostics *diagnostics);

const wb_gpu_simulation *wb_gpu_simulations(const wb_gpu *gpu, size_t *count);

/* The registry of schemes, for help texts. NULL past the end. */
const char *wb_scheme_name(size_t index);
const char *wb_scheme_summary(size_t index);

typedef struct wb_analysis wb_analysis;

/* The block on the machine: ready to be bounded and simulated. WB_ERR_INPUT when the machine lacks a class
 * that the block needs, has warps of another width, or counts requests (wb_machine_needs_accesses) although
 * the block has no records; WB_ERR_DECLINED when the requests of an instruction are not known. */
wb_status wb_analysis_new(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                          wb_analysis **analysis);

/* Of the analysis of a kernel: that of the block that takes longest, with its own simulations and with bounds
 * that hold for every block, whichever takes longest (on machines with caches for that block).
 * NULL of any other analysis. */
const wb_analysis *wb_analysis_longest_block(const wb_analysis *analysis);

/* The block or grid that a YAML file describes by hand, with units and programs in place of PTX
 * (docs/blocks.md); or the abstract warps that it describes (docs/abstract-cta.md). */
wb_status wb_analysis_read(const char *path, wb_diagnostics *diagnostics, wb_analysis **analysis);
void wb_analysis_free(wb_analysis *analysis);

/* What the analysis was made from, each once: the PTX, the launch and its data, flow facts, the machine; or
 * the file that was written by hand. NULL past the end. */
const wb_input *wb_analysis_input(const wb_analysis *analysis, size_t index);

/* The machine that is analysed. */
const wb_machine *wb_analysis_machine(const wb_analysis *analysis);

/* Runs the methods of a comma-separated list of names, or for "all" those that fit the block or the grid.
 * Results are kept in the registry's order, once each. No method keeps another from its result: those without
 * one are listed by wb_analysis_declined. When there is no result at all, the status and the messages are
 * theirs, WB_ERR_DECLINED before others. WB_ERR_LIMIT, too, when `watch` or the limit of a named search ended
 * it; what it found so far is kept. */
wb_status wb_analysis_bound(wb_analysis *analysis, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics);

/* Simulates a block under the policies of a comma-separated list (lrr, gto, rr, oldest; cggty where machine
 * code is timed by its control fields), or all that the machine can have for "all"; on a machine with caches
 * alone on the GPU. NULL: those that bounds are usually held against, lrr and gto, with cggty where it can be
 * (of a scheme with strict round-robin rr), which are left out (wb_analysis_declined) where they would be of
 * more than twelve million warp instructions. Grids are simulated by wb_gpu_simulate. A policy that cannot be
 * simulated is listed by wb_analysis_declined; the status is that of the first of them when the analysis has
 * no result at all, neither of a policy nor of a method. WB_ERR_LIMIT when `watch` stopped it. */
wb_status wb_analysis_simulate(wb_analysis *analysis, const char *policies, const wb_watch *watch,
                               wb_diagnostics *diagnostics);

/* Whether a setting of the machine, "abstract_cta.header=n", can show in the results: false of a convention
 * of abstract CTA simulation (docs/abstract-cta.md) when no method that was run reads it. Settings of other
 * keys are taken to show. */
bool wb_analysis_reads_setting(const wb_analysis *analysis, const char *setting);

/* Whether the analysis is of covering paths (wb_trace_options.cover). Nothing executes those, so that they
 * cannot be simulated, and only methods that are monotone bound them (docs/covering-paths.md). */
bool wb_analysis_is_covering(const wb_analysis *analysis);

const wb_bound *wb_analysis_bounds(const wb_analysis *analysis, size_t *count);
const wb_declined *wb_analysis_declined(const wb_analysis *analysis, size_t *count);
const wb_simulation *wb_analysis_simulations(const wb_analysis *analysis, size_t *count);

/* What may be written in a list of methods: their names, then names of earlier versions. NULL past the end.
 */
const char *wb_method_word(size_t index);

/* The method that such a word means: of "k-area" it is "kernel". Any other word is given back. */
const char *wb_method_of_word(const char *word);

/* The registry of methods and of policies, for help texts. NULL past the end. */
const char *wb_method_name(size_t index);
const char *wb_method_summary(size_t index);
const char *wb_policy_name(size_t index);
const char *wb_policy_summary(size_t index);

/* The least bound of kind upper so far, or NULL. An exact worst case is not taken, since it holds only for
 * latencies that are exactly as stated. */
const wb_bound *wb_analysis_best(const wb_analysis *analysis);

/* The cycles of wb_analysis_best. False when nothing is proven. */
bool wb_analysis_proven(const wb_analysis *analysis, uint64_t *cycles);

/* What a bound, a deadline or a verdict is about. */
typedef enum {
    WB_SCOPE_KERNEL, /* all blocks of a launch, on all SMs */
    WB_SCOPE_BLOCK,  /* a block alone */
    WB_SCOPE_STREAM, /* all kernels of a stream; of verdicts only */
} wb_scope;

/* "kernel", "block", "stream" */
const char *wb_scope_name(wb_scope scope);

/* What the bounds of an analysis are about: the kernel where all blocks of a launch or a grid were analysed;
 * else one block. */
wb_scope wb_analysis_scope(const wb_analysis *analysis);

/* What a verdict comes to. */
typedef enum {
    WB_BOUNDED,    /* there is no deadline; a bound is proven */
    WB_MET,        /* a proven bound is within the deadline */
    WB_MISSED,     /* machine code takes longer than the deadline, however short its latencies are, or it did
                      on a GPU */
    WB_OPEN,       /* neither: the least proven bound is above the deadline, no execution that was found is */
    WB_BLOCK_ONLY, /* the deadline is of the kernel, and something is proven, but of a block only */
    WB_UNPROVEN,   /* nothing is proven, and no execution was found that takes longer than the deadline */
    WB_MODEL_ONLY, /* a bound is within the deadline, but of a model of PTX, and nobody accepted the model */
    WB_CONTRADICTION, /* an execution was found that takes longer than what is proven: nothing holds */
} wb_state;

/* "bounded", "met", "missed", "open", "block-only", "unproven", "model-only", "contradiction" */
const char *wb_state_name(wb_state state);

/* What stands between a bound and the code that runs. */
typedef enum {
    WB_MODEL_NONE,    /* nothing: machine code by its own timing, or a block or grid written by hand */
    WB_MODEL_PTX,     /* a compiler, which makes machine code of the PTX that was timed */
    WB_MODEL_CLASSES, /* machine code was timed by the classes of PTX instructions */
} wb_model;

/* Models that a user accepts as what a deadline is about: bits. */
typedef enum { WB_ACCEPT_PTX_MODEL = 1 } wb_accept;

/* The names of these bits, "ptx-model"; NULL past the end. */
const char *wb_accept_name_at(size_t index);

/* The bits of a list of names separated by commas. WB_ERR_INPUT, with a message, for other names. */
wb_status wb_accept_read(const char *names, wb_diagnostics *diagnostics, unsigned *accepted);

/* The slowest execution that was found and that the bounds are about: the worst case, with latencies exactly
 * as stated, takes that long at least. */
typedef struct {
    uint64_t cycles;     /* 0: none was found */
    wb_kind kind;        /* WB_SIMULATED under a policy; WB_LOWER or WB_EXACT by a method; WB_MEASURED */
    const char *name;    /* of that, or of the GPU; NULL of a stream whose kernels have different ones */
    bool with_data;      /* beside covering paths: with the data that the launch gives */
    bool with_zeros;     /* that leaves buffers open: with zeros in them */
    bool of_code;        /* beside a PTX model: of the machine code that runs, */
    const char *machine; /* on this machine; NULL: by its stall counts alone */
    bool any_order;      /* with blocks in any order (D3), not by the machine's rule */
    bool of_lane;        /* no execution was found: what one lane takes at least, by wb_stalls */
} wb_slowest;

/* Of a kernel that is too large to be simulated unasked: the slowest execution that was found of its first
 * blocks without the others. It bounds the kernel from no side: beside others, blocks can take longer or, by
 * anomalies of timing, all of them less. */
typedef struct {
    uint64_t cycles;    /* 0: there is none */
    const char *policy; /* that it was simulated under */
    uint32_t last[3];   /* the blocks from 0,0,0 to this one, x first: */
    uint32_t blocks;    /* so many */
    bool with_zeros;    /* as in wb_slowest */
} wb_first_blocks;

/* Two numbers of one subject of which at least one is wrong: an execution that was found takes longer than a
 * bound that is proven. `found.cycles` is 0 where there are none. */
typedef struct {
    wb_scope scope;     /* the subject: a kernel, a block alone */
    uint64_t proven;    /* by `method` */
    const char *method; /* of kind upper or exact */
    wb_slowest found;
} wb_contradiction;

/* Warps of different ways whose longest lanes are compared with what a machine says of these warps. */
#define WB_STALLS_WARPS 8

/* One of them. */
typedef struct {
    uint64_t cycles;   /* its longest lane takes at least */
    uint64_t stated;   /* the machine says that the warp takes by itself; 0: not known */
    uint32_t block[3]; /* the first block that has such a warp, */
    uint32_t warp;     /* and the warp of it */
} wb_stalls_warp;

/* What the stall counts and the dependence counters of machine code prove with the shortest latencies known,
 * a bound of kind lower (docs/machine-code.md): that so many cycles pass at least between the first
 * instruction that a lane issues and its last one. The longest lane of all that was executed. */
typedef struct {
    uint64_t cycles;      /* 0: not known, or nothing */
    uint64_t wait_cycles; /* of these, waits for counters: they rest on latencies, the others on nothing but
                             stall counts */
    const wb_input *code; /* the file of the machine code; the module's */
    uint32_t sm;          /* its architecture: 86 for sm_86 */
    uint32_t block[3];    /* the first block that has such a lane, */
    uint32_t warp, lane;  /* and the warp of it, and the lane */
    wb_stalls_warp warps[WB_STALLS_WARPS]; /* the longest of different ways, this one first */
    size_t warp_count;
    uint64_t loop_cycles; /* of the cycles those in the smallest loop with at least half of them; 0: there is
                             none */
    uint32_t loop[2];     /* addresses of that: its first instruction, and the branch back */
    uint32_t loop_lines[2]; /* the least and the largest line of the source in it, */
    const char *loop_file;  /* which is this; NULL: not known */
} wb_stalls;

/* The compared warp that takes most cycles longer than the machine says, or NULL. */
const wb_stalls_warp *wb_stalls_refuting(const wb_stalls *stalls);

/* The analysis of the machine code, or NULL. */
const wb_analysis *wb_analysis_code(const wb_analysis *analysis);

/* The longest execution of a launch that was measured on a GPU. */
typedef struct {
    const char *gpu;       /* its name */
    uint32_t architecture; /* 87: of compute capability 8.7 */
    uint32_t sms;
    uint32_t clock, memory_clock; /* of these, and of memory, at the time in MHz; 0: not known */
    uint64_t ns;                  /* that the kernel took at least; */
    uint64_t cycles;              /* the same at that clock; 0: not known */
    bool of_times;                /* the deadline that it is held against is a time, not cycles */
    bool beside; /* others ran on the GPU: bounds, which are of a kernel alone, say nothing */
} wb_measured;

/* Gives an analysis of a kernel what the same launch took on a GPU. A kernel that took longer than the
 * deadline misses it; one that took longer than what is proven of it, both at the clock of the GPU or of the
 * machine, whichever is lower, is a contradiction, unless the GPU is not that machine
 * (wb_analysis_unmeasured). WB_ERR_LIMIT when memory is exhausted, WB_ERR_INPUT for an analysis of something
 * else. */
wb_status wb_analysis_set_measured(wb_analysis *analysis, const wb_measured *measured,
                                   wb_diagnostics *diagnostics);

/* Why no bound is held against what was measured, in words: the GPU has another architecture or number of SMs
 * than the machine, slower memory, or a clock that is not known, or others ran beside it; NULL: one is, or
 * nothing was measured. */
const char *wb_analysis_unmeasured(const wb_analysis *analysis);

/* The answer that a report begins with: what is proven of what was asked about, and, where there is a
 * deadline, whether it is met. All times of it are of the same scope. */
typedef struct {
    wb_state state;
    wb_scope scope;
    const wb_analysis *judged; /* what the times are of: the analysis, or the block of it that takes longest;
                                  NULL of a stream */
    const wb_bound *bound;   /* the least bound of kind upper of that; NULL: there is none, or of a stream */
    const wb_bound *refuted; /* what would be `bound`, but machine code takes longer (`stalls`, `code`); of a
                                stream the first such bound of one of its kernels; else NULL */
    const wb_stalls *stalls; /* those; NULL: not known, or of a stream */
    bool every_block;        /* with WB_SCOPE_BLOCK: the bound holds for every block of the launch alone */
    bool is_bounded;         /* `cycles` are proven; never of a block where the scope is the kernel */
    wb_model model;          /* what stands between them and the code that runs */
    bool accepted;           /* and its user said that the model is what is asked about */
    wb_slowest code;         /* the slowest execution of the machine code (wb_analysis_compare_code), */
    const wb_bound *code_bound;     /* and its least bound of kind upper; NULL: there is none */
    wb_contradiction contradiction; /* with WB_CONTRADICTION: what contradicts what */
    uint64_t cycles;                /* of the bound, or of the sum of all of a stream, with `overhead` */
    uint64_t overhead; /* launch overhead: a deadline of a kernel has to leave room for it beside `cycles`; of
                          a stream it passes between its kernels, so that all times have it in them */
    wb_slowest slowest;           /* which may take latencies that no GPU is known to have */
    wb_first_blocks first_blocks; /* where no execution of the kernel was found */
    wb_slowest sure; /* with no latency above the shortest that is stated, as far as it is known: only
                        what this takes makes a deadline missed */
    bool has_deadline;
    uint64_t deadline; /* in cycles */
    int64_t margin;    /* deadline - cycles, and - overhead of a kernel: negative where these are above it; 0
                          unless there are both */
} wb_verdict;

/* The verdict on the kernel, or, with WB_SCOPE_BLOCK, on its blocks alone; on a block or abstract warps
 * written by hand in any case. `deadline` is in cycles; NULL: there is none. */
wb_verdict wb_analysis_judge(const wb_analysis *analysis, wb_scope scope, const uint64_t *deadline);

/* ---- Analyses as a whole -------------------------------------------------------------------------------
 */

/* For which data of buffers and variables results hold. */
typedef enum {
    WB_INPUTS_USUAL, /* WB_INPUTS_ANY with flow facts, else WB_INPUTS_GIVEN */
    WB_INPUTS_GIVEN, /* what the launch gives; where that leaves open what is executed, for all values of what
                        is not known */
    WB_INPUTS_ANY,   /* whatever buffers and variables contain; scalars stay as they are given */
} wb_inputs;

typedef struct {
    size_t size; /* sizeof(wb_analyze_options) */
    wb_inputs inputs;
    const wb_facts *facts; /* flow facts of the kernel, complete; or NULL */
    bool one_block;        /* of block `block` of the grid, not of the kernel */
    uint32_t block[3];     /* which block is executed where one block is */
    const char *scheme;    /* bounds the whole grid on a machine with caches under this scheme ("default",
                              "pure-rr", "reorder"); or NULL */
    const char *methods;   /* as in wb_analysis_bound; NULL: "all" */
    const char *policies;  /* as in wb_analysis_simulate; or NULL */
    bool has_deadline;     /* there is a deadline of `scope`: with one of the kernel, kernels are bounded
                              whatever the methods are */
    wb_scope scope;        /* as in wb_analysis_judge */
    bool record_accesses;  /* of wb_analyze_paths: as in wb_trace_options */
    bool allow_unmapped;   /* of wb_analyze_caches and wb_analyze_accesses: as in wb_grid_options */
    uint64_t state_limit;  /* states that a search keeps at most; 0: 30 million */
    uint64_t memory_limit; /* as in wb_trace_options */
    wb_watch watch;        /* the caller's progress callback */
    uint64_t instruction_limit; /* as in wb_trace_options */
    unsigned accept;            /* of wb_accept: models that verdicts may rest on */
    bool savings;               /* finds wb_analysis_savings */
    const char *sms;            /* makes wb_analysis_share of these numbers: "1..8,16"; or NULL */
} wb_analyze_options;

/* The least proven bound without a promise of where memory is, or with one more (docs/sass-machine.md). */
typedef struct {
    const char *promise; /* as wb_resident_name_at has it, or "data.x" */
    uint64_t cycles;     /* without the launch overhead */
    bool is_made;        /* without it, as the launch makes it */
} wb_saving;

/* What each promise saves that a launch of machine code makes, and would save that it does not make and could
 * keep: part of the analysis, empty unless wb_analyze_options.savings was set. */
const wb_saving *wb_analysis_savings(const wb_analysis *analysis, size_t *count);

/* Analyses of the kernel on some of its machine's SMs, as wb_analyze_options.sms asks for them: each as if
 * the machine had no others, with so many SMs' shares of its memory. NULL past the end; else *sms is set.
 * Part of the analysis, which is of a whole kernel. */
size_t wb_analysis_share_count(const wb_analysis *analysis);
const wb_analysis *wb_analysis_share(const wb_analysis *analysis, size_t index, uint32_t *sms);

/* Whether the launch can keep what the machine takes as promised (wb_machine_set, "resident"): WB_ERR_INPUT
 * with a message where its buffers or its code are larger than where they are to stay, or a named one is none
 * of its buffers. */
wb_status wb_promises_check(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics);

/* Analyses a launch of a kernel on a machine: executes, bounds and simulates what the options ask for. That
 * is the kernel, all blocks of its grid, with the data that is given, or with covering paths where that
 * leaves something open; where the blocks cannot all be covered, one block, with a warning, unless a method
 * of kernels is named. Results for any inputs have those of the given data beside them where that can be
 * executed, and flow facts are held to it. Of a kernel too large to be simulated its first blocks are, unless
 * policies are named (wb_first_blocks). `options` may be NULL.
 * The analysis owns all that was made for it; kernel, launch, machine and facts must outlive it. WB_ERR_LIMIT
 * with *analysis set: what was found before a limit, else *analysis is set with WB_OK alone. Other errors as
 * wb_grid_trace and wb_analysis_bound. */
wb_status wb_analyze(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                     const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_analysis **analysis);

/* Bounds and simulates an analysis that is there, such as one of wb_analysis_read: the last step of
 * wb_analyze. With WB_ERR_LIMIT it may have results. */
wb_status wb_analysis_run(wb_analysis *analysis, const wb_analyze_options *options,
                          wb_diagnostics *diagnostics);

/* Holds the machine code of the same launch against the bounds of an analysis of `kernel`, with the data that
 * the launch gives: its stall counts and, unless the machine of the analysis times
 * machine code itself, the executions that an analysis on the preset for its architecture finds, with as many
 * SMs. `code` is the machine code of `kernel`, or `kernel` itself; `options` are those of the analysis. The
 * analysis owns what is made; `code` must outlive it. WB_ERR_DECLINED where no preset times the code, or it
 * cannot be executed; other errors as wb_grid_trace and wb_analyze. */
wb_status wb_analysis_compare_code(wb_analysis *analysis, const wb_kernel *kernel, const wb_kernel *code,
                                   const wb_launch *launch, const wb_analyze_options *options,
                                   wb_diagnostics *diagnostics);

/* Whether there is a bound or a simulation, be it of the longest block alone. */
bool wb_analysis_has_results(const wb_analysis *analysis);

/* ---- Schedules ------------------------------------------------------------------------------------------
 */

/* What a warp waits for (docs/schedules.md). */
typedef enum {
    WB_WAIT_BARRIER, /* a barrier: for other warps of its block, and until it opens */
    WB_WAIT_RESULT,  /* the result of an instruction before */
    WB_WAIT_FETCH,   /* its next instruction (machines with an instruction cache) */
    WB_WAIT_CHANNEL, /* an entry of its channel (scheme reorder) */
    WB_WAIT_UNIT,    /* room at its unit, up to when there last was some before the issue */
    WB_WAIT_TURN,    /* nothing but its turn: the scheduler issues others */
    WB_WAIT_END,     /* nothing: it has ended, and its block has not */
    WB_WAIT_COUNT
} wb_wait_reason;

/* "barrier", "result", ... NULL past the end. */
const char *wb_wait_name(size_t reason);

#define WB_NO_ISSUE SIZE_MAX

/* An instruction that a warp issues: it waits in the queue of its unit in [issue, start), keeps an instance
 * of it in [start, free), and its result can be read from `ready` on. */
typedef struct {
    uint32_t sm;
    uint32_t slot;     /* of the SM, that the block is in */
    uint32_t block;    /* of the grid; 0 of a block alone */
    uint32_t warp;     /* of the block */
    uint32_t sub_core; /* of the SM */
    uint32_t unit;     /* of the machine (wb_schedule_unit), and which of its instances */
    uint32_t instance;
    uint32_t instruction; /* of the module, as elsewhere; in a block written by hand of its code */
    uint64_t step;        /* position in the warp's path, from 0 */
    uint64_t issue, start, free, ready;
} wb_issue;

/* A warp waits in [from, to). Between the start and the end of its block the waits and the issues of a warp,
 * of a cycle each, follow one another without gaps, but in models that say nothing of waits (gpgpusim). */
typedef struct {
    uint32_t sm, slot, block, warp;
    wb_wait_reason reason;
    uint32_t instruction; /* that waits; also one that is never issued, as it takes no unit. Of WB_WAIT_END
                             none: UINT32_MAX */
    uint64_t step;
    size_t producer; /* of WB_WAIT_RESULT the issue whose result is waited for, or WB_NO_ISSUE */
    uint64_t from, to;
} wb_wait;

/* A block in its slot, from when it can issue until its last result is there. */
typedef struct {
    uint32_t sm, slot, block;
    uint64_t start, end;
} wb_block_time;

/* Who issued what, when, in one execution of a kernel or a block. */
typedef struct wb_schedule wb_schedule;

typedef struct {
    size_t size; /* sizeof(wb_schedule_options) */
    uint64_t from,
        until;     /* keeps what is issued in [from, until), and the waits in it; until 0: to the end */
    uint64_t most; /* keeps at most so many issues of each SM, the first ones; 0: ten million of all
                      together, and WB_ERR_LIMIT for more */
    wb_watch watch;
} wb_schedule_options;

/* What a schedule is of. */
typedef struct {
    wb_scope scope;
    wb_kind kind;                  /* WB_SIMULATED: of a policy; WB_LOWER and WB_EXACT: found by a search */
    const char *method;            /* the search that found it; or NULL */
    const char *policy;            /* who issues: a policy, or the choices that a search made */
    const char *scheme;            /* of access to the first level; or NULL */
    uint32_t warp_count;           /* of a block */
    uint32_t sm_count, slot_count; /* that had blocks */
    uint64_t cycles;               /* from cycle 0 until the last block has ended */
    uint64_t longest;       /* of wb_schedule_worst: the longest execution that was found; above `cycles`
                               where the search, longest_by, keeps none of its schedules */
    const char *longest_by; /* NULL: `cycles` is the longest */
    uint64_t issues;        /* in all, also those that were not kept */
    uint64_t kept_from, kept_until; /* what was issued in [kept_from, kept_until) is kept */
} wb_schedule_info;

/* The schedule of what is analysed under one policy: of the kernel, or of the block if it is of a block.
 * `options` may be NULL. Simulates anew. WB_ERR_INPUT for no such policy, WB_ERR_DECLINED for what cannot be
 * simulated, WB_ERR_LIMIT as wb_analysis_simulate and for too many issues. Refers to the analysis, which must
 * outlive it. */
wb_status wb_schedule_simulate(const wb_analysis *analysis, const char *policy,
                               const wb_schedule_options *options, wb_diagnostics *diagnostics,
                               wb_schedule **schedule);

/* The longest schedule that is known of what is analysed: that of a search, or the slowest simulation
 * (wb_analysis_simulate) if that takes longer. WB_ERR_DECLINED when there is neither. Otherwise as
 * wb_schedule_simulate. */
wb_status wb_schedule_worst(const wb_analysis *analysis, const wb_schedule_options *options,
                            wb_diagnostics *diagnostics, wb_schedule **schedule);

/* The schedule of a grid under one scheme (and one policy, or NULL: its own). Otherwise as
 * wb_schedule_simulate. */
wb_status wb_schedule_of_gpu(const wb_gpu *gpu, const char *scheme, const char *policy,
                             const wb_schedule_options *options, wb_diagnostics *diagnostics,
                             wb_schedule **schedule);
void wb_schedule_free(wb_schedule *schedule);

/* Owned by the schedule. */
const wb_schedule_info *wb_schedule_describe(const wb_schedule *schedule);

/* By SM, then in the order of issue. */
const wb_issue *wb_schedule_issues(const wb_schedule *schedule, size_t *count);

/* By SM, then by slot and warp, then in the order of time. */
const wb_wait *wb_schedule_waits(const wb_schedule *schedule, size_t *count);

/* All blocks, whatever the options say, by SM, then by slot, then in the order of time. */
const wb_block_time *wb_schedule_blocks(const wb_schedule *schedule, size_t *count);

/* The name of a unit. */
const char *wb_schedule_unit(const wb_schedule *schedule, uint32_t unit);

/* Kernels that are launched one after another on one machine (docs/launch.md). */
typedef struct wb_stream wb_stream;

/* Analyses the launches of a list, of kernels of one module, each as a kernel by wb_analyze. Options of one
 * block, of a scheme or of flow facts do not go with it. Of WB_ERR_LIMIT *stream is set, too, when all
 * kernels were executed; a limit that one of them hit then kept none of the others from its results. */
wb_status wb_analyze_launches(const wb_module *module, const wb_launches *launches, const wb_machine *machine,
                              const wb_analyze_options *options, wb_diagnostics *diagnostics,
                              wb_stream **stream);

/* A grid on a machine with caches for what is known of these: with the given data ready to be simulated, or
 * of covering paths, which cannot be, by the rules of wb_analyze. Of flow facts it takes those for any
 * inputs. The wb_gpu owns its grid. */
wb_status wb_analyze_caches(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_gpu **gpu);

/* What the warps of a block execute: with the given data, or covering paths, by the rules of wb_analyze. */
wb_status wb_analyze_paths(const wb_kernel *kernel, const wb_launch *launch,
                           const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_block **block);

/* What all blocks, or with one_block one, execute and access with the given data; where a value that is not
 * known ended a warp early, all that they may execute, or, where that cannot be covered, a warning. */
wb_status wb_analyze_accesses(const wb_kernel *kernel, const wb_launch *launch,
                              const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_grid **grid);

/* ---- Costs: where the cycles of one number go ----------------------------------------------------------
 *
 * A bound, an estimate or a simulation is attributed to the instructions that are executed: a row for each,
 * and rows for what belongs to none. Shares are whole cycles, and those of all rows sum to the number
 * exactly. docs/costs.md says, method by method, which shares are exact and which are proportional. */

typedef struct wb_costs wb_costs;

/* Of a row that is about no instruction. */
#define WB_NO_INSTRUCTION SIZE_MAX

/* Where an instruction stands. What is not known, or differs within a group, is NULL or 0. Machine
 * instructions, or whatever else code is made of, are instructions with another text. */
typedef struct {
    const char *function; /* its name as the code has it; a called function is a function of its own */
    const char *text;     /* the instruction, or its opcode */
    const char *code_file;
    uint32_t code_line;      /* of the PTX; of the listing of machine code */
    bool is_machine;         /* of machine code: code_address says where */
    uint32_t code_address;   /* bytes from the beginning of the kernel's code */
    const char *source_file; /* by .loc and .file; code that was inlined is where it is written */
    uint32_t source_line;
    const char *inlined_file; /* of inlined code: where it was inlined, the innermost call */
    uint32_t inlined_line;
} wb_cost_place;

/* What an instruction, or a group of them, does in all that the number is about (a block, or every block of
 * the grid), and what of the number that makes. */
typedef struct {
    size_t instruction;  /* its index in the code, which runs through all functions; of a group the first */
    size_t instructions; /* how many: 1, of a group more, of no instruction 0 */
    const char *about;   /* of no instruction: "dispatch of blocks", "release of barriers",
                            "rounding", ...; else NULL */
    wb_cost_place place;
    const char *unit;              /* that it uses; NULL: none, or several */
    uint64_t executions;           /* warp instructions, counted as reports count them: without `ret` */
    uint64_t issue;                /* cycles of issue slots: 1 for each execution that takes one */
    uint64_t busy;                 /* cycles that units are busy behind the cycle of the issue */
    uint64_t requests;             /* to memory beyond the SM, where they are known */
    uint64_t conflicts;            /* bank conflicts: wavefronts beyond one, where they are known */
    uint64_t share[WB_PART_COUNT]; /* cycles of the number, by what they are spent on */
    uint64_t cycles;               /* their sum */
    size_t loop;                   /* rows by loop: the row of the loop around it, or WB_NO_INSTRUCTION */
    uint64_t with_inner;           /* rows by loop: cycles with those of the loops inside it; else `cycles` */
} wb_cost;

/* Attributes the bound that a method has given (it was run before). Rows are in the order of instructions;
 * those of no instruction are the last. Their sum is the bound.
 * WB_ERR_INPUT when there is no such bound, WB_ERR_DECLINED when its method cannot be attributed (a search,
 * a result for which nothing says where its cycles go): the message says why. WB_ERR_LIMIT when memory is
 * exhausted or `watch` stopped it. The analysis must outlive the costs. */
wb_status wb_costs_of_bound(const wb_analysis *analysis, const char *method, const wb_watch *watch,
                            wb_diagnostics *diagnostics, wb_costs **costs);

/* The same of an execution: the simulation of a policy ("gto") that was made before, or the schedule that a
 * search found ("adversary", "k-adversary"). It is simulated anew, and every cycle of it belongs to one
 * instruction: along the critical chain, from the last result back to cycle 0 (docs/costs.md). Errors as
 * above; WB_ERR_DECLINED, too, on a machine of model gpgpusim. */
wb_status wb_costs_of_simulation(const wb_analysis *analysis, const char *name, const wb_watch *watch,
                                 wb_diagnostics *diagnostics, wb_costs **costs);
void wb_costs_free(wb_costs *costs);

/* The rows. */
const wb_cost *wb_costs_rows(const wb_costs *costs, size_t *count);

/* What they sum up to. */
uint64_t wb_costs_total(const wb_costs *costs);

/* The name of the method, or the policy, whose number it is. */
const char *wb_costs_method(const wb_costs *costs);

typedef enum {
    WB_COST_BY_INSTRUCTION,
    WB_COST_BY_CODE_LINE,   /* lines of PTX */
    WB_COST_BY_SOURCE_LINE, /* by .loc; instructions without one are one group a function */
    WB_COST_BY_LOOP,        /* by the innermost loop of a function; the place is that of its header, with its
                               label for a text. What is in no loop is a group of each function */
    WB_COST_BY_FUNCTION,
} wb_cost_grouping;

/* The same costs with one row for each group, in the order of their first instructions; to be freed. The
 * costs, of instructions, must outlive them. */
wb_status wb_costs_group(const wb_costs *costs, wb_cost_grouping grouping, wb_diagnostics *diagnostics,
                         wb_costs **groups);

/* What would lower a share of a number, as far as that is certain from what was analysed. */
typedef enum {
    WB_HINT_UNCOALESCED,    /* more requests than lanes that access one range of memory make */
    WB_HINT_BANK_CONFLICTS, /* more wavefronts over shared memory than the width of the access needs */
    WB_HINT_DIVISION,       /* by a value that is not known to the compiler */
    WB_HINT_SPECIAL,        /* a special function */
    WB_HINT_DOUBLE,         /* double precision where single precision is much faster */
    WB_HINT_OCCUPANCY,      /* what lets one more block fit on an SM */
} wb_hint_kind;

/* "uncoalesced", "bank-conflicts", ... */
const char *wb_hint_name(wb_hint_kind kind);

typedef struct {
    wb_hint_kind kind;
    size_t instruction;  /* that it is about, or WB_NO_INSTRUCTION */
    wb_cost_place place; /* of the instruction */
    const char *text;    /* the fact, with its numbers */
    uint64_t cycles;     /* of the number that the instruction takes */
    uint64_t up_to;      /* the number falls by at most so many when that is mended; 0: that is not known */
} wb_hint;

typedef struct wb_hints wb_hints;

/* The hints on costs, of instructions, of the analysis: of those that take a hundredth of the number or more,
 * those that take most first. WB_ERR_LIMIT when memory is exhausted. */
wb_status wb_hints_find(const wb_analysis *analysis, const wb_costs *costs, wb_diagnostics *diagnostics,
                        wb_hints **hints);
void wb_hints_free(wb_hints *hints);

/* Owned by the hints, their places by the costs. */
const wb_hint *wb_hints_list(const wb_hints *hints, size_t *count);

void wb_stream_free(wb_stream *stream);

/* The same as wb_analysis_compare_code, of one launch of such a stream. */
wb_status wb_stream_compare_code(wb_stream *stream, size_t index, const wb_kernel *kernel,
                                 const wb_kernel *code, const wb_launch *launch,
                                 const wb_analyze_options *options, wb_diagnostics *diagnostics);

/* The least proven bounds of all kernels with the launch overhead of each, and, on a machine with caches,
 * what kernels leave in the second level to be written back while later ones run: from the start of the
 * stream until the last kernel has ended. False when nothing is proven of one of them, or its machine code
 * refutes that. */
bool wb_stream_proven(const wb_stream *stream, uint64_t *cycles);

/* The verdict on all kernels of the stream together; `deadline` is in cycles; NULL: there is none. */
wb_verdict wb_stream_judge(const wb_stream *stream, const uint64_t *deadline);

/* The kernels of the stream; NULL past the end. */
size_t wb_stream_count(const wb_stream *stream);
const wb_analysis *wb_stream_at(const wb_stream *stream, size_t index);

/* What all of them were made from, each once; NULL past the end. */
const wb_input *wb_stream_input(const wb_stream *stream, size_t index);

/* "4500", "4500 cycles", "100us", "1.5ms", "2s": in cycles of the machine, rounded down. 0 is WB_ERR_INPUT.
 */
wb_status wb_deadline_cycles(const wb_machine *machine, const char *deadline, wb_diagnostics *diagnostics,
                             uint64_t *deadline_cycles);

/* Units of time that a deadline can be given in. */
typedef enum {
    WB_UNIT_ANY, /* one to three digits before the point */
    WB_UNIT_CYCLES,
    WB_UNIT_NS,
    WB_UNIT_US,
    WB_UNIT_MS,
    WB_UNIT_S,
} wb_unit;

/* The unit of a deadline that wb_deadline_cycles takes. */
wb_unit wb_deadline_unit(const char *deadline);

/* ---- Reports ------------------------------------------------------------------------------------------- */

typedef enum {
    WB_REPORT_TEXT,
    WB_REPORT_JSON,
    WB_REPORT_JUNIT, /* of wb_report, wb_stream_report and wb_messages_report, as the next one: the verdict as
                        a test case (docs/ci.md) */
    WB_REPORT_SARIF, /* SARIF 2.1.0: a deadline that is not met, and the messages so far */
} wb_report_format;

typedef struct {
    size_t size; /* sizeof(wb_report_options) */
    bool phases; /* the phases of every distinct warp path and WUB of every warp */
    bool timing; /* processor seconds; without it a report is the same, byte for byte, in every run */
    bool has_deadline;
    uint64_t deadline; /* cycles */
    wb_scope scope;    /* what the deadline is of (wb_analysis_judge) */
    wb_unit unit;      /* in which the deadline and its margin are shown */
    bool simulated;    /* nothing was asked for bounds: a text is of simulations, without a verdict */
    /* Of text: */
    uint32_t width;      /* of its lines, which are broken where words are; 0: 80 */
    bool color;          /* escape sequences of terminals are written */
    bool quiet;          /* the verdict line alone */
    bool all;            /* everything: all tables, what every method assumes, why estimates are no bounds */
    const char *explain; /* methods and policies, separated by commas, of which all that is known is said; or
                            NULL */
    size_t lines; /* so many lines, those that take most cycles, with their text and their costs; 0: none. As
                     JSON all lines */
    const char *lines_of; /* the method or policy whose number that is; NULL: the least proven bound */
    const char *source;   /* a folder that sources are looked for in, or NULL */
    const char *label;    /* of JUnit: the name of the test case; NULL: that of the kernel and the machine */
} wb_report_options;

/* Bounds and simulations of one analysis. */
wb_status wb_report(const wb_analysis *analysis, wb_report_format format, const wb_report_options *options,
                    wb_diagnostics *diagnostics, char **text);

/* The control flow of a kernel for Graphviz (WB_CFG_DOT), with how often warps go through its blocks and
 * along its edges, where that follows, and with the cycles that the blocks take of a number
 * (wb_report_options: lines_of, scope, source); the path with most cycles stands out. `launch` as in
 * wb_kernel_cfg. WB_ERR_DECLINED when no number is attributed. */
wb_status wb_analysis_cfg(const wb_analysis *analysis, const wb_launch *launch,
                          const wb_report_options *options, wb_diagnostics *diagnostics, char **text);

/* The source of a kernel, file by file, with the cycles of each line in front (wb_report_options.lines_of,
 * .source, .scope); the code where no source is found. WB_ERR_DECLINED when no number is attributed. */
wb_status wb_annotate(const wb_analysis *analysis, const wb_report_options *options,
                      wb_diagnostics *diagnostics, char **text);

/* The kernels of a stream, their bounds and what these sum up to; as JSON with the whole result of each. */
wb_status wb_stream_report(const wb_stream *stream, wb_report_format format, const wb_report_options *options,
                           wb_diagnostics *diagnostics, char **text);

/* What a run that ended with `status` had to say instead of a report, in the format of that report; `label`
 * as in wb_report_options. */
wb_status wb_messages_report(const wb_diagnostics *messages, wb_status status, wb_report_format format,
                             const char *label, wb_diagnostics *diagnostics, char **text);

/* The simulations of a grid on a GPU. */
wb_status wb_gpu_report(const wb_gpu *gpu, wb_report_format format, const wb_report_options *options,
                        wb_diagnostics *diagnostics, char **text);

/* The loads of a grid at the first-level caches, per instruction and in all: misses estimated under
 * reordering, hits that are guaranteed without it, misses simulated with and without. Simulates what has not
 * been simulated. */
wb_status wb_cache_report(wb_gpu *gpu, wb_report_format format, const wb_watch *watch,
                          wb_diagnostics *diagnostics, char **text);

/* A machine: as text what wb_machine_print prints; as JSON its settings under the keys of wb_machine_set. */
wb_status wb_machine_report(const wb_machine *machine, wb_report_format format, wb_diagnostics *diagnostics,
                            char **text);

/* Which figures of a machine that times machine code bounds of the code rest on, those first that can be
 * relied on least, and where each comes from. WB_ERR_INPUT when the machine times PTX, or the module is not
 * machine code that it executes. */
wb_status wb_figures_report(const wb_machine *machine, const wb_module *module, wb_report_format format,
                            wb_diagnostics *diagnostics, char **text);

/* The presets: what each of them times and is, as a table or as JSON. */
wb_status wb_machine_presets_report(wb_report_format format, wb_diagnostics *diagnostics, char **text);

/* The images of a program and their kernels. */
wb_status wb_program_report(const wb_program *program, wb_report_format format, wb_diagnostics *diagnostics,
                            char **text);

/* The module as wb_module_print writes it, or machine code as JSON: each instruction with its bytes, control
 * field and lines. PTX as JSON is WB_ERR_INPUT. */
wb_status wb_module_report(const wb_module *module, wb_report_format format, wb_diagnostics *diagnostics,
                           char **text);

/* An occupancy. */
wb_status wb_occupancy_report(const wb_occupancy *occupancy, wb_report_format format,
                              wb_diagnostics *diagnostics, char **text);

/* What each warp executes: its path and, where recorded, its addresses. */
wb_status wb_block_report(const wb_block *block, wb_report_format format, wb_diagnostics *diagnostics,
                          char **text);

/* Takes a report piece by piece; false ends it. */
typedef struct {
    bool (*write)(void *user, const char *bytes, size_t size);
    void *user;
} wb_writer;

/* What the kernel analyzer (JCSE 2017) says of a grid: which loads and stores of global memory each warp
 * executes, with which lines of memory, and which warps a value steers that is not known (docs/analyzer.md).
 * Of covering paths what warps perhaps execute is marked.
 * The report of a large grid is larger than the grid in memory: it is written as it is made. */
wb_status wb_grid_report(const wb_grid *grid, wb_report_format format, const wb_writer *writer,
                         wb_diagnostics *diagnostics);

/* Of a report in HTML. */
typedef struct {
    size_t size;         /* sizeof(wb_html_options) */
    const char *command; /* the command line that makes the report again, to be shown; or NULL */
    wb_watch watch;      /* of the simulations that pictures are made of */
    const char *picture; /* SVG that is shown below the verdict, as it is; or NULL */
} wb_html_options;

/* An analysis, or the kernels of a stream, as one HTML file that needs no other and no network
 * (docs/html-report.md): verdict, bounds, where the cycles go, what all of it rests on. */
wb_status wb_html_report(const wb_analysis *analysis, const wb_report_options *options,
                         const wb_html_options *html, const wb_writer *writer, wb_diagnostics *diagnostics);
wb_status wb_stream_html_report(const wb_stream *stream, const wb_report_options *options,
                                const wb_html_options *html, const wb_writer *writer,
                                wb_diagnostics *diagnostics);

typedef enum { WB_SCHEDULE_TEXT, WB_SCHEDULE_TRACE, WB_SCHEDULE_SVG } wb_schedule_format;

/* A schedule as a text table, as Chrome trace events, which Perfetto and chrome://tracing open (one
 * microsecond of the viewer is one cycle; docs/schedules.md), or as a picture of a block, which has room for
 * some hundred instructions: WB_ERR_LIMIT for more. */
wb_status wb_schedule_write(const wb_schedule *schedule, wb_schedule_format format, const wb_writer *writer,
                            wb_diagnostics *diagnostics);

/* Several schedules of one kernel or block on one machine, say under different policies, as one file of
 * Chrome trace events: each has its own groups of rows, whose names begin with the policy. WB_ERR_INPUT for
 * none. */
wb_status wb_schedules_trace(const wb_schedule *const *schedules, size_t count, const wb_writer *writer,
                             wb_diagnostics *diagnostics);

/* A certificate of what was found: the block or the grid as the bounds saw it, and what they claim, from
 * which the program warpbound-check computes every claim anew, without this library (docs/certificates.md).
 * It says by SHA-256 of what it is. Bounds that it cannot claim it names. WB_ERR_DECLINED with a message
 * where nothing can be claimed. */
wb_status wb_analysis_certificate(const wb_analysis *analysis, const wb_writer *writer,
                                  wb_diagnostics *diagnostics);

/* Writes `text` to `path`: to a temporary file beside it first, renamed when complete. "-" is the standard
 * output of the process, which nothing else of the library writes to. */
wb_status wb_file_write(const char *path, const char *text, wb_diagnostics *diagnostics);

/* A file that is written piece by piece, by a wb_writer of wb_file_append and the file. It appears under its
 * name when it is complete, and not at all when it is freed before. */
typedef struct wb_file wb_file;

wb_status wb_file_new(const char *path, wb_diagnostics *diagnostics, wb_file **file);
bool wb_file_append(void *file, const char *bytes, size_t size);
wb_status wb_file_complete(wb_file *file, wb_diagnostics *diagnostics);
void wb_file_free(wb_file *file);

#ifdef __cplusplus
}
#endif

#endif
