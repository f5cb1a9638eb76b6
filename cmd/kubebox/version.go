package main

import (
	"runtime/debug"
	"strings"
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"
)

// Kubernetes' own build sets these variables with linker flags, and without them its API server says that it is
// v0.0.0-master, which charts with a kubeVersion refuse. Linking to them by name gives the right answer however this
// program was built.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

// tellVersion makes the components report the version of the Kubernetes module that is compiled in.
func tellVersion() {
	v := kubernetesVersion()
	parts := strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3)
	if len(parts) != 3 {
		return
	}
	gitVersion, gitMajor, gitMinor = v, parts[0], parts[1]
	// It refuses only a version that differs from gitVersion.
	_ = version.SetDynamicVersion(v)
}

// kubernetesVersion is the version of the Kubernetes module in this binary, for example "v1.37.2".
func kubernetesVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			return m.Version
		}
	}
	return "unknown"
}
