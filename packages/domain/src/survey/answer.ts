/** Reads the answers of a survey, each by the kind of its question, and keeps the first problem. */
import { normaliseMode } from '../carbon'
import { cleanText, fitsGraphemes } from '../text'

/** Contract section 2: how many strings an answer of choices may have, and how long each. */
export const CHOICES_MAX = 20
export const CHOICE_CHARACTERS_MAX = 200
/** More means of transport than anybody takes to a procession: bounds what one answer can hold. */
export const MODES_MAX = 50
/** Twice round the Earth. */
export const TRAVEL_KM_MAX = 80_000

const WHOLE_NUMERAL = /^\d{1,9}$/
const NUMERAL = /^\d{1,9}(\.\d{1,9})?$/

const CHOICE_EXPECTED = `a choice or own words, of 1 to ${CHOICE_CHARACTERS_MAX} characters`

type Asked = { readonly id: string }

export class AnswerReader {
  /** `q5: expected …` for the first answer that is missing or wrong, null while all is well. */
  problem: string | null = null

  private readonly answers: ReadonlyMap<string, unknown>

  constructor(answers: object) {
    this.answers = new Map(Object.entries(answers))
  }

  /** Any of the choices, own words allowed: an array of strings, or one string. An empty array says "none of them". */
  choices(question: Asked): string[] {
    const answer = this.answers.get(question.id)
    const given: unknown[] = Array.isArray(answer) ? answer : [answer]
    const texts = given.map(choiceText).filter((text) => text !== null)
    if (texts.length === given.length && texts.length <= CHOICES_MAX) return texts
    return this.wrong(question, `at most ${CHOICES_MAX} of these: ${CHOICE_EXPECTED}`, [])
  }

  /** One choice or own words. A form that always sends arrays may send one with a single string. */
  choice(question: Asked): string {
    const answer = this.answers.get(question.id)
    const text = choiceText(Array.isArray(answer) && answer.length === 1 ? answer[0] : answer)
    return text ?? this.wrong(question, CHOICE_EXPECTED, '')
  }

  /** Kilometres by mode; a single mode as a string means that its kilometres are unknown. */
  transport(question: Asked): Record<string, number> {
    const answer = this.answers.get(question.id)
    const kmOfMode = typeof answer === 'string' ? new Map([[answer, 0]]) : kilometresByMode(answer)
    const modes = kmOfMode === null ? null : mergedModes(kmOfMode)
    if (modes !== null) return Object.fromEntries(modes)
    const expected = `kilometres (0 to ${TRAVEL_KM_MAX}) by mode of transport, such as {"hsr": 330}, or one mode as a text`
    return this.wrong(question, expected, {})
  }

  /** A whole number within the question's bounds, or its numeral in a string. */
  integer(question: Asked & { readonly min: number; readonly max: number }): number {
    const value = numberOf(this.answers.get(question.id), WHOLE_NUMERAL)
    if (value !== null && Number.isInteger(value) && value >= question.min && value <= question.max)
      return value + 0
    return this.wrong(question, `a whole number from ${question.min} to ${question.max}`, 0)
  }

  /** A text that may be left out; blank is left out. */
  text(question: Asked & { readonly max: number }): string | null {
    const answer = this.answers.get(question.id) ?? ''
    if (typeof answer === 'string' && fitsGraphemes(answer, question.max)) return cleanText(answer) || null
    return this.wrong(question, `a text of at most ${question.max} characters`, null)
  }

  private wrong<T>(question: Asked, expected: string, instead: T): T {
    this.problem ??= `${question.id}: expected ${expected}`
    return instead
  }
}

function choiceText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = cleanText(value)
  return text !== '' && fitsGraphemes(text, CHOICE_CHARACTERS_MAX) ? text : null
}

function numberOf(value: unknown, numeral: RegExp): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && numeral.test(value.trim()) ? Number(value) : null
}

function kilometresByMode(value: unknown): Map<string, number> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const kmOfMode = new Map<string, number>()
  for (const [mode, given] of Object.entries(value)) {
    const km = numberOf(given, NUMERAL)
    if (km === null || !(km >= 0 && km <= TRAVEL_KM_MAX)) return null
    kmOfMode.set(mode, km)
  }
  return kmOfMode
}

/** Modes in small letters, their kilometres added where two spellings meet; null if a name is no name. */
function mergedModes(kmOfMode: ReadonlyMap<string, number>): Map<string, number> | null {
  if (kmOfMode.size > MODES_MAX) return null
  const merged = new Map<string, number>()
  for (const [spelling, km] of kmOfMode) {
    const mode = normaliseMode(spelling)
    if (choiceText(mode) === null) return null
    merged.set(mode, (merged.get(mode) ?? 0) + km)
  }
  return merged
}
