// Package hospital makes a synthetic stream of hospital admissions, with the
// correlations that make anonymization hard. The same seed gives the same stream.
package hospital

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Admission is one record of the stream.
type Admission struct {
	Patient   string `json:"patient"`
	Age       int    `json:"age"`
	Sex       string `json:"sex"`
	Postcode  string `json:"postcode"`
	Admission string `json:"admission"`
	Diagnosis string `json:"diagnosis"`
}

// Stream generates admissions one by one.
type Stream struct {
	rng      *rand.Rand
	patients []Admission // earlier patients, up to a maximum
	made     int
}

// New returns the stream of a seed.
func New(seed uint64) *Stream {
	return &Stream{rng: rand.New(rand.NewPCG(seed, 0x686f7370))}
}

// returning is the share of admissions of earlier patients.
const returning = 0.03

// Next returns the next admission. Diagnosis depends on age, sex, place and on
// how the patient came; some people come again, with the same or another
// diagnosis.
func (s *Stream) Next() Admission {
	if len(s.patients) > 0 && s.rng.Float64() < returning {
		a := s.patients[s.rng.IntN(len(s.patients))]
		a.Admission = s.kindOfAdmission(a.Age)
		a.Diagnosis = s.diagnosis(a)
		return a
	}
	s.made++
	a := Admission{Patient: fmt.Sprintf("P%07d", s.made), Age: s.age(), Sex: pick(s.rng, []string{"F", "M"}, []float64{52, 48}),
		Postcode: s.postcode()}
	a.Admission = s.kindOfAdmission(a.Age)
	a.Diagnosis = s.diagnosis(a)
	if len(s.patients) < 5000 {
		s.patients = append(s.patients, a)
	}
	return a
}

// age has the two humps of a hospital: small children, and the old.
func (s *Stream) age() int {
	mean, dev := 62.0, 18.0
	switch x := s.rng.Float64(); {
	case x < 0.12:
		mean, dev = 3, 4
	case x < 0.45:
		mean, dev = 36, 11
	}
	return min(99, max(0, int(mean+dev*s.rng.NormFloat64())))
}

// districts and the postcodes in each: the leaves of the hierarchy.
const (
	regions   = 4
	districts = 5 // of a region
	codes     = 6 // of a district
)

// postcode is denser in the first regions and districts, as towns are.
func (s *Stream) postcode() string {
	skewed := func(n int) int { return min(s.rng.IntN(n), s.rng.IntN(n)) }
	return code(skewed(regions), skewed(districts), s.rng.IntN(codes))
}

func code(region, district, n int) string { return fmt.Sprintf("%d%d0%d", region+1, district+1, n) }

// Hierarchy is the postcode hierarchy in ARX's format: postcode, district,
// region, root.
func Hierarchy() string {
	var b strings.Builder
	for r := range regions {
		for d := range districts {
			for n := range codes {
				fmt.Fprintf(&b, "%s;%d%dxx;%dxxx;*\n", code(r, d, n), r+1, d+1, r+1)
			}
		}
	}
	return b.String()
}

func (s *Stream) kindOfAdmission(age int) string {
	weights := []float64{45, 35, 20}
	if age > 70 {
		weights = []float64{60, 25, 15}
	}
	return pick(s.rng, []string{"emergency", "planned", "transfer"}, weights)
}

// illness is a diagnosis with its base weight and what raises it.
type illness struct {
	name     string
	base     float64
	from, to int // ages at which it is three times as frequent
	sex      string
	region   byte // first digit of the postcodes where it is twice as frequent
	by       string
}

var illnesses = []illness{
	{"influenza", 3, 0, 99, "", '1', "emergency"}, {"pneumonia", 6, 65, 99, "", 0, "emergency"}, {"asthma", 5, 0, 25, "", '2', ""},
	{"fracture", 7, 5, 30, "M", 0, "emergency"}, {"hip fracture", 4, 70, 99, "F", 0, "emergency"}, {"angina", 5, 50, 85, "M", 0, ""},
	{"infarction", 4, 50, 90, "M", 0, "emergency"}, {"heart failure", 5, 65, 99, "", 0, "transfer"}, {"stroke", 4, 60, 99, "", 0, "transfer"},
	{"diabetes", 6, 40, 80, "", '3', "planned"}, {"appendicitis", 4, 8, 35, "", 0, "emergency"}, {"gallstones", 4, 35, 70, "F", 0, "planned"},
	{"depression", 4, 18, 60, "", '1', "planned"}, {"breast cancer", 3, 40, 80, "F", 0, "planned"},
	{"prostate cancer", 3, 55, 90, "M", 0, "planned"},
	{"colon cancer", 3, 50, 90, "", 0, "planned"}, {"hepatitis", 2, 20, 60, "", '4', ""}, {"hiv", 1, 20, 55, "", 0, "planned"},
	{"epilepsy", 3, 0, 30, "", 0, "emergency"}, {"kidney stones", 4, 30, 65, "M", '3', "emergency"},
}

func (s *Stream) diagnosis(a Admission) string {
	weights := make([]float64, len(illnesses))
	names := make([]string, len(illnesses))
	for i, x := range illnesses {
		names[i], weights[i] = x.name, x.base
		if a.Age >= x.from && a.Age <= x.to {
			weights[i] *= 3
		}
		if x.sex != "" && x.sex != a.Sex {
			weights[i] /= 6
		}
		if x.region == a.Postcode[0] {
			weights[i] *= 2
		}
		if x.by == a.Admission {
			weights[i] *= 1.5
		}
	}
	return pick(s.rng, names, weights)
}

func pick(rng *rand.Rand, of []string, weights []float64) string {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return of[i]
		}
	}
	return of[len(of)-1]
}

// message is one message on the topic.
type message struct {
	Value     []byte
	Malformed bool
	Admission Admission // if not malformed
}

// malformedEvery is the mean distance between malformed messages.
const malformedEvery = 400

// NextMessage returns the next message: an admission as JSON, occasionally one
// that cannot be decoded or violates the schema.
func (s *Stream) NextMessage() message {
	if s.rng.IntN(malformedEvery) == 0 {
		return message{Value: []byte(rubbish[s.rng.IntN(len(rubbish))]), Malformed: true}
	}
	a := s.Next()
	value, err := json.Marshal(a)
	if err != nil {
		panic("hospital: an admission has no JSON form")
	}
	return message{Value: value, Admission: a}
}

// rubbish has typical faults of feeds: truncated, of another kind,
// without a needed value, with a value of the wrong type or outside its hierarchy.
var rubbish = []string{
	`{"patient":"P1","age":4`,
	`<admission/>`,
	`{"patient":"P2","sex":"F","postcode":"1101","admission":"planned","diagnosis":"asthma"}`,
	`{"patient":"P3","age":"unknown","sex":"M","postcode":"1102","admission":"planned","diagnosis":"angina"}`,
	`{"patient":"P4","age":61,"sex":"M","postcode":"ABCDE","admission":"emergency","diagnosis":"stroke"}`,
	`["P5",33,"F"]`,
}
