// Files and directories, call by call.
#include "workload.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

// What has been counted, in the order in which it was met.
static struct tally {
	char name[32];
	int64_t value;
} tallies[64];

static void add(const char *name, const char *suffix, int64_t value)
{
	char whole[sizeof tallies->name];
	snprintf(whole, sizeof whole, "%s%s", name, suffix);
	for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
		if (!tallies[i].name[0])
			strcpy(tallies[i].name, whole);
		if (!strcmp(tallies[i].name, whole)) {
			tallies[i].value += value;
			return;
		}
	}
	fail("too many kinds of steps");
}

// opened opens a file. Its result is that of the call, and so are those of all
// functions below: negative, with errno, if it failed.
static int opened(const char *path, int flags)
{
	int fd = open(path, flags, 0644);
	if (fd >= 0)
		add("opens", "", 1);
	return fd;
}

// closed ends a step that did something with a descriptor.
static int64_t closed(int fd, int64_t result)
{
	int error = errno;
	CHECK(close(fd));
	errno = error;
	return result;
}

static int64_t open_and_close(const char *path, int flags)
{
	int fd = opened(path, flags);
	return fd < 0 ? fd : closed(fd, 0);
}

static int64_t step_create(char **a)
{
	int64_t r = open_and_close(a[0], O_WRONLY | O_CREAT | O_EXCL);
	if (r >= 0)
		add("files", "", 1);
	return r;
}

static int64_t step_creat(char **a)
{
	int fd = syscall(SYS_creat, a[0], 0644);
	if (fd < 0)
		return fd;
	add("opens", "", 1);
	return closed(fd, 0);
}

static int64_t step_open(char **a) { return open_and_close(a[0], O_RDONLY); }

// An open that may make the file, of one that is there.
static int64_t step_reopen(char **a) { return open_and_close(a[0], O_WRONLY | O_CREAT); }

static int64_t step_path(char **a) { return open_and_close(a[0], O_PATH); }

static int64_t step_tmpfile(char **a)
{
	int64_t r = open_and_close(a[0], O_TMPFILE | O_RDWR);
	if (r >= 0)
		add("files", "", 1);
	return r;
}

// An open that a signal interrupts: nobody opens the other end.
static void no_action(int number) { (void)number; }

static int64_t step_interrupted(char **a)
{
	CHECK(mkfifo(a[0], 0644));
	struct sigaction s = {.sa_handler = no_action};
	struct itimerval soon = {{0, 50000}, {0, 50000}}, never = {0};
	CHECK(sigaction(SIGALRM, &s, NULL));
	CHECK(setitimer(ITIMER_REAL, &soon, NULL));
	int64_t r = open(a[0], O_RDONLY);
	int error = errno;
	CHECK(setitimer(ITIMER_REAL, &never, NULL));
	errno = error;
	if (r < 0 && error != EINTR)
		fail("interrupted");
	return r;
}

static int64_t step_hold(char **a) { return opened(a[0], O_RDONLY); } // and do not close

static int64_t step_handle(char **a)
{
	struct { struct file_handle h; char room[128]; } h = {.h.handle_bytes = 128};
	int mount_id, fd = opened(".", O_RDONLY);
	CHECK(fd);
	CHECK(name_to_handle_at(AT_FDCWD, a[0], &h.h, &mount_id, 0));
	int64_t found = open_by_handle_at(fd, &h.h, O_RDONLY);
	if (found >= 0) {
		add("opens", "", 1);
		closed(found, 0);
	}
	return closed(fd, found);
}

static int64_t step_mknod(char **a) { return mknod(a[0], S_IFREG | 0644, 0); }
static int64_t step_mkdir(char **a) { return mkdir(a[0], 0755); }
static int64_t step_rmdir(char **a) { return rmdir(a[0]); }
static int64_t step_unlink(char **a) { return unlink(a[0]); }
static int64_t step_unlinkat(char **a) { return unlinkat(AT_FDCWD, a[0], 0); }
static int64_t step_removedir(char **a) { return unlinkat(AT_FDCWD, a[0], AT_REMOVEDIR); }
static int64_t step_link(char **a) { return link(a[0], a[1]); }
static int64_t step_symlink(char **a) { return symlink(a[0], a[1]); }
static int64_t step_rename(char **a) { return rename(a[0], a[1]); }

