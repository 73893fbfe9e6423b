package snapshot

// AppendField appends a text as a CSV field (RFC 4180): quoted if it holds a
// comma, a quote, CR or LF.
func AppendField(buf []byte, text string) []byte {
	if !needsQuotes(text) {
		return append(buf, text...)
	}
	buf = append(buf, '"')
	for i := range len(text) {
		if text[i] == '"' {
			buf = append(buf, '"')
		}
		buf = append(buf, text[i])
	}
	return append(buf, '"')
}

func needsQuotes(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ',', '"', '\n', '\r':
			return true
		}
	}
	return false
}

// AppendRow appends a row as data files have it: what Rows reads of it are the cells.
func AppendRow(buf []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = AppendField(buf, cell)
	}
	return append(buf, '\n')
}
