// Package kubetest is the tests' door to real Kubernetes control planes, which kubebox runs. One kubebox serves a whole run
// of the tests: `make test` starts it and runs every test below it, several packages at a time. A test binary that is run
// by itself, for example by an editor, starts a kubebox of its own, which takes some seconds.
//
// Tests share the clusters that Open and Second return, and keep to namespaces of their own there. A test that changes
// what a cluster has only once, or makes its API server fail, takes a Fresh one.
package kubetest
