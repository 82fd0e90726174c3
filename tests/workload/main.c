// The workload generator: see README.md.
#include "workload.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const struct operation *const families[] = {
	file_operations, block_operations, proc_operations, net_operations, step_operations, memory_operations,
};

static char **parameters; // NAME=VALUE, ended by NULL

const char *text_or(const char *name, const char *otherwise)
{
	size_t n = strlen(name);
	for (char **p = parameters; *p; p++)
		if (!strncmp(*p, name, n) && (*p)[n] == '=')
			return *p + n + 1;
	return otherwise;
}

const char *text(const char *name)
{
	const char *value = text_or(name, NULL);
	if (!value) {
		fprintf(stderr, "workload: the operation needs %s=VALUE\n", name);
		exit(2);
	}
	return value;
}

static int64_t parse(const char *name, const char *value)
{
	char *end;
	errno = 0;
	int64_t n = strtoll(value, &end, 0);
	switch (*end) {
	case 'g': n *= 1024; /* fall through */
	case 'm': n *= 1024; /* fall through */
	case 'k': n *= 1024; end++;
	}
	if (errno || *end || end == value) {
		fprintf(stderr, "workload: %s=%s is not a number\n", name, value);
		exit(2);
	}
	return n;
}

int64_t number(const char *name) { return parse(name, text(name)); }

int64_t number_or(const char *name, int64_t otherwise)
{
	const char *value = text_or(name, NULL);
	return value ? parse(name, value) : otherwise;
}

void count(const char *name, int64_t value)
{
	printf("%s %" PRId64 "\n", name, value);
}

void fail(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(1);
}

int64_t check(const char *what, int64_t result)
{
	if (result < 0)
		fail(what);
	return result;
}

int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void *buffer(size_t bytes)
{
	void *p;
	if (posix_memalign(&p, 4096, bytes ? bytes : 1))
		fail("posix_memalign");
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)p)[i] = i * 31 + 7;
	return p;
}

int main(int argc, char **argv)
{
	int at = 1;
	if (argc > 2 && !strcmp(argv[1], "-n")) {
		CHECK(prctl(PR_SET_NAME, argv[2]));
		at = 3;
	}
	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct operation *o = families[f]; o->name; o++) {
			if (argc <= at) {
				printf("%-16s %s\n", o->name, o->help);
			} else if (!strcmp(argv[at], o->name)) {
				parameters = argv + at + 1;
				count("pid", getpid());
				o->run();
				return fflush(stdout) ? 1 : 0;
			}
		}
	if (argc <= at)
		return 0;
	fprintf(stderr, "workload: no operation is named %s\n", argv[at]);
	return 2;
}
