package storage_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/storage"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/memkv"
)

// fullResult has a value other than zero in every field of every type that a sweep consists of, by reflection: a field that
// is added to one of them, and forgotten in the stored form, fails the round trip.
func fullResult() sweep.Result {
	var r sweep.Result
	n := 0
	fill(reflect.ValueOf(&r).Elem(), &n)
	return r
}

func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(noon.Add(time.Duration(*n) * time.Nanosecond)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[error]() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&> é\u2028", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	default:
		panic("a sweep.Result now has a field of kind " + v.Kind().String() + "; fill it here and store it")
	}
}

func TestASweepComesBackAsItWas(t *testing.T) {
	full := fullResult()
	empty := sweep.Result{
		At: noon.Add(time.Nanosecond),
		Clusters: []sweep.Cluster{
			{Name: "not counted", Counts: map[checks.System]map[checks.State]int{checks.SystemHelm: nil}},
			{Name: "nothing there", Counts: map[checks.System]map[checks.State]int{checks.SystemHelm: {}}, Labels: map[string]string{}},
		},
		Observations: []checks.Observation{}, Unreadable: []checks.Unreadable{},
	}
	east := time.FixedZone("east", 5*3600+1800+7) // JSON cannot express the seconds
	zoned := minutes(1)
	zoned.At = zoned.At.In(east)
	zoned.Observations = []checks.Observation{{Since: noon.In(east), Helm: &checks.HelmFacts{Head: checks.HelmRecord{Created: noon.In(east)}}}}
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		for name, want := range map[string]sweep.Result{"full": full, "empty": empty, "zoned": zoned, "bare": minutes(2)} {
			sweeps := storage.NewSweeps(store)
			save(t, sweeps, want)
			got, err := sweeps.List(want.At.Add(time.Nanosecond), 1)
			if err != nil || len(got) != 1 {
				t.Fatalf("%s: %d results, %v", name, len(got), err)
			}
			if diff := cmp.Diff(want, got[0]); diff != "" {
				t.Errorf("%s (-saved +listed):\n%s", name, diff)
			}
			if got[0].At.Location() != time.UTC {
				t.Errorf("%s: at is in %v; want UTC", name, got[0].At.Location())
			}
		}
	})
}

func TestTheErrorInsideAFailureIsNotStored(t *testing.T) {
	want := minutes(0)
	failure := checks.Failure{Kind: checks.FailureTimeout, Host: "host", Detail: "no answer", Err: errors.New("secret details")}
	want.Clusters = []sweep.Cluster{{Name: "a", Failure: &failure}}
	want.Unreadable = []checks.Unreadable{{Cluster: "a", What: "pods", Failure: failure}}
	store := memkv.New()
	save(t, storage.NewSweeps(store), want)
	got, ok, err := storage.NewSweeps(store).Latest()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(checks.Failure{}, "Err")); diff != "" {
		t.Error(diff)
	}
	if got.Clusters[0].Failure.Err != nil || got.Unreadable[0].Failure.Err != nil {
		t.Error("an error came back")
	}
	for key, value := range dump(t, store) {
		if strings.Contains(value, "secret details") {
			t.Errorf("key %s holds the error's text", key)
		}
	}
}

// TestKeysSortByTime covers every width that a time can have when it is not padded.
func TestKeysSortByTime(t *testing.T) {
	sweeps := storage.NewSweeps(memkv.New())
	times := []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(999, 12, 31, 23, 59, 59, 999, time.UTC),
		noon, noon.Add(time.Nanosecond), noon.Add(100 * time.Millisecond), noon.Add(time.Second - time.Nanosecond),
		noon.Add(time.Second), noon.Add(10 * time.Hour), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
	}
	for _, i := range []int{4, 0, 8, 2, 6, 1, 7, 3, 5} {
		save(t, sweeps, sweep.Result{At: times[i]})
	}
	listed, err := sweeps.List(time.Time{}, 100)
	if err != nil || len(listed) != len(times) {
		t.Fatal(len(listed), err)
	}
	slices.Reverse(listed)
	for i, r := range listed {
		if !r.At.Equal(times[i]) {
			t.Errorf("number %d is %v; want %v", i, r.At, times[i])
		}
	}
}

func TestTimesThatCannotBeKeysAreRefused(t *testing.T) {
	sweeps := storage.NewSweeps(memkv.New())
	for _, at := range []time.Time{{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if err := sweeps.Save(sweep.Result{At: at}); err == nil {
			t.Errorf("a sweep at %v was saved", at)
		}
		if _, err := sweeps.Prune(at, 1); err == nil {
			t.Errorf("pruned before %v", at)
		}
		if _, err := sweeps.List(at, 1); err == nil && !at.IsZero() {
			t.Errorf("listed before %v", at)
		}
	}
}
