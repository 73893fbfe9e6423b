package equivclass

// Source is where random numbers come from: 64 independent uniform bits a call.
// Releases pass a generator keyed from secret state, one-off tools crypto/rand.
type Source interface{ Uint64() uint64 }
