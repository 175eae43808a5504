import { createHash, createHmac } from 'node:crypto'
import type { CardContent } from './render/content.ts'

/** Raise it when the looks of cards change: each is rendered again with its next request. */
const DESIGN_VERSION = 2

const PERSON_DIGITS = 32
const CONTENT_DIGITS = 40
const FOLDER = 'cards/'

/** A hash of what a card shows, the design included. */
export const contentKey = (content: CardContent): string =>
  createHash('sha256')
    .update(JSON.stringify([DESIGN_VERSION, content]))
    .digest('hex')
    .slice(0, CONTENT_DIGITS)

/** The folder of a participant's cards; its name needs the secret, so that a list reveals no userId. */
export const folderOf = (userId: string, secret: string): string =>
  `${FOLDER}${createHmac('sha256', secret).update(`cards:${userId}`).digest('hex').slice(0, PERSON_DIGITS)}/`
