// Processes, threads, signals, the scheduler.
#include "workload.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(int64_t ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};
	// The kernel's function for this clock is common_nsleep_timens(), which nothing else on an idle machine calls.
	CHECK(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL));
}

// shared is memory that children share with their parent.
static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
	if ((errno = pthread_create(thread, NULL, function, argument)))
		fail("pthread_create");
}

// status finds a field of /proc/PID/status ("State:") and returns what stands behind it.
static const char *status(int pid, const char *field, char text[4096])
{
	char path[64], name[64], *at;
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	snprintf(name, sizeof name, "\n%s\t", field);
	int fd = CHECK(open(path, O_RDONLY));
	text[CHECK(read(fd, text, 4095))] = 0;
	close(fd);
	if (!(at = strstr(text, name)))
		fail(path);
	return at + strlen(name);
}

char state(int pid)
{
	char text[4096];
	return *status(pid, "State:", text);
}

// voluntary is how often a thread left its CPU to wait. Before that, a thread that is
// preempted on its way there looks asleep already.
static int64_t voluntary(int pid)
{
	char text[4096];
	return strtoll(status(pid, "voluntary_ctxt_switches:", text), NULL, 10);
}

// schedstat is what the kernel counts of a process with one thread: nanoseconds
// on a CPU, nanoseconds that it waited for one, and how often it got one.
static void schedstat(int pid, int64_t of[3])
{
	char path[64];
	long long a, b, c;
	snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
	FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "%lld %lld %lld", &a, &b, &c) != 3)
		fail(path);
	fclose(f);
	of[0] = a, of[1] = b, of[2] = c;
}

static void bind_to_cpu_0(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(sched_setaffinity(0, sizeof set, &set));
}

struct sleeper {
	pthread_t thread;
	int64_t ns, times, took;
};

static void *sleep_often(void *argument)
{
	if (text_or("thread", NULL))
		CHECK(prctl(PR_SET_NAME, text("thread")));
	struct sleeper *s = argument;
	int64_t began = now();
	for (int64_t i = 0; i < s->times; i++)
		nap(s->ns);
	s->took = now() - began;
	return NULL;
}

// sleeps sleeps count times ns nanoseconds, in so many threads at once, which
// begin `late` nanoseconds after the process, and may have a name of their own. The clock of each thread's loop
// holds all of its sleeps.
static void sleeps(void)
{
	int64_t threads = number_or("threads", 0), late = number_or("late", 0), least = 0, most = 0;
	struct sleeper *sleepers = calloc(threads ? threads : 1, sizeof *sleepers);
	if (!sleepers)
		fail("calloc");
	if (late)
		nap(late);
	for (int64_t i = 0; i < (threads ? threads : 1); i++) {
		struct sleeper *s = &sleepers[i];
		s->ns = number("ns"), s->times = number_or("count", 1);
		if (threads)
			start(&s->thread, sleep_often, s);
		else
			sleep_often(s);
	}
	for (int64_t i = 0; i < (threads ? threads : 1); i++) {
		struct sleeper *s = &sleepers[i];
		if (threads)
			pthread_join(s->thread, NULL);
		least += s->ns * s->times;
		most += s->took;
	}
	count("ns", number("ns"));
	count("sleeps", number_or("count", 1) * (threads ? threads : 1));
	count("least_ns", least);
	count("most_ns", most);
	count("pid", getpid());
	count("ppid", getppid());
}

