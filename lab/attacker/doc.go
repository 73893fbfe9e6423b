// Package attacker is someone who reads the program. They have a release, know
// where everybody lies and who is in which class, and ask what the program would
// have done with other values.
//
// Guarantee: an attack gets the bags that are published, and never the values
// themselves (Public). The seed fixes all numbers. What Sample draws is tested
// against the enumeration of all worlds; a program that decides by values is found,
// and one that is blind to them yields the published shares.
//
// Method: three attacks, on Extract, on Mondrian, and on classes that are formed
// blind and share buckets by Merge (rule B, buckets, at level L2).
//
//   - Swaps: exchange two values and run the program again. The share of exchanges
//     that leave its output as it is says how symmetric it is; 1 is no leak.
//   - LocalOptimum: no program runs again. Each program stops where no step of it
//     improves anything, or does not cut where a side would not be diverse. That
//     the steps not taken were impossible is a condition on the values (Rules).
//     Worlds that agree with all bags are drawn by how many conditions they break.
//   - Replay: worlds that agree with all bags are drawn among those for which the
//     program gives the observed classes and buckets. It is exact in the limit, and
//     feasible for small pools.
//
// Difference from the papers: the minimality attack (Wong, Fu, Wang and Pei, VLDB
// 2007) reasons in the same way about one algorithm, class by class.
//
// Cost: LocalOptimum seconds for 15,000 people, Replay seconds for 60.
//
// Source: ours.
package attacker
