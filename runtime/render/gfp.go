package render

import "strconv"

const gfpReclaim = 1<<10 | 1<<11

// gfpFlags names the kernel's allocation flags as its own tracepoints do:
// combinations that have a name come first, the ones with more bits before
// others. The numbers are those of kernels since 4.20.
var gfpFlags = []struct {
	bits uint64
	name string
}{
	{gfpTransHuge | 1<<10, "GFP_TRANSHUGE"},
	{gfpTransHuge, "GFP_TRANSHUGE_LIGHT"},
	{gfpUser | 1<<1 | 1<<3, "GFP_HIGHUSER_MOVABLE"},
	{gfpUser | 1<<1, "GFP_HIGHUSER"},
	{gfpUser, "GFP_USER"},
	{gfpKernel | 1<<22, "GFP_KERNEL_ACCOUNT"},
	{gfpKernel, "GFP_KERNEL"},
	{gfpReclaim | 1<<6, "GFP_NOFS"},
	{1<<5 | 1<<11, "GFP_ATOMIC"},
	{gfpReclaim, "GFP_NOIO"},
	{1<<11 | 1<<13, "GFP_NOWAIT"},
	{1 << 0, "GFP_DMA"},
	{1 << 1, "__GFP_HIGHMEM"},
	{1 << 2, "GFP_DMA32"},
	{1 << 3, "__GFP_MOVABLE"},
	{1 << 4, "__GFP_RECLAIMABLE"},
	{1 << 5, "__GFP_HIGH"},
	{1 << 6, "__GFP_IO"},
	{1 << 7, "__GFP_FS"},
	{1 << 8, "__GFP_ZERO"},
	{1 << 10, "__GFP_DIRECT_RECLAIM"},
	{1 << 11, "__GFP_KSWAPD_RECLAIM"},
	{1 << 12, "__GFP_WRITE"},
	{1 << 13, "__GFP_NOWARN"},
	{1 << 14, "__GFP_RETRY_MAYFAIL"},
	{1 << 15, "__GFP_NOFAIL"},
	{1 << 16, "__GFP_NORETRY"},
	{1 << 17, "__GFP_MEMALLOC"},
	{1 << 18, "__GFP_COMP"},
	{1 << 19, "__GFP_NOMEMALLOC"},
	{1 << 20, "__GFP_HARDWALL"},
	{1 << 21, "__GFP_THISNODE"},
	{1 << 22, "__GFP_ACCOUNT"},
	{1 << 23, "__GFP_ZEROTAGS"},
}

const (
	gfpKernel    = gfpReclaim | 1<<6 | 1<<7
	gfpUser      = gfpKernel | 1<<20
	gfpTransHuge = (gfpUser | 1<<1 | 1<<3 | 1<<18 | 1<<19 | 1<<13) &^ gfpReclaim
)

// appendGFP appends the names of allocation flags (%gr): "0" for none, bits
// without a name in hex.
func appendGFP(b []byte, n uint64) []byte {
	if n == 0 {
		return append(b, '0')
	}
	start := len(b)
	for _, f := range gfpFlags {
		if n&f.bits == f.bits {
			b = append(append(b, f.name...), '|')
			n &^= f.bits
		}
	}
	if n != 0 {
		return strconv.AppendUint(append(b, "0x"...), n, 16)
	}
	return b[:max(start, len(b)-1)]
}
