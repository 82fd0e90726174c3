// Sockets.
#include "workload.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// receive reads a socket to the end of what the other side sends.
static int64_t receive(int fd)
{
	static char data[65536];
	int64_t all = 0, n;
	while ((n = CHECK(read(fd, data, sizeof data))) > 0)
		all += n;
	return all;
}

static void send_all(int fd, int64_t bytes)
{
	char *data = buffer(bytes);
	for (int64_t done = 0; done < bytes;)
		done += CHECK(write(fd, data + done, bytes - done));
}

// tcp connects to itself over the loopback: a child sends `there` bytes and gets
// `back` bytes. The server closes last.
static void tcp(void)
{
	int64_t there = number("there"), back = number("back");
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	int listening = CHECK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK(bind(listening, (struct sockaddr *)&a, size));
	CHECK(listen(listening, 7));
	CHECK(getsockname(listening, (struct sockaddr *)&a, &size));
	int child = CHECK(fork());
	if (!child) {
		int fd = CHECK(socket(AF_INET, SOCK_STREAM, 0));
		CHECK(connect(fd, (struct sockaddr *)&a, size));
		send_all(fd, there);
		CHECK(shutdown(fd, SHUT_WR));
		_exit(receive(fd) == back ? 0 : 1);
	}
	int fd = CHECK(accept(listening, NULL, NULL)), status;
	if (receive(fd) != there)
		fail("fewer bytes than were sent");
	send_all(fd, back);
	CHECK(close(fd));
	CHECK(waitpid(child, &status, 0));
	if (status)
		fail("the client");
	count("port", ntohs(a.sin_port));
	count("there", there);
	count("back", back);
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
	int other = CHECK(socket(AF_INET, SOCK_DGRAM, 0));
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	CHECK(bind(other, (struct sockaddr *)&a, size));
	CHECK(getsockname(other, (struct sockaddr *)&a, &size));
	CHECK(connect(other, (struct sockaddr *)&a, size));
	CHECK(send(other, "by UDP", 6, 0));
	CHECK(recv(other, data, sizeof data, 0));
	count("messages", 4);
}

const struct operation net_operations[] = {
	{"tcp", "there= back=: a TCP connection over the loopback that carries so many bytes each way", tcp},
	{"within", "read from Unix sockets by read, recv, readv and recvmsg, and from a pipe and UDP", within},
	{0},
};
