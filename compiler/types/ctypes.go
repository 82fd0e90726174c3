package types

// CTypes are the names of C's types, and the usual typedefs of the kernel and
// the C library, whose size is known without type information (x86-64).
var CTypes = map[string]*Type{
	"char": CharType, "signed char": I8, "unsigned char": U8, "bool": BoolType, "_Bool": BoolType,
	"short": I16, "unsigned short": U16, "int": I32, "unsigned int": U32, "unsigned": U32,
	"long": I64, "unsigned long": U64, "long long": I64, "unsigned long long": U64,
	"int8_t": I8, "int16_t": I16, "int32_t": I32, "int64_t": I64,
	"uint8_t": U8, "uint16_t": U16, "uint32_t": U32, "uint64_t": U64,
	"s8": I8, "s16": I16, "s32": I32, "s64": I64, "u8": U8, "u16": U16, "u32": U32, "u64": U64,
	"__s8": I8, "__s16": I16, "__s32": I32, "__s64": I64, "__u8": U8, "__u16": U16, "__u32": U32, "__u64": U64,
	"__be16": U16, "__be32": U32, "__be64": U64, "__le16": U16, "__le32": U32, "__le64": U64,
	"size_t": U64, "ssize_t": I64, "uintptr_t": U64, "intptr_t": I64, "ptrdiff_t": I64,
	"pid_t": I32, "uid_t": U32, "gid_t": U32, "dev_t": U32, "off_t": I64, "loff_t": I64, "ino_t": U64,
	"mode_t": U32, "umode_t": U16, "time_t": I64, "timer_t": I32, "clockid_t": I32, "cputime_t": U64,
	"sector_t": U64, "gfp_t": U32, "dma_addr_t": U64, "phys_addr_t": U64,
	"key_t": I32, "key_serial_t": I32, "qid_t": U32, "mqd_t": I32, "rwf_t": I32, "aio_context_t": U64,
}
