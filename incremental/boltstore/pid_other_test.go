//go:build !linux

package boltstore_test

func holderText(int) string { return "" }
