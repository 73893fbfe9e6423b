// Package chaos.
package chaos
