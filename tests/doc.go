// Package tests holds what the tests of the whole project share: conformance
// cases, the kernel matrix, oracles of the bundled tools, and here the rules
// of who may import whom. No build needs it.
package tests