static void *wait_for_the_end(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static void *end_with_process(void *argument)
{
	CHECK(prctl(PR_SET_NAME, "fstthread"));
	return wait_for_the_end(argument);
}

// exits makes children, one after the other, that live so long and end with a
// status or by a signal: of so many threads besides the first, which have another
// name, or in a new PID namespace.
static void exits(void)
{
	int64_t times = number_or("count", 1), status = number_or("status", 0), signal = number_or("signal", 0);
	struct timespec lives = {0, number_or("ns", 0)};
	if (number_or("newpid", 0))
		CHECK(unshare(CLONE_NEWPID));
	for (int64_t i = 0; i < times; i++) {
		int64_t began = now();
		int got, pid = CHECK(fork());
		if (!pid) {
			pthread_t thread;
			for (int64_t n = number_or("threads", 0); n > 0; n--)
				start(&thread, end_with_process, NULL);
			nanosleep(&lives, NULL);
			if (signal)
				kill(getpid(), signal);
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

static void *nothing(void *argument) { return argument; }

// threads is how many this process has.
static int64_t threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int64_t n = -2;
	while (tasks && readdir(tasks))
		n++;
	return n;
}

// makes makes processes or threads, by one system call each: of its own, or as the
// kernel does for io_uring (sqpoll), in the name of this process since Linux 5.12.
static void makes(void)
{
	const char *how = text_or("how", "fork");
	int64_t times = number("count");
	struct clone_args clone3 = {.exit_signal = SIGCHLD};
	for (int64_t i = 0; i < times; i++) {
		int64_t pid;
		if (!strcmp(how, "thread")) {
			pthread_t thread;
			start(&thread, nothing, NULL);
			pthread_join(thread, NULL);
			continue;
		}
		if (!strcmp(how, "sqpoll")) {
			struct io_uring_params p = {.flags = IORING_SETUP_SQPOLL};
			CHECK(syscall(SYS_io_uring_setup, 4, &p));
			continue;
		}
		if (!strcmp(how, "fork"))
			pid = CHECK(syscall(SYS_fork));
		else if (!strcmp(how, "vfork"))
			pid = CHECK(vfork());
		else if (!strcmp(how, "clone"))
			pid = CHECK(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
		else if (!strcmp(how, "clone3"))
			pid = CHECK(syscall(SYS_clone3, &clone3, sizeof clone3));
		else
			fail(how);
		if (!pid)
			_exit(0);
		CHECK(waitpid(pid, NULL, 0));
	}
	count("pid", getpid());
	count("made", strcmp(how, "sqpoll") ? times : threads() - 1);
}

extern char **environ;

static void *run_program(void *argument)
{
	char **words = argument;
	execve("/proc/self/exe", words, environ);
	fail("execve");
}

// execs starts this program again in children, with so many words behind its
// name: by execve, from a thread that is not the first, or by a descriptor
// (execveat). `failed` calls before name a program that is not there.
static void execs(void)
{
	const char *how = text_or("how", "execve");
	int64_t times = number_or("count", 1), words = number_or("words", 0);
	char *argv[200] = {"fstexec", "nothing"};
	for (int64_t i = 0; i < words && i < 190; i++)
		argv[2 + i] = i == words - 1 ? "last" : "word";
	for (int64_t i = 0; i < times; i++) {
		int status, pid = CHECK(fork());
		if (!pid) {
			for (int64_t n = number_or("failed", 0); n > 0; n--)
				if (execve("/nosuch/program", argv, environ) >= 0 || errno != ENOENT)
					fail("a program that is not there");
			if (!strcmp(how, "thread")) {
				pthread_t thread;
				start(&thread, run_program, argv);
				wait_for_the_end(NULL);
			} else if (!strcmp(how, "execveat")) {
				int fd = CHECK(open("/proc/self/exe", O_PATH));
				syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
				fail("execveat");
			}
			run_program(argv);
		}
		CHECK(waitpid(pid, &status, 0));
		if (status)
			fail("a program's status");
		count("child", pid);
	}
	count("ppid", getpid());
	count("execs", times);
}

static void does_nothing(void) {}

// signals sends a signal by each system call for it, to a child that ignores all.
static void signals(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	for (int s = 1; s < 64; s++)
		if (s != SIGCHLD && s != SIGKILL && s != SIGSTOP && s != 32 && s != 33)
			signal(s, SIG_IGN);
	int pid = CHECK(fork());
	if (!pid)
		wait_for_the_end(NULL);
	info.si_pid = getpid();
	char proc[64];
	snprintf(proc, sizeof proc, "/proc/%d", pid);
	int pidfd = CHECK(syscall(SYS_pidfd_open, pid, 0)), dir = CHECK(open(proc, O_RDONLY | O_DIRECTORY));
	CHECK(kill(pid, 0));
	CHECK(kill(pid, SIGUSR1));
	CHECK(syscall(SYS_tkill, pid, SIGUSR2));
	CHECK(syscall(SYS_tgkill, pid, pid, SIGHUP));
	CHECK(syscall(SYS_rt_sigqueueinfo, pid, SIGINT, &info));
	CHECK(syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGQUIT, &info));
	CHECK(syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0));
	CHECK(syscall(SYS_pidfd_send_signal, dir, SIGALRM, NULL, 0));
	if (kill(4194303, SIGUSR1) >= 0 || errno != ESRCH)
		fail("a process that is not there");
	if (syscall(SYS_pidfd_send_signal, -1, SIGUSR2, NULL, 0) >= 0 || errno != EBADF)
		fail("a descriptor that is not there");
	if (syscall(SYS_pidfd_send_signal, CHECK(open("/proc/self/status", O_RDONLY)), SIGUSR1, NULL, 0) >= 0 || errno != EBADF)
		fail("a descriptor of a file");
	CHECK(kill(pid, SIGKILL));
	CHECK(waitpid(pid, NULL, 0));
	count("pid", getpid());
	count("target", pid);
	count("sent", 12);
}

static volatile sig_atomic_t rings;

static void ring(int signal) { rings++; }

// rings sends itself signals that it ignores, until a timer's signal has come amid them
// so many times.
static void sends_amid_timers(void)
{
	int64_t times = number("count"), sent = 0;
	timer_t timer;
	CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer)); // of SIGALRM
	signal(SIGALRM, ring);
	signal(SIGUSR1, SIG_IGN);
	pid_t pid = getpid();
	for (int64_t i = 0; i < times; i++) {
		// The moments are spread over what handles the signals.
		struct itimerspec once = {.it_value.tv_nsec = 100000 + i * 7919 % 100000};
		CHECK(timer_settime(timer, 0, &once, NULL));
		while (rings == i) {
			CHECK(kill(pid, SIGUSR1));
			sent++;
		}
	}
	count("timers", times);
	count("sent", sent);
	count("signals", times + sent);
}

