// Requests to disks.
#include "workload.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

// one makes a request of bs bytes. It returns 0 if the disk says EIO.
static int one(int fd, const char *op, char *data, int64_t bs, int64_t at)
{
	int64_t done = bs;
	struct iovec all = {data, bs};
	int how = number_or("polled", 0) ? RWF_HIPRI : 0;
	if (!strcmp(op, "read")) {
		done = preadv2(fd, &all, 1, at, how);
	} else if (!strcmp(op, "write")) {
		done = pwritev2(fd, &all, 1, at, how);
	} else if (!strcmp(op, "discard") || !strcmp(op, "zero")) {
		uint64_t range[2] = {at, bs};
		if (ioctl(fd, *op == 'd' ? BLKDISCARD : BLKZEROOUT, range) < 0)
			done = -1;
	} else if (!strcmp(op, "reset")) {
		struct blk_zone_range range = {at / 512, bs / 512};
		if (ioctl(fd, BLKRESETZONE, &range) < 0)
			done = -1;
	} else {
		fail("op");
	}
	if (done < 0 && errno == EIO)
		return 0;
	if (done != bs)
		fail("a transfer");
	return 1;
}

// requests reads, writes, discards, zeroes or resets (zones) parts of a device or file without the page
// cache, calls of bs bytes each: from sector `from`, `stride` bytes apart (bs: one
// behind the other). With fsync=1 each is followed by an fsync, with polled=1 the kernel asks
// the device for the end of each, where it can.
static void requests(void)
{
	const char *op = text_or("op", "read");
	int64_t bs = number("bs"), calls = number("count"), stride = number_or("stride", bs), at = number_or("from", 0) * 512;
	int64_t failed = 0, took = 0, least = INT64_MAX, most = 0, synced = 0;
	char *data = buffer(bs);
	int fd = CHECK(open(text("path"), (strcmp(op, "read") ? O_RDWR : O_RDONLY) | O_DIRECT));
	for (int64_t i = 0; i < calls; i++, at += stride) {
		int64_t begin = now();
		failed += !one(fd, op, data, bs, at);
		int64_t ns = now() - begin;
		took += ns;
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
		if (number_or("fsync", 0)) {
			begin = now();
			CHECK(fsync(fd));
			ns = now() - begin;
			synced = ns > synced ? ns : synced;
		}
	}
	CHECK(close(fd));
	count("pid", getpid());
	count("requests", calls);
	count("bytes", calls * bs);
	count("failed", failed); // calls that ended with EIO
	count("took_ns", took); // all calls, without the fsyncs
	count("least_ns", least);
	count("most_ns", most);
	if (number_or("fsync", 0))
		count("fsync_most_ns", synced);
}

// settings writes words into a file, one a call, as into those of /sys/block.
static void settings(void)
{
	char words[256], *rest = words, *word;
	int64_t calls = 0, took = 0;
	strncpy(words, text("words"), sizeof words - 1);
	words[sizeof words - 1] = 0;
	while ((word = strsep(&rest, ","))) {
		int fd = CHECK(open(text("path"), O_WRONLY));
		int64_t begin = now();
		CHECK(write(fd, word, strlen(word)));
		took += now() - begin;
		CHECK(close(fd));
		calls++;
	}
	count("pid", getpid());
	count("settings", calls);
	count("took_ns", took);
}

const struct operation block_operations[] = {
	{"requests", "path= bs= count= [op=read|write|discard|zero|reset] [stride=] [from=SECTOR] [fsync=1] [polled=1]: direct I/O, one call at a time", requests},
	{"settings", "path= words=WORD[,WORD]...: write each word into a file of /sys", settings},
	{0},
};
