package storage

import (
	"errors"
	"fmt"
	"strconv"

	"stuckbot/storage/kv"
)

const schemaKey = "schema"

// migration changes a database from the schema before to the next one. It runs in one transaction together with the new
// version number, so that it happens as a whole or not at all, and is free of side effects outside its Tx.
type migration struct {
	name string
	run  func(kv.Tx) error
}

// migrations lists all migrations. The first leads from schema 1 to 2, and so on; none is ever changed or removed, because
// there may be a database that still needs it.
func migrations() []migration { return nil }

// latest is the schema that a list of migrations leads to.
func latest(all []migration) int { return 1 + len(all) }

var (
	// ErrNewer means: the database was written by a newer program, whose schema this one does not know. Use that program.
	ErrNewer = errors.New("schema is newer than this program")
	// ErrOlder means: the database needs a migration, and was opened read-only. Open it for writing once.
	ErrOlder = errors.New("schema is older than this program")
	// ErrNoSchema means: there are keys and no schema version, or one that is no number.
	ErrNoSchema = errors.New("no schema version")
	// ErrMigration means: a migration failed. The database is as it was before that migration.
	ErrMigration = errors.New("migration failed")
)

// SchemaError says why a database's schema cannot be used. The database was left as it was.
type SchemaError struct {
	// Kind is ErrNewer, ErrOlder, ErrNoSchema or ErrMigration.
	Kind error
	Path string
	// Found is the database's schema version, 0 when it is not known; Supported is the program's.
	Found, Supported int
	// Migration is the name of the one that failed.
	Migration string
	// Err is the error underneath, or nil.
	Err error
}

// Error implements error.
func (e *SchemaError) Error() string {
	text := fmt.Sprintf("database %s: %v: it has schema %d, this program %d", e.Path, e.Kind, e.Found, e.Supported)
	if e.Migration != "" {
		text += ", migration " + e.Migration
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the kind and the error underneath.
func (e *SchemaError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// accept decides whether a database may be used, and migrated unless it is read-only, by reading only.
func accept(tx kv.Tx, path string, readOnly bool, all []migration) error {
	found, err := schemaOf(tx)
	want := latest(all)
	fail := func(kind, err error) error {
		return &SchemaError{Kind: kind, Path: path, Found: found, Supported: want, Err: err}
	}
	switch {
	case errors.Is(err, ErrNoSchema):
		return fail(ErrNoSchema, err)
	case err != nil:
		return err
	case found > want:
		return fail(ErrNewer, nil)
	case readOnly && found != 0 && found < want:
		return fail(ErrOlder, nil)
	default:
		return nil
	}
}

// schemaOf returns the schema version, or 0 for a database without any keys: it was only just created.
func schemaOf(tx kv.Tx) (int, error) {
	value, ok, err := tx.Get(schemaKey)
	if err != nil {
		return 0, err
	}
	if ok {
		found, err := strconv.Atoi(string(value))
		if err != nil || found < 1 {
			return 0, fmt.Errorf("%w: key %s has the value %.20q", ErrNoSchema, schemaKey, value)
		}
		return found, nil
	}
	err = tx.Scan("", kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
		return false, fmt.Errorf("%w: key %s is missing, and there is %.40q", ErrNoSchema, schemaKey, key)
	})
	return 0, err
}

// migrate brings the database from the schema it has to the latest, one transaction for each migration.
func migrate(store kv.Store, path string, all []migration) error {
	for {
		var found int
		err := store.View(func(tx kv.Tx) (err error) { found, err = schemaOf(tx); return err })
		if err != nil {
			return err
		}
		next := migration{name: "create"}
		to := latest(all)
		switch {
		case found == to:
			return nil
		case found > 0:
			next, to = all[found-1], found+1
		}
		if err := step(store, next, to); err != nil {
			return &SchemaError{
				Kind: ErrMigration, Path: path, Found: found, Supported: latest(all), Migration: next.name, Err: err,
			}
		}
	}
}

func step(store kv.Store, m migration, to int) error {
	return store.Update(func(tx kv.Tx) error {
		if m.run != nil {
			if err := m.run(tx); err != nil {
				return err
			}
		}
		return tx.Put(schemaKey, []byte(strconv.Itoa(to)))
	})
}
