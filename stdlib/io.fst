// io: requests to block devices.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints block_getrq,
// block_rq_issue, block_rq_complete and block_rq_merge; for io:bio block_bio_queue,
// block_split and block_bio_complete, the functions bio_chain and bio_endio, and up to 6.1 bdev_read_page and
// bdev_write_page.
// Requests are identified by their address, not by their sector, which two requests
// may share.
//
// Devices without a request queue (md, dm, bcache, zram) have io:bio; the disks
// below them have all other probes. Loop disks and those of dm with requests (multipath) have
// requests, and what they pass on to a disk below counts there again.

// io:queue: A request was created and waits for its device.
//
// It runs in the thread that created it: for direct and synchronous I/O the requesting thread,
// for buffered writes a kworker. Data that is merged into a waiting request creates no new one.
// kstack shows why the request was created. A flush that a program requests is a write of no bytes here,
// which ends as io:flush; the flushes that the disk receives have no io:queue.
probe io:queue(
	id: void *,       // the same in io:queue, io:start and io:done of one request
	disk: string[32], // name of the disk, as in /proc/diskstats
	dev: uint32,      // its number: major << 20 | minor
	sector: uint64,   // first sector, in units of 512 bytes from the start of the disk
	bytes: uint32,    // size now; merging may still make it larger
	op: string[16],   // read, write, flush, discard, secure-erase, write-zeroes, zone, driver
	flags,            // the other bits of the operation: sync, meta, fua, rahead, background, ...
) witness("/proc/diskstats: * * %s %d * * * %d", "disks without requests (md, dm, zram) have io:bio instead, and tools see them with --disk NAME");

// io:start: A request was submitted to its device.
//
// pid and comm are those of the thread that created the request (0 and "" if unknown:
// flushes by the kernel, requests created before tracing started, or by a driver).
// A request that the device returns (requeue) is started again.
probe io:start(
	id: void *,       // the same in io:queue, io:start and io:done of one request
	disk: string[32], // name of the disk, as in /proc/diskstats
	dev: uint32,      // its number: major << 20 | minor
	sector: uint64,   // first sector, in units of 512 bytes from the start of the disk; 0 for flushes
	bytes: uint32,    // size; 0 for flushes
	op: string[16],   // read, write, flush, discard, secure-erase, write-zeroes, zone, driver
	flags,            // the other bits of the operation: sync, meta, fua, rahead, background, ...
	queued: uint64,   // ns since it was created; 0 if the kernel recorded no time
	pid: uint32,      // process that created it
	tid: uint32,      // and its thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
	stacked: bool,    // false: the disk has requests
) witness("/proc/diskstats: * * %s %d * * * %d", "disks without requests (md, dm, zram) have io:bio instead, and tools see them with --disk NAME");

// io:done: A device has completed a request.
//
// Each request counts once, as in /proc/diskstats, even if it completes in parts. A
// write with flushes around it is one write, and each flush one flush. pid and comm are
// as in io:start. Requests that were started before tracing are missing where
// the kernel recorded no time for them (a queue without statistics). Those that fail before they are
// started, because the disk is offline or the flush before a write failed, have no io:start, and took 0.
probe io:done(
	id: void *,       // the same in io:queue, io:start and io:done of one request
	disk: string[32], // name of the disk, as in /proc/diskstats
	dev: uint32,      // its number: major << 20 | minor
	sector: uint64,   // first sector, in units of 512 bytes from the start of the disk
	bytes: uint32,    // size; 0 for flushes
	op: string[16],   // read, write, flush, discard, secure-erase, write-zeroes, zone, driver
	flags,            // the other bits of the operation: sync, meta, fua, rahead, background, ...
	failed: bool,     // true if the device reported an error
	queued: uint64,   // ns from creation to start; 0 if the kernel recorded no time
	took: uint64,     // ns since it was started
	pid: uint32,      // process that created it
	tid: uint32,      // and its thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
	stacked: bool,    // false: the disk has requests
	parts: uint32,    // 1
) witness("/proc/diskstats: * * %s %d * * * %d", "disks without requests (md, dm, zram) have io:bio instead, and tools see them with --disk NAME");