// What the children of runs share: who ran last, and what each says of itself.
struct stage {
	int64_t ready, started, ended;
	int64_t who;
	struct {
		int64_t own;    // no other child ran between two of its looks at the clock
		int64_t steady; // and it looked again within a millisecond
		int64_t breaks; // how often it did not
		int64_t slept;  // by the clock, in nanosleep()
		int64_t ran;    // by the clock of its CPU time
		int64_t yields; // calls of sched_yield()
	} of[64];
};

// spin keeps a CPU busy from when all children are there until one of them has
// had it for so long. Nobody sleeps meanwhile:
// while one has the CPU all others wait for it.
static __attribute__((noinline)) void spin(struct stage *stage, int64_t me, int64_t children, int64_t ns)
{
	int64_t own = 0, steady = 0, breaks = 0;
	__atomic_add_fetch(&stage->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&stage->ready, __ATOMIC_SEQ_CST) < children)
		stage->of[me].yields += !sched_yield();
	// Nobody is within sched_yield() any more when the clock starts.
	__atomic_add_fetch(&stage->started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&stage->started, __ATOMIC_SEQ_CST) < children)
		;
	for (int64_t last = 0; !__atomic_load_n(&stage->ended, __ATOMIC_SEQ_CST);) {
		int64_t at = now();
		if (__atomic_exchange_n(&stage->who, me, __ATOMIC_SEQ_CST) != me) {
			last = now();
			breaks++;
			continue;
		}
		own += at - last;
		if (at - last < 1000000)
			steady += at - last;
		else
			breaks++;
		last = at;
		if (own >= ns)
			__atomic_store_n(&stage->ended, 1, __ATOMIC_SEQ_CST);
	}
	stage->of[me].own = own, stage->of[me].steady = steady, stage->of[me].breaks = breaks;
}

static void count_of(const char *name, int64_t child, int64_t value)
{
	char numbered[64];
	snprintf(numbered, sizeof numbered, "%s%d", name, (int)child);
	count(numbered, value);
}

// runs makes children that are busy on CPU 0 at the same time until one of them
// has had it for cpu nanoseconds, and sleep count times ns after that. What the
// kernel counts of a child is taken at its end: runs in /proc/PID/schedstat, and
// how often its CPU was taken away. With last= they end under another name.
static void runs(void)
{
	int64_t children = number_or("children", 1), cpu = number_or("cpu", 0), began[64], all = now(), steady = 0, breaks = 0;
	struct stage *stage = shared(sizeof *stage);
	int pids[64];
	bind_to_cpu_0();
	if (number_or("rr", 0)) // children that became so one by one would wait for a lock that another one holds
		CHECK(sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1}));
	for (int64_t i = 1; i <= children; i++) {
		began[i] = now();
		pids[i] = CHECK(fork());
		if (pids[i])
			continue;
		if (number_or("sessions", 0))
			CHECK(setsid()); // a group of its own, where the scheduler makes one for each session
		if (cpu)
			spin(stage, i, children, cpu);
		int64_t from = now();
		for (int64_t n = number_or("count", 0); n > 0; n--)
			nap(number("ns"));
		stage->of[i].slept = now() - from;
		struct timespec t;
		CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
		stage->of[i].ran = t.tv_sec * 1000000000LL + t.tv_nsec;
		if (*text_or("last", ""))
			CHECK(prctl(PR_SET_NAME, text("last")));
		_exit(0);
	}
	for (int64_t i = 1; i <= children; i++) {
		int64_t of[3], others = 0;
		siginfo_t info;
		struct rusage usage;
		CHECK(waitid(P_PID, pids[i], &info, WEXITED | WNOWAIT));
		nap(2000000); // for the child's very last steps
		schedstat(pids[i], of);
		CHECK(wait4(pids[i], NULL, 0, &usage));
		for (int64_t n = 1; n <= children; n++)
			others += n == i ? 0 : stage->of[n].own;
		count_of("child", i, pids[i]);
		count_of("lived_ns", i, now() - began[i]); // at most
		count_of("others_ns", i, others); // it waited for others, at least
		count_of("least_ran_ns", i, stage->of[i].ran);
		count_of("steady_ns", i, stage->of[i].steady); // it ran, by its looks at the clock
		count_of("slept_ns", i, stage->of[i].slept);
		count_of("yields", i, stage->of[i].yields);
		count_of("ran_ns", i, of[0]);
		count_of("queued_ns", i, of[1]);
		count_of("times", i, of[2]);
		count_of("forced", i, usage.ru_nivcsw);
		steady += stage->of[i].steady, breaks += stage->of[i].breaks;
	}
	count("pid", getpid());
	count("children", children);
	count("sleeps", number_or("count", 0));
	count("least_ns", number_or("count", 0) * number_or("ns", 0));
	count("steady_ns", steady);
	count("breaks", breaks);
	count("wall_ns", now() - all);
}

