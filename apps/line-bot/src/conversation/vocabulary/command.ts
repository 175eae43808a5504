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
