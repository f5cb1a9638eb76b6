package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/sweep"
	"stuckbot/commands/present"
)

// checkClusters checks the clusters side by side and returns the results in their order.
func checkClusters(ctx context.Context, clusters []*kube.Cluster, needed []checks.Permission, timeout time.Duration) []present.CheckedCluster {
	results := make([]present.CheckedCluster, len(clusters))
	var group errgroup.Group
	group.SetLimit(sweep.DefaultConcurrency)
	for i, cluster := range clusters {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			results[i] = checkCluster(ctx, cluster, needed)
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors
	return results
}

func checkCluster(ctx context.Context, cluster *kube.Cluster, needed []checks.Permission) present.CheckedCluster {
	result := present.CheckedCluster{Name: cluster.Name}
	client, err := cluster.Connect()
	if err != nil {
		result.Failure = failureOf(err)
		return result
	}
	defer client.Close()
	if result.Server, err = client.Server(ctx); err != nil {
		result.Failure = failureOf(err)
		return result
	}
	if result.Access, err = askAccess(ctx, client, cluster.Namespaces, needed); err != nil {
		result.AccessFailure = failureOf(err)
	}
	return result
}

func failureOf(err error) *checks.Failure {
	f := checks.AsFailure(err)
	return &f
}

// maxNamespaces bounds how many namespaces are asked about one by one; each takes a request for each permission.
const maxNamespaces = 100

// askAccess asks for each permission in all namespaces, and where that is denied, as it is for an account that was given
// its namespaces one by one, in each of the namespaces.
func askAccess(ctx context.Context, client *kube.Client, namespaces []string, needed []checks.Permission) ([]present.Access, error) {
	answers, err := client.Allowed(ctx, needed)
	if err != nil {
		return nil, err
	}
	if len(namespaces) == 0 && slices.ContainsFunc(answers, func(a kube.Access) bool { return !a.Allowed }) {
		namespaces = existing(ctx, client)
	}
	var all []present.Access
	for _, answer := range answers {
		access := present.Access{Permission: answer.Permission, Allowed: answer.Allowed, Reason: answer.Reason}
		if !answer.Allowed && len(namespaces) > 0 {
			if access, err = askEach(ctx, client, namespaces, access); err != nil {
				return nil, err
			}
		}
		all = append(all, access)
	}
	return all, nil
}

// existing returns the namespaces of a cluster, or none where they may not be listed or are too many to be asked about.
func existing(ctx context.Context, client *kube.Client) []string {
	var names []string
	q := checks.Query{Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}}
	err := client.ListMetadata(ctx, q, func(m *metav1.PartialObjectMetadata) error {
		names = append(names, m.Name)
		if len(names) > maxNamespaces {
			return errors.New("too many")
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return names
}

// askEach narrows a denied permission to the namespaces in which it is denied too.
func askEach(ctx context.Context, client *kube.Client, namespaces []string, access present.Access) (present.Access, error) {
	if access.Group == "" && access.Resource == "namespaces" {
		access.Allowed, access.In = true, namespaces // their names are configured: the list is not needed
		return access, nil
	}
	questions := make([]checks.Permission, 0, len(namespaces))
	for _, namespace := range namespaces {
		question := access.Permission
		question.Namespace = namespace
		questions = append(questions, question)
	}
	answers, err := client.Allowed(ctx, questions)
	if err != nil {
		return access, err
	}
	var denied []string
	for _, answer := range answers {
		if !answer.Allowed {
			denied = append(denied, answer.Namespace)
		}
	}
	access.Allowed, access.In = len(denied) == 0, denied
	if access.Allowed {
		access.In = namespaces
	}
	return access, nil
}
