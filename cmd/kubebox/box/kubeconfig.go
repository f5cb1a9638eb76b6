package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// ErrKubeconfig is returned when the kubeconfig file exists and is not one that this kubebox wrote.
var ErrKubeconfig = errors.New("will not be overwritten")

// extensionName is where a kubeconfig says which kubebox wrote it. kubectl and other programs keep extensions when they
// rewrite the file, for example to change the current context.
const extensionName = "kubebox"

type kubeconfigMark struct {
	Dir string `json:"dir"`
}

// access is what a client needs to reach one cluster as its admin.
type access struct {
	server string
	ca     []byte
	token  string
}

// checkKubeconfig refuses a path at which there is something that the kubebox of dir did not write.
func checkKubeconfig(path, dir string) error {
	_, err := loadOwn(path, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// loadOwn reads the kubeconfig that the kubebox of dir wrote.
func loadOwn(path, dir string) (*api.Config, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, fmt.Errorf("look at the kubeconfig: %w", err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s exists, is not a kubeconfig and %w: %w", path, ErrKubeconfig, err)
	}
	switch by := writtenBy(config); by {
	case dir:
		return config, nil
	case "":
		return nil, fmt.Errorf("%s exists, was not written by kubebox and %w: choose another file for --kubeconfig", path, ErrKubeconfig)
	default:
		return nil, fmt.Errorf("%s was written by the kubebox of %s and %w: delete it if that kubebox is gone, or choose another file for --kubeconfig", path, by, ErrKubeconfig)
	}
}

// writtenBy returns the directory of the kubebox that wrote a kubeconfig, or "" when none did.
func writtenBy(config *api.Config) string {
	unknown, ok := config.Extensions[extensionName].(*runtime.Unknown)
	if !ok {
		return ""
	}
	var mark kubeconfigMark
	if err := json.Unmarshal(unknown.Raw, &mark); err != nil {
		return ""
	}
	return mark.Dir
}

// writeKubeconfig gives the kubeconfig a context for each of the clusters and takes those of gone away. What else people
// put into the file since it was made, and their current context, stay.
func writeKubeconfig(path, dir string, clusters map[string]access, first string, gone ...string) error {
	config, err := loadOwn(path, dir)
	if errors.Is(err, fs.ErrNotExist) {
		config, err = newKubeconfig(dir)
	}
	if err != nil {
		return err
	}
	for _, name := range gone {
		delete(config.Clusters, name)
		delete(config.AuthInfos, name)
		delete(config.Contexts, name)
	}
	for name, a := range clusters {
		config.Clusters[name] = &api.Cluster{Server: a.server, CertificateAuthorityData: a.ca}
		config.AuthInfos[name] = &api.AuthInfo{Token: a.token}
		config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	}
	if _, ok := config.Contexts[config.CurrentContext]; !ok {
		config.CurrentContext = first
	}
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode the kubeconfig: %w", err)
	}
	return writeFile(path, data)
}

func newKubeconfig(dir string) (*api.Config, error) {
	mark, err := json.Marshal(kubeconfigMark{Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("encode the kubeconfig's mark: %w", err)
	}
	config := api.NewConfig()
	config.Extensions[extensionName] = &runtime.Unknown{Raw: mark, ContentType: runtime.ContentTypeJSON}
	return config, nil
}

// removeKubeconfig deletes the kubeconfig if the kubebox of dir wrote it.
func removeKubeconfig(path, dir string) error {
	if _, err := loadOwn(path, dir); err != nil {
		return nil // missing, or somebody else's: not ours to delete
	}
	return remove(path)
}
