// Processes, threads, signals, the scheduler.
#include "workload.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// sleeps sleeps count times ns nanoseconds, and says how long that took on the clock.
static void sleeps(void)
{
	int64_t ns = number("ns"), times = number("count"), began = now();
	struct timespec t = {ns / 1000000000, ns % 1000000000};
	for (int64_t i = 0; i < times; i++)
		CHECK(nanosleep(&t, NULL));
	count("least_ns", times * ns);
	count("most_ns", now() - began);
}

// exits makes children, one after the other, that live so long and end with a
// status or by a signal.
static void exits(void)
{
	int64_t times = number_or("count", 1), status = number_or("status", 0), signal = number_or("signal", 0);
	struct timespec lives = {0, number_or("ns", 0)};
	for (int64_t i = 0; i < times; i++) {
		int64_t began = now();
		int got, pid = CHECK(fork());
		if (!pid) {
			nanosleep(&lives, NULL);
			if (signal)
				raise(signal);
			_exit(status);
		}
		CHECK(waitpid(pid, &got, 0));
		if (signal ? !WIFSIGNALED(got) || WTERMSIG(got) != signal : !WIFEXITED(got) || WEXITSTATUS(got) != status)
			fail("a child's status");
		count("pid", pid);
		count("lived_most_ns", now() - began);
	}
	count("ppid", getpid());
	count("exits", times);
}

const struct operation proc_operations[] = {
	{"sleeps", "ns= count=: nanosleep() so often", sleeps},
	{"exits", "[count=] [ns=] [status=] [signal=]: children that live so long and end so", exits},
	{0},
};
