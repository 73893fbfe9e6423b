package publish

// Mark remembers what the publisher stands behind.
func (p *Publisher) Mark() (back func()) {
	was := p.at.Carried
	return func() { p.at.Carried = was }
}
