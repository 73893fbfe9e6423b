package cuts_test

import (
	"testing"

	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/cuts"
)

func TestMedian(t *testing.T) { equivtest.Run(t, cuts.Median{}) }
func TestDrawn(t *testing.T)  { equivtest.Run(t, cuts.Drawn{}) }
