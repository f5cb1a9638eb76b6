package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	sigsyaml "sigs.k8s.io/yaml"

	"stuckbot/deploy"
)

// account is what the bot reaches one cluster with.
type account struct {
	name, server, token string
	ca                  []byte
	labels              map[string]string
}

// grant makes the account and the permissions of deploy/rbac.yaml, and a token for it. Permissions only add up, so where a
// namespace is forbidden the cluster-wide binding becomes one binding for each other namespace.
func grant(ctx context.Context, client kubernetes.Interface, config *rest.Config, c clusterSpec) (account, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(deploy.RBAC), 4096)
	for {
		var raw map[string]any
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return account{}, err
		}
		if err := apply(ctx, client, raw, c); err != nil && !apierrors.IsAlreadyExists(err) {
			return account{}, err
		}
	}
	token, err := client.CoreV1().ServiceAccounts("stuckbot").CreateToken(ctx, "stuckbot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return account{}, err
	}
	return account{name: c.Name, server: config.Host, ca: config.CAData, token: token.Status.Token, labels: c.Labels}, nil
}

func apply(ctx context.Context, client kubernetes.Interface, raw map[string]any, c clusterSpec) error {
	data, err := sigsyaml.Marshal(raw)
	if err != nil {
		return err
	}
	create := metav1.CreateOptions{}
	switch raw["kind"] {
	case "Namespace":
		return create1(data, func(o *corev1.Namespace) error {
			_, err := client.CoreV1().Namespaces().Create(ctx, o, create)
			return err
		})
	case "ServiceAccount":
		return create1(data, func(o *corev1.ServiceAccount) error {
			_, err := client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, o, create)
			return err
		})
	case "ClusterRole":
		return create1(data, func(o *rbacv1.ClusterRole) error {
			_, err := client.RbacV1().ClusterRoles().Create(ctx, o, create)
			return err
		})
	case "ClusterRoleBinding":
		return create1(data, func(o *rbacv1.ClusterRoleBinding) error { return bind(ctx, client, o, c) })
	default:
		return fmt.Errorf("deploy/rbac.yaml: kind %v is not handled", raw["kind"])
	}
}

func create1[T any](data []byte, do func(*T) error) error {
	object := new(T)
	if err := sigsyaml.UnmarshalStrict(data, object); err != nil {
		return err
	}
	return do(object)
}

func bind(ctx context.Context, client kubernetes.Interface, o *rbacv1.ClusterRoleBinding, c clusterSpec) error {
	if len(c.Forbidden) == 0 {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, o, metav1.CreateOptions{})
		return err
	}
	namespaces, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, ns := range namespaces.Items {
		if slices.Contains(c.Forbidden, ns.Name) {
			continue
		}
		binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: o.Name}, RoleRef: o.RoleRef, Subjects: o.Subjects}
		if _, err := client.RbacV1().RoleBindings(ns.Name).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	names := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: o.Name + "-namespaces"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"list"}}}}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, names, metav1.CreateOptions{}); err != nil {
		return err
	}
	o.Name, o.RoleRef.Name = names.Name, names.Name
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, o, metav1.CreateOptions{})
	return err
}

// writeConfig leaves the bot's kubeconfig and configuration in the out folder.
func (l *loader) writeConfig(accounts []account) error {
	kubeconfig := api.NewConfig()
	type entry struct {
		Kubeconfig string            `json:"kubeconfig"`
		Contexts   []string          `json:"contexts"`
		Labels     map[string]string `json:"labels,omitempty"`
	}
	var clusters []entry
	if l.file.Silent != nil && l.silent != "" {
		accounts = append(accounts, account{name: l.file.Silent.Name, server: l.silent, token: "none", labels: l.file.Silent.Labels})
	}
	for _, a := range accounts {
		kubeconfig.Clusters[a.name] = &api.Cluster{Server: a.server, CertificateAuthorityData: a.ca}
		kubeconfig.AuthInfos[a.name] = &api.AuthInfo{Token: a.token}
		kubeconfig.Contexts[a.name] = &api.Context{Cluster: a.name, AuthInfo: a.name}
		clusters = append(clusters, entry{"kubeconfig", []string{a.name}, a.labels})
	}
	if err := clientcmd.WriteToFile(*kubeconfig, filepath.Join(l.outDir, "kubeconfig")); err != nil {
		return err
	}
	config, err := sigsyaml.Marshal(map[string]any{
		"clusters": clusters,
		// The demo cannot wait a quarter of an hour for its operations to count as dead.
		"systems": map[string]any{"helm": map[string]any{"stuckAfter": "2s"}},
		"storage": map[string]any{"path": "stuckbot.db"},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.outDir, "stuckbot.yaml"), config, 0o600)
}
