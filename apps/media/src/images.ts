import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import type { LinkBody } from '@palanquin/domain/session'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { discardedStore } from './discarded-objects/store.ts'
import { sweepAbandoned, sweepDiscarded, sweepUnknown } from './discarded-objects/sweep.ts'
import { eraseImages } from './erasure/erase-images.ts'
import { linkImages } from './linking/link-images.ts'
import type { Photos } from './photos/add.ts'
import type { CheckIn } from './photos/checkin-client.ts'
import { type PhotoCounts, photoCounts } from './photos/counts.ts'
import { OWN_RAW_BODIES, ownPhotoRoutes } from './photos/own-routes.ts'
import { ownPhotoStore } from './photos/own-store.ts'
import { RAW_BODIES as PHOTO_BODIES, photoRoutes } from './photos/route.ts'
import { photoStore } from './photos/store.ts'
import { createSanitizer, type Sanitizer } from './sanitizer/sanitizer.ts'
import { uploadQuota } from './uploads/quota.ts'
import { screenshotRoutes, RAW_BODIES as UPLOAD_BODIES } from './uploads/route.ts'
import { screenshotStore } from './uploads/store.ts'
import type { Screenshots } from './uploads/upload.ts'

/** Drops a cached count that could not be dropped while Redis was away. @throws StoreUnavailable */
const dropCount =
  (counts: Pick<PhotoCounts, 'forget'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    counts.forget(userId)

const SWEEP_EVERY_MS = 60_000
const SWEEP_ABANDONED_EVERY_MS = 3_600_000
const SWEEP_UNKNOWN_EVERY_MS = 6 * 3_600_000

type ImageOptions = {
  db: Database
  redis: Redis
  objects: Objects
  publishOutbox: () => Promise<void>
  internalToken: string
  log: Log
  metrics: Metrics
  /** Default: one with limits that fit into the gateway's deadline. */
  sanitizer?: Sanitizer
  /** Public address of screenshots, as `/api/event/feedback-image/`. */
  imagesUrl: () => string
  /** Checks in with a photo, at tracking. */
  checkIn: CheckIn
  receiptOf: ReceiptOf
}

/** Paths whose bodies the modules read themselves. */
export const RAW_BODIES = { ...UPLOAD_BODIES, ...PHOTO_BODIES, ...OWN_RAW_BODIES }

/** The images that participants send: uploads and photos on their common stores and sanitizer. */
export function createImages(options: ImageOptions) {
  const { db, redis, objects, publishOutbox, internalToken, log, metrics, imagesUrl, checkIn, receiptOf } =
    options
  const sanitizer = options.sanitizer ?? createSanitizer({ log, metrics })
  const quota = uploadQuota({ redis, log, secret: internalToken })
  const screenshots: Screenshots = {
    store: screenshotStore(db),
    objects,
    sanitizer,
    quota,
    receiptOf,
    urlOf: (filename) => `${imagesUrl()}${filename}.png`,
  }
  const store = photoStore(db)
  const counts = photoCounts({ redis, log, store })
  const photos: Photos = { store, counts, objects, sanitizer, receiptOf, publishOutbox }
  const uploads = { ...photos, quota, checkIn, removeObjects: objects.remove, now: Date.now }
  const swept = { store: discardedStore(db), objects, log }
  const sweep = () => sweepDiscarded(swept)
  return {
    sanitizer,
    quota,
    routes: {
      screenshots: screenshotRoutes(screenshots, log),
      photos: photoRoutes(photos).use(ownPhotoRoutes({ own: ownPhotoStore(db), uploads, objects })),
    },
    handlers: { 'photos.changed': dropCount(counts) },
    jobs: [
      { name: 'discarded objects', everyMs: SWEEP_EVERY_MS, run: sweep },
      { name: 'abandoned screenshots', everyMs: SWEEP_ABANDONED_EVERY_MS, run: () => sweepAbandoned(swept) },
      {
        name: 'unknown objects',
        everyMs: SWEEP_UNKNOWN_EVERY_MS,
        run: () => sweepUnknown(swept, { nowMs: Date.now() }),
      },
    ],
    /** Before their feedback is erased. @throws StoreUnavailable */
    erase: (userId: string) => eraseImages({ db, counts, sweep }, userId),
    /** Photos and screenshots of a device become those of the person. @throws StoreUnavailable */
    link: (link: LinkBody) => linkImages({ db, counts }, link),
  }
}
