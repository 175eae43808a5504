import type { Language } from '@palanquin/domain/language'
import { consumeOrdered } from '@palanquin/events/ordered/consume'
import { eventNameOf } from '@palanquin/service/event-settings'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { LineBotConfig } from '../config.ts'
import type { InboxCopies } from '../inbox/copies.ts'
import { INBOX } from '../inbox/queue.ts'
import type { LineClient } from '../line-client/client.ts'
import type { BeaconClient } from '../service-clients/beacons.ts'
import type { CardAddress } from '../service-clients/card-address.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import type { Media } from '../service-clients/media.ts'
import type { Tracking } from '../service-clients/tracking.ts'
import type { UserStore } from '../users/store.ts'
import { createEventHandler } from './handle-event.ts'
import { helpLimit } from './help-limit.ts'
import { linksOf } from './links.ts'

/** The consumer of the inbox with everything that its handler needs. */
export function conversationPart({
  settings,
  ...options
}: {
  settings: LineBotConfig
  client: LineClient
  users: UserStore
  engagement: Engagement
  tracking: Tracking
  beacons: BeaconClient
  media: Media
  cardAddress: CardAddress
  redis: Redis
  /** For the reads of the inbox alone. */
  inbox: Redis
  consumer: string
  copies: Pick<InboxCopies, 'settle'>
  showMenu: (userId: string, language: Language) => Promise<void>
  log: Log
  metrics: Metrics
  deadlineMs?: number | undefined
}): Part {
  const { redis, inbox: blocking, consumer, log, metrics, deadlineMs } = options
  /** Owners may change both addresses at any time. */
  const linksNow = () => linksOf({ liffUrl: settings.LIFF_URL, baseUrl: settings.PUBLIC_BASE_URL })
  const handle = createEventHandler({
    ...options,
    links: {
      page: (name) => linksNow().page(name),
      setup: (code, language) => linksNow().setup(code, language),
    },
    eventName: eventNameOf(settings),
    timezone: settings.EVENT_TIMEZONE,
    mayHelp: helpLimit({ redis, log, deadlineMs }),
    now: Date.now,
  })
  const onSettled = ({ id }: { id: string }) => options.copies.settle(id)
  return consumeOrdered({ queue: INBOX, redis, blocking, consumer, handle, onSettled, log, metrics })
}
