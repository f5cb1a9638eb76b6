package box

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

// store is the etcd that all clusters share, each below its own prefix. It listens on loopback without authentication.
type store struct {
	etcd   *embed.Etcd
	client *clientv3.Client
}

// startStore starts etcd with its data and log below dir, and calls died if it ends by itself before ctx. It does not
// wait for etcd to elect itself: API servers need longer until they ask it. Nothing is synced to disk: the data does not
// outlive the process.
func startStore(ctx context.Context, dir string, died func(error)) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make etcd's folder: %w", err)
	}
	cfg := embed.NewConfig()
	cfg.Name = "kubebox"
	cfg.Dir = filepath.Join(dir, "data")
	cfg.UnsafeNoFsync = true
	cfg.LogLevel = "warn"
	cfg.LogOutputs = []string{filepath.Join(dir, "etcd.log")}
	anyPort := []url.URL{{Scheme: "http", Host: loopback + ":0"}}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = anyPort, anyPort
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = anyPort, anyPort
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// A cluster of one waits out one election timeout before it elects itself; nobody can disagree with it.
	cfg.TickMs, cfg.ElectionMs = 100, 500
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	s := &store{etcd: e, client: v3client.New(e.Server)}
	go s.watch(ctx, died)
	return s, nil
}

func (s *store) watch(ctx context.Context, died func(error)) {
	select {
	case err := <-s.etcd.Err():
		died(fmt.Errorf("etcd ended: %w", err))
	case <-s.etcd.Server.StopNotify():
		died(errors.New("etcd ended"))
	case <-ctx.Done():
	}
}

// url is where API servers reach etcd.
func (s *store) url() string { return "http://" + s.etcd.Clients[0].Addr().String() }

// prefix is where a cluster's keys live.
func prefix(cluster string) string { return "/" + cluster }

// forget deletes a cluster's keys.
func (s *store) forget(ctx context.Context, cluster string) error {
	if _, err := s.client.Delete(ctx, prefix(cluster)+"/", clientv3.WithPrefix()); err != nil {
		return fmt.Errorf("delete the data of %s: %w", cluster, err)
	}
	return nil
}

func (s *store) close() {
	_ = s.client.Close()
	s.etcd.Close()
}
