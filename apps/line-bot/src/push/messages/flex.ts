import Type from 'typebox'
import { actionAt } from './action.ts'
import { MediaUrl } from './address.ts'
import { all, each, fieldsOf, type Judge, maybe, rule, shaped, variants } from './judge.ts'

/** LINE's reference, "Flex Message". */
const BUBBLES_MAX = 12
const BUBBLE_BYTES_MAX = 30 * 1024
const CAROUSEL_BYTES_MAX = 50 * 1024

const tap = maybe('action', actionAt('flex'))
const Words = Type.String({ minLength: 1, description: 'a text that is not empty' })
const span = variants(() => ({ span: shaped(Type.Object({ text: Words })) }))

const text: Judge = all(
  shaped(Type.Object({ text: Type.Optional(Words), wrap: Type.Optional(Type.Boolean()) })),
  maybe('contents', each(span)),
  rule(
    ({ text: words, contents }) => words !== undefined || (Array.isArray(contents) && contents.length > 0),
    'text or contents',
  ),
  tap,
)
const picture = all(shaped(Type.Object({ url: MediaUrl })), tap)
const nothing: Judge = () => null
const button = all(shaped(Type.Object({ action: Type.Object({}) })), maybe('action', actionAt('flex-button')))

const inBox: Judge = variants(() => ({
  box,
  button,
  image: picture,
  text,
  separator: nothing,
  filler: nothing,
}))
const inBaseline: Judge = variants(() => ({ icon: picture, text, filler: nothing, span }))

const box: Judge = (value, path) =>
  all(
    shaped(
      Type.Object({
        layout: Type.Enum(['horizontal', 'vertical', 'baseline']),
        contents: Type.Array(Type.Unknown()),
      }),
    ),
    maybe('contents', each(fieldsOf(value).layout === 'baseline' ? inBaseline : inBox)),
    tap,
  )(value, path)

const block: Judge = variants(() => ({ box }))
const hero: Judge = variants(() => ({
  box,
  image: picture,
  video: shaped(Type.Object({ url: MediaUrl, previewUrl: MediaUrl, altContent: Type.Object({}) })),
}))
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const bubble: Judge = all(
  shaped(
    Type.Object({
      size: Type.Optional(Type.Enum(['nano', 'micro', 'deca', 'hecto', 'kilo', 'mega', 'giga'])),
      direction: Type.Optional(Type.Enum(['ltr', 'rtl'])),
    }),
  ),
  rule(
    (fields) => ['header', 'hero', 'body', 'footer'].some((name) => fields[name] !== undefined),
    'a header, hero, body or footer',
  ),
  maybe('header', block),
  maybe('hero', hero),
  maybe('body', block),
  maybe('footer', block),
  tap,
  rule((fields) => bytesOf(fields) <= BUBBLE_BYTES_MAX, 'at most 30 KB of JSON'),
)
const carousel: Judge = all(
  rule(({ contents }) => Array.isArray(contents), 'contents, a list of bubbles'),
  maybe(
    'contents',
    each(
      variants(() => ({ bubble })),
      { min: 1, max: BUBBLES_MAX },
    ),
  ),
  rule((fields) => bytesOf(fields) <= CAROUSEL_BYTES_MAX, 'at most 50 KB of JSON'),
)

/** What a Flex Message holds. */
export const container: Judge = variants(() => ({ bubble, carousel }))
