package state

import "anond/incremental/settle"

func (c *Records) StratumOf(RecordID) settle.Stratum { return settle.Plain }