static int64_t step_exchange(char **a)
{
	return renameat2(AT_FDCWD, a[0], AT_FDCWD, a[1], RENAME_EXCHANGE);
}

// transfer opens a file and calls read, write and the like once.
static int64_t transfer(char **a, int flags, ssize_t (*call)(int fd, void *data, size_t bytes))
{
	int64_t bytes = atoll(a[1]);
	char *data = buffer(bytes);
	int fd = opened(a[0], flags);
	if (fd < 0)
		return fd;
	int64_t began = now(), r = call(fd, data, bytes);
	add("transfer", "_ns", now() - began);
	if (r > 0)
		add("bytes", flags & O_WRONLY ? "_written" : "_read", r);
	free(data);
	return closed(fd, r);
}

static ssize_t write_data(int fd, void *data, size_t bytes) { return write(fd, data, bytes); }
static ssize_t pwrite_data(int fd, void *data, size_t bytes) { return pwrite(fd, data, bytes, 4096); }
static ssize_t pread_data(int fd, void *data, size_t bytes) { return pread(fd, data, bytes, 4096); }

static ssize_t readv_data(int fd, void *data, size_t bytes)
{
	struct iovec parts[] = {{data, bytes / 2}, {(char *)data + bytes / 2, bytes - bytes / 2}};
	return readv(fd, parts, 2);
}

static ssize_t writev_data(int fd, void *data, size_t bytes)
{
	struct iovec parts[] = {{data, bytes / 2}, {(char *)data + bytes / 2, bytes - bytes / 2}};
	return writev(fd, parts, 2);
}

