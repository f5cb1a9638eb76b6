package slack

import (
	"strings"
	"testing"

	"stuckbot/bot"
)

func BenchmarkSplit2000Lines(b *testing.B) {
	m := sweepOf(2000)
	for b.Loop() {
		split(m)
	}
}

func BenchmarkSplitMegabyte(b *testing.B) {
	for name, text := range map[string]string{
		"words": strings.Repeat("word ", 200000), "flags": strings.Repeat("🇳🇱", 100000), "marks": strings.Repeat("e\u0301", 300000),
	} {
		b.Run(name, func(b *testing.B) {
			m := bot.Message{Summary: "x", Blocks: []bot.Block{bot.Pre(text), bot.Text(bot.T(text))}}
			for b.Loop() {
				split(m)
			}
		})
	}
}

func BenchmarkRenderPage(b *testing.B) {
	page := split(sweepOf(2000))[1]
	for b.Loop() {
		if _, err := render(page); err != nil {
			b.Fatal(err)
		}
	}
}
