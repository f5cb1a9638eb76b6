// Package kube reaches clusters: it finds them in kubeconfigs or in the pod's own service account, and reads them through
// checks.Reader. It is the only package below commands that imports client-go. It never writes.
package kube
