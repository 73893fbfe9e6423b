package figures

const (
	zhuPaper = `Zhu, Tian, Du and Xie, "Anonymization on Refining Partition: Same Privacy, More Utility", ComSIS 2015`
	zhuAbout = "UCI Adult: 30,162 records (the paper counts 30,718), sensitive: occupation; NSAs age, sex, education, marital status, race, work class, relationship (the paper's table 1; its text has country for the last)"
)

func zhu() []Figure {
	return []Figure{
		{ID: "zhu-1", Paper: zhuPaper, Title: "Execution time by l", Data: zhuAbout, Run: zhuFigure1},
		{ID: "zhu-2", Paper: zhuPaper, Title: "Correspondence loss (GLP) by l", Data: zhuAbout, Run: zhuFigure2},
		{ID: "zhu-3", Paper: zhuPaper, Title: "Execution time by the number of records", Data: zhuAbout, Run: zhuFigure3},
		{ID: "zhu-4", Paper: zhuPaper, Title: "Correspondence loss (GLP) by the number of records", Data: zhuAbout, Run: zhuFigure4},
		{ID: "zhu-5", Paper: zhuPaper, Title: "Execution time by the number of NSAs", Data: zhuAbout, Run: zhuFigure5},
		{ID: "zhu-6", Paper: zhuPaper, Title: "Correspondence loss (GLP) by the number of NSAs", Data: zhuAbout, Run: zhuFigure6},
	}
}

// The paper's fixed values: n where l or d varies, l where n or d varies.
const (
	zhuN = 20000
	zhuL = 5
)

var (
	zhuLs = []float64{2, 3, 4, 5, 6, 7} // above 7 no partition exists: 13.4 % have one occupation
	zhuDs = []float64{1, 2, 3, 4, 5, 6, 7}
)

// zhuNs are the sizes of figures 3 and 4.
func zhuNs(in Input) []float64 {
	var ns []float64
	for i := range 6 {
		ns = append(ns, float64(in.Rows(5000*(i+1), 400*(i+1))))
	}
	return ns
}
