import { follow } from '@palanquin/events/follow'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { Participants } from '../../access/participants.ts'
import { entryNumber } from '../positions/cursor.ts'
import type { MapErasure } from '../positions/live-map.ts'

type Live = { erase: (erasure: MapErasure) => void; refresh: () => Promise<void> }

/** Brings what the other services publish to the map, within milliseconds. */
export const followForMap = ({
  blocking,
  participants,
  live,
  log,
}: {
  blocking: Redis
  participants: Participants
  live: Live
  log: Log
}): Part =>
  follow({
    blocking,
    from: '$',
    onGap: () => participants.load(),
    handlers: {
      'participant.changed': async ({ data, at }) => participants.changed(data, { at }),
      'participant.erased': async ({ data }) => {
        participants.erased(data)
        const { shard, mark, upTo } = data
        live.erase({ shard, mark, upTo: entryNumber(upTo) })
      },
      // A flush has counted: levels, and positions that came in late.
      'track.advanced': async () => void live.refresh(),
    },
    log,
  })
