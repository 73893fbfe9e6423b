package equivclass

// Source is where random numbers come from: 64 independent uniform bits for
// each call. Releases pass a generator keyed from the secret seed in state,
// one-off tools crypto/rand.
type Source interface{ Uint64() uint64 }
