package box

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestReleaseDeletesWhatWasMadeAndNothingElse(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		made, foreign, stays bool
	}{
		{name: "its own directory goes", made: true},
		{name: "its own directory with foreign files stays", made: true, foreign: true, stays: true},
		{name: "a directory that existed stays", stays: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "box")
			if !tt.made {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			h, err := claim(dir, filepath.Join(dir, "kubeconfig"))
			if err != nil {
				t.Fatal(err)
			}
			if err := h.own("prod"); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "prod", "api.key"), "secret")
			if tt.foreign {
				write(t, filepath.Join(dir, "foreign"), "mine")
			}
			if err := h.release(); err != nil {
				t.Fatal(err)
			}
			if exists(dir) != tt.stays {
				t.Errorf("the directory exists: %v, want %v", exists(dir), tt.stays)
			}
			left, _ := os.ReadDir(dir)
			if want := map[bool]int{false: 0, true: 1}[tt.foreign]; len(left) != want {
				t.Errorf("left in the directory: %v", left)
			}
		})
	}
}

func TestDirectoryIsRefused(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  error
	}{
		{"foreign file", map[string]string{"thesis.txt": ""}, ErrForeign},
		{"foreign control file", map[string]string{controlName: `{"listen": ":80"}`}, ErrForeign},
		{"control file of another program", map[string]string{controlName: `{"program":"x","pid":1,"created":false,"kubeconfig":"/k","entries":null}`}, ErrForeign},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				write(t, filepath.Join(dir, name), text)
			}
			if _, err := claim(dir, kubeconfig); !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
			if exists(filepath.Join(dir, lockName)) {
				t.Error("a lock file was put into a foreign directory")
			}
		})
	}
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		write(t, path, "")
		if _, err := claim(path, kubeconfig); err == nil {
			t.Error("a file was taken for a directory")
		}
	})
	t.Run("in use", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "box")
		h, err := claim(dir, kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := claim(dir, kubeconfig); !errors.Is(err, ErrInUse) {
			t.Errorf("the error is %v, want %v", err, ErrInUse)
		}
		if err := h.release(); err != nil {
			t.Fatal(err)
		}
		again, err := claim(dir, kubeconfig)
		if err != nil {
			t.Fatalf("it cannot be claimed after the release: %v", err)
		}
		if err := again.release(); err != nil {
			t.Error(err)
		}
	})
}

// A kubebox that was killed holds no lock any more; what its control file lists is deleted by the next one.
func TestClaimDeletesTheRemainsOfAKilledBox(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	killed, err := claim(dir, kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"prod", etcdName} {
		if err := killed.own(entry); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, entry, "file"), "")
	}
	write(t, filepath.Join(dir, "."+controlName+"-123"), "half")
	write(t, filepath.Join(dir, "foreign"), "mine")
	if err := writeKubeconfig(kubeconfig, dir, map[string]access{"prod": {}}, "prod"); err != nil {
		t.Fatal(err)
	}
	_ = killed.lock.Close()

	h, err := claim(dir, filepath.Join(t.TempDir(), "another"))
	if err != nil {
		t.Fatal(err)
	}
	if h.stale != os.Getpid() {
		t.Errorf("the pid of the killed kubebox is %d", h.stale)
	}
	for _, path := range []string{filepath.Join(dir, "prod"), filepath.Join(dir, etcdName), kubeconfig, filepath.Join(dir, "."+controlName+"-123")} {
		if exists(path) {
			t.Errorf("%s is still there", path)
		}
	}
	if err := h.release(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 || left[0].Name() != "foreign" {
		t.Errorf("left: %v, want only the foreign file", left)
	}
	_ = os.Remove(filepath.Join(dir, "foreign"))
}

func TestControlFileIsOnlyForItsOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	h, err := claim(dir, filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.release() }()
	info, err := os.Stat(filepath.Join(dir, controlName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v; want 0600", info.Mode(), err)
	}
}

// What a control file lists is deleted, so no content may name anything outside its directory.
func FuzzControlFileNamesNothingOutsideItsDirectory(f *testing.F) {
	f.Add([]byte(`{"program":"kubebox","pid":7,"created":true,"kubeconfig":"/k","entries":["etcd","prod-eu"]}`))
	f.Add([]byte(`{"program":"kubebox","pid":7,"created":true,"kubeconfig":"/k","entries":["../../home"]}`))
	f.Add([]byte(`{"program":"kubebox","pid":-1,"kubeconfig":"k","entries":["."]}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeControl(data)
		if err != nil {
			if !errors.Is(err, errControl) {
				t.Errorf("%v is not %v", err, errControl)
			}
			return
		}
		for _, entry := range c.Entries {
			if entry != filepath.Base(entry) || strings.HasPrefix(entry, ".") || !fs.ValidPath(entry) {
				t.Errorf("it lists %q", entry)
			}
		}
	})
}
