// Package box runs real Kubernetes control planes on one machine: a kubebox.
//
// # What runs
//
// etcd runs in the kubebox process and serves all clusters, each below its own key prefix. For each cluster three child
// processes of the same binary run: kube-apiserver, kube-controller-manager with the controllers that a release needs, and
// kwok, which simulates the nodes node-1 and node-2. Everything listens on 127.0.0.1 at ports that the kernel chose; etcd
// asks for no credentials there, everything else for a token or, in the other direction, a certificate of the cluster's own
// authority, whose key stays in memory.
//
// # What stays when it ends
//
// Nothing. Four mechanisms see to it, from the mildest end to the hardest:
//   - Up cleans up when it is told to stop, when the process that started it is gone, when a part dies, when its command
//     ends. Children are killed, not asked: their data is deleted anyway.
//   - Children read a pipe that only kubebox can write to and exit when it is closed (HoldLeash), and on Linux the kernel
//     kills them with kubebox even while they are stopped. So kubebox may be killed.
//   - What a killed kubebox left on disk is listed in DIR/control.json; the next one on the directory deletes exactly that.
//   - DIR/kubebox.lock is locked by the kernel while kubebox lives, so that no second one can mistake it for dead.
//
// # Layout of the directory
//
//	kubebox.lock                 locked while kubebox lives
//	control.json                 address and token for orders, and what kubebox made (type control); mode 0600
//	etcd/                        etcd's data and etcd.log
//	<cluster>/                   certificates, keys, the admin's token, a kubeconfig for the children, kwok.yaml
//	<cluster>/<component>.log    what each child writes
//	<cluster>/logs/              what the logs of pods return
//
// # Costs
//
// Measured on 2 cores that were busy with other work half of the time: one cluster is ready after 3.8 s, three that start
// together after 8.6 s. Starting a cluster takes 3.5 to 4 CPU seconds, almost all of it the API server building its handlers
// and its OpenAPI documents; two thirds of a second is etcd's part. An idle cluster takes 2.6 % of one core (API server 1.8,
// controllers 0.3, kwok 0.1, its share of etcd 0.4) and 270 MB of memory (API server 205, controllers 38, kwok 25); kubebox
// with etcd takes 63 MB once. Stopping takes half a second.
package box