// ring does one operation by a ring of io_uring with room for one, and waits for its end.
static int64_t ring(struct io_uring_sqe what)
{
	struct io_uring_params p = {0};
	int fd = CHECK(syscall(SYS_io_uring_setup, 1, &p));
	size_t room = p.sq_off.array + p.sq_entries * 4, done = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	room = room > done ? room : done; // IORING_FEAT_SINGLE_MMAP
	char *ends = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	struct io_uring_sqe *queue = mmap(NULL, p.sq_entries * sizeof *queue, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (ends == MAP_FAILED || (void *)queue == MAP_FAILED)
		fail("mmap");
	queue[0] = what;
	*(unsigned *)(ends + p.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(ends + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	int64_t r = ((struct io_uring_cqe *)(ends + p.cq_off.cqes))->res;
	CHECK(munmap(queue, p.sq_entries * sizeof *queue));
	CHECK(munmap(ends, room));
	CHECK(close(fd));
	if (r < 0)
		errno = -r;
	return r < 0 ? -1 : r;
}

ssize_t ring_transfer(int op, int fd, void *data, size_t bytes)
{
	return ring((struct io_uring_sqe){.opcode = op, .fd = fd, .addr = (uintptr_t)data, .len = bytes});
}

static ssize_t ring_read(int fd, void *data, size_t bytes) { return ring_transfer(IORING_OP_READ, fd, data, bytes); }
static ssize_t ring_write(int fd, void *data, size_t bytes) { return ring_transfer(IORING_OP_WRITE, fd, data, bytes); }
static int ring_sync(int fd) { return ring_transfer(IORING_OP_FSYNC, fd, NULL, 0); }

static int64_t step_read(char **a) { return transfer(a, O_RDONLY, read); }
static int64_t step_readv(char **a) { return transfer(a, O_RDONLY, readv_data); }
static int64_t step_pread(char **a) { return transfer(a, O_RDONLY, pread_data); }
static int64_t step_directread(char **a) { return transfer(a, O_RDONLY | O_DIRECT, read); }
static int64_t step_write(char **a) { return transfer(a, O_WRONLY, write_data); }
static int64_t step_append(char **a) { return transfer(a, O_WRONLY | O_APPEND, write_data); }
static int64_t step_directwrite(char **a) { return transfer(a, O_WRONLY | O_DIRECT, write_data); }
static int64_t step_ringread(char **a) { return transfer(a, O_RDONLY, ring_read); }
static int64_t step_ringwrite(char **a) { return transfer(a, O_WRONLY, ring_write); }
static int64_t step_ringdirect(char **a) { return transfer(a, O_RDONLY | O_DIRECT, ring_read); }
static int64_t step_syncwrite(char **a) { return transfer(a, O_WRONLY | O_SYNC, write_data); }
static int64_t step_writev(char **a) { return transfer(a, O_WRONLY, writev_data); }
static int64_t step_pwrite(char **a) { return transfer(a, O_WRONLY, pwrite_data); }

// between opens two files and moves bytes from the first to the second.
static int64_t between(char **a, int64_t (*move)(int from, int to, int64_t bytes))
{
	int from = opened(a[0], O_RDONLY);
	if (from < 0)
		return from;
	int to = CHECK(opened(a[1], O_WRONLY));
	int64_t r = move(from, to, atoll(a[2]));
	if (r > 0)
		add("bytes_moved", "", r);
	return closed(from, closed(to, r));
}

static int64_t send_data(int from, int to, int64_t bytes) { return sendfile(to, from, NULL, bytes); }

static int64_t copy_data(int from, int to, int64_t bytes)
{
	return copy_file_range(from, NULL, to, NULL, bytes, 0);
}

static int64_t splice_data(int from, int to, int64_t bytes)
{
	int ends[2];
	CHECK(pipe(ends));
	int64_t r = splice(from, NULL, ends[1], NULL, bytes, 0);
	if (r >= 0 && CHECK(splice(ends[0], NULL, to, NULL, r, 0)) != r)
		fail("a short splice");
	CHECK(close(ends[1]));
	return closed(ends[0], r);
}

// A copy that shares the blocks of the file.
static int64_t reflink_data(int from, int to, int64_t bytes)
{
	(void)bytes;
	return ioctl(to, FICLONE, from);
}

static int64_t step_reflink(char **a) { return between((char *[]){a[0], a[1], "0"}, reflink_data); }

static int64_t step_ringopen(char **a)
{
	int fd = ring((struct io_uring_sqe){.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)a[0], .open_flags = O_RDONLY});
	if (fd < 0)
		return fd;
	add("opens", "", 1);
	return closed(fd, 0);
}

static int64_t step_sendfile(char **a) { return between(a, send_data); }
static int64_t step_splice(char **a) { return between(a, splice_data); }

// What sendfile() moves to a socket: its buffer holds it all.
static int64_t step_sendsocket(char **a)
{
	int ends[2], from = opened(a[0], O_RDONLY);
	if (from < 0)
		return from;
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	int64_t r = sendfile(ends[0], from, NULL, atoll(a[1]));
	if (r > 0)
		add("bytes_sent", "", r);
	CHECK(close(ends[0]));
	CHECK(close(ends[1]));
	return closed(from, r);
}

static int64_t step_copyrange(char **a) { return between(a, copy_data); }

// flush opens a file for writing and calls fsync() or the like.
static int64_t flush(char **a, int (*call)(int fd))
{
	int fd = opened(a[0], O_WRONLY);
	if (fd < 0)
		return fd;
	int64_t began = now(), r = call(fd);
	add("flush", "_ns", now() - began);
	return closed(fd, r);
}

static int write_and_sync(int fd)
{
	char page[4096] = {1};
	CHECK(write(fd, page, sizeof page));
	return fsync(fd);
}

static int range_sync(int fd) { return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); }

static int64_t step_fsync(char **a) { return flush(a, fsync); }
static int64_t step_dirtysync(char **a) { return flush(a, write_and_sync); } // of a page that it has just written
static int64_t step_fdatasync(char **a) { return flush(a, fdatasync); }
static int64_t step_syncfs(char **a) { return flush(a, syncfs); }
static int64_t step_syncrange(char **a) { return flush(a, range_sync); }

static int64_t step_ringsync(char **a) { return flush(a, ring_sync); }

// step_shutdown stops a file system (ext4, xfs): what it is asked for from then on fails with EIO.
static int64_t step_shutdown(char **a)
{
	uint32_t how = 2; // without writing the journal
	int fd = opened(a[0], O_RDONLY);
	return fd < 0 ? -1 : closed(fd, ioctl(fd, _IOR('X', 125, uint32_t), &how));
}

// step_holes writes pages with a hole behind each: so many that the file system keeps their places in blocks of their own.
static int64_t step_holes(char **a)
{
	char page[4096] = {1};
	int fd = opened(a[0], O_WRONLY | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	for (int64_t i = 0, n = atoll(a[1]); i < n; i++)
		CHECK(pwrite(fd, page, sizeof page, i * 8192));
	return closed(fd, fsync(fd));
}

static int64_t step_badsync(char **a)
{
	(void)a;
	return fsync(-1);
}

static int64_t step_sync(char **a)
{
	(void)a;
	sync();
	return 0;
}

static int64_t step_dirsync(char **a)
{
	int fd = opened(a[0], O_RDONLY | O_DIRECTORY);
	return fd < 0 ? fd : closed(fd, fsync(fd));
}

static int64_t map_sync(char **a, int flags)
{
	int fd = opened(a[0], O_RDWR);
	if (fd < 0)
		return fd;
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	int64_t r = msync(p, 4096, flags);
	CHECK(munmap(p, 4096));
	return closed(fd, r);
}

static int64_t step_msync(char **a) { return map_sync(a, MS_SYNC); }
static int64_t step_asyncmsync(char **a) { return map_sync(a, MS_ASYNC); }

static int64_t step_stat(char **a)
{
	struct stat s;
	return syscall(SYS_stat, a[0], &s);
}

static int64_t step_lstat(char **a)
{
	struct stat s;
	return syscall(SYS_lstat, a[0], &s);
}

static int64_t step_fstatat(char **a)
{
	struct stat s;
	return syscall(SYS_newfstatat, AT_FDCWD, a[0], &s, 0);
}

static int64_t step_statx(char **a)
{
	struct statx s;
	return syscall(SYS_statx, AT_FDCWD, a[0], 0, STATX_BASIC_STATS, &s);
}

static int64_t step_statfs(char **a)
{
	struct statfs s;
	return syscall(SYS_statfs, a[0], &s);
}

static int64_t list_by(int call, char **a, char *data, size_t room)
{
	int fd = opened(a[0], O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	for (int64_t began = now(), n;; began = now()) {
		n = syscall(call, fd, data, room);
		add("getdents", "", 1);
		add("getdents", "_ns", now() - began);
		if (CHECK(n) == 0)
			return closed(fd, 0);
		add("getdents", "_bytes", n);
	}
}

static int64_t list_into(char **a, char *data, size_t room) { return list_by(SYS_getdents64, a, data, room); }

static int64_t step_list(char **a)
{
	char *data = buffer(4096);
	int64_t r = list_into(a, data, 4096);
	free(data);
	return r;
}

#ifdef SYS_getdents
static int64_t step_oldlist(char **a)
{
	char *data = buffer(4096);
	int64_t r = list_by(SYS_getdents, a, data, 4096);
	free(data);
	return r;
}
#endif

// A page that the kernel must wait for: whoever touches it first sleeps until
// another thread, which waits so long before, has made it. If a thread is to be
// blocked meanwhile, it begins when touched is set, and is seen to sleep so long.
struct late {
	int faults;
	int64_t ms;
	char *page;
	int blocked, fd;
	volatile int touched;
};

static void *make_late(void *arg)
{
	struct late *l = arg;
	struct uffd_msg m;
	if (read(l->faults, &m, sizeof m) != sizeof m)
		fail("userfaultfd");
	l->touched = 1;
	while (l->blocked && state(l->blocked) != 'D')
		usleep(1000);
	int64_t began = now();
	usleep(l->ms * 1000);
	if (l->blocked)
		add("blocked_least", "_ns", now() - began);
	struct uffdio_zeropage zero = {.range = {(uintptr_t)l->page, 4096}};
	CHECK(ioctl(l->faults, UFFDIO_ZEROPAGE, &zero));
	return NULL;
}

static pthread_t late_page(struct late *l)
{
	l->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l->page == MAP_FAILED)
		fail("mmap");
	l->faults = CHECK(syscall(SYS_userfaultfd, O_CLOEXEC));
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(uintptr_t)l->page, 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	CHECK(ioctl(l->faults, UFFDIO_API, &api));
	CHECK(ioctl(l->faults, UFFDIO_REGISTER, &range));
	pthread_t maker;
	if (pthread_create(&maker, NULL, make_late, l))
		fail("pthread_create");
	return maker;
}

static int64_t late_done(struct late *l, pthread_t maker, int64_t r)
{
	if (pthread_join(maker, NULL))
		fail("pthread_join");
	add("late_least", "_ns", l->ms * 1000000);
	CHECK(close(l->faults));
	CHECK(munmap(l->page, 4096));
	return r;
}

// late_transfer reads or writes a page, and the call sleeps within.
static int64_t late_transfer(char **a, int flags)
{
	struct late l = {.ms = atoll(a[1])};
	int fd = CHECK(opened(a[0], flags));
	pthread_t maker = late_page(&l);
	int64_t began = now(), r = flags == O_RDONLY ? read(fd, l.page, 4096) : write(fd, l.page, 4096);
	add("late_most", "_ns", now() - began);
	return closed(fd, late_done(&l, maker, r));
}

static int64_t step_lateread(char **a) { return late_transfer(a, O_RDONLY); }
static int64_t step_latewrite(char **a) { return late_transfer(a, O_WRONLY); }

static void *write_late(void *arg)
{
	struct late *l = arg;
	CHECK(prctl(PR_SET_NAME, "fstahead"));
	CHECK(pwrite(l->fd, l->page, 4096, 0));
	return NULL;
}

// A thread that writes a page has the lock of the file, and sleeps: another one that writes, too, waits for the lock.
static int64_t step_blockedwrite(char **a)
{
	struct late l = {.ms = atoll(a[1]), .blocked = syscall(SYS_gettid), .fd = CHECK(opened(a[0], O_WRONLY))};
	pthread_t maker = late_page(&l), ahead;
	if (pthread_create(&ahead, NULL, write_late, &l))
		fail("pthread_create");
	while (!l.touched)
		usleep(1000);
	int64_t began = now(), r = pwrite(l.fd, "", 1, 4096);
	add("blocked_most", "_ns", now() - began);
	if (pthread_join(ahead, NULL))
		fail("pthread_join");
	return closed(l.fd, late_done(&l, maker, r));
}

static int64_t step_latelist(char **a)
{
	struct late l = {.ms = atoll(a[1])};
	pthread_t maker = late_page(&l);
	return late_done(&l, maker, list_into(a, l.page, 4096));
}

static void *wait_for_end(void *arg)
{
	pause();
	return arg;
}

// Threads that are there until the end.
static int64_t step_threads(char **a)
{
	for (int64_t n = atoll(a[0]); n > 0; n--) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, wait_for_end, NULL))
			fail("pthread_create");
	}
	return 0;
}

