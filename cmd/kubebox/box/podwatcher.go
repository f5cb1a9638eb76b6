package box

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// podWatcher keeps a Logs object for every pod that needs one.
type podWatcher struct {
	cluster *cluster
	resolve func(*corev1.Pod) []containerLog
	pods    listers.PodLister
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
	// written holds what each pod's Logs object says. Only the worker uses it.
	written map[cache.ObjectName][]containerLog
}

// watchPods starts a watcher that ends with the cluster.
func watchPods(c *cluster, resolve func(*corev1.Pod) []containerLog) (*podWatcher, error) {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	informer := factory.Core().V1().Pods()
	w := &podWatcher{
		cluster: c, resolve: resolve, pods: informer.Lister(),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		written: map[cache.ObjectName][]containerLog{},
	}
	enqueue := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			w.queue.Add(name)
		}
	}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return nil, fmt.Errorf("watch the pods: %w", err)
	}
	factory.Start(c.ctx.Done())
	context.AfterFunc(c.ctx, w.queue.ShutDown)
	go w.work()
	return w, nil
}

// enqueue has pods looked at again, after the rules have changed. One that is not known yet comes with its event.
func (w *podWatcher) enqueue(pods []corev1.Pod) {
	for _, pod := range pods {
		w.queue.Add(cache.NewObjectName(pod.Namespace, pod.Name))
	}
}

func (w *podWatcher) work() {
	for {
		name, shutdown := w.queue.Get()
		if shutdown {
			return
		}
		if err := w.reconcile(w.cluster.ctx, name); err != nil {
			w.queue.AddRateLimited(name)
		} else {
			w.queue.Forget(name)
		}
		w.queue.Done(name)
	}
}

// reconcile makes the Logs object of a pod what the rules say.
func (w *podWatcher) reconcile(ctx context.Context, name cache.ObjectName) error {
	var want []containerLog
	pod, err := w.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err == nil {
		want = w.resolve(pod)
	}
	have := w.written[name]
	if slices.Equal(want, have) {
		return nil
	}
	objects := w.cluster.dynamic.Resource(logsResource).Namespace(name.Namespace)
	if want == nil {
		err := objects.Delete(ctx, name.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		delete(w.written, name)
		return nil
	}
	_, err = objects.Apply(ctx, name.Name, logsObject(name.Namespace, name.Name, want),
		metav1.ApplyOptions{FieldManager: program, Force: true})
	if err != nil {
		return err
	}
	w.written[name] = want
	return nil
}
