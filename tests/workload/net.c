// Sockets.
#include "workload.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

// States of tcp_info: <netinet/tcp.h> has them, with a tcp_info that lacks what is new.
enum { TCP_ESTABLISHED = 1, TCP_FIN_WAIT2 = 5, TCP_CLOSE = 7 };

// receive_by reads a socket to the end of what the other side sends.
static int64_t receive_by(ssize_t (*take)(int, void *, size_t), int fd)
{
	static char data[65536];
	int64_t all = 0, n;
	while ((n = CHECK(take(fd, data, sizeof data))) > 0)
		all += n;
	return all;
}

static ssize_t ring_receive(int fd, void *data, size_t bytes) { return ring_transfer(IORING_OP_RECV, fd, data, bytes); }

static int64_t receive(int fd) { return receive_by(read, fd); }

static void receive_exactly(int fd, int64_t bytes)
{
	static char data[65536];
	for (int64_t n; bytes > 0; bytes -= n)
		if ((n = CHECK(read(fd, data, bytes < (int64_t)sizeof data ? bytes : (int64_t)sizeof data))) == 0)
			fail("fewer bytes than were sent");
}

static void send_all(int fd, int64_t bytes)
{
	char *data = buffer(bytes);
	for (int64_t done = 0; done < bytes;)
		done += CHECK(number_or("ring", 0) ? ring_transfer(IORING_OP_SEND, fd, data + done, bytes - done) : write(fd, data + done, bytes - done));
}

static void wait_ms(int64_t ms) { usleep(ms * 1000); }

static void say(const char *name, const char *value) { printf("%s %s\n", name, value); }

// An address of the loopback, by the parameter family: 4, 6, or mapped (an IPv4
// connection of IPv6 sockets).
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int family(void) { return strcmp(text_or("family", "4"), "4") ? AF_INET6 : AF_INET; }

static socklen_t size_of(const union address *a) { return a->any.sa_family == AF_INET ? sizeof a->v4 : sizeof a->v6; }

static union address loopback(int port)
{
	union address a = {0};
	a.any.sa_family = family();
	a.v4.sin_port = htons(port); // the same place in both
	if (family() == AF_INET)
		a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		inet_pton(AF_INET6, strcmp(text_or("family", "4"), "6") ? "::ffff:127.0.0.1" : "::1", &a.v6.sin6_addr);
	return a;
}

// say_address prints NAME_addr and NAME_port as getsockname or getpeername tell them.
static void say_address(const char *name, int fd, int (*ask)(int, struct sockaddr *, socklen_t *))
{
	union address a;
	socklen_t size = sizeof a;
	char words[64], key[64];
	CHECK(ask(fd, &a.any, &size));
	snprintf(key, sizeof key, "%s_addr", name);
	say(key, inet_ntop(a.any.sa_family, a.any.sa_family == AF_INET ? (void *)&a.v4.sin_addr : (void *)&a.v6.sin6_addr, words, sizeof words));
	snprintf(key, sizeof key, "%s_port", name);
	count(key, ntohs(a.v4.sin_port));
}

static int port_of(int fd)
{
	union address a;
	socklen_t size = sizeof a;
	CHECK(getsockname(fd, &a.any, &size));
	return ntohs(a.v4.sin_port);
}

// stream is a socket of TCP or, with the parameter mptcp, where the kernel has that, of MPTCP.
static int stream(void)
{
	int fd = number_or("mptcp", 0) ? socket(family(), SOCK_STREAM, IPPROTO_MPTCP) : -1;
	return fd >= 0 ? fd : CHECK(socket(family(), SOCK_STREAM, 0));
}

static int listen_on(int backlog)
{
	int fd = stream(), off = 0;
	union address a = loopback(0);
	if (family() == AF_INET6)
		CHECK(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off));
	CHECK(bind(fd, &a.any, size_of(&a)));
	CHECK(listen(fd, backlog));
	return fd;
}

static int connect_to(int fd, int port)
{
	union address a = loopback(port);
	return connect(fd, &a.any, size_of(&a));
}

