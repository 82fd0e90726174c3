// Requests to disks.
#include "workload.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// requests reads or writes a device or file without the page cache, calls of bs
// bytes each: from sector `from`, `stride` bytes apart (bs: one behind the other).
static void requests(void)
{
	int write_them = !strcmp(text_or("op", "read"), "write");
	int64_t bs = number("bs"), calls = number("count"), stride = number_or("stride", bs), at = number_or("from", 0) * 512;
	char *data = buffer(bs);
	int fd = CHECK(open(text("path"), (write_them ? O_WRONLY : O_RDONLY) | O_DIRECT));
	for (int64_t i = 0; i < calls; i++, at += stride)
		if (CHECK(write_them ? pwrite(fd, data, bs, at) : pread(fd, data, bs, at)) != bs)
			fail("a short transfer");
	CHECK(close(fd));
	count("requests", calls);
	count("bytes", calls * bs);
}

const struct operation block_operations[] = {
	{"requests", "path= bs= count= [op=read|write] [stride=] [from=SECTOR]: direct I/O, one call at a time", requests},
	{0},
};
