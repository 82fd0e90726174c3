// What bpftrace's own library of macros is written with, and scripts that have parts of it
// name: the words below the built-ins, and what it tells of strings.

// __builtin_NAME: the same as NAME.
macro __builtin_arch() { arch }
macro __builtin_comm() { comm }
macro __builtin_config() { config }
macro __builtin_cpid() { cpid }
macro __builtin_cpu() { cpu }
macro __builtin_dw_ustack() { dw_ustack }
macro __builtin_dw_ustack(mode) { dw_ustack(mode) }
macro __builtin_dw_ustack(mode, limit) { dw_ustack(mode, limit) }
macro __builtin_elapsed() { elapsed }
macro __builtin_func() { func }
macro __builtin_is_literal(x) { is_literal(x) }
macro __builtin_kfunc_allowed(name) { kfunc_allowed(name) }
macro __builtin_kfunc_exist(name) { kfunc_exist(name) }
macro __builtin_ncpus() { ncpus }
macro __builtin_probe() { probe }
macro __builtin_probetype() { probetype }
macro __builtin_retval() { retval }
macro __builtin_safe_mode() { safe_mode }
macro __builtin_signal_num(name) { signal_num(name) }
macro __builtin_uaddr(symbol) { uaddr(symbol) }
macro __builtin_usermode() { usermode }

// __builtin_elf_ino: elf_info of a user probe's file; 0 in other probes.
macro __builtin_elf_ino() {
	if (comptime (probetype == "uprobe" || probetype == "uretprobe" || probetype == "ucall" || probetype == "usdt")) { elf_info } else { 0 }
}

// __builtin_elf_is_exe: elf_is_exe of a user probe's file; false in other probes.
macro __builtin_elf_is_exe() {
	if (comptime (probetype == "uprobe" || probetype == "uretprobe" || probetype == "ucall" || probetype == "usdt")) { elf_is_exe } else { false }
}

// default_str_length(): the maximum length of a string that is read without a length.
macro default_str_length() { config.max_strlen }

// assert_str(x): a compile-time error unless x is a string, an array of characters or a pointer to one.
macro assert_str(x) {
	static_assert(is_str(x) || is_array(x) || is_ptr(x), "string-like values must be either strings, arrays or pointers")
}
