// Memory of programs.
#include "workload.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

// touch writes to each page of so much memory, several times over. What is in a
// page is nothing that the kernel can make up.
static void *touch_all(void *none)
{
	int64_t bytes = number("bytes"), rounds = number_or("rounds", 1);
	uint64_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	CHECK(madvise(p, bytes, MADV_NOHUGEPAGE));
	uint64_t mixed = 1;
	for (int64_t r = 0; r < rounds; r++)
		for (int64_t at = 0; at < bytes / 8; at += 512)
			p[at + r] = mixed = mixed * 6364136223846793005 + 1442695040888963407;
	count("pages", bytes / 4096);
	return none;
}

// With thread=1 a thread does it, when the first one of the process has ended.
static void touch(void)
{
	pthread_t thread;
	if (!number_or("thread", 0)) {
		touch_all(NULL);
	} else {
		if ((errno = pthread_create(&thread, NULL, touch_all, NULL)))
			fail("pthread_create");
		pthread_exit(NULL);
	}
}

const struct operation memory_operations[] = {
	{"touch", "bytes= [rounds=] [thread=1]: write to each page of so much memory", touch},
	{0},
};
