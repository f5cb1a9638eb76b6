package box

import "strings"

// apiServerFlags are the flags of a cluster's API server. What is not named is as in any cluster.
func (c *cluster) apiServerFlags() []string {
	return []string{
		"--etcd-servers=" + c.storeURL,
		"--etcd-prefix=" + prefix(c.name),
		"--bind-address=" + loopback,
		"--secure-port=" + c.apiPort.String(),
		"--tls-cert-file=" + c.file("api.crt"),
		"--tls-private-key-file=" + c.file("api.key"),
		"--token-auth-file=" + c.file("tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.file("sa.pub"),
		"--service-account-signing-key-file=" + c.file("sa.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		// Without it the server would look for an address of this machine that others can reach.
		"--endpoint-reconciler-type=none",
		"--advertise-address=" + loopback,
		// The simulated nodes' names do not resolve; their addresses do.
		"--kubelet-preferred-address-types=InternalIP",
		"--kubelet-certificate-authority=" + c.file("ca.crt"),
		// Each of these waits for a controller that does not run here: pods would lack tokens, nodes would keep the taint
		// not-ready, and claims for volumes could not be deleted.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection",
		// The rest is for quiet: nothing that only measures, no upkeep of data that lives for hours, no lease of the server's
		// identity.
		"--profiling=false",
		"--etcd-compaction-interval=0",
		"--etcd-count-metric-poll-period=0",
		"--etcd-db-metric-poll-interval=0",
		"--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false",
	}
}

// controllerNames are the controllers that run: what a release and its removal need, service accounts, disruption
// budgets, and the rules of the roles view, edit and admin.
var controllerNames = []string{
	"clusterrole-aggregation-controller",
	"cronjob-controller",
	"daemonset-controller",
	"deployment-controller",
	"disruption-controller",
	"garbage-collector-controller",
	"job-controller",
	"namespace-controller",
	"replicaset-controller",
	"resourcequota-controller",
	"serviceaccount-controller",
	"statefulset-controller",
}

func (c *cluster) controllerFlags() []string {
	return []string{
		"--kubeconfig=" + c.file("kubeconfig"),
		"--controllers=" + strings.Join(controllerNames, ","),
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}

func (c *cluster) kwokFlags() []string {
	return []string{
		"--kubeconfig=" + c.file("kubeconfig"),
		"--config=" + c.file("kwok.yaml"),
		"--manage-all-nodes",
		"--node-ip=" + loopback,
		"--node-port=" + c.kubeletPort.String(),
		"--server-address=" + c.kubeletPort.address(),
		"--tls-cert-file=" + c.file("kubelet.crt"),
		"--tls-private-key-file=" + c.file("kubelet.key"),
		"--enable-crds=Logs",
		// No leases for the nodes: no controller here watches them, and renewing them is most of what kwok does when idle.
		"--node-lease-duration-seconds=0",
	}
}
