// Package helm reads Helm 3's release records through a checks.Reader.
//
// A record is a Secret (or ConfigMap) named sh.helm.release.v1.<name>.v<N> with the labels owner=helm, name, status and
// version. The head of a release is its record with the highest version: what Helm itself looks at. Records are listed by
// metadata only, which costs a thousandth of reading them; only heads that an operation holds or that failed are read and
// decoded, because Helm locks by the status inside the payload and the label can be edited by hand.
package helm
