import type { LinkBody, LinkRequest, StoredSession } from '@palanquin/domain/session'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Achievements } from '../achievements/unlock.ts'
import { announceAccess, type Participants } from '../participants/change.ts'
import type { Sender } from '../participants/store.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { LinkStore } from './store.ts'

/** The other services' parts, each idempotent; false when it may have done only some of it. */
export type LinkServices = {
  images: (link: LinkBody) => Promise<boolean>
  /** A flush of everything: it moves the points of linked devices. */
  points: () => Promise<boolean>
}

export type LinkDependencies = {
  store: LinkStore
  sessions: Pick<SessionStore, 'find' | 'start'>
  participants: Participants
  achievements: Pick<Achievements, 'unlock'>
  services: LinkServices
  log: Log
}

/** `complete`: whether everything is moved; else the schedule finishes it. */
export type LinkedSession = { session: StoredSession; complete: boolean }

// To the gateway's client these are 401: it alone authenticates.
const notSignedIn = new ApiError('notFound', 'This needs the session that is to be joined: sign in first.')
const nothingToJoin = new ApiError(
  'conflict',
  'There is no walk of a device to join: this session is not that of a device, and no recovery code was given.',
)
const linkedElsewhere = new ApiError(
  'conflict',
  'The walk of this device was joined to another LINE id before.',
)
const unknownCode = new ApiError('notFound', 'This recovery code is not valid, or was used.')

/** Joins an authenticated device to an authenticated LINE id, at once here and later elsewhere. @throws StoreUnavailable */
export async function linkDevice(
  dependencies: LinkDependencies,
  { present, session, codeHash }: LinkRequest,
  receivedAt: number,
): Promise<LinkedSession | ApiError> {
  const { store, sessions, participants } = dependencies
  const { userId } = session
  const [own] = await sessions.find([present])
  if (userId === null || !own || own.isOver || own.userId === null) return notSignedIn
  const sender = (id: string): Sender => ({ userId: id, receipt: participants.receiptOf(id, receivedAt) })
  const deviceId = codeHash === null ? deviceOf(own) : await store.deviceOfCode(codeHash)
  if (codeHash !== null && deviceId === null) return unknownCode
  if (deviceId === null) {
    // The session of a device that was joined is the person's: this call repeats that one.
    const devices = own.userId === userId ? await store.devicesOf(userId) : []
    if (devices.length === 0) return nothingToJoin
  } else if ((await store.link(sender(deviceId), sender(userId))) !== userId) return linkedElsewhere
  const complete = await finishLinks(dependencies, userId)
  return { session: await sessions.start(session, sender(userId).receipt), complete }
}

const deviceOf = ({ kind, userId }: StoredSession): string | null => (kind === 'device' ? userId : null)

/** Does what is left of a person's links, or of the oldest ones of all; whether nothing is left. */
export async function finishLinks(dependencies: LinkDependencies, userId: string | null): Promise<boolean> {
  const { store, services, log } = dependencies
  const unfinished = await store.unfinished(userId)
  if (unfinished.length === 0) return true
  const results = await Promise.all(unfinished.map((link) => moveRows(dependencies, link)))
  const isMoved = results.every((done) => done) && (await services.points())
  if (!isMoved) {
    log.warn({ event: 'link.postponed', links: unfinished.length }, 'A device is joined to its person later')
    return false
  }
  for (const link of unfinished) {
    await store.finish(link.deviceId)
    await announceLink(dependencies, link)
  }
  return true
}

async function moveRows(dependencies: LinkDependencies, link: LinkBody): Promise<boolean> {
  await announceLink(dependencies, link)
  return dependencies.services.images(link)
}

/** The device leaves every map and the person's figures are read anew. */
async function announceLink({ participants, achievements, log }: LinkDependencies, link: LinkBody) {
  try {
    await achievements.unlock([link.userId])
    for (const id of [link.deviceId, link.userId]) await announceAccess(participants, id, true)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.debug({ event: 'link.announcement_failed', reason: error.message }, 'A link is announced later')
  }
}

/** Merges a device's row that a write under way made again just when the device was joined. */
export async function mergeLateWrites(dependencies: LinkDependencies): Promise<void> {
  for (const link of await dependencies.store.namedLate()) {
    await dependencies.store.mergeLate(link)
    await announceLink(dependencies, link)
    dependencies.log.info({ event: 'link.late_write_merged' }, 'A late write of a linked device was merged')
  }
}
