package snapshot

// RenderBehind is Render behind a release, whose history the input has.
func RenderBehind(in *Input, s *Settings, prev *Rendered, files Files) (*Rendered, error) {
	from := newStanding()
	if prev != nil {
		var err error
		if from, err = standingOf(in.before(), s, &prev.Manifest, prev.SHA256); err != nil {
			return nil, err
		}
	}
	return render(in, s, from, files)
}
