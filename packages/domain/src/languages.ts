/** Texts that organisers write in both languages of the event. */
import Type, { type Static } from 'typebox'
import { PersonText } from './text'

/** A text in Chinese and English, each 1 to `max` characters. */
export const BothLanguages = ({ max }: { max: number }) =>
  Type.Object({ zh: PersonText({ max }), en: PersonText({ max }) })

export type BothLanguages = Static<ReturnType<typeof BothLanguages>>
