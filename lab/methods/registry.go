package methods

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/lab/bucketize"
	"anond/lab/topdown"
)

// all is what most methods keep in their classes.
const all = "k, l and the extra principles in every class"

// plain is the constructor of a partitioner that draws nothing.
func plain(p equivclass.Partitioner) func(Options) equivclass.Partitioner {
	return func(Options) equivclass.Partitioner { return p }
}

// drawn is the constructor of a partitioner that draws.
func drawn(p equivclass.Drawing) func(Options) equivclass.Partitioner {
	return func(o Options) equivclass.Partitioner { return p.WithSeed(o.Seed) }
}

// All lists the methods, in the order of the pages of lab/docs/methods.
func All() []Method {
	return slices.Concat(extraction, wang, mondrian, generalizing, bucketizing, rings, localBuckets)
}

var extraction = []Method{
	{Name: "extract", Recoding: generalization, Guarantee: all + "; the daemon's default",
		Source: "ours, on k-member clustering (Byun et al., DASFAA 2007)",
		build:  func(o Options) equivclass.Partitioner { return extract.Extract{Workers: o.Workers} }},
}

var wang = []Method{
	{Name: "wang-close-k", Recoding: generalization, Guarantee: all + "; classes of hardly more than k",
		Source: "Wang, Xu and Sun, eq. 8", build: plain(topdown.WangCloseK{})},
	{Name: "wang-median", Recoding: generalization, Guarantee: all,
		Source: "Wang, Xu and Sun, eq. 7", build: plain(topdown.WangMedian{})},
}

var mondrian = []Method{
	{Name: "mondrian", Recoding: generalization, Guarantee: all + "; equal rows share a class",
		Source: "LeFevre et al., ICDE 2006, strict", build: plain(topdown.Mondrian{})},
	{Name: "mondrian-relaxed", Recoding: generalization, Guarantee: all + "; with k alone, classes of k to 2k-1",
		Source: "LeFevre et al., ICDE 2006, relaxed", build: plain(topdown.MondrianRelaxed{})},
	{Name: "mondrian-both", Recoding: generalization, Guarantee: all + "; cuts on either side of the median",
		Source: "ours, on strict Mondrian", build: plain(topdown.MondrianBoth{})},
}

var generalizing = []Method{
	{Name: "single-dimensional", Recoding: generalization, Guarantee: all + "; a value has one interval in the whole table",
		Source: "LeFevre et al., ICDE 2006, definition 4", build: plain(topdown.SingleDimensional{})},
	{Name: "multi", Recoding: generalization, Guarantee: all + "; cuts along hierarchies",
		Source: "Sun et al., ICEBE 2009, Multi(p,k)", build: plain(topdown.Multi{})},
	{Name: "org", Recoding: generalization, Guarantee: all + "; one depth of each hierarchy in the whole table",
		Source: "Truta and Vinay 2006, after Samarati; Org(p,k) of Sun et al.", build: plain(topdown.FullDomain{})},
	{Name: "ncp-split", Recoding: generalization, Guarantee: all,
		Source: "Xu et al., KDD 2006, as in lgb-ncp of Li, He and Sun", build: drawn(topdown.NCPSplit{})},
	{Name: "ncp-split-fixed", Recoding: generalization, Guarantee: all + "; cuts on where ncp-split stops",
		Source: "ours, on Xu et al.", build: drawn(topdown.NCPSplit{Fixed: true})},
}

var bucketizing = []Method{
	{Name: "anatomy", Recoding: anatomy, Guarantee: all + "; if k <= l, no value twice in a group",
		Source: "Xiao and Tao, VLDB 2006", build: drawn(bucketize.Anatomy{})},
	{Name: "aip", Recoding: anatomy, Guarantee: all + "; blocks that follow the correlated attributes",
		Source: "Zhu et al., ComSIS 2015, algorithm 1", build: drawn(bucketize.AIP{})},
	{Name: "arp", Recoding: anatomy, Guarantee: all + "; if k <= l, no value twice in a group",
		Source: "Zhu et al., ComSIS 2015, algorithm 2", build: drawn(bucketize.ARP{})},
	{Name: "arp-up", Recoding: anatomy, Guarantee: all + "; if k <= l, no value twice in a group",
		Source: "ours, on Zhu et al.", build: plain(bucketize.ARPUp{})},
	{Name: "p-sensitive", Recoding: anatomy, Guarantee: all + "; ask for -p",
		Source: "Sun et al., ICEBE 2009", build: plain(topdown.PSensitive{})},
	{Name: "p-sensitive-ncp", Recoding: anatomy, Guarantee: all + "; ask for -p",
		Source: "ours, on Sun et al.", build: plain(topdown.PSensitiveNCP{})},
	{Name: "permutation", Recoding: permutation, Guarantee: all + "; with l alone, groups of l to 2l-1 and no value twice",
		Source: "Li, He, Cao and Chen, J. Intell. Inf. Syst. 2016", build: drawn(bucketize.Permutation{})},
	{Name: "permutation-near", Recoding: permutation,
		Guarantee: all + "; with l alone, groups of l records or a few more and no value twice",
		Source:    "ours, on Li, He, Cao and Chen", build: plain(bucketize.PermutationNear{})},
}

var rings = []Method{
	{Name: "ng", Recoding: generalization, Only: true,
		Guarantee: "l neighbours of different values behind each row; no promise at level L0, none across releases",
		Source:    "Wong, Mamoulis and Cheung, SIGMOD 2010, as in Zhu et al.",
		build:     drawn(bucketize.Ring{})},
}

var localBuckets = []Method{
	{Name: "lgb-mdp", Recoding: lgb, Only: true,
		Guarantee: "k in every class; each semi-sensitive attribute its own l or t, l if arrangements of rows are counted (level rows)",
		Source:    "Li, He and Sun, algorithm 3", By: "mondrian"},
	{Name: "lgb-ncp", Recoding: lgb, Only: true, Guarantee: "as lgb-mdp",
		Source: "Li, He and Sun, algorithm 4", By: "ncp-split"},
	{Name: "lgb-fixed", Recoding: lgb, Only: true,
		Guarantee: "k in every class; each semi-sensitive attribute its own l or t, l at levels L0 and L1; holds fewer records",
		Source:    "ours, on Li, He and Sun", By: "ncp-split-fixed", Fold: true, Nested: true},
}