static struct tcp_info info(int fd)
{
	struct tcp_info i = {0};
	socklen_t size = sizeof i;
	CHECK(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &i, &size));
	return i;
}

// set_deaf makes a socket drop all that comes for it, or hear again.
static void set_deaf(int fd, int deaf)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = {1, &none};
	if (deaf)
		CHECK(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
	else
		CHECK(setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &program, sizeof program));
}

// reset_at_close makes close() answer the other side with a reset.
static void reset_at_close(int fd)
{
	struct linger l = {1, 0};
	CHECK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l));
}

// wait_acknowledged returns when all that was written is acknowledged.
static void wait_acknowledged(int fd)
{
	struct tcp_info i;
	while (i = info(fd), i.tcpi_unacked || i.tcpi_notsent_bytes)
		wait_ms(1);
}


// receive_spliced takes all that comes by splice() and returns how much that was.
static int64_t receive_spliced(int fd)
{
	static char data[1 << 16];
	int pipes[2];
	CHECK(pipe(pipes));
	int64_t all = 0;
	for (ssize_t n; (n = CHECK(splice(fd, NULL, pipes[1], NULL, sizeof data, 0))) > 0; all += n)
		for (ssize_t left = n; left > 0;)
			left -= CHECK(read(pipes[0], data, left));
	return all;
}

