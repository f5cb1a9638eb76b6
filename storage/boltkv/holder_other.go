//go:build !linux

package boltkv

import "io/fs"

// lockHolders knows nothing here; the record beside the database has to do.
func lockHolders(fs.FileInfo) []int { return nil }

func programOf(int) string { return "" }
