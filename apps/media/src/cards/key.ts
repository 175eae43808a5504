import { createHash, createHmac } from 'node:crypto'
import type { CardContent } from './content.ts'

/** Raise it with every change of how cards look: every card is then rendered again with its next request. */
const DESIGN_VERSION = 2

const PERSON_DIGITS = 32
const CONTENT_DIGITS = 40
const FOLDER = 'cards/'

/** A hash of what a card shows, the design included. Equal content has the same key in every process. */
export const contentKey = (content: CardContent): string =>
  createHash('sha256')
    .update(JSON.stringify([DESIGN_VERSION, content]))
    .digest('hex')
    .slice(0, CONTENT_DIGITS)

/**
 * The folder of a participant's cards in the object store. A list of the bucket does not reveal userIds: the name needs the
 * secret.
 */
export const folderOf = (userId: string, secret: string): string =>
  `${FOLDER}${createHmac('sha256', secret).update(`cards:${userId}`).digest('hex').slice(0, PERSON_DIGITS)}/`
