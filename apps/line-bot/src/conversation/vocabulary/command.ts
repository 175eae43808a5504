import type { Language } from '@palanquin/domain/language'

/** The commands of the bot, by a word, a button, or a cell of the rich menu. */
export const COMMANDS = [
  'checkin',
  'mileage',
  'card',
  'where',
  'map',
  'walk',
  'family',
  'phones',
  'lost',
  'survey',
  'feedback',
  'help',
  'language',
  'stop',
  'resume',
  'erase',
] as const
export type Command = (typeof COMMANDS)[number]

/** A command that was recognised; some words choose a language too. */
export type CommandRequest = { command: Command; language?: Language }

/** Pages that a message may lead to, by their path. */
export type PageName = 'map' | 'me' | 'survey' | 'feedback' | 'lost'

/** The page of each command that answers with one. */
export const PAGE_OF = {
  map: 'map',
  survey: 'survey',
  feedback: 'feedback',
  lost: 'lost',
  walk: 'me',
  family: 'me',
  phones: 'me',
} as const satisfies Partial<Record<Command, PageName>>

/** A command that answers with a page. */
export type LinkCommand = keyof typeof PAGE_OF
