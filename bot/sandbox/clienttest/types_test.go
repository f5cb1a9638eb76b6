package clienttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBlocksAreSlacksTypes compiles what the bot emits, as the golden messages keep it, against the types of Slack's own
// library.
func TestBlocksAreSlacksTypes(t *testing.T) {
	needNode(t)
	files, err := filepath.Glob("../../../testdata/golden/chat/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d golden messages, %v", len(files), err)
	}
	offset := regexp.MustCompile(`(?m)^\s*"offset": 0,$\n`)
	var source strings.Builder
	source.WriteString("import type { KnownBlock } from '@slack/types';\nexport const messages: KnownBlock[][] = [\n")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, blocks, _ := strings.Cut(string(data), "\n")
		// slack-go writes a list's offset also when it is 0; Slack documents the field and its types lack it.
		blocks = offset.ReplaceAllString(blocks, "")
		source.WriteString(strings.ReplaceAll(blocks, "\n]\n", "\n],\n"))
	}
	source.WriteString("];\n")
	path := "emitted_test_blocks.mts"
	if err := os.WriteFile(path, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(path) }) // the compiler has read it
	node(t, nil, "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", path)
}