// A way to wait for another process: what the waiter does, and what ends its wait.
struct channel {
	int fds[2];          // of pipe, tee, socket, tcp, ring: what the waiter reads, the other writes; of splice, the other way round
	int copies[2];       // of tee: where what is read goes before
	int held;            // of flock: the other's file
	volatile int *futex; // of futex
	int by_ring;         // of ring: the waiter reads by io_uring
	int pieces[2];       // of splice: the pipe that is to go to a socket that is full
};

static struct channel channel_of(const char *how)
{
	struct channel c = {{-1, -1}, {-1, -1}, -1, NULL, !strcmp(how, "ring"), {-1, -1}};
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	if (!strcmp(how, "pipe")) {
		CHECK(pipe(c.fds));
	} else if (!strcmp(how, "tee")) {
		CHECK(pipe(c.fds));
		CHECK(pipe(c.copies));
	} else if (!strcmp(how, "socket")) {
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, c.fds));
	} else if (!strcmp(how, "splice")) {
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, c.fds));
		CHECK(pipe(c.pieces));
	} else if (!strcmp(how, "tcp") || c.by_ring) {
		int listening = CHECK(socket(AF_INET, SOCK_STREAM, 0));
		CHECK(bind(listening, (struct sockaddr *)&a, size));
		CHECK(listen(listening, 1));
		CHECK(getsockname(listening, (struct sockaddr *)&a, &size));
		c.fds[1] = CHECK(socket(AF_INET, SOCK_STREAM, 0));
		CHECK(connect(c.fds[1], (struct sockaddr *)&a, size));
		c.fds[0] = CHECK(accept(listening, NULL, NULL));
		close(listening);
	} else if (!strcmp(how, "flock")) {
		c.fds[0] = CHECK(open("fstheld", O_RDWR | O_CREAT, 0644));
		c.held = CHECK(open("fstheld", O_RDWR));
	} else if (!strcmp(how, "futex")) {
		c.futex = shared(sizeof *c.futex);
	} else {
		fail(how);
	}
	return c;
}

static int left_in(int socket)
{
	int bytes;
	CHECK(ioctl(socket, FIONREAD, &bytes));
	return bytes;
}

// fill_channel makes what is to be waited for: a socket without room, and what is to go there.
static void fill_channel(struct channel *c)
{
	static char data[4096];
	if (c->pieces[1] < 0)
		return;
	while (left_in(c->fds[1]) > (int)sizeof data) // the other has not read all of the last time
		sched_yield();
	while (send(c->fds[0], data, sizeof data, MSG_DONTWAIT) > 0)
		;
	if (errno != EAGAIN)
		fail("a full socket");
	CHECK(write(c->pieces[1], data, sizeof data));
}

static void wait_on(struct channel *c)
{
	char byte;
	if (c->futex) {
		while (!*c->futex)
			if (syscall(SYS_futex, c->futex, FUTEX_WAIT, 0, NULL, NULL, 0) < 0 && errno != EAGAIN)
				fail("futex");
		*c->futex = 0;
	} else if (c->held >= 0) {
		CHECK(flock(c->fds[0], LOCK_EX));
		CHECK(flock(c->fds[0], LOCK_UN));
	} else if (c->pieces[0] >= 0) {
		if (CHECK(splice(c->pieces[0], NULL, c->fds[0], NULL, 4096, 0)) != 4096)
			fail("a part");
	} else if (c->by_ring) {
		if (CHECK(ring_transfer(IORING_OP_RECV, c->fds[0], &byte, 1)) != 1)
			fail("the end of what is read");
	} else {
		if (c->copies[1] >= 0 && (CHECK(tee(c->fds[0], c->copies[1], 1, 0)) != 1 || CHECK(read(c->copies[0], &byte, 1)) != 1))
			fail("no copy");
		if (CHECK(read(c->fds[0], &byte, 1)) != 1)
			fail("the end of what is read");
	}
}