// io:flush: A disk has completed a flush that a program requested.
//
// File systems do so for fsync() when no data is left to write. The
// disk itself receives a separate flush (io:done with op "flush"), which may serve several programs.
// /proc/diskstats counts both: this one as a write of no bytes. A disk without a write cache
// receives no flush: the kernel completes it at once, and newer kernels
// create no request at all. Stacked disks have io:bio.
probe io:flush(
	id: void *,       // the same in io:queue
	disk: string[32], // name of the disk, as in /proc/diskstats
	dev: uint32,      // its number: major << 20 | minor
	failed: bool,     // true if the device reported an error
	took: uint64,     // ns since it was created
	pid: uint32,      // process that created it
	tid: uint32,      // and its thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
);

// io:bio: A disk without a request queue has completed an I/O (bio).
//
// Such disks are stacked on others, or use memory: md, dm (LVM, encryption), bcache, zram. What they
// pass on to the disks below counts there again, as requests. Flushes are included.
// A bio that the disk splits, for example at stripe boundaries, completes when all of
// its parts have. What md linear (before Linux 6.8), or raid0 on 5.10, passes on whole has no io:bio at a
// stacked disk below.
probe io:bio(
	id: void *,       // the struct bio
	disk: string[32], // name of the disk, as in /proc/diskstats
	dev: uint32,      // its number: major << 20 | minor
	sector: uint64,   // first sector, in units of 512 bytes from the start of the disk
	bytes: uint32,    // size; 0 for flushes
	op: string[16],   // read, write, flush, discard, secure-erase, write-zeroes, zone, driver
	flags,            // the other bits of the operation: sync, meta, fua, rahead, background, ...
	failed: bool,     // true if there was an error
	queued: uint64,   // 0: there is no queue
	took: uint64,     // ns since it was submitted to the disk
	pid: uint32,      // process that submitted it
	tid: uint32,      // and its thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
	stacked: bool,    // true: the disk has no requests
	parts: uint32,    // number of parts it was split into; /proc/diskstats counts each
) witness("/proc/diskstats: * * %s %d * * * %d", "");

macro op_of(flags) {
	let $op = flags & 0xff;
	$op == REQ_OP_READ ? "read" : $op == REQ_OP_WRITE ? "write" : $op == REQ_OP_FLUSH ? "flush" :
		$op == REQ_OP_DISCARD ? "discard" : $op == REQ_OP_SECURE_ERASE ? "secure-erase" :
		$op == REQ_OP_WRITE_ZEROES ? "write-zeroes" : $op == REQ_OP_ZONE_APPEND ? "write" : $op >= 32 ? "driver" : "zone"
}

macro flags_of(flags) { bits(enum req_flag_bits, flags & ~0xff) }

// Flushes and commands of a driver have no place; the kernel writes -1 there, and its own events 0.
macro sector_of(rq) { rq->__sector == 0xffffffffffffffff ? 0 : rq->__sector }

macro disk_of_rq(rq) {
	let $disk: struct gendisk * = 0;
	if (exists(struct request, rq_disk)) {
		$disk = rq->rq_disk;
	} else {
		$disk = rq->q->disk;
	}
	$disk
}

macro disk_of_bio(bio) {
	let $disk: struct gendisk * = 0;
	if (exists(struct bio, bi_disk)) {
		$disk = bio->bi_disk;
	} else {
		$disk = bio->bi_bdev->bd_disk;
	}
	$disk
}

// Commands of a driver may be for no disk: those of NVMe controllers.
macro name_of(disk) {
	let $d = disk;
	(uint64)$d ? str($d->disk_name) : ""
}

