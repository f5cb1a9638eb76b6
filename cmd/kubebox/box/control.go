package box

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// program marks a control file as kubebox's.
const program = "kubebox"

// controlLimit bounds what is read of a control file, in bytes.
const controlLimit = 1 << 20

// errControl is the reason when a control file is not one that kubebox wrote.
var errControl = errors.New(controlName + " was not written by kubebox")

// control is DIR/control.json: how to reach the kubebox that runs on DIR, and what it made there. Only its owner may read
// it, since it holds the token.
type control struct {
	Program string `json:"program"`
	PID     int    `json:"pid"`
	// Address and Token are where and with what the other subcommands reach it; empty until it accepts orders.
	Address string `json:"address,omitempty"`
	Token   string `json:"token,omitempty"`
	// Created says that DIR did not exist before.
	Created    bool   `json:"created"`
	Kubeconfig string `json:"kubeconfig"`
	// Entries are the names that kubebox made in DIR.
	Entries []string `json:"entries"`
}

// readControl reads and checks the control file of a directory.
func readControl(dir string) (control, error) {
	f, err := os.Open(filepath.Join(dir, controlName))
	if err != nil {
		return control{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, controlLimit))
	if err != nil {
		return control{}, fmt.Errorf("read %s: %w", controlName, err)
	}
	return decodeControl(data)
}

// decodeControl trusts nothing: what is listed here is deleted later.
func decodeControl(data []byte) (control, error) {
	var c control
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return control{}, fmt.Errorf("%w: %w", errControl, err)
	}
	if c.Program != program || c.PID <= 0 || !filepath.IsAbs(c.Kubeconfig) {
		return control{}, errControl
	}
	for _, entry := range c.Entries {
		if entry != etcdName && validName(entry) != nil {
			return control{}, fmt.Errorf("%w: it lists %q", errControl, entry)
		}
	}
	return c, nil
}

func (c control) write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", controlName, err)
	}
	return writeFile(filepath.Join(dir, controlName), append(data, '\n'))
}

// writeFile replaces a file in one step, readable by its owner only: who reads it sees the old content or the new.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
