const BUS = {
  '{ev}:*':
    'the event bus: `events` (7 days, 2 min once every service has had them), `dead` (letters), `published` (outbox rows), tries, leases, and notes of what was lost or trimmed',
}

/** What each key holds, by its writer; Redis tries the patterns in order, the most frequent come first. */
export const REDIS_WRITES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tracking: {
    '{s??}:points': 'the buffer: a stream of check-ins and syncs that PostgreSQL does not have yet',
    '{s??}:recent:*':
      "a participant's syncs of the last 60 s: times, and a hash of place, accuracy and speed",
    '{s??}:gate': 'there while the activity takes no syncs',
    '{s??}:erased': 'erasure tokens (keyed hashes) and until when their data is void',
    '{s??}:count': 'how many points wait',
    '{s??}:waiting': 'participants with points not flushed yet: known before their first flush',
    '{s??}:dup:*': "a participant's check-in at a place, 60 s",
    '{s??}:pending:*': "a participant's check-ins not flushed yet",
    '{s??}:flushed': 'cursor and version of the last flush: caches see from it that they are stale',
    '{s??}:life': "a random name of the shard's data: another one means that Redis came back empty",
    '{s??}:probe': 'nothing: writable while Redis is not full',
    'flush:*': 'locks of the flush and the packer (90 s, renewed); when the last flush ended (1 day)',
    ...BUS,
  },
  engagement: {
    '{s??}:stats:*': 'a finished profile and what it was computed from, 60 s',
    '{s??}:erasures': 'number of erasures: what was read before one is not cached',
    activity: "the activity's status and pause message, from PostgreSQL",
    settings: 'what owners set over the environment, from PostgreSQL',
    'profile:*':
      "the device that a single-use address of an app's settings is for (hash of its code), 15 min",
    'share:*': 'who looks at a link for the family (hashes), 45 s',
    ...BUS,
  },
  media: {
    '{s??}:photos': 'number of dropped counts: what was read before one is not written back',
    '{s??}:photos:*': "number of a participant's photos, 30 days; dropped on change",
    'up:*': 'uploads, bytes and decoding time of an address (keyed hash), this hour and day',
    ...BUS,
  },
  'line-bot': {
    '{line}:*':
      'the chat: `inbox` (until processed), `dead` (letters, 7 days), `seen` (ids of events, 72 h), `helped` (who saw the help, 10 min), `menu`',
    alerts: 'the last state of the alerts',
    'alerts:*': 'the owners, for when PostgreSQL is down',
    ...BUS,
  },
  gateway: { 'rl:*': 'counts of the rate limits, by keyed hashes of addresses, people and tokens' },
}

/** The keys of others that a service reads. */
export const REDIS_READS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['settings'],
  tracking: ['activity'],
  map: ['{s??}:points', '{ev}:*', 'settings'],
  engagement: ['{s??}:pending:*', '{s??}:flushed', '{s??}:waiting'],
  media: ['settings'],
  'line-bot': ['settings'],
}
