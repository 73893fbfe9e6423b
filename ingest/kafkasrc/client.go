package kafkasrc

import (
	"context"
	"time"

	"anond/internal/kafkaclient"
)

// client is a client of the topic with the requests that a source makes alone.
type client struct {
	*kafkaclient.Client
	cfg Config
}

func newClient(cfg Config) *client { return &client{kafkaclient.New(cfg.Config), cfg} }

// fetch asks for records of a partition from an offset on. The broker waits for
// new ones, if there are none, up to wait. An answer of more than most bytes is
// errLargeAnswer.
func (c *client) fetch(ctx context.Context, partition int32, offset int64, wait time.Duration, most int) (*fetchResponse, error) {
	req := newFetchRequest(&c.cfg, partition, offset, int32(wait/time.Millisecond))
	req.most = most
	res, err := c.Do(ctx, req, wait)
	if err != nil {
		return nil, err
	}
	return res.(*fetchResponse), nil
}
