import type { EventData } from '@palanquin/domain/events'
import { follow } from '@palanquin/events/follow'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { DeviceTokens } from '../devices/tokens.ts'
import type { ActivityView } from './activity.ts'
import type { JoinedDevices } from './joined-devices.ts'
import type { Participants } from './participants.ts'

type Options = {
  blocking: Redis
  activity: ActivityView
  participants: Participants
  joinedDevices: Pick<JoinedDevices, 'joined'>
  tokens: Pick<DeviceTokens, 'changed'>
  onErased: (erased: EventData<'participant.erased'>) => Promise<void>
  log: Log
}

/** Applies the events of other services to the views of this process, within milliseconds. */
export const followEvents = ({
  blocking,
  activity,
  participants,
  joinedDevices,
  tokens,
  onErased,
  log,
}: Options): Part =>
  follow({
    blocking,
    from: '$',
    onGap: () => participants.load(),
    handlers: {
      'activity.changed': async ({ data: { status, since } }) => activity.update({ status, since }),
      'activity.ended': async ({ data: { at } }) => activity.update({ status: 'ended', since: at }),
      'participant.changed': async ({ data, at }) => {
        const { userId, joinedTo } = data
        if (joinedTo !== undefined) joinedDevices.joined({ deviceId: userId, userId: joinedTo })
        participants.changed(data, { at })
      },
      'device.changed': async ({ data: { deviceId } }) => tokens.changed(deviceId),
      'participant.erased': async ({ data }) => {
        participants.erased(data)
        await onErased(data)
      },
    },
    log,
  })