static void end_wait(struct channel *c)
{
	if (c->futex) {
		*c->futex = 1;
		CHECK(syscall(SYS_futex, c->futex, FUTEX_WAKE, 1, NULL, NULL, 0));
	} else if (c->held >= 0) {
		CHECK(flock(c->held, LOCK_UN));
	} else if (c->pieces[0] >= 0) {
		static char data[1 << 16];
		for (int left = left_in(c->fds[1]); left > 0;)
			left -= CHECK(read(c->fds[1], data, left < (int)sizeof data ? left : (int)sizeof data));
	} else {
		CHECK(write(c->fds[1], "", 1));
	}
}

// wakes waits count times for a child. The child sees that its parent sleeps,
// sleeps for ns itself, and ends the wait: each is ns long at least, and no
// longer than the call.
static void wakes(void)
{
	const char *how = text_or("how", "pipe");
	int64_t times = number("count"), ns = number("ns"), most = 0, longest = 0;
	int ask[2], parent = getpid();
	struct channel c = channel_of(how);
	// How often the lock was taken, the waits that have begun, and how often the parent
	// had left its CPU when the last one did.
	struct { int64_t locked, begun, left; } *shown = shared(sizeof *shown);
	char byte = 0;
	signal(SIGCHLD, SIG_IGN);
	CHECK(pipe(ask));
	int child = CHECK(fork());
	if (!child) {
		CHECK(prctl(PR_SET_NAME, text_or("waker", "fstwaker")));
		close(ask[1]);
		for (int64_t n = 1; CHECK(read(ask[0], &byte, 1)) == 1; n++) {
			if (c.held >= 0) {
				CHECK(flock(c.held, LOCK_EX));
				__atomic_store_n(&shown->locked, n, __ATOMIC_SEQ_CST);
			}
			while (__atomic_load_n(&shown->begun, __ATOMIC_SEQ_CST) < n || voluntary(parent) == shown->left)
				sched_yield();
			nap(ns);
			end_wait(&c);
		}
		_exit(0);
	}
	for (int64_t i = 0; i < times; i++) {
		fill_channel(&c);
		CHECK(write(ask[1], &byte, 1));
		while (c.held >= 0 && __atomic_load_n(&shown->locked, __ATOMIC_SEQ_CST) == i)
			sched_yield();
		struct rusage usage;
		CHECK(getrusage(RUSAGE_SELF, &usage));
		shown->left = usage.ru_nvcsw;
		__atomic_store_n(&shown->begun, i + 1, __ATOMIC_SEQ_CST);
		int64_t began = now();
		wait_on(&c);
		int64_t took = now() - began;
		most += took;
		if (took > longest)
			longest = took;
	}
	count("pid", parent);
	count("waker", child);
	count("waits", times);
	count("ns", ns);
	count("least_ns", times * ns);
	count("most_ns", most);
	count("longest_ns", longest);
}

// fails makes system calls that fail. With far=1 one more opens a file, and one that does
// not fail has a negative result.
static void fails(void)
{
	int64_t times = number("count"), far = INT64_MIN + 4096;
	if (number_or("far", 0) && syscall(SYS_lseek, CHECK(syscall(SYS_open, "/proc/self/mem", O_RDONLY)), far, SEEK_SET) != far)
		fail("lseek");
	for (int64_t i = 0; i < times; i++) {
		if (syscall(SYS_openat, AT_FDCWD, "/nosuch/file", O_RDONLY, 0) >= 0 || errno != ENOENT)
			fail("a file that is not there");
		for (int n = 0; n < 2; n++)
			if (syscall(SYS_close, -1) >= 0 || errno != EBADF)
				fail("a descriptor that is not there");
		CHECK(syscall(SYS_setpriority, PRIO_PROCESS, 0, -5));
		CHECK(syscall(SYS_getppid));
	}
	count("pid", getpid());
	count("no_file", times);
	count("no_descriptor", 2 * times);
	count("calls", times);
}

// becomes changes the user that the process is, and may not change it back.
static void becomes(void)
{
	CHECK(syscall(SYS_setresuid, -1, 65534, -1));
	CHECK(syscall(SYS_setreuid, -1, 0));
	CHECK(syscall(SYS_setfsuid, 65533));
	CHECK(syscall(SYS_setuid, 65532));
	if (syscall(SYS_setuid, 0) >= 0 || errno != EPERM)
		fail("root again");
	count("pid", getpid());
	count("changes", 5);
}

// asks does what needs CAP_SYS_CHROOT, with it and without.
static void asks(void)
{
	int64_t times = number("count");
	for (int64_t i = 0; i < times; i++)
		CHECK(chroot("/"));
	CHECK(setresuid(65534, 65534, 65534));
	for (int64_t i = 0; i < times; i++)
		if (chroot("/") >= 0 || errno != EPERM)
			fail("chroot without the right to");
	count("pid", getpid());
	count("asked", times);
}

