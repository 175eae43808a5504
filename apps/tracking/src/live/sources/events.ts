import { follow } from '@palanquin/events/follow'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { JoinedDevices } from '../../access/joined-devices.ts'
import type { Participants } from '../../access/participants.ts'
import { entryNumber } from '../positions/cursor.ts'
import type { PositionErasure } from '../positions/live-map.ts'

type Live = {
  erase: (erasure: PositionErasure) => void
  join: (joined: { deviceId: string; userId: string }) => void
  refresh: () => Promise<void>
}

/** Follows the event bus: participants, erasures, and the totals of each flush. */
export const followEventsForMap = ({
  blocking,
  participants,
  joinedDevices,
  live,
  log,
}: {
  blocking: Redis
  participants: Participants
  joinedDevices: Pick<JoinedDevices, 'joined' | 'erased'>
  live: Live
  log: Log
}): Part =>
  follow({
    blocking,
    from: '$',
    onGap: () => participants.load(),
    handlers: {
      'participant.changed': async ({ data, at }) => {
        participants.changed(data, { at })
        const { userId, joinedTo } = data
        if (joinedTo === undefined) return
        const joined = { deviceId: userId, userId: joinedTo }
        joinedDevices.joined(joined)
        live.join(joined)
      },
      'participant.erased': async ({ data }) => {
        participants.erased(data)
        joinedDevices.erased(data)
        const { shard, mark, upTo } = data
        live.erase({ shard, token: mark, upTo: entryNumber(upTo) })
      },
      // A flush has stored levels, and positions that arrived late.
      'track.advanced': async () => void live.refresh(),
    },
    log,
  })
