package config

import "anond/internal/sealed"

// Encryption is the block `encryption`: the key of what anond keeps at rest. Without
// one nothing is encrypted.
type Encryption struct {
	Key     Secret
	Command []string // prints the key; run without a shell
}

// Set reports whether there is a key.
func (e *Encryption) Set() bool { return e.Key.Set() || len(e.Command) > 0 }

func (e *Encryption) keys() []key {
	return []key{
		{path: "encryption.key", value: secret(&e.Key), derived: "none: nothing is encrypted",
			doc: "Key of 32 random bytes, as 64 hexadecimal digits or in base64 (`openssl rand -hex 32`); preferably ${file:/run/secrets/...} " +
				"or ${VAR}. Never shown. With it the state, its backups and the payloads of dead letters are encrypted with AES-256-GCM. " +
				"An existing state gets it with `anond state rekey`. Whoever loses the key has lost the state."},
		{path: "encryption.key_command", value: list[string]{&e.Command, text}, derived: "none",
			doc: "In place of encryption.key: a program and its arguments, run without a shell at each start, that prints the key within " +
				"30 seconds, such as [vault, kv, get, -field=key, secret/anond]."},
	}
}

func (c *Config) checkEncryption(r *reader) {
	const full, command = "encryption.key", "encryption.key_command"
	e := &c.Encryption
	if !r.sound(full, command) {
		return
	}
	if e.Key.Set() && len(e.Command) > 0 {
		r.fault(command, "does not belong to encryption.key", "write one of the two")
	}
	if len(e.Command) > 0 && e.Command[0] == "" {
		r.fault(command, "has an empty program", "write the path of a program")
	}
	if e.Key.Set() {
		if _, err := sealed.ParseKey(e.Key.Reveal()); err != nil {
			r.fault(full, "is no key of 32 bytes", "write 64 hexadecimal digits: openssl rand -hex 32")
		}
	}
}
