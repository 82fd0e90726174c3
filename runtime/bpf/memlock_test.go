package bpf

import "testing"

// TestBefore511: kernels from 5.11 on count memory of maps against the control group's.
func TestBefore511(t *testing.T) {
	for release, want := range map[string]bool{
		"4.19.0-27-amd64": true, "5.10.0-39-amd64": true, "5.4": true, "5.10-rc1": true,
		"5.11.0": false, "5.11-rc1": false, "6.1.0-41-amd64": false, "10.2.0": false,
	} {
		if got := before511(release); got != want {
			t.Errorf("%s: %v", release, got)
		}
	}
}
