package helm_test

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

func namespace(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
}
