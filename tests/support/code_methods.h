/* The methods that prove bounds of machine code: those besides search, which takes a second each. */
#ifndef WB_TESTS_CODE_METHODS_H
#define WB_TESTS_CODE_METHODS_H

#define CODE_METHODS "sib,fib,elb,kernel"

#endif