static int64_t step_sleep(char **a) { return usleep(atoll(a[0]) * 1000); }
static int64_t step_mount(char **a) { return mount(a[0], a[1], a[2], 0, NULL); }
static int64_t step_umount(char **a) { return umount2(a[0], 0); }

// The newer calls for the same, which not all libraries have. A mount is changed while it is made (remade), and in its place.
static int64_t step_remade(char **a)
{
	struct { uint64_t set, clear, propagation, userns; } nosuid = {.set = MOUNT_ATTR_NOSUID};
	int64_t tree = syscall(SYS_open_tree, AT_FDCWD, a[0], OPEN_TREE_CLONE);
	if (tree < 0)
		return tree;
	CHECK(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &nosuid, sizeof nosuid));
	return closed(tree, syscall(SYS_move_mount, tree, "", AT_FDCWD, a[1], MOVE_MOUNT_F_EMPTY_PATH));
}

static int64_t step_setmount(char **a)
{
	struct { uint64_t set, clear, propagation, userns; } readonly = {.set = MOUNT_ATTR_RDONLY};
	int64_t tree = syscall(SYS_open_tree, AT_FDCWD, a[0], 0);
	if (tree < 0)
		return tree;
	return closed(tree, syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &readonly, sizeof readonly));
}

static int64_t step_setplace(char **a)
{
	struct { uint64_t set, clear, propagation, userns; } readonly = {.set = MOUNT_ATTR_RDONLY};
	return syscall(SYS_mount_setattr, AT_FDCWD, a[0], 0, &readonly, sizeof readonly);
}

