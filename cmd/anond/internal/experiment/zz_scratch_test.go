package experiment

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	f := strings.Split(os.Getenv("SCRATCH"), ";")
	o := FrontierOptions{Data: "/work/shared/data/adult.csv.gz", Seed: 1, Bare: f[4] == "bare"}
	o.K, _ = strconv.Atoi(f[0])
	o.L, _ = strconv.Atoi(f[1])
	if f[2] != "" {
		o.Policies = strings.Split(f[2], ",")
	}
	if f[3] != "" {
		for _, h := range strings.Split(f[3], ",") {
			v, _ := strconv.ParseInt(h, 10, 64)
			o.MaxHolds = append(o.MaxHolds, v)
		}
	}
	r, err := Frontier(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Rows {
		fmt.Printf("| %s | %d | %d | %.2f | %.2f | %d | %.4f | %.4f | %.2f%% | %.1f%% | %d | %.1f |\n", x.Policy, x.Pool, x.MaxHold, x.MeanHold, x.MeanHoldStreamed, x.LongestHold, x.NCPInterval, x.NCPEngine, 100*x.Never, 100*x.Regrouped, x.Releases, x.Seconds)
	}
}