// tcp connects to itself over the loopback: a child sends `there` bytes and gets
// `back` bytes. The connection waits accept_ms to be accepted, and hold_ms more
// before the server, which closes last, answers. The answer comes from a file by
// sendfile() with sendfile=1; with peek=1 the server looks at what comes before
// it takes it, with splice=1 it takes it by splice(); with ring=1 io_uring accepts, sends and takes; with closer=child another process than the one that accepted
// answers and closes. With until=FILE the server waits for that file to be there.
static void tcp(void)
{
	int64_t there = number("there"), back = number("back");
	struct times {
		int64_t asked, connected, ended;
	} *client = mmap(NULL, sizeof *client, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int listening = listen_on(7), port = port_of(listening), status;
	int child = CHECK(fork());
	if (!child) {
		int fd = stream();
		client->asked = now();
		CHECK(connect_to(fd, port));
		client->connected = now();
		send_all(fd, there);
		CHECK(shutdown(fd, SHUT_WR));
		int64_t got = receive(fd);
		client->ended = now();
		_exit(got == back ? 0 : 1);
	}
	while (!info(listening).tcpi_unacked) // connections that wait
		wait_ms(1);
	int64_t queued = now();
	wait_ms(number_or("accept_ms", 0));
	int by_ring = number_or("ring", 0);
	int fd = CHECK(by_ring ? ring_transfer(IORING_OP_ACCEPT, listening, NULL, 0) : accept(listening, NULL, NULL));
	say_address("server", fd, getsockname);
	say_address("client", fd, getpeername);
	fflush(stdout);
	if (number_or("peek", 0)) {
		char some[10];
		CHECK(recv(fd, some, sizeof some, MSG_PEEK));
	}
	if ((number_or("splice", 0) ? receive_spliced(fd) : receive_by(by_ring ? ring_receive : read, fd)) != there)
		fail("fewer bytes than were sent");
	int64_t read_all = now();
	wait_ms(number_or("hold_ms", 0));
	int64_t held = now() - read_all;
	while (text_or("until", NULL) && access(text("until"), F_OK) < 0)
		wait_ms(5);
	int closer = 0;
	int64_t *closing = mmap(NULL, sizeof *closing, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!strcmp(text_or("closer", ""), "child") && (closer = CHECK(fork()))) {
		CHECK(close(fd));
		CHECK(waitpid(closer, &status, 0));
	} else {
		if (number_or("sendfile", 0)) {
			int file = CHECK(open("/proc/self/exe", O_RDONLY));
			for (int64_t sent = 0; sent < back;)
				sent += CHECK(sendfile(fd, file, NULL, back - sent));
		} else {
			send_all(fd, back);
		}
		*closing = now();
		CHECK(close(fd));
		if (!strcmp(text_or("closer", ""), "child"))
			_exit(0);
	}
	CHECK(waitpid(child, &status, 0));
	if (status)
		fail("the client");
	int64_t ended = now();
	count("server_pid", getpid());
	count("client_pid", child);
	count("closer_pid", closer);
	count("there", there);
	count("back", back);
	count("hold_ns", held);
	count("connect_ns", client->connected - client->asked);
	count("client_least_ns", *closing - client->connected);
	count("client_most_ns", client->ended - client->asked);
	count("server_least_ns", *closing - queued);
	count("server_most_ns", ended - client->asked);
}

// join connects a client to a server.
static void join(int client, int *server)
{
	int listening = listen_on(7);
	CHECK(connect_to(client, port_of(listening)));
	*server = CHECK(accept(listening, NULL, NULL));
	CHECK(close(listening));
}

// say_pair prints the addresses of a connection, and the process.
static void say_pair(int client)
{
	say_address("client", client, getsockname);
	say_address("server", client, getpeername);
	count("pid", getpid());
}

// pair connects two sockets of this process.
static void pair(int *client, int *server)
{
	join(*client, server);
	say_pair(*client);
}

// tcp_ends ends a connection that carried `there` bytes before it lost those that
// follow: by a reset of the client (how=reset), because nothing is acknowledged
// any more (how=timeout), or by a server that does not read (how=unread).
static void tcp_ends(void)
{
	int64_t there = number("there"), lost = number("lost");
	int client = stream(), server, ms = 300;
	const char *how = text("how");
	pair(&client, &server);
	send_all(client, there);
	wait_acknowledged(client);
	if (strcmp(how, "unread")) {
		set_deaf(server, 1);
		send_all(client, lost);
	}
	struct tcp_info i = info(client);
	if ((int64_t)i.tcpi_bytes_acked != there + 1) // the client's SYN is counted
		fail("other bytes are acknowledged than were sent");
	if (!strcmp(how, "reset")) {
		reset_at_close(client);
		CHECK(close(client));
		set_deaf(server, 0);
		CHECK(close(server));
	} else if (!strcmp(how, "timeout")) {
		CHECK(setsockopt(client, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms));
		while (info(client).tcpi_state != TCP_CLOSE)
			wait_ms(5);
		CHECK(close(client));
		set_deaf(server, 0);
		reset_at_close(server);
		CHECK(close(server));
	} else {
		CHECK(close(server));
		while (info(client).tcpi_state != TCP_CLOSE)
			wait_ms(1);
		CHECK(close(client));
	}
	count("acknowledged", there);
	count("sent", i.tcpi_bytes_sent);
}

// Flags of a TCP header.
enum { FIN = 1, SYN = 2, RST = 4 };

// listen_early listens for fast open. Only packets with one of the flags reach the server.
static int listen_early(int flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, -1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {4, code};
	int fd = listen_on(7), on = 1, length = 5;
	CHECK(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &length, sizeof length));
	CHECK(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &on, sizeof on));
	CHECK(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program)); // the server will have it, too
	return fd;
}

// tcp_early sends data with the first packet of a connection (fast open). The server
// has answered and closed before any other packet reaches it than the client's end,
// hold_ms later.
static void tcp_early(void)
{
	int64_t there = number("there"), back = number("back");
	int listening = listen_early(SYN | FIN), client = stream(), on = 1;
	CHECK(setsockopt(client, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &on, sizeof on));
	union address a = loopback(port_of(listening));
	int64_t asked = now();
	CHECK(sendto(client, buffer(there), there, MSG_FASTOPEN, &a.any, size_of(&a)));
	say_pair(client);
	int server = CHECK(accept(listening, NULL, NULL));
	int64_t accepted = now();
	receive_exactly(server, there);
	send_all(server, back);
	CHECK(close(server));
	receive_exactly(client, back);
	wait_ms(number("hold_ms"));
	int64_t closing = now();
	CHECK(shutdown(client, SHUT_WR));
	while (info(client).tcpi_state != TCP_CLOSE)
		wait_ms(1);
	count("there", there);
	count("back", back);
	count("least_ns", closing - accepted);
	count("most_ns", now() - asked);
}

