package replay

import (
	"anond/incremental/state"
	"maps"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/incremental"
)

// renderer renders once more what a release gives birth to (Machine.Change), and returns the SHA-256
// of each file by its name.
type renderer func(v *incremental.View) (map[string]string, error)

// part is what a release gave birth to, as the program renders it of the state.
type part struct {
	Release uint32
	Files   map[string]string
}

// render renders the part that each release gave birth to, with the records as they are and in so many
// worlds. The caller compares the former with what was published.
//
// Guarantee: without a difference, no byte depended on who of a bucket has which of its values, in any
// of these worlds; so also not which row shows which value, where values stand in rows by draw. The
// values of the members of each bucket are permuted, and those of all who are in none. That is more
// than Theorem F asks of decisions: what is published of a bucket are its cells and its bag (rule B).
// The dictionary of the values is made anew in each world, so that their numbers differ. Of several sensitive attributes
// the values of one are permuted inside classes, besides (columnWorlds).
//
// A part that another program decided, which may write it otherwise, is not rendered.
//
// A part with rows of people who were forgotten is not rendered: the state does not know any more whose
// value was whose in their buckets.
//
// Cost: in each world, that of rendering every part once; one part is in memory at a time.
func (r *Recording) render(worlds int, out *Result) error {
	if r.Renderer == nil {
		return nil
	}
	var views []*incremental.View
	_, foreign := r.foreign()
	for n := uint32(1); n <= r.published; n++ {
		if int(n) < len(foreign) && foreign[n] {
			continue
		}
		v, err := r.change(n)
		if err != nil {
			return err
		}
		if len(v.Classes) == 0 { // it was made because a part left
			continue
		}
		if slices.ContainsFunc(v.Classes, func(c state.ClassView) bool { return ownerless(v, c) }) {
			out.Ownerless = append(out.Ownerless, n)
			continue
		}
		files, err := r.Renderer(v)
		if err != nil {
			return err
		}
		views, out.Parts = append(views, v), append(out.Parts, part{n, files})
	}
	for world := 1; world <= worlds && out.Difference == nil; world++ {
		if err := r.renderWorld(world, views, out); err != nil {
			return err
		}
	}
	return nil
}

// renderWorld looks for a part that has other bytes in a world.
func (r *Recording) renderWorld(number int, views []*incremental.View, out *Result) error {
	worlds := append(r.columnWorlds(number), &world{of: r.exchanged(number)})
	for _, w := range worlds {
		values, columns := r.moved(w)
		for i, v := range views {
			if stop := r.options.Interrupted; stop != nil && stop() {
				return state.ErrInterrupted
			}
			in := *v
			in.SA, in.Dictionaries, in.References = nil, slices.Clone(v.Dictionaries), nil
			for k, at := range r.options.Schema.Sensitive() {
				in.SA, in.Dictionaries[at] = append(in.SA, columns[k].Prefix(v.Len())), values[k]
			}
			files, err := r.Renderer(&in)
			if err != nil {
				return err
			}
			p := out.Parts[i]
			if w.only != nil { // what two attributes have in common in a pool is another thing
				files, p.Files = maps.Clone(files), maps.Clone(p.Files)
				delete(files, tablesName)
				delete(p.Files, tablesName)
			}
			if !maps.Equal(files, p.Files) {
				out.Difference = &difference{World: number, Release: p.Release, Records: v.Len(), Classes: len(v.Classes),
					What: "its files have other bytes, with the same classes, buckets and values of buckets"}
				return nil
			}
		}
	}
	return nil
}

// tablesName is the file of pair tables.
const tablesName = "tables.csv"

// moved are the columns of the sensitive attributes in a world, with dictionaries made anew.
func (r *Recording) moved(w *world) (values []*equivclass.Dictionary, columns []equivclass.Column) {
	for _, at := range r.options.Schema.Sensitive() {
		d, codes := equivclass.NewDictionary(r.options.Schema.Attributes()[at]), make([]equivclass.Code, len(r.rows))
		if r.records > 0 {
			d = equivclass.NewSequences(r.options.Schema.Attributes()[at], r.records)
		}
		for i, from := range w.of {
			if w.only != nil && w.only[0] != at {
				from = uint32(i)
			}
			if row := r.rows[from][at]; r.records > 0 {
				codes[i] = d.Sequence(string(row))
			} else {
				codes[i], _ = d.Encode(row) // it was accepted
			}
		}
		values, columns = append(values, d), append(columns, equivclass.ColumnOf(codes))
	}
	return values, columns
}

func ownerless(v *incremental.View, c state.ClassView) bool {
	return v.Subject != nil && slices.ContainsFunc(c.Members, func(m state.RecordID) bool { return v.Subject[m] == 0 })
}

// exchanged draws a world: by record, the record whose value it has.
func (r *Recording) exchanged(number int) []uint32 {
	w := &world{of: make([]uint32, len(r.rows)), rng: rand.New(rand.NewPCG(uint64(number), 1))}
	buckets := make([][]state.RecordID, 1) // 0: who is in none
	published := make([]bool, len(r.rows))
	for _, c := range r.classes { // in order of birth, as buckets are numbered
		for int(c.Bucket) >= len(buckets) {
			buckets = append(buckets, nil)
		}
		buckets[c.Bucket] = append(buckets[c.Bucket], c.Members...)
		for _, m := range c.Members {
			published[m] = true
		}
	}
	for i, is := range published {
		if !is {
			buckets[0] = append(buckets[0], state.RecordID(i))
		}
	}
	for _, b := range buckets {
		w.move(b, b)
	}
	return w.of
}
