// Package checks is the vocabulary of what was read from clusters and what is concluded from it, and the home of the
// rules that conclude.
//
// Sources (checks/source/...) read and do not judge; rules judge and do not read. Everything here is pure: time comes in as
// an argument, nothing talks to a cluster, and client-go is not imported (API types come from k8s.io/apimachinery).
package checks
