package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotRunning is returned when no kubebox runs on the directory.
var ErrNotRunning = errors.New("no kubebox runs on this directory")

// Client gives orders to the kubebox that runs on a directory.
type Client struct {
	dir     string
	control control
}

// Dial finds the kubebox that runs on dir.
func Dial(dir string) (*Client, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("make the directory absolute: %w", err)
	}
	c, err := readControl(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotRunning, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if c.Address == "" {
		return nil, fmt.Errorf("the kubebox on %s with pid %d is not ready yet", dir, c.PID)
	}
	return &Client{dir: dir, control: c}, nil
}

// Add adds a cluster and returns when it is ready. With ifMissing it is no error that the cluster exists.
func (c *Client) Add(ctx context.Context, cluster string, ifMissing bool) error {
	query := ""
	if ifMissing {
		query = "?if-missing"
	}
	return c.order(ctx, http.MethodPost, cluster, query, nil)
}

// Remove removes a cluster with its processes, its data and its context.
func (c *Client) Remove(ctx context.Context, cluster string) error {
	return c.order(ctx, http.MethodDelete, cluster, "", nil)
}

// Pause makes the cluster's API server hang: connections are accepted and nobody answers.
func (c *Client) Pause(ctx context.Context, cluster string) error {
	return c.order(ctx, http.MethodPost, cluster, "/pause", nil)
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context, cluster string) error {
	return c.order(ctx, http.MethodPost, cluster, "/resume", nil)
}

// StopAPI kills the cluster's API server: connections are refused.
func (c *Client) StopAPI(ctx context.Context, cluster string) error {
	return c.order(ctx, http.MethodPost, cluster, "/stop-api", nil)
}

// StartAPI starts a stopped API server at its old address and returns when it is ready.
func (c *Client) StartAPI(ctx context.Context, cluster string) error {
	return c.order(ctx, http.MethodPost, cluster, "/start-api", nil)
}

// SetLogs sets what logs of pods return, and returns when the pods that exist do.
func (c *Client) SetLogs(ctx context.Context, cluster string, order LogOrder) error {
	body, err := json.Marshal(order)
	if err != nil {
		return fmt.Errorf("encode the order: %w", err)
	}
	return c.order(ctx, http.MethodPost, cluster, "/logs", body)
}

func (c *Client) order(ctx context.Context, method, cluster, rest string, body []byte) error {
	if err := validName(cluster); err != nil {
		return err
	}
	address := "http://" + c.control.Address + "/clusters/" + url.PathEscape(cluster) + rest
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the order: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.control.Token)
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w any more: pid %d on %s is gone", ErrNotRunning, c.control.PID, c.dir)
	}
	if err != nil {
		return fmt.Errorf("give the order to the kubebox with pid %d: %w", c.control.PID, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, controlLimit))
	if err != nil {
		return fmt.Errorf("read the answer of the kubebox with pid %d: %w", c.control.PID, err)
	}
	return errors.New(strings.TrimSpace(string(text)))
}
