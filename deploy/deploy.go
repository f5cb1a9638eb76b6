// Package deploy holds what is installed into clusters and chat workspaces, for programs that need it at hand.
package deploy

import _ "embed"

// RBAC is the account and the permissions that the program needs in each cluster, as YAML documents.
//
//go:embed rbac.yaml
var RBAC []byte
