/** Texts in both languages of the event. */
import Type, { type Static } from 'typebox'
import { PersonText } from './text'

/** A text that organisers write in Chinese and English, each 1 to `max` characters. */
export const BothLanguages = ({ max, description }: { max: number; description: string }) =>
  Type.Object({ zh: PersonText({ max }), en: PersonText({ max }) }, { description })

/** `BothLanguages` as it is shown. */
export const InBothLanguages = (description: string) =>
  Type.Object(
    { zh: Type.String({ description: 'in Chinese' }), en: Type.String({ description: 'in English' }) },
    { description },
  )
export type InBothLanguages = Static<ReturnType<typeof InBothLanguages>>
