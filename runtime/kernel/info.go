package kernel

import (
	"fmt"
	"io"
	"runtime"

	"fst/compiler/target/facts"
)

// Info writes what the kernel offers, for `fst --info`.
func (s *System) Info(w io.Writer) {
	v := s.version()
	fmt.Fprintf(w, "System\n  kernel: %s (%d.%d.%d, %s)\n  CPUs: %d possible\n  pid_max: %d\n",
		s.Release(), v>>16, v>>8&0xff, v&0xff, runtime.GOARCH, s.CPUs(), s.PIDMax())

	path, mounted, err := s.TraceFS()
	switch {
	case err != nil:
		fmt.Fprintf(w, "  tracefs: %v\n", err)
	case mounted:
		fmt.Fprintf(w, "  tracefs: %s (mounted by fst)\n", path)
	default:
		fmt.Fprintf(w, "  tracefs: %s\n", path)
	}
	switch spec, err := s.BTFSpec(); {
	case err != nil:
		fmt.Fprintf(w, "  BTF: %v\n", err)
	case spec == nil:
		fmt.Fprintf(w, "  BTF: none (CONFIG_DEBUG_INFO_BTF)\n")
	default:
		fmt.Fprintf(w, "  BTF: %d types, and of %d modules\n", spec.Len(), len(s.src.BTFModules()))
	}
	if list, err := s.Traceable("", "*"); err != nil {
		fmt.Fprintf(w, "  functions to probe: %v\n", err)
	} else {
		fmt.Fprintf(w, "  functions to probe: %d\n", len(list))
	}
	writeRights(w, s)
	fmt.Fprintf(w, "\nFeatures\n")
	for _, f := range facts.FeatureNames {
		has := "no"
		if s.Has(f.Feature) {
			has = "yes"
		}
		fmt.Fprintf(w, "  %s: %s\n", f.Name, has)
	}
}
