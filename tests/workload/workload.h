// What the parts of the workload generator share.
#define _GNU_SOURCE
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

// An operation: its name, one line of help, and what it does.
struct operation {
	const char *name, *help;
	void (*run)(void);
};

// The tables of the families, each ended by a row without a name.
extern const struct operation file_operations[], block_operations[], proc_operations[], net_operations[],
	step_operations[], memory_operations[];

// The parameter NAME=VALUE of the command line. A parameter without a default is
// required. Numbers may end in k, m or g (powers of 1024).
const char *text(const char *name);
const char *text_or(const char *name, const char *otherwise);
int64_t number(const char *name);
int64_t number_or(const char *name, int64_t otherwise);

// Prints "name value" for the expect section of a case.
void count(const char *name, int64_t value);

// Ends the program with a message and errno's text: the witness is not sure.
void fail(const char *what) __attribute__((noreturn));

// CHECK(call) is the call's result; it ends the program if that is negative.
#define CHECK(call) check(#call, (int64_t)(call))
int64_t check(const char *what, int64_t result);

// Nanoseconds of CLOCK_MONOTONIC, by the vDSO: no system call.
int64_t now(void);

// The state of a thread: R, S, D, Z ...
char state(int tid);

// Memory of that many bytes, aligned for direct I/O, filled with a pattern.
void *buffer(size_t bytes);

// Does one operation of io_uring (IORING_OP_READ, ...) and waits for its end.
ssize_t ring_transfer(int op, int fd, void *data, size_t bytes);
