package publish_test

import (
	"bytes"
	"io"
	"path/filepath"

	"anond/snapshot"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
)

// The hospital of these tests.
type (
	person    = publishtest.Person
	testClass = publishtest.Class
	deadClass = publishtest.Dead
	openGate  = publishtest.OpenGate
)

const postcodes = publishtest.Postcodes

var (
	testView, hospitalView, hospitalClasses = publishtest.View, publishtest.HospitalView, publishtest.Classes
	hospital, patients, tree                = publishtest.Hospital, publishtest.Patients, publishtest.Tree
	settings, joinParts, buried             = publishtest.Settings, publishtest.JoinParts, publishtest.Buried
	longerViews, publishBy                  = publishtest.LongerViews, publishtest.PublishBy
)

var testSeed = [32]byte{1, 2, 3}

// memory is a rendering kept in memory.
type memory map[string]*bytes.Buffer

type closer struct{ *bytes.Buffer }

func (closer) Close() error { return nil }

// diskFiles is a rendering of a first release in a directory.
type diskFiles struct {
	render.Files
	dir string
}

func (d diskFiles) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.dir, name)
	if err := snapshot.OS().MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return snapshot.OS().Create(path)
}
