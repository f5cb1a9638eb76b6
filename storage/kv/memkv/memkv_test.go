package memkv_test

import (
	"testing"

	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
	"stuckbot/storage/kv/memkv"
)

func TestConformance(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return memkv.New() })
}
