package publish

// Mark remembers what the publisher stands behind.
func (p *Publisher) Mark() (back func()) {
	was := p.at.Carried
	return func() { p.at.Carried = was }
}

// DecodeIntent is decodeIntent for tests: what it reads, written again, and the shards.
func DecodeIntent(data []byte) (again []byte, shards []int, err error) {
	i, err := decodeIntent(data)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range i.Shards {
		shards = append(shards, s.Shard)
	}
	again, err = i.encode()
	return again, shards, err
}
