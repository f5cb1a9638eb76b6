package box

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ErrName is returned for a cluster name that cannot be used.
var ErrName = errors.New("bad cluster name")

// validName checks that a cluster's name is a DNS label, and not the name of one of kubebox's own folders.
func validName(name string) error {
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return fmt.Errorf("%w %q: %s", ErrName, name, strings.Join(problems, "; "))
	}
	if name == etcdName {
		return fmt.Errorf("%w %q: kubebox uses it itself", ErrName, name)
	}
	return nil
}

// validNames checks the names with which a box starts. There may be none: clusters can be added later.
func validNames(names []string) error {
	for i, name := range names {
		if err := validName(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%w %q: it is given twice", ErrName, name)
		}
	}
	return nil
}