// tcp_early_reset sends data with the first packet of a connection (fast open). The server has it when the
// client resets the connection, which was never established.
static void tcp_early_reset(void)
{
	int64_t there = number("there");
	int listening = listen_early(SYN | RST), client = stream(), on = 1;
	CHECK(setsockopt(client, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &on, sizeof on));
	union address a = loopback(port_of(listening));
	CHECK(sendto(client, buffer(there), there, MSG_FASTOPEN, &a.any, size_of(&a)));
	say_pair(client);
	int server = CHECK(accept(listening, NULL, NULL));
	receive_exactly(server, there);
	reset_at_close(client);
	CHECK(close(client));
	while (info(server).tcpi_state != TCP_CLOSE)
		wait_ms(1);
	CHECK(close(server));
	count("there", there);
}

// wait_blocked returns when a process waits in accept().
static void wait_blocked(int pid)
{
	char path[64], line[16];
	snprintf(path, sizeof path, "/proc/%d/syscall", pid);
	do {
		wait_ms(1);
		int fd = CHECK(open(path, O_RDONLY));
		line[CHECK(read(fd, line, sizeof line - 1))] = 0;
		CHECK(close(fd));
	} while (strncmp(line, "43 ", 3));
}

// tcp_waiter has a child that waits in accept(), of which "waiting" is printed. A client connects once the file `until` is there.
static void tcp_waiter(void)
{
	int backlog = number("backlog"), listening = listen_on(backlog), status, child = CHECK(fork());
	if (!child) {
		int server = CHECK(accept(listening, NULL, NULL));
		receive(server);
		CHECK(close(server));
		_exit(0);
	}
	wait_blocked(child);
	count("waiting", 1);
	fflush(stdout);
	while (access(text("until"), F_OK) < 0)
		wait_ms(5);
	int client = stream();
	CHECK(connect_to(client, port_of(listening)));
	say_pair(client);
	CHECK(close(client));
	CHECK(waitpid(child, &status, 0));
	count("server_pid", child);
	count("limit", backlog);
}

// tcp_unaccepted lets a child accept n connections that were reset before, and opens n other ones that nobody accepts.
// On one CPU, they get the memory of the first ones.
static void tcp_unaccepted(void)
{
	int n = number("n"), status, clients[n];
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	CHECK(sched_setaffinity(0, sizeof one, &one));
	int listening = listen_on(n), other = listen_on(n);
	for (int i = 0; i < n; i++) {
		int client = stream();
		CHECK(connect_to(client, port_of(listening)));
		reset_at_close(client);
		CHECK(close(client));
	}
	int child = CHECK(fork());
	if (!child) {
		int servers[n];
		for (int i = 0; i < n; i++)
			servers[i] = CHECK(accept(listening, NULL, NULL));
		for (int i = 0; i < n; i++)
			CHECK(close(servers[i]));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0));
	for (int i = 0; i < n; i++)
		CHECK(connect_to(clients[i] = stream(), port_of(other)));
	for (int i = 0; i < n; i++) {
		reset_at_close(clients[i]);
		CHECK(close(clients[i]));
	}
	count("first_port", port_of(listening));
	count("second_port", port_of(other));
	count("child_pid", child);
	count("pid", getpid());
	count("n", n);
}

// tcp_half ends its side of a connection, and closes it hold_ms after that was acknowledged. The server, too, ends
// its side before it closes.
static void tcp_half(void)
{
	int client = stream(), server;
	pair(&client, &server);
	int64_t before = now();
	CHECK(shutdown(client, SHUT_WR));
	while (info(client).tcpi_state != TCP_FIN_WAIT2)
		wait_ms(1);
	int64_t half = now();
	wait_ms(number("hold_ms"));
	int64_t closing = now();
	CHECK(close(client));
	count("least_ns", closing - half);
	count("most_ns", now() - before);
	CHECK(shutdown(server, SHUT_WR));
	CHECK(close(server));
}

