// Package gate is the auditor in front of a publisher: it gives the guarantee of an audit release by release, before a
// release is renamed into place.
//
// Guarantee: what Check lets pass, an audit of the whole chain from its files finds no fault in. It carries its certificate
// from release to release, and reads again only what is new.
package gate
