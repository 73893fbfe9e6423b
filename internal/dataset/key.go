package dataset

import (
	"context"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/fault"
	"anond/internal/sealed"
	"anond/internal/secret"
)

// StateOptions are what the state of a configuration is opened with.
func StateOptions(ctx context.Context, c *config.Config) (boltstore.Options, error) {
	key, err := KeyOf(ctx, c)
	return boltstore.Options{MaxBytes: c.State.MaxBytes, Key: key}, err
}

// KeyOf returns the key of a configuration; the zero Key if it names none.
func KeyOf(ctx context.Context, c *config.Config) (sealed.Key, error) {
	switch e := c.Encryption; {
	case e.Key.Set():
		return sealed.ParseKey(e.Key.Reveal())
	case len(e.Command) > 0:
		return keyFromCommand(ctx, e.Command)
	}
	return sealed.Key{}, nil
}

// keyOutput is the most that a program may print as a key, in bytes.
const keyOutput = 4096

// keyFromCommand runs a program that prints the key.
func keyFromCommand(ctx context.Context, command []string) (sealed.Key, error) {
	text, err := secret.Printed(ctx, command, keyOutput)
	var key sealed.Key
	if err == nil {
		key, err = sealed.ParseKey(text)
	}
	if err != nil {
		return sealed.Key{}, fault.Errorf(fault.Config, "see that the program prints the key, and nothing else",
			"encryption.key_command %s: %w", command[0], err)
	}
	return key, nil
}
