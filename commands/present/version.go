package present

import (
	"io"
	"strings"
)

// Version is what the program was built from. What is not known is empty.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	// Helm and Kubernetes are the versions of the libraries helm.sh/helm/v3 and k8s.io/client-go.
	Helm       string `json:"helm"`
	Kubernetes string `json:"kubernetes"`
}

// VersionText writes a version for people.
func (p *Printer) VersionText(w io.Writer, v Version) error {
	known := func(text string) string { return p.or(text, "version.unknown") }
	lines := []string{
		p.Text("version.program", Args{"version": known(v.Version), "commit": known(v.Commit)}),
		p.Text("version.go", Args{"version": known(v.Go)}),
		p.Text("version.helm", Args{"version": p.or(v.Helm, "version.none")}),
		p.Text("version.kubernetes", Args{"version": p.or(v.Kubernetes, "version.none")}),
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func (p *Printer) or(text string, otherwise ID) string {
	if text == "" {
		return p.Text(otherwise, nil)
	}
	return text
}

// VersionJSON writes a version for programs.
func (p *Printer) VersionJSON(w io.Writer, v Version) error { return writeJSON(w, v) }
