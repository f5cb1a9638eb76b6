//go:build unix && !linux

package boltkv_test

import "errors"

func mountSmall(string, int) error { return errors.ErrUnsupported }