macro number_of(disk) {
	let $d = disk;
	(uint64)$d ? $d->major << 20 | $d->first_minor : 0
}

// Whether a request will carry the time at which it was started: if its queue keeps
// statistics and it is no driver's own. Since Linux 6.9 that is the time at which a whole
// batch of requests was begun, which is too early.
macro keeps_time(rq) {
	let $keeps: uint64 = 0;
	if (!exists(struct blk_plug, cur_ktime)) {
		$keeps = (rq->q->queue_flags >> 20) & 1; // QUEUE_FLAG_STATS
		if ((rq->cmd_flags & 0xff) >= 32) {
			$keeps = 0;
		}
	}
	$keeps
}

// Who made a request, by its first bio: a request is not yet known when it is made.
let @who = lruhash(16384);
// When a request was started, for queues that keep no time.
let @started = lruhash(16384);

// What was finished of a request that is finished in parts, and the bio that it began with.
let @part = lruhash(1024);
let @first = lruhash(1024);

// The bio that a request was made for. What is merged into it at its front stands before
// that one in its list; once it is finished in part, the list begins further on.
macro bio_of(@first, @who, rq) {
	let $bio: uint64 = @first[(uint64)rq];
	if ($bio == 0) {
		$bio = (uint64)((struct request *)rq)->bio;
		let $at: uint64 = $bio;
		for ($i : 0..512) {
			if ($at == 0) {
				break;
			}
			if (@who[$at].tid) {
				$bio = $at;
				break;
			}
			$at = (uint64)((struct bio *)$at)->bi_next;
		}
	}
	$bio
}

rawtracepoint:block_getrq {
	$bio = args.bio;
	@who[(uint64)$bio] = (pid = pid, tid = tid, comm = comm, uid = uid, cgroup = cgroup);
	fire io:queue(id = (void *)$bio, disk = name_of(disk_of_bio($bio)), dev = number_of(disk_of_bio($bio)),
		sector = $bio->bi_iter.bi_sector, bytes = $bio->bi_iter.bi_size, op = op_of($bio->bi_opf),
		flags = flags_of($bio->bi_opf));
}

rawtracepoint:block_rq_issue {
	$rq = args.rq;
	if (!keeps_time($rq)) {
		@started[(uint64)$rq] = nsecs(monotonic);
	}
	$bio = bio_of(@first, @who, $rq);
	fire io:start(id = (void *)$bio, disk = name_of(disk_of_rq($rq)), dev = number_of(disk_of_rq($rq)),
		sector = sector_of($rq), bytes = $rq->__data_len, op = op_of($rq->cmd_flags), flags = flags_of($rq->cmd_flags),
		queued = $rq->start_time_ns ? nsecs(monotonic) - $rq->start_time_ns : 0,
		pid = @who[$bio].pid, tid = @who[$bio].tid, comm = @who[$bio].comm,
		uid = @who[$bio].uid, cgroup = @who[$bio].cgroup, stacked = false);
}

// A request becomes part of another one, and a bio part of a request, which may have been
// those of a request before.
rawtracepoint:block_rq_merge {
	$rq = args.rq;
	delete(@who, bio_of(@first, @who, $rq));
}

rawtracepoint:block_bio_frontmerge {
	delete(@who, (uint64)args.bio);
}

