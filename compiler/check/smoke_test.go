package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/expand"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

func TestSmoke(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("SMOKE"))
	if err != nil {
		t.Skip()
	}
	k, err := fixture.Load(os.Getenv("KERNEL"))
	if err != nil {
		t.Fatal(err)
	}
	k.Functions = map[string][]target.UserSymbol{"/bin/bash": {{Name: "readline", Addr: 0x1000, Offset: 0x1000, Size: 16}},
		"/lib/libc.so.6":       {{Name: "getaddrinfo", Offset: 8}, {Name: "gethostbyname", Offset: 16}, {Name: "gethostbyname2", Offset: 24}},
		"/lib/libpthread.so.0": {{Name: "pthread_create", Offset: 1}},
		"/lib/libssl.so.3":     {{Name: "SSL_read", Offset: 1}, {Name: "SSL_write", Offset: 2}, {Name: "SSL_do_handshake", Offset: 3}},
		"/lib/libcrypto.so.3":  {{Name: "rsa_ossl_x", Offset: 1}}}
	for _, text := range strings.Split(string(b), "\n---\n") {
		set := &source.Set{}
		f := set.Add("x", text)
		diags := &diag.List{}
		prog := parse.Parse(f, diags)
		prog = expand.Expand(prog, expand.Options{}, diags)
		info := check.Check(prog, check.Options{Target: k, Params: []string{"5", "abc"}, Unsafe: true}, diags)
		fmt.Println("=====", text)
		(&diag.Renderer{Set: set}).Render(os.Stdout, diags)
		for _, u := range info.Units {
			fmt.Printf("unit %s hooks=%d %+v took=%v entry=%v ret=%v args=%v\n", u.Provider, len(u.Hooks), u.Hooks[0].Name, u.Took, u.EntryArgs, u.Retval, u.Args)
		}
		for _, m := range info.Maps {
			fmt.Printf("map @%s[%s] = %s %+v tid=%v\n", m.Name, m.Key, m.Value, m.Value.Agg, m.KeyByTID)
		}
	}
}
