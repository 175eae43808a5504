-- Every five seconds the devices that were joined a moment ago are looked through for late writes.
CREATE INDEX links_lately ON engagement.links (linked_at);
