package bucketize

import (
	"anond/equivclass"
)

func zhuPartitioners() []equivclass.Partitioner {
	return []equivclass.Partitioner{ARP{}, ARPUp{}, AIP{}, Anatomy{}, Ring{}}
}