// frozen has a child, fstwriter, that changes a file's times while its file
// system is frozen, for ns at least each time: how long it waits for a lock.
static void frozen(void)
{
	int64_t times = number("count"), ns = number("ns"), most = 0, longest = 0;
	int ask[2], answer[2];
	int64_t took;
	char byte = 0;
	int dir = CHECK(open(text("path"), O_RDONLY | O_DIRECTORY)), fd = CHECK(openat(dir, "fstfrozen", O_RDWR | O_CREAT, 0644));
	CHECK(pipe(ask));
	CHECK(pipe(answer));
	int child = CHECK(fork());
	if (!child) {
		CHECK(prctl(PR_SET_NAME, "fstwriter"));
		close(ask[1]);
		while (CHECK(read(ask[0], &byte, 1)) == 1) {
			int64_t began = now();
			CHECK(futimens(fd, NULL));
			took = now() - began;
			CHECK(write(answer[1], &took, sizeof took));
		}
		_exit(0);
	}
	for (int64_t i = 0; i < times; i++) {
		CHECK(ioctl(dir, FIFREEZE, 0));
		CHECK(write(ask[1], &byte, 1));
		while (state(child) != 'D')
			sched_yield();
		nap(ns);
		CHECK(ioctl(dir, FITHAW, 0));
		CHECK(read(answer[0], &took, sizeof took));
		most += took;
		if (took > longest)
			longest = took;
	}
	close(ask[1]);
	CHECK(waitpid(child, NULL, 0));
	CHECK(unlinkat(dir, "fstfrozen", 0));
	count("waits", times);
	count("ns", ns);
	count("least_ns", times * ns);
	count("most_ns", most);
	count("longest_ns", longest);
}

static void await(int pid, char wanted)
{
	while (state(pid) != wanted)
		sched_yield();
}

// write_text writes a short text to the file of a directory of the kernel's.
static void write_text(const char *dir, const char *file, const char *what)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	int fd = CHECK(open(path, O_WRONLY));
	CHECK(write(fd, what, strlen(what)));
	CHECK(close(fd));
}

// is_frozen says whether a control group of the freezer (cgroup v1) is all frozen.
static int is_frozen(const char *dir)
{
	char path[4096], text[64] = "";
	snprintf(path, sizeof path, "%s/freezer.state", dir);
	int fd = CHECK(open(path, O_RDONLY));
	CHECK(read(fd, text, sizeof text - 1));
	CHECK(close(fd));
	return !strcmp(text, "FROZEN\n");
}

// stops stops a child, which is busy or amid a long sleep, count times for ns,
// lets it go on for ns in between, and kills it: the sleep goes on, too, as
// another system call. With freezer= the child's control group is frozen instead.
static void stops(void)
{
	int64_t times = number("count"), ns = number("ns"), stopped = 0, began = now();
	const char *how = text_or("how", "sleep"), *freezer = text_or("freezer", "");
	char sleeps = strcmp(how, "spin") ? 'S' : 'R', id[16];
	int *named = shared(sizeof *named);
	int child = CHECK(fork());
	if (!child) {
		CHECK(prctl(PR_SET_NAME, text("child")));
		__atomic_store_n(named, 1, __ATOMIC_SEQ_CST);
		for (;;)
			if (!strcmp(how, "poll"))
				poll(NULL, 0, 1000000);
			else if (!strcmp(how, "sleep"))
				nap(1000000000000);
	}
	while (!__atomic_load_n(named, __ATOMIC_SEQ_CST))
		sched_yield();
	if (*freezer) {
		CHECK(mkdir(freezer, 0755));
		snprintf(id, sizeof id, "%d", child);
		write_text(freezer, "cgroup.procs", id);
	}
	await(child, sleeps);
	for (int64_t i = 0; i < times; i++) {
		nap(ns);
		int64_t from = now();
		if (*freezer) {
			write_text(freezer, "freezer.state", "FROZEN");
			while (!is_frozen(freezer))
				sched_yield();
		} else {
			CHECK(kill(child, SIGSTOP));
			await(child, 'T');
		}
		nap(ns);
		if (*freezer)
			write_text(freezer, "freezer.state", "THAWED");
		else
			CHECK(kill(child, SIGCONT));
		await(child, sleeps);
		stopped += now() - from;
	}
	CHECK(kill(child, SIGKILL));
	CHECK(waitpid(child, NULL, 0));
	if (*freezer)
		CHECK(rmdir(freezer));
	count("child", child);
	count("stops", times);
	count("pieces", times + 1);
	count("least_ns", times * ns);
	count("stopped_ns", stopped);
	count("others_ns", now() - began - times * ns);
}

