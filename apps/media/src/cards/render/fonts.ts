import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FontFacts, readFont } from './sfnt.ts'

/** A font in memory. `family` is its name for the layout; satori caches by the identity of `data`. */
export type Face = FontFacts & { family: string; data: ArrayBuffer }

/** One weight for everything: each is 7 MB, and size and colour distinguish texts. */
const WEIGHT = 700
/** Latin with all its marks, Greek, Cyrillic, Devanagari: a letter and its marks must be of one font. */
const LATIN = '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'
const TRADITIONAL = '@expo-google-fonts/noto-sans-tc/700Bold/NotoSansTC_700Bold.ttf'

/** In the order of the search, in slices of some 50 kB that are read when needed. The Japanese one has 𠮷. */
const FALLBACKS = [
  'noto-sans-jp',
  'noto-sans-sc',
  'noto-sans-kr',
  'noto-sans-thai',
  'noto-sans-arabic',
  'noto-sans-hebrew',
] as const

/** Above it are the scripts of the other families. */
const MODIFIERS_END = 0x2e7f

type Slice = {
  family: string
  file: string
  ranges: readonly (readonly [from: number, to: number])[]
  face?: Face
}

const fileOf = (name: string): string => Bun.resolveSync(name, import.meta.dir)

function readFace(family: string, file: string): Face {
  const bytes = readFileSync(file)
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return { family, data, ...readFont(new Uint8Array(data)) }
}

const latin = (): Slice => ({ family: 'noto-sans', file: fileOf(LATIN), ranges: [[0, MODIFIERS_END]] })

/** The fonts of a worker, read when they are first needed. */
export function openFonts() {
  const main = readFace('main', fileOf(TRADITIONAL))
  let slices: Slice[] | undefined
  let loaded = 0

  const faceOf = (slice: Slice): Face => {
    if (!slice.face) {
      slice.face = readFace(slice.family, slice.file)
      loaded++
    }
    return slice.face
  }
  return {
    main,
    /** How many slices have been read. */
    loaded: () => loaded,
    /** The first font that has a character, or a letter with all of its marks; null when none does. */
    faceFor: (...codePoints: readonly number[]): Face | null => {
      if (codePoints.every(main.has)) return main
      slices ??= [latin(), ...FALLBACKS.flatMap(slicesOf)]
      for (const slice of slices) {
        const covered = codePoints.every((point) =>
          slice.ranges.some(([from, to]) => point >= from && point <= to),
        )
        if (!covered) continue
        const face = faceOf(slice)
        if (codePoints.every(face.has)) return face
      }
      return null
    },
  }
}

export type Fonts = ReturnType<typeof openFonts>

/** The slices of a family as its package lists them: `"[4]": "U+1f300,U+1f302-1f308"`, `"latin": …`. */
function slicesOf(name: (typeof FALLBACKS)[number]): Slice[] {
  const folder = dirname(fileOf(`@fontsource/${name}/package.json`))
  const listed: unknown = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'))
  return Object.entries(listed ?? {}).map(([subset, ranges]) => {
    const slice = subset.replace(/[[\]]/g, '')
    return {
      family: `${name}-${slice}`,
      file: join(folder, 'files', `${name}-${slice}-${WEIGHT}-normal.woff`),
      ranges: String(ranges)
        .split(',')
        .map((range) => {
          const [from = '', to = from] = range.slice(2).split('-')
          return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const
        }),
    }
  })
}
