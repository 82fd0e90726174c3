// Package analysis finds out what a checked program does, before code is made of it: what of it is live,
// what each map is used for, which variables are stored to, how its loops run, and what has
// an effect. It reads the typed tree and changes nothing; compiler/lower asks it.
package analysis