// halts makes a child that stops itself count times. Its parent, which has the same
// CPU and goes before it, is told of that when the child is about to stop: a kernel that
// lets itself be preempted gives the CPU to the parent, which keeps it for ns and lets
// the child go on, so that it never comes to stop.
static void halts(void)
{
	int64_t times = number("count"), ns = number("ns"), kept = 0, began = now();
	struct sched_param p = {.sched_priority = 1};
	bind_to_cpu_0();
	CHECK(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p)); // before the child can run
	int child = CHECK(fork());
	if (!child) {
		CHECK(prctl(PR_SET_NAME, text("child")));
		for (int64_t i = 0; i < times; i++)
			CHECK(raise(SIGSTOP));
		_exit(0);
	}
	for (int64_t i = 0; i < times; i++) {
		int status;
		CHECK(waitpid(child, &status, WUNTRACED));
		int64_t from = now();
		while (now() - from < ns)
			;
		kept += now() - from;
		CHECK(kill(child, SIGCONT));
	}
	CHECK(waitpid(child, NULL, 0));
	count("child", child);
	count("least_ns", times * ns);
	count("kept_ns", kept);
	count("lived_ns", now() - began);
}

// births makes children that run to their end without sleeping, each when others
// have come and gone that slept: memory of the kernel in which those were described
// comes to describe these. Only the children have the name child=, and their parent
// while it makes them, and while it sleeps once itself.
static void births(void)
{
	int64_t times = number("count"), ns = number("ns"), switched = 0;
	char own[16];
	CHECK(prctl(PR_GET_NAME, own));
	for (int64_t i = 0; i <= times; i++) {
		for (int other = 0; other < 4; other++) {
			int pid = CHECK(fork());
			if (!pid) {
				nap(100000);
				_exit(0);
			}
			CHECK(waitpid(pid, NULL, 0));
		}
		nap(ns);
		int pid = 0;
		struct rusage before, after, usage = {0};
		CHECK(getrusage(RUSAGE_SELF, &before));
		CHECK(prctl(PR_SET_NAME, text("child")));
		if (i == times)
			nap(ns);
		else if (!(pid = CHECK(fork())))
			_exit(0);
		CHECK(prctl(PR_SET_NAME, own));
		CHECK(getrusage(RUSAGE_SELF, &after));
		if (pid)
			CHECK(wait4(pid, NULL, 0, &usage));
		switched += usage.ru_nivcsw + after.ru_nivcsw - before.ru_nivcsw + after.ru_nvcsw - before.ru_nvcsw;
	}
	count("births", times);
	count("switched", switched);
}

// What the threads of shares write to, how long their calls took, and how long of that they slept at least.
static int shared_file;
static int64_t in_calls, slept_in_calls;
static volatile int enough;

static void *write_often(void *tid)
{
	int64_t calls = 0, before[3], after[3], me = syscall(SYS_gettid), began = now();
	schedstat(me, before);
	CHECK(prctl(PR_SET_NAME, "fstsharer"));
	__atomic_store_n((int *)tid, me, __ATOMIC_SEQ_CST);
	while (!enough) {
		int64_t called = now();
		CHECK(write(shared_file, "", 1));
		calls += now() - called;
	}
	int64_t took = now() - began;
	nap(1000000); // the kernel has counted how long it ran until then
	schedstat(me, after);
	__atomic_add_fetch(&in_calls, calls, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&slept_in_calls, took - (after[0] - before[0]) - (after[1] - before[1]), __ATOMIC_SEQ_CST);
	return NULL;
}

// shares has three threads write to one descriptor, on a file system that is
// frozen count times: one of them has its lock and waits for the file system, the
// others wait for the lock, a mutex, which the first takes again and again.
static void shares(void)
{
	enum { SHARERS = 3 };
	int64_t times = number("count"), ns = number("ns");
	int tids[SHARERS] = {0}, dir = CHECK(open(text("path"), O_RDONLY | O_DIRECTORY));
	pthread_t threads[SHARERS];
	shared_file = CHECK(openat(dir, "fstshared", O_RDWR | O_CREAT, 0644));
	for (int64_t i = 0; i < times; i++) {
		CHECK(ioctl(dir, FIFREEZE, 0));
		for (int n = 0; n < SHARERS; n++) {
			if (!i)
				start(&threads[n], write_often, &tids[n]);
			while (!__atomic_load_n(&tids[n], __ATOMIC_SEQ_CST) || state(tids[n]) != 'D')
				sched_yield();
		}
		nap(ns);
		CHECK(ioctl(dir, FITHAW, 0));
	}
	enough = 1;
	for (int n = 0; n < SHARERS; n++)
		pthread_join(threads[n], NULL);
	CHECK(unlinkat(dir, "fstshared", 0));
	count("least_ns", slept_in_calls);
	count("most_ns", in_calls);
}

// What crowds' threads share: a file with its bytes as memory, whose turn it is, and what the second one saw.
static struct {
	int fd;
	size_t bytes;
	volatile char *seen;
	volatile int64_t began, took, ahead_took;
	volatile char turn;
} crowd;

