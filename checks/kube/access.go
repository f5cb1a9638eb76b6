package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"stuckbot/checks"
)

// Access is a permission and whether the account has it.
type Access struct {
	checks.Permission
	Allowed bool
	// Reason is the authorizer's own explanation, often empty. It is untrusted text.
	Reason string
}

// review is authorization.k8s.io/v1 SelfSubjectAccessReview, as far as it is used here.
type review struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Spec       reviewSpec   `json:"spec"`
	Status     reviewStatus `json:"status,omitzero"`
}

type reviewSpec struct {
	ResourceAttributes resourceAttributes `json:"resourceAttributes"`
}

type resourceAttributes struct {
	Namespace string `json:"namespace,omitempty"`
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource"`
}

type reviewStatus struct {
	Allowed         bool   `json:"allowed"`
	Reason          string `json:"reason,omitempty"`
	EvaluationError string `json:"evaluationError,omitempty"`
}

const reviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// Allowed asks the server for each permission whether the account has it, with SelfSubjectAccessReviews. The reviews are
// answered and not stored: nothing is written.
func (c *Client) Allowed(ctx context.Context, permissions []checks.Permission) ([]Access, error) {
	var all []Access
	for _, p := range permissions {
		status, err := c.review(ctx, p)
		if err != nil {
			return all, err
		}
		all = append(all, Access{Permission: p, Allowed: status.Allowed, Reason: strings.TrimSpace(status.Reason + " " + status.EvaluationError)})
	}
	return all, nil
}

func (c *Client) review(ctx context.Context, p checks.Permission) (reviewStatus, error) {
	question, err := json.Marshal(review{
		APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview",
		Spec: reviewSpec{resourceAttributes{Namespace: p.Namespace, Verb: p.Verb, Group: p.Group, Resource: p.Resource}},
	})
	if err != nil {
		return reviewStatus{}, c.failure(err)
	}
	u, err := url.JoinPath(c.base, reviewPath)
	if err != nil {
		return reviewStatus{}, c.failure(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u, bytes.NewReader(question))
	if err != nil {
		return reviewStatus{}, c.failure(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return reviewStatus{}, c.failure(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return reviewStatus{}, c.failure(err)
	}
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		return reviewStatus{}, c.failure(statusError(response.StatusCode, body))
	}
	var answer review
	if err := json.Unmarshal(body, &answer); err != nil {
		return reviewStatus{}, c.failure(err)
	}
	return answer.Status, nil
}
