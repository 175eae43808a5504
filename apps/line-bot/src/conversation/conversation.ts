import type { Language } from '@palanquin/domain/participant'
import { consumeOrdered } from '@palanquin/events/ordered/consume'
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
}): Part {
  const { redis, inbox: blocking, consumer, log, metrics } = options
  const handle = createEventHandler({
    ...options,
    links: linksOf({
      liffUrl: settings.LIFF_URL,
      baseUrl: settings.PUBLIC_BASE_URL,
    }),
    eventName: { 'zh-TW': settings.EVENT_NAME_ZH, en: settings.EVENT_NAME_EN },
    timezone: settings.EVENT_TIMEZONE,
    mayHelp: helpLimit({ redis, log }),
    now: Date.now,
  })
  const onSettled = ({ id }: { id: string }) => options.copies.settle(id)
  return consumeOrdered({ queue: INBOX, redis, blocking, consumer, handle, onSettled, log, metrics })
}
