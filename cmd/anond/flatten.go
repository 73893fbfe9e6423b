package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// flatten turns JSON into pairs of dotted key and value, in the order of the
// text.
func flatten(data []byte) ([][2]string, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out [][2]string
	err := flattenValue(d, nil, &out)
	return out, err
}

func flattenValue(d *json.Decoder, path []string, out *[][2]string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if err := flattenValue(d, append(path, fmt.Sprint(key)), out); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := flattenValue(d, append(path, fmt.Sprint(i)), out); err != nil {
				return err
			}
		}
	case nil:
		*out = append(*out, [2]string{strings.Join(path, "."), "none"})
		return nil
	default:
		*out = append(*out, [2]string{strings.Join(path, "."), fmt.Sprint(token)})
		return nil
	}
	_, err = d.Token() // the closing one
	return err
}
