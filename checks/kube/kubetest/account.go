package kubetest

import (
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Account makes a service account in a namespace that may do nothing yet, and returns a kubeconfig file with a token of it
// whose context has the cluster's name.
func (c *Cluster) Account(t testing.TB, namespace, name string) string {
	t.Helper()
	accounts := c.Client(t).CoreV1().ServiceAccounts(namespace)
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c.KubeconfigWith(t, token.Status.Token)
}

// KubeconfigWith returns a kubeconfig file of the cluster with another token.
func (c *Cluster) KubeconfigWith(t testing.TB, token string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.AuthInfos = map[string]*api.AuthInfo{"account": {Token: token}}
	config.Contexts[c.Name].AuthInfo = "account"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Allow gives a service account the rules in one namespace.
func (c *Cluster) Allow(t testing.TB, namespace, account, in string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	client := c.Client(t).RbacV1()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{GenerateName: account + "-"}, Rules: rules}
	role, err := client.Roles(in).Create(t.Context(), role, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}},
	}
	if _, err := client.RoleBindings(in).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// AllowEverywhere gives a service account the rules in all namespaces.
func (c *Cluster) AllowEverywhere(t testing.TB, namespace, account string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	client := c.Client(t).RbacV1()
	name := namespace + "-" + account
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
	if _, err := client.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}},
	}
	if _, err := client.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
