/* Launches of a recording as texts of launch files. */
#ifndef WB_WINGS_RECORD_DESCRIBE_H
#define WB_WINGS_RECORD_DESCRIBE_H

#include "warpbound.h"
#include "wings/record/recording.h"

/* The code of a recording, as launch files name it. */
struct code_file {
    bool is_read;        /* it was tried: */
    wb_module *module;   /* NULL: it cannot be, which a message has said */
    const char *image;   /* which of several that was; NULL: there is one */
    const char *machine; /* the one preset that is made for it, or NULL */
    char name[40];       /* in the folder */
};

/* Why a launch has no launch file. */
enum description {
    DESCRIBED,
    NO_FUNCTION,  /* the log does not say of which module its kernel is */
    NO_CODE,      /* that cannot be read */
    NO_KERNEL,    /* it has no kernel of that name */
    OTHER_PARAMS, /* the parameters are others than the kernel has */
    TOO_LARGE,    /* memory of more bytes than a buffer has */
    IN_CLUSTERS,
    TOO_MANY,  /* files */
    NO_PARAMS, /* it has one, with blanks: the log does not say what the parameters are */
    DESCRIPTIONS
};

/* What is known of a function of the recording, once it was launched. */
struct described_function {
    bool looked_up;
    const wb_kernel *kernel; /* NULL: the code has none of that name */
    const char *variables;   /* the lines of the launch file about variables */
};

/* Appends what a launch file says beside its code. The arena of the text is protected. */
enum description describe_launch(const struct recorded_launch *launch, const wb_kernel *kernel,
                                 const char *variables, struct text *out);

/* The lines about variables that the kernel uses: programs may write to them in ways that are not recorded,
 * so nothing is known of what is in them. The arena is protected. */
const char *describe_variables(const wb_kernel *kernel, struct arena *arena, wb_diagnostics *diagnostics);

#endif