rawtracepoint:block_rq_complete {
	$rq = args.rq;
	$flags = $rq->cmd_flags;
	// Disks of dm with requests (multipath) finish a request's data first, and then the request, of which nothing is left.
	if (args.nr_bytes == 0 && (uint64)$rq->bio == 0 && ($flags & 0xff) < 32 && ($flags & 0xff) != REQ_OP_FLUSH) {
		return;
	}
	$key = (uint64)$rq;
	$bio = bio_of(@first, @who, $rq);
	if (args.nr_bytes < $rq->__data_len) {
		// Finished in part: the last part has as many bytes as are left.
		@part[$key] += args.nr_bytes;
		@first[$key] = $bio;
		return;
	}
	$now = nsecs(monotonic);
	if (args.nr_bytes == 0 && ($flags & 0xff) == REQ_OP_WRITE) {
		// The end of a write with flushes around it, which are requests of their own. If it
		// had data, that was finished and counted before.
		if ((uint64)$rq->bio->bi_io_vec == 0 && $rq->start_time_ns) {
			fire io:flush(id = (void *)$bio, disk = name_of(disk_of_rq($rq)), dev = number_of(disk_of_rq($rq)),
				failed = args.error != 0, took = $now - $rq->start_time_ns, pid = @who[$bio].pid, tid = @who[$bio].tid,
				comm = @who[$bio].comm, uid = @who[$bio].uid, cgroup = @who[$bio].cgroup);
		}
		delete(@who, $bio);
		return;
	}
	let $start: uint64 = 0;
	if (!keeps_time($rq)) {
		$start = @started[$key];
		delete(@started, $key);
	}
	if ($start == 0) {
		$start = $rq->io_start_time_ns;
	}
	// It failed before it was started: the path to the disk is down, or a flush before it failed.
	if ($start == 0 && (int64)$rq->state == (int64)MQ_RQ_IDLE) {
		$start = $now;
	}
	if ($start != 0) {
		fire io:done(id = (void *)$bio, disk = name_of(disk_of_rq($rq)), dev = number_of(disk_of_rq($rq)),
			sector = sector_of($rq) - @part[$key] / 512, bytes = args.nr_bytes + @part[$key], op = op_of($flags),
			flags = flags_of($flags), failed = args.error != 0,
			queued = $rq->start_time_ns && $rq->start_time_ns < $start ? $start - $rq->start_time_ns : 0,
			took = $now - $start, pid = @who[$bio].pid, tid = @who[$bio].tid, comm = @who[$bio].comm,
			uid = @who[$bio].uid, cgroup = @who[$bio].cgroup,
			stacked = false, parts = 1);
	}
	delete(@part, $key);
	delete(@first, $key);
	delete(@who, $bio);
}

// Pieces of I/O at disks without requests. What the disk was is noted at the start: by the
// end its driver may have pointed the piece at another one, and used its size up.
let @pieces = lruhash(16384);

// How often a piece was split.
let @splits = lruhash(4096);

// How many bytes of a piece that was given away are done.
let @given = lruhash(16384);

// @has_pieces is set with the first piece: most machines have no such disks, and nothing to look for as I/O ends.
rawtracepoint:block_bio_queue {
	$bio = args.bio;
	$disk = disk_of_bio($bio);
	if ($disk->queue->mq_ops == 0) {
		@has_pieces = 1;
		@pieces[(uint64)$bio] = (began = nsecs(monotonic), disk = name_of($disk), dev = number_of($disk),
			sector = $bio->bi_iter.bi_sector, bytes = $bio->bi_iter.bi_size, flags = $bio->bi_opf, pid = pid, tid = tid,
			comm = comm, uid = uid, cgroup = cgroup);
		delete(@given, (uint64)$bio);
	}
}

// The piece that a bio is, or is part of by bio_chain(), which has left its mark in it.
macro piece_of(@pieces, @chain_end, bio) {
	let $at: uint64 = (uint64)bio;
	$chain_end = @chain_end;
	unroll (3) {
		if (@pieces[$at].began == 0 && $chain_end && (uint64)((struct bio *)$at)->bi_end_io == $chain_end) {
			$at = (uint64)((struct bio *)$at)->bi_private;
		}
	}
	$at
}

// Either the piece goes on with what is left of it, or a new bio has its first part and the
// piece the rest, by bio_chain(). A disk below may split a piece that was given away.
macro split(@pieces, @splits, piece, bio) {
	$of = @pieces[piece];
	if ($of.began && $of.dev == number_of(disk_of_bio(bio))) {
		@splits[piece] += 1;
	}
}

