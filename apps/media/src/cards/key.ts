import { createHash, createHmac } from 'node:crypto'
import type { CardContent } from './content.ts'

/** Raise it with every change of how cards look: every card is then made anew when it is next asked for. */
export const DESIGN_VERSION = 2

const PERSON_DIGITS = 32
const CONTENT_DIGITS = 40
const FOLDER = 'cards/'

/** A stable name for what a card shows, the design included. Equal content gives equal keys in every process. */
export const contentKey = (content: CardContent): string =>
  createHash('sha256')
    .update(JSON.stringify([DESIGN_VERSION, content]))
    .digest('hex')
    .slice(0, CONTENT_DIGITS)

/**
 * The folder of a participant's cards in the object store: found again by who knows the userId and the secret, and
 * telling nothing to who lists the bucket.
 */
export const folderOf = (userId: string, secret: string): string =>
  `${FOLDER}${createHmac('sha256', secret).update(`cards:${userId}`).digest('hex').slice(0, PERSON_DIGITS)}/`

/** All cards of all participants begin so. */
export const CARDS_PREFIX = FOLDER
