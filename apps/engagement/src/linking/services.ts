import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import type { FinalFlush } from '../activity/final-flush.ts'
import type { LinkServices } from './link.ts'

const IMAGES_DEADLINE_MS = 5_000

/** The parts of a link that other services do. */
export const linkAt = ({
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
