package publish_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestNothingOfAReleaseIsHeldBehindIt: once a release is public, what it was rendered from can be let go, so that a daemon needs
// no more memory the more releases it has made.
func TestNothingOfAReleaseIsHeldBehindIt(t *testing.T) {
	for _, of := range growingChains(1) {
		t.Run(of.name, func(t *testing.T) {
			p := publisher(snapshot.OS(), t.TempDir())
			require.NoError(t, p.Open())
			var held []weak.Pointer[render.Input]
			for release := 1; release <= 4; release++ {
				in := publish.Of(of.next(t, release))
				held = append(held, weak.Make(in))
				_, err := p.Publish(in, of.settings)
				require.NoError(t, err)
			}
			runtime.GC()
			for i, in := range held {
				require.Nil(t, in.Value(), "what release %d was rendered from", i+1)
			}
			require.Equal(t, uint32(4), p.Sizes().Release)
		})
	}
}
