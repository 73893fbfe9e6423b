package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/google/rpmpack"
)

// The scripts run as root: when a package is installed, and when it is removed.
var (
	//go:embed pre
	pre string
	//go:embed post
	post string
	//go:embed preun
	preun string
	//go:embed postun
	postun string
)

const description = `anond reads records of persons from Kafka, files or standard input, and
publishes anonymized tables, again and again. Someone who keeps all of them,
and believed the same of everybody before, cannot infer a published person's
sensitive value with a probability above 1/l. anond-deliver takes them to Kafka and PostgreSQL, anond-lake writes them
as Parquet files and Apache Iceberg tables, anond-lab measures them.`

// architectures are Go's names, and RPM's.
var architectures = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// pack makes a package of the files of a tree. Its version is that of the program: a dash,
// which RPM does not allow, becomes a tilde, so that 0.2.0-dev comes before 0.2.0.
func pack(tree fs.FS, arch, version string, made time.Time) (*rpmpack.RPM, error) {
	known, ok := architectures[arch]
	if !ok {
		return nil, fmt.Errorf("architecture %q is not known", arch)
	}
	needs, err := needed()
	if err != nil {
		return nil, err
	}
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{Name: "anond", Version: strings.ReplaceAll(version, "-", "~"), Release: "1", Arch: known,
		Summary: "Refreshed anonymized releases from a stream of records", Description: description, Licence: "not chosen yet",
		Packager: "the anond project <anond@localhost>", Group: "Applications/Databases", BuildHost: "localhost", BuildTime: made,
		Epoch: rpmpack.NoEpoch, Compressor: "gzip", Requires: needs, Recommends: rpmpack.Relations{{Name: "ca-certificates"}}})
	if err != nil {
		return nil, err
	}
	if err := add(p, tree, made); err != nil {
		return nil, err
	}
	p.AddPrein(pre)
	p.AddPostin(post)
	p.AddPreun(preun)
	p.AddPostun(postun)
	return p, nil
}

// needed is what the scripts call, and what of RPM itself reads the package.
func needed() (out rpmpack.Relations, err error) {
	for _, text := range []string{"/bin/sh", "/usr/bin/getent", "/usr/sbin/groupadd", "/usr/sbin/useradd"} {
		if err := out.Set(text); err != nil {
			return nil, err
		}
	}
	for _, f := range [][2]string{{"CompressedFileNames", "3.0.4-1"}, {"FileDigests", "4.6.0-1"},
		{"TildeInVersions", "4.10.0-1"}} {
		out = append(out, &rpmpack.Relation{Name: "rpmlib(" + f[0] + ")", Version: f[1],
			Sense: rpmpack.SenseLess | rpmpack.SenseEqual | rpmpack.SenseRPMLIB})
	}
	return out, nil
}

const directory = 0o040000

// add adds the files of the tree, which belong to root, and the directory of configurations,
// which the daemon can read and others cannot. Directories of the system are not the
// package's, those that carry its name are.
func add(p *rpmpack.RPM, tree fs.FS, made time.Time) error {
	at := uint32(made.Unix())
	p.AddFile(rpmpack.RPMFile{Name: "/etc/anond", Mode: directory | 0o750, Owner: "root", Group: "anond", MTime: at})
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f := rpmpack.RPMFile{Name: "/" + name, Owner: "root", Group: "root", MTime: at}
		switch {
		case d.IsDir():
			if path.Base(name) != "anond" {
				return nil
			}
			f.Mode = directory | 0o755
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no plain file", name)
		default:
			if f.Body, err = fs.ReadFile(tree, name); err != nil {
				return err
			}
			f.Mode, f.Type = modeOf(name), typeOf(name)
		}
		p.AddFile(f)
		return nil
	})
}

func modeOf(name string) uint {
	if strings.HasPrefix(name, "usr/bin/") {
		return 0o755
	}
	return 0o644
}

func typeOf(name string) rpmpack.FileType {
	if strings.HasPrefix(name, "usr/share/doc/") || strings.HasPrefix(name, "usr/share/man/") {
		return rpmpack.DocFile
	}
	return rpmpack.GenericFile
}
