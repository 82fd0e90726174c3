// Files, directories, the page cache.
#include "workload.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

// fill_mapped writes a byte to each page of a file that is as long already.
static int64_t fill_mapped(int fd, int64_t bytes)
{
	CHECK(ftruncate(fd, bytes));
	volatile char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	for (int64_t at = 0; at < bytes; at += 4096)
		p[at] = 1;
	CHECK(munmap((void *)p, bytes));
	return bytes;
}

// fill writes bytes in calls of bs bytes, or by its memory, so many pages of the cache are new; to
// another file as much again.
static void fill(void)
{
	int64_t bytes = number("bytes"), bs = number_or("bs", 65536), done = 0, calls = 0;
	const char *paths[] = {text("path"), text_or("and", NULL), NULL};
	int mapped = !strcmp(text_or("how", "write"), "mmap");
	char *data = buffer(bs);
	for (const char **path = paths; *path; path++) {
		int fd = CHECK(open(*path, O_RDWR | O_CREAT | O_TRUNC, 0644));
		done = mapped ? fill_mapped(fd, bytes) : 0;
		for (calls = 0; done < bytes; calls++)
			done += CHECK(write(fd, data, bytes - done < bs ? bytes - done : bs));
		if (number_or("fsync", 0))
			CHECK(fsync(fd));
		CHECK(close(fd));
	}
	count("written", done);
	count("writes", calls);
	count("pages", (done + 4095) / 4096);
}

// touched is how many pages n bytes from at on lie in.
static int64_t touched(int64_t at, int64_t n) { return (at + n - 1) / 4096 - at / 4096 + 1; }

// resident counts the pages of a file that are in memory, with ahead=1 once the
// kernel has read ahead what it reads of it when it is told to, with collapse=1 as huge
// pages then.
static void resident(void)
{
	struct stat s;
	int fd = CHECK(open(text("path"), O_RDONLY));
	CHECK(fstat(fd, &s));
	if (number_or("ahead", 0))
		CHECK(readahead(fd, 0, s.st_size));
	int64_t pages = (s.st_size + 4095) / 4096, n = 0;
	unsigned char *in = buffer(pages);
	void *p = mmap(NULL, s.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	for (int64_t before = -1; n != before || (!n && number_or("ahead", 0));) {
		if (number_or("ahead", 0))
			usleep(100000); // the disk may be at it
		before = n;
		n = 0;
		CHECK(mincore(p, s.st_size, in));
		for (int64_t i = 0; i < pages; i++)
			n += in[i] & 1;
	}
	if (number_or("collapse", 0)) {
		int tries = 100, r;
		while ((r = madvise(p, s.st_size, 25)) < 0 && errno == EAGAIN && --tries) // MADV_COLLAPSE
			usleep(10000); // someone holds a page for a moment
		CHECK(r);
	}
	count("resident", n);
}

// scan reads a file from its beginning to its end, in calls of bs bytes. how is
// read, pread, mmap (with huge=1 in huge pages), private (it writes to its own copy of each page), sendfile or splice.
static void scan(void)
{
	const char *how = text_or("how", "read");
	int64_t bs = number_or("bs", 65536), done = 0, calls = 0, pages = 0, n;
	int fd = CHECK(open(text("path"), O_RDONLY | (number_or("direct", 0) ? O_DIRECT : 0)));
	if (!strcmp(how, "mmap")) {
		struct stat s;
		CHECK(fstat(fd, &s));
		volatile char *p = mmap(NULL, s.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			fail("mmap");
		if (number_or("huge", 0))
			CHECK(madvise((void *)p, s.st_size, MADV_HUGEPAGE));
		for (; done < s.st_size; done += 4096, calls++)
			(void)p[done];
		done = s.st_size;
	} else if (!strcmp(how, "private")) {
		struct stat s;
		CHECK(fstat(fd, &s));
		volatile char *p = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			fail("mmap");
		for (; done < s.st_size; done += 4096, calls++)
			p[done] = 1;
		done = s.st_size;
	} else if (!strcmp(how, "sendfile")) {
		int out = CHECK(open("/dev/null", O_WRONLY));
		for (; (n = CHECK(sendfile(out, fd, NULL, bs))) > 0; calls++)
			pages += touched(done, n), done += n;
	} else if (!strcmp(how, "splice")) {
		int out = CHECK(open("/dev/null", O_WRONLY)), ends[2];
		CHECK(pipe(ends));
		for (; (n = CHECK(splice(fd, NULL, ends[1], NULL, bs, 0))) > 0; calls++) {
			pages += touched(done, n);
			done += n;
			for (int64_t left = n; left > 0;)
				left -= CHECK(splice(ends[0], NULL, out, NULL, left, 0));
		}
	} else if (!strcmp(how, "pread")) {
		char *data = buffer(bs);
		for (; (n = CHECK(pread(fd, data, bs, done))) > 0; calls++)
			pages += touched(done, n), done += n;
	} else if (!strcmp(how, "read")) {
		char *data = buffer(bs);
		for (; (n = CHECK(read(fd, data, bs))) > 0; calls++)
			pages += touched(done, n), done += n;
	} else {
		fail("how");
	}
	CHECK(close(fd));
	count("read", done);
	count("reads", calls); // that returned bytes; one more found the end
	count("touched", pages); // each page of each call
}

const struct operation file_operations[] = {
	{"fill", "path= bytes= [how=write|mmap] [bs=] [fsync=1] [and=]: write a new file, and another one", fill},
	{"scan", "path= [how=read|pread|mmap|private|sendfile|splice] [bs=] [direct=1] [huge=1]: read a file to its end", scan},
	{"resident", "path= [ahead=1] [collapse=1]: count the pages of a file that are in memory", resident},
	{0},
};
