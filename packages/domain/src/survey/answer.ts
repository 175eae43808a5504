/** Reads the answers of a survey, each by the kind of its question, and remembers the first problem. */
import { normaliseMode } from '../carbon'
import { cleanText, fitsGraphemes } from '../text'

const WHOLE_NUMERAL = /^\d{1,9}$/
const NUMERAL = /^\d{1,9}(\.\d{1,9})?$/

type Asked = { readonly id: string }
type AskedChoice = Asked & { readonly charactersMax: number }
type AskedChoices = AskedChoice & { readonly choicesMax: number }
type AskedTransport = AskedChoices & { readonly kmMax: number }

export class AnswerReader {
  /** `q5: expected …` for the first missing or invalid answer; null if there is none. */
  problem: string | null = null

  private readonly answers: ReadonlyMap<string, unknown>

  constructor(answers: object) {
    this.answers = new Map(Object.entries(answers))
  }

  /** Any of the choices, own words allowed; an empty array means none of them. */
  choices(question: AskedChoices): string[] {
    const answer = this.answers.get(question.id)
    const input: unknown[] = Array.isArray(answer) ? answer : [answer]
    const texts = input.map((one) => choiceText(one, question)).filter((text) => text !== null)
    if (texts.length === input.length && texts.length <= question.choicesMax) return texts
    return this.wrong(question, `at most ${question.choicesMax} of these: ${expectedChoice(question)}`, [])
  }

  /** One choice or own words. A form that always sends arrays may send one with a single string. */
  choice(question: AskedChoice): string {
    const answer = this.answers.get(question.id)
    const text = choiceText(Array.isArray(answer) && answer.length === 1 ? answer[0] : answer, question)
    return text ?? this.wrong(question, expectedChoice(question), '')
  }

  /** Kilometres by mode; a single mode as a string means that its kilometres are unknown. */
  transport(question: AskedTransport): Record<string, number> {
    const answer = this.answers.get(question.id)
    const kmOfMode = typeof answer === 'string' ? new Map([[answer, 0]]) : kilometresByMode(answer, question)
    const modes = kmOfMode === null ? null : mergedModes(kmOfMode, question)
    if (modes !== null) return Object.fromEntries(modes)
    const expected = `kilometres (0 to ${question.kmMax}) by mode of transport, such as {"hsr": 330}, or one mode as a text`
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

const expectedChoice = ({ charactersMax }: AskedChoice): string =>
  `a choice or own words, of 1 to ${charactersMax} characters`

function choiceText(value: unknown, { charactersMax }: AskedChoice): string | null {
  if (typeof value !== 'string') return null
  const text = cleanText(value)
  return text !== '' && fitsGraphemes(text, charactersMax) ? text : null
}

function numberOf(value: unknown, numeral: RegExp): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && numeral.test(value.trim()) ? Number(value) : null
}

function kilometresByMode(value: unknown, { kmMax }: AskedTransport): Map<string, number> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const kmOfMode = new Map<string, number>()
  for (const [mode, input] of Object.entries(value)) {
    const km = numberOf(input, NUMERAL)
    if (km === null || !(km >= 0 && km <= kmMax)) return null
    kmOfMode.set(mode, km)
  }
  return kmOfMode
}

/** Modes in lower case, kilometres of two spellings added up; null for an invalid name. */
function mergedModes(
  kmOfMode: ReadonlyMap<string, number>,
  question: AskedTransport,
): Map<string, number> | null {
  if (kmOfMode.size > question.choicesMax) return null
  const merged = new Map<string, number>()
  for (const [spelling, km] of kmOfMode) {
    const mode = normaliseMode(spelling)
    if (choiceText(mode, question) === null) return null
    merged.set(mode, (merged.get(mode) ?? 0) + km)
  }
  return merged
}
