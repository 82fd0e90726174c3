// Package value shows the raw bytes of messages and maps as values, and puts
// the entries of a map in the order in which they are shown.
//
// A Value is a view: a type and the bytes that hold it. Nothing is decoded
// before it is asked for, so printing an event allocates nothing; Any gives
// the ordinary Go value to programs that want one.
//
// It must not import eBPF libraries or other packages of the runtime.
package value