static int64_t one_after_the_other;

static void *many(void *unused)
{
	for (int64_t i = 0; i < one_after_the_other; i++) {
		int client = stream(), server;
		join(client, &server);
		send_all(client, 1);
		receive_exactly(server, 1);
		CHECK(close(client));
		CHECK(close(server));
	}
	return unused;
}

// tcp_many opens n connections, one after the other, in each of several threads.
static void tcp_many(void)
{
	int threads = number("threads");
	pthread_t ids[threads];
	one_after_the_other = number("n");
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, many, NULL))
			fail("pthread_create()");
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	count("connections", threads * one_after_the_other);
}

// tcp_lossy sends bytes in segments of mss bytes to a server that drops all of
// them until the first was sent again.
static void tcp_lossy(void)
{
	int64_t bytes = number("bytes");
	int client = stream(), server, mss = number("mss"), room = 4 * bytes;
	CHECK(setsockopt(client, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss));
	CHECK(setsockopt(client, SOL_SOCKET, SO_SNDBUF, &room, sizeof room)); // write() must not wait
	pair(&client, &server);
	set_deaf(server, 1);
	int64_t begin = now();
	send_all(client, bytes);
	while (!info(client).tcpi_total_retrans)
		wait_ms(1);
	int64_t again = now();
	set_deaf(server, 0);
	receive_exactly(server, bytes);
	wait_acknowledged(client);
	count("segments", info(client).tcpi_total_retrans);
	count("bytes", info(client).tcpi_bytes_retrans);
	count("wait_ns", again - begin);
	CHECK(close(client));
	CHECK(close(server));
}

// tcp_unanswered connects a socket that drops all that comes until its SYN was
// sent again.
static void tcp_unanswered(void)
{
	int listening = listen_on(7), fd = CHECK(socket(family(), SOCK_STREAM | SOCK_NONBLOCK, 0));
	set_deaf(fd, 1);
	if (connect_to(fd, port_of(listening)) == 0 || errno != EINPROGRESS)
		fail("connect()");
	while (!info(fd).tcpi_total_retrans)
		wait_ms(1);
	set_deaf(fd, 0);
	while (info(fd).tcpi_state != TCP_ESTABLISHED)
		wait_ms(1);
	int server = CHECK(accept(listening, NULL, NULL));
	say_address("client", fd, getsockname);
	say_address("server", server, getsockname);
	count("pid", getpid());
	count("syns", info(fd).tcpi_total_retrans);
	count("synacks", info(server).tcpi_total_retrans);
	CHECK(close(fd));
	CHECK(close(server));
}