rawtracepoint:block_split {
	$bio = args.bio;
	split(@pieces, @splits, (uint64)$bio, $bio);
}

call:bio_chain /comptime exists(kprobe:bio_chain) && @has_pieces/ {
	@chain_end = (uint64)args.bio->bi_end_io;
	split(@pieces, @splits, piece_of(@pieces, @chain_end, args.parent), args.bio);
}

macro piece_done(@pieces, @splits, piece, status) {
	$p = @pieces[piece];
	fire io:bio(id = (void *)piece, disk = $p.disk, dev = $p.dev, sector = $p.sector, bytes = $p.bytes,
		op = $p.bytes == 0 && (($p.flags >> __REQ_PREFLUSH) & 1) ? "flush" : op_of($p.flags), flags = flags_of($p.flags),
		failed = status != 0, queued = 0, took = nsecs(monotonic) - $p.began, pid = $p.pid, tid = $p.tid,
		comm = $p.comm, uid = $p.uid, cgroup = $p.cgroup,
		stacked = true, parts = 1 + @splits[piece]);
	delete(@pieces, piece);
	delete(@splits, piece);
}

rawtracepoint:block_bio_complete {
	$piece = (uint64)args.bio;
	if (@pieces[$piece].began) {
		piece_done(@pieces, @splits, $piece, args.bio->bi_status);
	}
}

// Some disks (md linear, and on Linux 5.10 raid0) give their pieces themselves to the disks below, whole or split by
// bio_chain(), and requests bring them to an end of which there is no event: a piece is done as the
// last of its bytes are.
rawtracepoint:block_rq_complete /@has_pieces/ {
	$bio = args.rq->bio;
	let $left: uint64 = args.nr_bytes;
	for ($i : 0..256) {
		if ((uint64)$bio == 0 || $left == 0) {
			break;
		}
		let $bytes: uint64 = $bio->bi_iter.bi_size;
		if ($bytes > $left) {
			$bytes = $left;
		}
		$piece = piece_of(@pieces, @chain_end, $bio);
		if (@pieces[$piece].began) {
			@given[$piece] += $bytes;
		}
		$left -= $bytes;
		$bio = $bio->bi_next;
	}
}

fentry:bio_endio | kprobe:bio_endio /comptime exists(kprobe:bio_endio) && @has_pieces/ {
	$piece = piece_of(@pieces, @chain_end, arg0);
	if (@given[$piece] && @given[$piece] >= @pieces[$piece].bytes && delete(@given, $piece)) {
		piece_done(@pieces, @splits, $piece, ((struct bio *)arg0)->bi_status | ((struct bio *)$piece)->bi_status);
	}
}

// Before Linux 6.3, disks in memory (zram) read and write pages of swap space without a bio.
macro start_of(bdev) {
	let $at: uint64 = 0;
	if (exists(struct block_device, bd_part)) {
		$at = ((struct block_device *)bdev)->bd_part->start_sect;
	} else {
		$at = ((struct block_device *)bdev)->bd_start_sect;
	}
	$at
}

macro page_done(name) {
	$disk = ((struct block_device *)arg0)->bd_disk;
	fire io:bio(id = (void *)arg2, disk = name_of($disk), dev = number_of($disk), sector = arg1 + start_of(arg0), bytes = 4096,
		op = name, flags = flags_of((uint64)0), failed = false, queued = 0, took = took, pid = pid, tid = tid, comm = comm,
		uid = uid, cgroup = cgroup, stacked = true, parts = 1);
}

call:bdev_read_page /comptime exists(kprobe:bdev_read_page) && (int32)retval == 0/ {
	page_done("read");
}

call:bdev_write_page /comptime exists(kprobe:bdev_write_page) && (int32)retval == 0/ {
	page_done("write");
}