// take_cpu lets the caller run on a CPU whenever it can, unless one of higher priority does.
static void take_cpu(int cpu, int priority)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof set, &set));
	CHECK(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = priority}));
}

static void *write_long(void *data)
{
	take_cpu(1, 1);
	CHECK(prctl(PR_SET_NAME, "fstahead"));
	int64_t began = now();
	CHECK(pwrite(crowd.fd, data, crowd.bytes, 0));
	crowd.ahead_took = now() - began;
	return NULL;
}

static void *write_behind(void *nothing)
{
	take_cpu(0, 1);
	CHECK(prctl(PR_SET_NAME, "fstbehind"));
	while (crowd.seen[0] != crowd.turn)
		;
	crowd.began = now();
	CHECK(pwrite(crowd.fd, "", 1, crowd.bytes));
	crowd.took = now() - crowd.began;
	return nothing;
}

// crowds has a thread write so many bytes, and another one, once the first of them
// are in the file, one byte more, which has to wait: while the last of them is not
// there the first thread has the file's lock, and a CPU. There is one look at that,
// late, so that the second thread, too, keeps its CPU as long as it likes: when three
// quarters of the time have passed that the last turn took. It goes on until so many
// looks, count, have found the first thread writing.
static void crowds(void)
{
	int64_t turns, times = number("count"), least = 0, most = 0, longest = 0, waits = 0;
	crowd.bytes = number("bytes");
	crowd.fd = CHECK(open(text("path"), O_RDWR | O_CREAT, 0644));
	CHECK(ftruncate(crowd.fd, crowd.bytes));
	crowd.seen = mmap(NULL, crowd.bytes, PROT_READ, MAP_SHARED, crowd.fd, 0);
	if (crowd.seen == MAP_FAILED)
		fail("mmap");
	void *data = buffer(crowd.bytes);
	take_cpu(0, 2);
	for (turns = 0; waits < times; turns++) {
		pthread_t ahead, behind;
		if (turns == 100)
			fail("all looks come too late");
		crowd.turn = turns + 1;
		memset(data, crowd.turn, crowd.bytes);
		crowd.began = 0;
		start(&behind, write_behind, NULL);
		start(&ahead, write_long, data);
		nap(crowd.ahead_took * 3 / 4);
		int64_t at = now();
		if (crowd.seen[crowd.bytes - 1] != crowd.turn && crowd.began && crowd.began < at) {
			waits++;
			least += at - crowd.began;
		}
		pthread_join(ahead, NULL);
		pthread_join(behind, NULL);
		most += crowd.took;
		if (crowd.took > longest)
			longest = crowd.took;
	}
	CHECK(unlink(text("path")));
	count("turns", turns);
	count("waits", waits);
	count("least_ns", least);
	count("most_ns", most);
	count("longest_ns", longest);
}

const struct operation proc_operations[] = {
	{"sleeps", "ns= [count=] [threads= [thread=COMM]] [late=]: clock_nanosleep() so often, also in threads that begin late", sleeps},
	{"exits", "[count=] [ns=] [status=] [signal=] [threads=] [newpid=1]: children that live so long and end so", exits},
	{"makes", "count= [how=fork|vfork|clone|clone3|thread|sqpoll]: processes or threads, by one system call each", makes},
	{"execs", "[count=] [how=execve|execveat|thread] [words=] [failed=]: children that run this program anew", execs},
	{"nothing", "nothing", does_nothing},
	{"signals", "a signal by each system call for it, to a child that ignores all", signals},
	{"rings", "count=: a timer's signals, that come amid others that the caller sends itself", sends_amid_timers},
	{"runs", "[children=] [cpu=NS] [sessions=1] [rr=1] [count= ns=] [last=COMM]: children that are busy on CPU 0, and sleep then", runs},
	{"stops", "child=COMM count= ns= [how=sleep|poll|spin] [freezer=DIR]: a child that is stopped amid a sleep, or while it is busy", stops},
	{"halts", "child=COMM count= ns=: a child whose CPU is taken away for so long whenever it is about to stop", halts},
	{"births", "child=COMM count= ns=: children that do not sleep, after others that did", births},
	{"wakes", "count= ns= [how=pipe|tee|splice|socket|tcp|ring|flock|futex] [waker=NAME]: waits for a child", wakes},
	{"fails", "count= [far=1]: system calls that fail, twice as many close() as openat(), and some that do not", fails},
	{"becomes", "other users, until there is no way back", becomes},
	{"asks", "count=: chroot() with the right to, and without", asks},
	{"frozen", "path=MOUNT count= ns=: waits while the file system is frozen", frozen},
	{"shares", "path=MOUNT count= ns=: threads that wait for one descriptor while the file system is frozen", shares},
	{"crowds", "path= bytes= count=: a thread that writes one byte while another one writes so many to the same file", crowds},
	{0},
};
