import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { type ServiceClient, serviceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import { hasLineAt } from './activity/features.ts'
import { type FinalFlush, finalFlush } from './activity/final-flush.ts'
import type { EngagementConfig } from './config.ts'
import { erasureAt } from './erasure/services.ts'
import { pointsFromMap } from './export/points.ts'
import type { LinkServices } from './linking/link.ts'
import { recipientsFromLineBot } from './lost/recipients.ts'
import { refreshViewsAt } from './participants/refresh-views.ts'
import { livePositionsFromMap } from './reports/participants/live-positions.ts'
import { withinFromMap } from './reports/participants/near.ts'
import { unregisteredOnMap } from './reports/participants/unregistered-on-map.ts'
import { positionFromMap } from './shares/position.ts'

const IMAGES_DEADLINE_MS = 5_000

/** The parts of a link that other services do. */
const linkAt = ({
  media,
  flush,
  log,
}: {
  media: ServiceClient
  flush: FinalFlush
  log: Log
}): LinkServices => ({
  images: async (link) => {
    try {
      const call = { method: 'POST', path: '/internal/link', body: link } as const
      const reply = await media.call({ ...call, deadlineMs: IMAGES_DEADLINE_MS, reply: Type.Object({}) })
      return reply.ok
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.debug({ event: 'link.images_failed', reason: error.message }, 'Images of a device are moved later')
      return false
    }
  },
  points: () => flush('link'),
})

/** Parts of an erasure within the gateway's minute: a million points, and some thousand pictures. */
const ERASE_TRACKING_MS_MAX = 35_000
const ERASE_MEDIA_MS_MAX = 10_000
const ERASE_LINE_BOT_MS_MAX = 5_000

/** Within the gateway's ten seconds for joining a device; what takes longer goes on behind it. */
const LINK_FLUSH_MS_MAX = 5_000

/** All calls of other services by this one. */
export function callsOf({ config, log }: { config: EngagementConfig; log: Log }) {
  const { TRACKING_URL, MAP_URL, MEDIA_URL, LINE_BOT_URL, INTERNAL_TOKEN: internalToken } = config
  const clientOf = (name: string, to: string) => serviceClient({ name, to, internalToken })
  const [tracking, media] = [clientOf('tracking', TRACKING_URL), clientOf('media', MEDIA_URL)]
  const lineBot = clientOf('line-bot', LINE_BOT_URL)
  const map = clientOf('map', MAP_URL)
  const atTracking = erasureAt({
    service: tracking,
    name: 'tracking',
    deadlineMs: ERASE_TRACKING_MS_MAX,
    log,
  })
  return {
    flush: finalFlush({ trackingUrl: TRACKING_URL, internalToken, log }),
    refreshViews: refreshViewsAt({ urls: [TRACKING_URL, MAP_URL], internalToken, log }),
    hasLine: hasLineAt({ lineBot, log }),
    countRecipients: recipientsFromLineBot({ lineBot, log }),
    linkAt: linkAt({
      media,
      log,
      flush: finalFlush({ trackingUrl: TRACKING_URL, internalToken, log, deadlineMs: LINK_FLUSH_MS_MAX }),
    }),
    unregisteredOnMap: unregisteredOnMap({ map, log }),
    readPoints: pointsFromMap(map),
    readPosition: positionFromMap(map),
    readLivePositions: livePositionsFromMap({ map, log }),
    readWithin: withinFromMap(map),
    eraseAt: {
      tracking: atTracking.erase,
      end: atTracking.end,
      media: erasureAt({ service: media, name: 'media', deadlineMs: ERASE_MEDIA_MS_MAX, log }).erase,
      lineBot: erasureAt({ service: lineBot, name: 'line-bot', deadlineMs: ERASE_LINE_BOT_MS_MAX, log })
        .erase,
    },
  }
}
