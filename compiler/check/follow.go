package check

import (
	"cmp"
	"path"
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/lang/ast"
)

// foreign are probes that run in whatever thread has the CPU when their event happens, not in the process that it is about:
// interrupts, timers, and the ends of what was asked for earlier.
var foreign = []string{
	"irq_*", "softirq_*", "tasklet_*", "timer_*", "hrtimer_*", "tick_stop", "itimer_expire", "nmi_handler", "napi_*", "rcu_*",
	"local_timer_*", "reschedule_*", "call_function_*", "vector_*", "*_apic_*", "thermal_*", "workqueue_execute_*",
	"block_rq_complete", "block_rq_error", "block_bio_complete", "nvme_*", "scsi_dispatch_cmd_done", "scsi_dispatch_cmd_timeout",
	"blk_account_io_done", "__blk_account_io_done", "blk_mq_end_request", "blk_mq_complete_request", "blk_update_request", "bio_endio",
	"netif_receive_skb*", "netif_rx*", "consume_skb", "kfree_skb", "tcp_retransmit_*", "tcp_probe", "tcp_receive_reset", "inet_sock_set_state",
	"tcp_v4_rcv", "tcp_v6_rcv", "ip_rcv", "ipv6_rcv", "do_softirq", "__do_softirq", "handle_softirqs", "run_timer_softirq",
}

// instead names what sees the same with the process that it is about.
var instead = map[string]string{
	"block_rq_complete": "io:done", "blk_account_io_done": "io:done", "__blk_account_io_done": "io:done", "blk_mq_end_request": "io:done", "bio_endio": "io:done",
	"inet_sock_set_state": "net:connect or net:close", "tcp_retransmit_skb": "net:retransmit",
}

// refuseForeign refuses probes of which followed(pid), in the filter of their clause, says nothing.
func (c *checker) refuseForeign(cl *ast.Clause, points []probe.Point) {
	if !c.opts.Follow || cl.For != nil || !asksFollowed(cl.Filter) {
		return
	}
	for _, p := range points {
		name := cmp.Or(p.Hook.Event, p.Hook.Function)
		if p.Hook.Kind == object.HookIter {
			c.errorf(p.Hook.Span, "--only cannot limit %s, which walks the objects of the whole system", p.Hook.Name).Hintf("leave --only out, and compare the fields of ctx in the filter")
			return
		}
		if slices.ContainsFunc(foreign, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			d := c.errorf(p.Hook.Span, "--only cannot tell whose event this is: %s runs in whatever thread has the CPU", p.Hook.Name)
			if instead[name] != "" {
				d.Hintf("%s knows the process that the event is about", instead[name])
			} else {
				d.Hintf("leave --only out, or use a probe that runs in the process itself, such as syscall: or call:")
			}
			return
		}
	}
}

// asksFollowed reports whether a filter asks whether the current process is followed.
func asksFollowed(filter ast.Expr) bool {
	return ast.Any(filter, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		return ok && call.Name == builtin.FuncFollowed.Name && len(call.Args) == 1 && Names(call.Args[0], builtin.VarPid)
	})
}
