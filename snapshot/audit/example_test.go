package audit_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"anond/snapshot/audit"
)

// A table of one class: four people, two illnesses twice each.
const exampleTable = `age,illness,class
"[30,40]",asthma,1
"[30,40]",asthma,1
"[30,40]",flu,1
"[30,40]",flu,1
`

const exampleManifest = `{
  "format_version": 6,
  "dataset": "clinic",
  "release": 1,
  "created_at": "2026-01-02T03:04:05Z",
  "seeded": false,
  "schema": [
    {
      "name": "age",
      "role": "quasi",
      "type": "integer"
    },
    {
      "name": "illness",
      "role": "sensitive",
      "type": "categorical"
    }
  ],
  "policy": {
    "k": 4,
    "l": 2,
    "diversity": [],
    "republication": "append",
    "max_regroups": 0
  },
  "recoding": "generalization",
  "records": 4,
  "classes": 1,
  "pending": 0,
  "parts": [
    {
      "part": "part-000001",
      "release": 1,
      "classes": 1,
      "rows": 4,
      "mode": "0444",
      "files": [
        {
          "name": "data.csv",
          "sha256": "%x",
          "bytes": %d,
          "rows": 4
        }
      ]
    }
  ],
  "documents": [
    {
      "name": "datapackage.json",
      "sha256": "%x",
      "bytes": %d
    },
    {
      "name": "receiver.md",
      "sha256": "%x",
      "bytes": %d
    }
  ],
  "quality": {},
  "privacy": {
    "k_min": 4,
    "max_frequency": 0.5,
    "certificate": "frozen",
    "level": "L0+L1",
    "k1": "rows"
  },
  "previous": null
}
`

// Dir needs the directory of the releases alone; with both private exports it
// can certify what it reads.
func ExampleDir() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	hash := func(text string) [32]byte { return sha256.Sum256([]byte(text)) }
	pack := fmt.Sprintf(`{"resources": [{"path": "part-000001/data.csv", "bytes": %d, "hash": "sha256:%x"}]}`,
		len(exampleTable), hash(exampleTable))
	sheet := "For receivers.\n"
	for name, text := range map[string]string{
		"CURRENT":                     "000001\n",
		"000001/part-000001/data.csv": exampleTable,
		"000001/manifest.json": fmt.Sprintf(exampleManifest, hash(exampleTable), len(exampleTable), hash(pack), len(pack),
			hash(sheet), len(sheet)),
		"000001/datapackage.json": pack,
		"000001/receiver.md":      sheet,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o444); err != nil {
			panic(err)
		}
	}
	exports := &audit.Exports{
		Members: []byte("release,record,part,class\n1,feed:0:0,part-000001,1\n1,feed:0:1,part-000001,1\n" +
			"1,feed:0:2,part-000001,1\n1,feed:0:3,part-000001,1\n"),
		Records: []byte("record,arrived_in_release,age,illness\n" +
			"feed:0:0,1,30,flu\nfeed:0:1,1,34,asthma\nfeed:0:2,1,40,flu\nfeed:0:3,1,36,asthma\n"),
	}
	for _, private := range []*audit.Exports{nil, exports} {
		report, err := audit.Dir(audit.Options{Releases: dir, Private: private})
		if err != nil {
			panic(err)
		}
		fmt.Println(report.Verdict)
		if c := report.Certificates; c != nil {
			fmt.Printf("%d people in frozen classes, largest probability of a value %.2f\n", c.FrozenRecords, c.MaxPosterior)
		}
	}
	// Output:
	// consistent
	// certified
	// 4 people in frozen classes, largest probability of a value 0.50
}
