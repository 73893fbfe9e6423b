package publish_test

import (
	"anond/snapshot/render"
)

// renderBehind renders a release behind another one, whose history the input has.
func renderBehind(in *render.Input, s *render.Settings, prev *render.Rendered, files render.Files) (*render.Rendered, error) {
	from := render.NewCarried()
	if prev != nil {
		var err error
		if from, err = render.CarriedFrom(in.Before(), s, &prev.Manifest, prev.SHA256); err != nil {
			return nil, err
		}
	}
	return render.Render(in, s, from, files)
}
