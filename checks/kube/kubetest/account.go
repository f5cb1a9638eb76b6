package kubetest

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
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

// Allow gives a service account the rules in one namespace, and returns when they hold.
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
	c.awaitRules(t, namespace, account, in, rules)
}

// AllowEverywhere gives a service account the rules in all namespaces, until the test ends, and returns
// when they hold.
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
	t.Cleanup(func() {
		// They would outlive the namespace of the account.
		if err := client.ClusterRoleBindings().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if err := client.ClusterRoles().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	c.awaitRules(t, namespace, account, "", rules)
}

// rulesTimeout bounds the wait until the API server has noticed new rules.
const rulesTimeout = 30 * time.Second

// awaitRules waits until the API server grants what the rules say: it learns of new ones from a watch.
func (c *Cluster) awaitRules(t testing.TB, namespace, account, in string, rules []rbacv1.PolicyRule) {
	t.Helper()
	reviews := c.Client(t).AuthorizationV1().SubjectAccessReviews()
	ctx, cancel := context.WithTimeout(t.Context(), rulesTimeout)
	defer cancel()
	for _, attributes := range examples(in, rules) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + namespace + ":" + account,
			ResourceAttributes: attributes,
		}}
		err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			answer, err := reviews.Create(ctx, review, metav1.CreateOptions{})
			return err == nil && answer.Status.Allowed, err
		})
		if err != nil {
			t.Fatalf("kubetest: %s may not %s %s: %v", account, attributes.Verb, attributes.Resource, err)
		}
	}
}

// examples returns something that each rule about resources allows.
func examples(namespace string, rules []rbacv1.PolicyRule) []*authorizationv1.ResourceAttributes {
	var all []*authorizationv1.ResourceAttributes
	for _, rule := range rules {
		if len(rule.Resources) == 0 || len(rule.Verbs) == 0 || len(rule.APIGroups) == 0 {
			continue
		}
		resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
		a := &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource,
		}
		if len(rule.ResourceNames) > 0 {
			a.Name = rule.ResourceNames[0]
		}
		all = append(all, a)
	}
	return all
}
