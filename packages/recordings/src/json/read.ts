import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { Unreadable } from '../unreadable.ts'

/** Recordings nest some ten deep. */
const DEPTH_MAX = 64
/** Of one element: a line of a million places has some eight. */
const TOKENS_MAX = 10_000_000
/** Of one string or number. */
const PIECE_CHARACTERS_MAX = 1_048_576
/** The lists that recordings have at their top. */
const LISTS = ['locations', 'semanticSegments', 'rawSignals', 'timelineObjects', 'features', 'data']
/** A document that is no list is parsed at once, if it is no larger. */
const WHOLE_CHARACTERS_MAX = 8_388_608

/** How a bracket changes the depth. */
const DEPTH_BY = new Map<TokenType, number>([
  [TokenType.LEFT_BRACE, 1],
  [TokenType.LEFT_BRACKET, 1],
  [TokenType.RIGHT_BRACE, -1],
  [TokenType.RIGHT_BRACKET, -1],
])

export type JsonElement = { list: string; value: unknown }
const DAMAGED = 'This JSON cannot be read: it is damaged, or ends before it should.'

/** The elements of the known lists of a JSON document, one by one, or the document itself. @throws Unreadable */
export function readJson(texts: Iterable<string>, onElement: (element: JsonElement) => void): void {
  let [depth, tokens, silent, elements] = [0, 0, 0, 0]
  let whole: string | undefined = ''
  let reader: Tokenizer | undefined
  let values: TokenParser | undefined
  const open = (isArray: boolean): Tokenizer => {
    const paths = isArray ? ['$.*'] : LISTS.map((name) => `$.${name}.*`)
    const parser = new TokenParser({ paths, keepStack: false })
    parser.onValue = ({ value, stack }) => {
      tokens = 0
      elements++
      onElement({ list: isArray ? '' : String(stack[1]?.key ?? ''), value })
    }
    const tokenizer = new Tokenizer()
    tokenizer.onToken = (part) => {
      silent = 0
      depth += DEPTH_BY.get(part.token) ?? 0
      if (depth > DEPTH_MAX)
        throw new Unreadable(
          'refused',
          `This JSON is nested more than ${DEPTH_MAX} deep. No recorder does that.`,
        )
      if (++tokens > TOKENS_MAX) throw new Unreadable('refused', 'This JSON has one element that has no end.')
      parser.write(part)
    }
    const fail = (error: Error) => {
      throw error instanceof Unreadable ? error : new Unreadable('damaged', DAMAGED)
    }
    tokenizer.onError = fail
    parser.onError = fail
    // Blanks behind the document are no error; anything else is.
    parser.onEnd = () => {}
    values = parser
    return tokenizer
  }
  for (const text of texts) {
    reader ??= open(text.startsWith('['))
    whole =
      whole !== undefined && whole.length + text.length <= WHOLE_CHARACTERS_MAX ? whole + text : undefined
    silent += text.length
    if (silent > PIECE_CHARACTERS_MAX)
      throw new Unreadable('refused', 'This JSON has one text or number that has no end.')
    reader.write(text)
  }
  if (!values?.isEnded) throw new Unreadable('damaged', DAMAGED)
  if (elements === 0 && whole?.startsWith('{')) onElement({ list: '', value: JSON.parse(whole) })
}

/** An object of a document. */
export type Facts = Readonly<Record<string, unknown>>
export const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** A member that is an object; an empty one where it is none. */
export const factsOf = (value: unknown): Facts => (isFacts(value) ? value : {})
/** A member that is a list; an empty one where it is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