// open_tree_attr() of a mount in its place.
static int64_t step_treeattr(char **a)
{
	struct { uint64_t set, clear, propagation, userns; } readonly = {.set = MOUNT_ATTR_RDONLY};
	int64_t tree = syscall(467, AT_FDCWD, a[0], 0, &readonly, sizeof readonly);
	return tree < 0 ? tree : closed(tree, 0);
}

// A file system that is given an option, and one that is mounted before it is made.
static int64_t step_fsoption(char **a)
{
	int64_t fd = CHECK(syscall(SYS_fsopen, a[0], 0));
	CHECK(syscall(SYS_fsconfig, fd, FSCONFIG_SET_STRING, "source", a[1], 0));
	return closed(fd, syscall(SYS_fsconfig, fd, FSCONFIG_SET_FLAG, a[2], NULL, 0));
}

static int64_t step_fsmount(char **a)
{
	int64_t fd = CHECK(syscall(SYS_fsopen, a[0], 0));
	return closed(fd, syscall(SYS_fsmount, fd, 0, 0));
}

static int64_t step_fspick(char **a)
{
	int64_t fd = syscall(SYS_fspick, AT_FDCWD, a[0], 0);
	return fd < 0 ? fd : closed(fd, 0);
}

// A descriptor that is none of a file system.
static int64_t step_misconfig(char **a)
{
	int fd = CHECK(opened(a[0], O_RDONLY));
	return closed(fd, syscall(SYS_fsconfig, fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
}

static int64_t step_remount(char **a) { return mount(NULL, a[0], NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL); }
static int64_t step_chdir(char **a) { return chdir(a[0]); }

// The steps and how many arguments they have.
static const struct {
	const char *verb;
	int args;
	int64_t (*run)(char **args);
} verbs[] = {
	{"create", 1, step_create}, {"creat", 1, step_creat}, {"open", 1, step_open}, {"reopen", 1, step_reopen},
	{"path", 1, step_path}, {"tmpfile", 1, step_tmpfile}, {"hold", 1, step_hold}, {"handle", 1, step_handle},
	{"mknod", 1, step_mknod}, {"mkdir", 1, step_mkdir}, {"rmdir", 1, step_rmdir}, {"unlink", 1, step_unlink},
	{"unlinkat", 1, step_unlinkat}, {"removedir", 1, step_removedir}, {"link", 2, step_link},
	{"symlink", 2, step_symlink}, {"rename", 2, step_rename}, {"exchange", 2, step_exchange}, {"read", 2, step_read},
	{"readv", 2, step_readv}, {"pread", 2, step_pread}, {"directread", 2, step_directread}, {"write", 2, step_write},
	{"append", 2, step_append}, {"syncwrite", 2, step_syncwrite}, {"writev", 2, step_writev},
	{"pwrite", 2, step_pwrite}, {"sendfile", 3, step_sendfile}, {"splice", 3, step_splice},
	{"sendsocket", 2, step_sendsocket}, {"copyrange", 3, step_copyrange}, {"fsync", 1, step_fsync}, {"dirtysync", 1, step_dirtysync}, {"fdatasync", 1, step_fdatasync},
	{"syncfs", 1, step_syncfs}, {"syncrange", 1, step_syncrange}, {"badsync", 0, step_badsync}, {"sync", 0, step_sync},
	{"msync", 1, step_msync}, {"stat", 1, step_stat}, {"lstat", 1, step_lstat}, {"fstatat", 1, step_fstatat},
	{"statx", 1, step_statx}, {"statfs", 1, step_statfs}, {"list", 1, step_list}, {"lateread", 2, step_lateread},
	{"latewrite", 2, step_latewrite}, {"latelist", 2, step_latelist},
	{"blockedwrite", 2, step_blockedwrite}, {"sleep", 1, step_sleep},
	{"threads", 1, step_threads},
	{"directwrite", 2, step_directwrite}, {"ringread", 2, step_ringread}, {"ringwrite", 2, step_ringwrite},
	{"ringdirect", 2, step_ringdirect}, {"ringopen", 1, step_ringopen}, {"ringsync", 1, step_ringsync}, {"dirsync", 1, step_dirsync}, {"reflink", 2, step_reflink},
	{"chdir", 1, step_chdir}, {"mount", 3, step_mount}, {"umount", 1, step_umount},
	{"remade", 2, step_remade}, {"setmount", 1, step_setmount}, {"setplace", 1, step_setplace}, {"fsoption", 3, step_fsoption},
	{"fsmount", 1, step_fsmount}, {"fspick", 1, step_fspick}, {"misconfig", 1, step_misconfig}, {"remount", 1, step_remount},
	{"shutdown", 1, step_shutdown}, {"interrupted", 1, step_interrupted}, {"holes", 2, step_holes},
	{"asyncmsync", 1, step_asyncmsync}, {"treeattr", 1, step_treeattr},
#ifdef SYS_getdents
	{"oldlist", 1, step_oldlist},
#endif
};

// numbered puts a number where the text has a "#".
static void numbered(char *to, size_t room, const char *text, int64_t n)
{
	const char *mark = strchr(text, '#');
	if (mark)
		snprintf(to, room, "%.*s%lld%s", (int)(mark - text), text, (long long)n, mark + 1);
	else
		snprintf(to, room, "%s", text);
}

// step does what one step says: [TIMES*][!]VERB:ARGUMENT:ARGUMENT. One with "!" must fail.
static void step(char *said)
{
	char whole[1024], *star = strchr(said, '*'), *arg[4] = {0}, names[3][256], *args[3] = {names[0], names[1], names[2]};
	snprintf(whole, sizeof whole, "%s", said);
	int64_t times = star ? atoll(said) : 1;
	char *rest = star ? star + 1 : said;
	int n = 0, fails = *rest == '!';
	for (rest += fails; n < 4 && (arg[n] = strsep(&rest, ":")); n++)
		;
	for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
		if (strcmp(arg[0], verbs[v].verb) || n != verbs[v].args + 1)
			continue;
		for (int64_t i = 1; i <= times; i++) {
			for (int k = 1; k < n; k++)
				numbered(names[k - 1], sizeof names[k - 1], arg[k], i);
			int64_t r = verbs[v].run(args);
			if ((r < 0) != fails)
				fail(whole);
			add(fails ? "failed_" : "", verbs[v].verb, 1);
		}
		return;
	}
	fprintf(stderr, "workload: %s: no step is that\n", whole);
	exit(2);
}

// steps does one step after the other, and prints how often each verb was done,
// how many files were opened, and what moved.
static void steps(void)
{
	int64_t began = now();
	char *list = strdup(text("do"));
	if (text_or("in", NULL))
		CHECK(chdir(text("in")));
	for (char *s; (s = strsep(&list, ","));)
		step(s);
	CHECK(prctl(PR_SET_NAME, "workload")); // what prints is not what was asked for
	count("elapsed_ns", now() - began);
	for (size_t i = 0; i < sizeof tallies / sizeof *tallies && tallies[i].name[0]; i++)
		count(tallies[i].name, tallies[i].value);
}

const struct operation step_operations[] = {
	{"steps", "do=[TIMES*][!]VERB:ARGUMENT:...,... [in=DIRECTORY]: calls one by one; # is the turn, ! is to fail", steps},
	{0},
};
