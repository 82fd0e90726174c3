package probe

import (
	"fst/compiler/object"
	"fst/lang/ast"
)

func (r *Resolver) resolveBegin(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) > 0 {
		return nil, &Failure{Span: partSpan(ap, 0), message: ap.Written + " takes nothing after it", hint: "write " + ap.Written + " { ... }"}
	}
	kind := object.HookBegin
	if ap.Provider == "end" {
		kind = object.HookEnd
	}
	return []Point{{Provider: ap.Provider, Hook: object.Hook{Kind: kind, Name: ap.Provider}}}, nil
}

// resolveTrial is test:NAME and bench:NAME, which other than --test and --bench
// leave out.
func (r *Resolver) resolveTrial(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) != 1 || ap.Parts[0] == "" {
		return nil, badForm(ap)
	}
	kind := object.HookTest
	if ap.Provider == "bench" {
		kind = object.HookBench
	}
	return []Point{{Provider: ap.Provider, Hook: object.Hook{Kind: kind, Name: ap.Provider + ":" + ap.Parts[0], Symbol: ap.Parts[0]}}}, nil
}

func (r *Resolver) resolveSelf(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) == 1 && ap.Parts[0] == "attached" {
		return []Point{{Provider: "self", Hook: object.Hook{Kind: object.HookAttached, Name: "self:attached"}}}, nil
	}
	if len(ap.Parts) == 2 && ap.Parts[0] == "signal" && ap.Parts[1] != "SIGUSR1" {
		return nil, &Failure{Span: partSpan(ap, 1), message: ap.Parts[1] + " can't be probed", hint: "the signal for scripts is SIGUSR1: self:signal:SIGUSR1"}
	}
	if len(ap.Parts) != 2 || ap.Parts[0] != "signal" {
		return nil, badForm(ap)
	}
	return []Point{{Provider: "self", Hook: object.Hook{Kind: object.HookSelf, Name: "self:signal:SIGUSR1"}}}, nil
}
