package main

// The rooms of this program that nothing else needs: to remove one is to remove its import. It registers itself behind the ports
// that the packages below have for it.
import (
	_ "anond/internal/views" // views of the releases: release.views of the configuration
	_ "anond/shards"         // shards of a dataset: anond union, anond repartition, shard.* of the configuration
)
