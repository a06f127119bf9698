/* The C++ names behind mangled ones (Itanium C++ ABI, chapter 5.1): those that kernels and the types of their
 * parameters have. A few letters can stand for a name of any size, so that memory, and with it the work, has
 * a limit: what does not fit stays mangled. */
#ifndef WB_PTX_DEMANGLE_H
#define WB_PTX_DEMANGLE_H

/* The readable name, malloc'd. NULL for a name that is not mangled, is too large, or has what is not
 * understood (expressions, operators, constructors), and when memory is exhausted. */
char *demangle(const char *name);

#endif
