import { anyBroken, anyFitting } from '@palanquin/testing/json-schema'
import fc from 'fast-check'
import { type Described, isObject } from './openapi.ts'

/** Things that are there, by the parameter that names them. */
export type Known = Readonly<Record<string, string>>

const anyId: fc.Arbitrary<string> = fc.stringMatching(/^[A-Za-z0-9_-]{22}$/)
const anyInstant = fc
  .date({ min: new Date('2026-04-01'), max: new Date('2026-12-01'), noInvalidDate: true })
  .map((time) => time.toISOString())
const anyBox = fc
  .tuple(fc.double({ min: 119, max: 122, noNaN: true }), fc.double({ min: 21, max: 26, noNaN: true }))
  .map(([west, south]) => [west, south, west + 1, south + 1].map((edge) => edge.toFixed(5)).join())
const anyOfTile = fc.integer({ min: 0, max: 131_071 })
/** Only all three are a tile. */
const TILE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  z: fc.constant(17),
  x: anyOfTile,
  y: anyOfTile,
}

/** A request of a GET with each part of its path and query made up. */
export function anyMadeUp(
  { path, operation: { parameters = [] } }: Pick<Described, 'path' | 'operation'>,
  known: Known,
): fc.Arbitrary<string> {
  const anyPlace = (name: string) => fc.oneof(anyId, fc.constant(known[name] ?? 'x'))
  const anyQuery = (name: string, schema: object): fc.Arbitrary<unknown> => {
    if (name === 'bbox') return anyBox
    // The time of a trail, or the cursor of a map.
    if (name === 'since') return fc.oneof(anyInstant, anyPlace(name))
    return TILE[name] ?? (name in known ? anyPlace(name) : anyFitting(schema))
  }
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const values = asked.map(({ name, schema }) => {
    const described = isObject(schema) ? schema : {}
    const value = fc.oneof(
      { weight: 9, arbitrary: anyQuery(name, described) },
      { weight: 1, arbitrary: anyBroken(described) },
    )
    return [name, value.map(textOf)] as const
  })
  const query = fc.record<Record<string, string>>(Object.fromEntries(values), {
    requiredKeys: asked.flatMap(({ name }) => (name in TILE ? [name] : [])),
  })
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return fc.tuple(fc.tuple(...names.map(anyPlace)), query, anyId).map(([places, fields, unknown]) => {
    const filled = names.reduce((whole, name, at) => whole.replace(`{${name}}`, places[at] ?? ''), path)
    return `${filled}?${new URLSearchParams({ ...fields, unknown })}`
  })
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')
