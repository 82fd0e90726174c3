// Package irbuild writes IR: instructions, control flow and memory, and what is made of them whatever the script: how texts are
// compared and searched, numbers divided, buckets found and keys ranked. It knows nothing of scripts and their types.
package irbuild
