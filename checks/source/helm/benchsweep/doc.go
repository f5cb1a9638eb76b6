// Package benchsweep measures the sweep of Helm releases beside Helm's own list and beside the bare requests, on a real API
// server. `make bench-sweep` runs it.
package benchsweep
