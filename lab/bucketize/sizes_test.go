package bucketize

var lgbSizes = []int{30_162, 125_000, 500_000}