// tcp_deaf sends n packets to a server that drops all that comes.
static void tcp_deaf(void)
{
	int64_t n = number("n"), before, dropped;
	int client, server, on = 1;
	for (;;) {
		client = stream();
		CHECK(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
		join(client, &server);
		set_deaf(server, 1);
		before = info(client).tcpi_segs_out;
		for (int64_t i = 0; i < n; i++)
			CHECK(write(client, "x", 1));
		dropped = info(client).tcpi_segs_out - before;
		set_deaf(server, 0);
		if (info(client).tcpi_segs_out - before == dropped)
			break;
		// One was sent again just now: who knows whether it was dropped.
		CHECK(close(client));
		CHECK(close(server));
	}
	say_pair(client);
	receive_exactly(server, n);
	wait_acknowledged(client);
	count("dropped", dropped);
	CHECK(close(client));
	CHECK(close(server));
}

// tcp_watched has a server send n packets that another program wants copies of but
// does not take: all but the first are dropped.
static void tcp_watched(void)
{
	int64_t n = number("n");
	int server, client = stream(), least = 1;
	join(client, &server);
	say_pair(client);
	struct sock_filter code[] = { // those of the server, which have no options of IP
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 20),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port_of(server), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, -1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog from_server = {4, code};
	int watch = CHECK(socket(AF_PACKET, SOCK_DGRAM, 0));
	CHECK(setsockopt(watch, SOL_SOCKET, SO_ATTACH_FILTER, &from_server, sizeof from_server));
	CHECK(setsockopt(watch, SOL_SOCKET, SO_RCVBUF, &least, sizeof least));
	struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
	CHECK(bind(watch, (struct sockaddr *)&all, sizeof all));
	for (int64_t i = 0; i < n; i++) {
		CHECK(write(server, "x", 1));
		receive_exactly(client, 1);
	}
	wait_acknowledged(server);
	struct tpacket_stats seen;
	socklen_t size = sizeof seen;
	CHECK(getsockopt(watch, SOL_PACKET, PACKET_STATISTICS, &seen, &size));
	CHECK(close(watch));
	count("copies", n); // those that were kept are dropped now
	count("dropped", seen.tp_drops);
	CHECK(close(client));
	receive(server);
	CHECK(close(server));
}

// tcp_pings has a server send n packets, one after the other, to a client that is
// 127.0.0.2 and sends nothing: its round trip time stays that of the handshake.
static void tcp_pings(void)
{
	int64_t n = number("n");
	int client = stream(), server;
	union address a = loopback(0);
	char x;
	a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	CHECK(bind(client, &a.any, size_of(&a)));
	pair(&client, &server);
	int64_t rtt = info(client).tcpi_rtt;
	for (int64_t i = 0; i < n; i++) {
		CHECK(write(server, "x", 1));
		CHECK(read(client, &x, 1));
	}
	if (rtt != info(client).tcpi_rtt)
		fail("the round trip time changed");
	int64_t bucket = 1;
	while (2 * bucket <= rtt)
		bucket *= 2;
	count("rtt_us", rtt);
	count("bucket", bucket); // the power of two that is not above it
	count("packets", n);
	CHECK(close(client));
	CHECK(close(server));
}

// bound is a socket that has a port already, which is printed.
static int bound(const char *name, int flags)
{
	int fd = CHECK(socket(family(), SOCK_STREAM | flags, 0));
	union address a = loopback(0);
	CHECK(bind(fd, &a.any, size_of(&a)));
	say_address(name, fd, getsockname);
	return fd;
}

static void took(const char *name, const char *end, int64_t ns)
{
	char key[64];
	snprintf(key, sizeof key, "%s_%s_ns", name, end);
	count(key, ns);
}

// tcp_connects opens connections in all ways: one that is answered, one without
// blocking, one to itself, one that is refused, and one that waits ms
// milliseconds in vain at a full queue and is given up.
static void tcp_connects(void)
{
	int64_t ms = number("ms"), before, after;
	int listening = listen_on(0), port = port_of(listening);

	int fd = bound("answered", 0);
	before = now();
	CHECK(connect_to(fd, port));
	took("answered", "most", now() - before);
	count("port", port);

	// The queue has room for one.
	int late = bound("late", SOCK_NONBLOCK);
	before = now();
	if (connect_to(late, port) == 0 || errno != EINPROGRESS)
		fail("connect() to a full queue");
	after = now();
	wait_ms(ms);
	took("late", "least", now() - after);
	CHECK(close(late));
	took("late", "most", now() - before);

	CHECK(close(CHECK(accept(listening, NULL, NULL))));
	int soon = bound("soon", SOCK_NONBLOCK);
	before = now();
	if (connect_to(soon, port) < 0 && errno != EINPROGRESS)
		fail("connect() without blocking");
	while (info(soon).tcpi_state != TCP_ESTABLISHED)
		;
	took("soon", "most", now() - before);

	int self = bound("self", 0);
	before = now();
	CHECK(connect_to(self, port_of(self)));
	took("self", "most", now() - before);
	CHECK(close(listening));

	int refused = bound("refused", 0);
	before = now();
	if (connect_to(refused, port) == 0 || errno != ECONNREFUSED)
		fail("connect() to a port where nobody listens");
	took("refused", "most", now() - before);
	count("pid", getpid());
}

// tcp_queue lets n connections wait in a queue for backlog ones, and accepts them.
static void tcp_queue(void)
{
	int64_t n = number("n");
	int backlog = number("backlog"), listening = listen_on(backlog), port = port_of(listening);
	for (int64_t i = 0; i < n; i++)
		CHECK(connect_to(stream(), port));
	struct tcp_info i = {.tcpi_sacked = backlog};
	while (!number_or("mptcp", 0) && (i = info(listening), i.tcpi_unacked < n)) // a socket of MPTCP does not say
		wait_ms(1);
	count("limit", i.tcpi_sacked);
	int fd = -1;
	for (int64_t k = 0; k < n; k++) {
		fd = CHECK(accept(listening, NULL, NULL));
		char name[32];
		snprintf(name, sizeof name, "client%d", (int)k);
		say_address(name, fd, getpeername);
	}
	say_address("server", fd, getsockname);
	count("pid", getpid());
	count("n", n);
}

// most_backlog is how many connections may wait at most, whatever a program asks for.
static int64_t most_backlog(void)
{
	char line[32] = "";
	int fd = CHECK(open("/proc/sys/net/core/somaxconn", O_RDONLY));
	CHECK(read(fd, line, sizeof line - 1));
	close(fd);
	return atoll(line);
}

// try_listen binds a socket to a port, 0 for any, and listens; it prints NAME_port,
// and NAME_backlog as the kernel took it. -1 is the errno of what failed.
static int try_listen(const char *name, int fd, int port, int backlog)
{
	union address a = loopback(port);
	char key[64];
	if (bind(fd, &a.any, size_of(&a)) < 0 || listen(fd, backlog) < 0)
		return errno;
	snprintf(key, sizeof key, "%s_port", name);
	count(key, port_of(fd));
	snprintf(key, sizeof key, "%s_backlog", name);
	int64_t most = most_backlog();
	count(key, !number_or("mptcp", 0) ? info(fd).tcpi_sacked : backlog < most ? backlog : most);
	return 0;
}

static void expect_error(int error, int got)
{
	if (error == got)
		return;
	errno = got;
	fail("listening");
}

// listens begins to listen in all ways: on a port, on the same port again (bind()
// fails), with two sockets that share a port (listen() fails), with a backlog that
// is too long, without a port, on a socket of UDP, one within the machine, on what
// is no socket and on what is not open.
static void listens(void)
{
	int on = 1, first = stream(), shared = stream(), taken = stream();
	expect_error(0, try_listen("first", first, 0, 7));
	expect_error(EADDRINUSE, try_listen("again", stream(), port_of(first), 8));
	CHECK(setsockopt(shared, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
	CHECK(setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
	union address a = loopback(0);
	CHECK(bind(shared, &a.any, size_of(&a)));
	a = loopback(port_of(shared));
	CHECK(bind(taken, &a.any, size_of(&a)));
	CHECK(listen(shared, 1));
	count("shared_port", port_of(shared));
	if (listen(taken, -2) == 0)
		fail("two sockets listen on a port");
	expect_error(0, try_listen("long", stream(), 0, 1 << 20));
	int any = stream();
	CHECK(listen(any, 3));
	say_address("any", any, getsockname);

	int udp = CHECK(socket(family(), SOCK_DGRAM, 0)), other = CHECK(socket(family(), SOCK_DGRAM, 0));
	a = loopback(0);
	CHECK(bind(udp, &a.any, size_of(&a)));
	a = loopback(port_of(udp));
	if (bind(other, &a.any, size_of(&a)) == 0 || listen(udp, 4) == 0)
		fail("UDP");
	struct sockaddr_un path = {.sun_family = AF_UNIX};
	int near = CHECK(socket(AF_UNIX, SOCK_STREAM, 0));
	CHECK(bind(near, (struct sockaddr *)&path, sizeof path.sun_family));
	CHECK(listen(near, 5));
	int file = CHECK(open("/dev/null", O_RDONLY));
	if (bind(file, &a.any, size_of(&a)) == 0 || listen(file, 5) == 0 || listen(1000, 5) == 0)
		fail("listen() on what is no socket");
	count("pid", getpid());
}

// within reads from sockets within the machine, and from what is none, in each
// way that a message can be read.
static void within(void)
{
	int fds[2], pipes[2];
	char data[64], more[64];
	struct iovec parts[] = {{data, 8}, {more, sizeof more}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	CHECK(pipe(pipes));
	CHECK(write(pipes[1], "through a pipe", 14));
	CHECK(read(pipes[0], data, sizeof data));
	CHECK(write(fds[0], "by read\n", 8));
	CHECK(read(fds[1], data, sizeof data));
	CHECK(write(fds[0], "by recv", 7));
	CHECK(recv(fds[1], data, sizeof data, 0));
	CHECK(write(fds[0], "two parts, readv", 16));
	CHECK(readv(fds[1], parts, 2));
	CHECK(write(fds[0], "recvmsg", 7));
	CHECK(recvmsg(fds[1], &message, 0));
	int datagrams[2];
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams));
	CHECK(write(datagrams[0], "a message cut off", 17));
	CHECK(recv(datagrams[1], data, sizeof data, MSG_PEEK | MSG_TRUNC));
	CHECK(recvmsg(datagrams[1], &message, MSG_PEEK));
	CHECK(recv(datagrams[1], data, 9, MSG_TRUNC));
	int other = CHECK(socket(AF_INET, SOCK_DGRAM, 0));
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	CHECK(bind(other, (struct sockaddr *)&a, size));
	CHECK(getsockname(other, (struct sockaddr *)&a, &size));
	CHECK(connect(other, (struct sockaddr *)&a, size));
	CHECK(send(other, "by UDP", 6, 0));
	CHECK(recv(other, data, sizeof data, 0));
	count("messages", 5);
}

const struct operation net_operations[] = {
	{"tcp", "there= back= [family=4|6|mapped] [accept_ms=] [hold_ms=] [until=FILE] [sendfile=1] [splice=1] [ring=1] [peek=1] [closer=child]: a connection that carries so many bytes each way", tcp},
	{"tcp-ends", "how=reset|timeout|unread there= lost= [family=]: a connection that ends before all is acknowledged", tcp_ends},
	{"tcp-early", "there= back= hold_ms= [family=]: a connection by fast open whose server closes before it is established (net.ipv4.tcp_fastopen must be 3)", tcp_early},
	{"tcp-early-reset", "there= [family=]: a connection by fast open that is reset before it is established (net.ipv4.tcp_fastopen must be 3)", tcp_early_reset},
	{"tcp-waiter", "backlog= until=FILE [family=]: a connection that is accepted by a process that already waits for it", tcp_waiter},
	{"tcp-unaccepted", "n= [family=]: connections that nobody accepts, after others that were accepted after their end", tcp_unaccepted},
	{"tcp-half", "hold_ms= [family=]: a connection whose sides are ended before they are closed", tcp_half},
	{"tcp-many", "threads= n= [family=]: so many connections by each of several threads", tcp_many},
	{"tcp-lossy", "bytes= mss= [family=]: a connection that loses its packets for a while", tcp_lossy},
	{"tcp-unanswered", "[family=]: a connection whose answer is lost at first", tcp_unanswered},
	{"tcp-deaf", "n= [family=]: n packets that are dropped at the socket they are for", tcp_deaf},
	{"tcp-watched", "n=: n packets whose copies are dropped", tcp_watched},
	{"tcp-pings", "n=: n packets to a client that sends none", tcp_pings},
	{"tcp-connects", "ms= [family=]: connections that are answered, refused, and given up after so long", tcp_connects},
	{"tcp-queue", "backlog= n= [family=] [mptcp=1]: n connections that wait to be accepted", tcp_queue},
	{"listens", "[family=] [mptcp=1]: sockets that listen, and some that can't", listens},
	{"within", "read from Unix sockets by read, recv, readv and recvmsg, and from a pipe and UDP", within},
	{0},
};
