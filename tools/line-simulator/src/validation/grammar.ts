import documented from '../../openapi/schemas.json'
import { LIMITS, MEDIA_URL, MESSAGE_KINDS, PLACE_OF, PLACES, type Place } from './limits.ts'
import type { Schema } from './schema.ts'
import { styleOf } from './styles.ts'

const REFERENCE = '#/components/schemas/'
const SCHEMAS: Readonly<Record<string, Schema>> = documented
/** A box whose texts share a baseline holds other things than one that goes down or across. */
const IN_BASELINE = ['icon', 'text', 'filler']
const IN_BOX = ['box', 'button', 'image', 'text', 'separator', 'filler']

/**
 * LINE's document as JSON Schema that a validator can follow: inherited properties in one object, families of objects distinguished
 * by their `type`, and the limits of the reference.
 */
export function messageSchemas(): Record<string, Schema> {
  const names = Object.keys(SCHEMAS)
  return {
    ...Object.fromEntries(names.map((name) => [name, isFamily(name) ? family(name) : objectOf(name)])),
    ...Object.fromEntries(
      Object.entries(PLACES).map(([place, limits]) => [`Action@${place}`, actionAt(limits)]),
    ),
  }
}

const isFamily = (name: string): boolean => SCHEMAS[name]?.discriminator !== undefined

function family(name: string): Schema {
  return name === 'Message' ? oneOf(name, MESSAGE_KINDS) : oneOf(name, Object.keys(mappingOf(name)))
}

/** One of these kinds of a family. */
function oneOf(name: string, kinds: readonly string[]): Schema {
  const mapping = mappingOf(name)
  return {
    type: 'object',
    required: ['type'],
    kinds,
    oneOf: kinds.map((kind) => ({ $ref: `#/$defs/${nameOf(mapping[kind])}` })),
  }
}

function actionAt({ kinds, labelled, labelUnitsMax }: (typeof PLACES)[Place]): Schema {
  return {
    ...oneOf('Action', kinds),
    properties: { label: { type: 'string', minLength: 1, maxLength: labelUnitsMax } },
    required: labelled ? ['type', 'label'] : ['type'],
  }
}

function objectOf(name: string): Schema {
  const { required, properties } = inherited(name)
  const limits = LIMITS[name] ?? {}
  const kind = kindOf(name)
  const whole: Schema = {
    type: 'object',
    required: [...new Set([...required, ...(limits.required ?? [])])],
    properties: {
      ...Object.fromEntries(
        Object.entries(properties).map(([property, schema]) => [
          property,
          propertyOf({ object: name, property, schema }),
        ]),
      ),
      ...(kind === undefined ? {} : { type: { type: 'string', const: kind } }),
    },
    additionalProperties: false,
    ...(limits.rule === undefined ? {} : { rule: limits.rule }),
  }
  return name === 'FlexBox' ? { ...whole, ...contentsByLayout() } : whole
}

function propertyOf(at: { object: string; property: string; schema: Schema }): Schema {
  const { object, property, schema } = at
  const limits = LIMITS[object]
  const kinds = limits?.kinds?.[property]
  const limit = limits?.properties?.[property] ?? {}
  const { format, items, minLength, additionalProperties: values, ...rest } = schema
  // What a box holds follows from its layout (`contentsByLayout`).
  const isBoxed = object === 'FlexBox' && property === 'contents'
  const url = format === 'uri' ? MEDIA_URL : {}
  return {
    ...referred(object, rest, kinds),
    ...(minLength ? { minLength } : {}),
    ...(items && !isBoxed ? { items: referred(object, items, kinds) } : {}),
    ...(typeof values === 'object' ? { additionalProperties: referred(object, values) } : {}),
    ...url,
    ...styleOf(object, property, schema),
    ...limit,
  }
}

/** What a reference leads to: an action of its place, a family with fewer kinds, or the object itself. */
function referred(object: string, { format: _, ...schema }: Schema, kinds?: readonly string[]): Schema {
  if (schema.$ref === undefined) return schema
  const name = nameOf(schema.$ref)
  if (name === 'Action') return { $ref: `#/$defs/Action@${PLACE_OF[object] ?? 'flex'}` }
  if (kinds) return oneOf(baseOf(name) ?? name, kinds)
  return { $ref: `#/$defs/${name}` }
}

function contentsByLayout(): Schema {
  const contents = (kinds: readonly string[]): Schema => ({
    properties: { contents: { items: oneOf('FlexComponent', kinds) } },
  })
  return {
    if: { properties: { layout: { const: 'baseline' } } },
    // biome-ignore lint/suspicious/noThenProperty: the name of JSON Schema
    then: contents(IN_BASELINE),
    else: contents(IN_BOX),
  }
}

function inherited(name: string): { required: readonly string[]; properties: Record<string, Schema> } {
  const { allOf = [], required = [], properties = {} } = SCHEMAS[name] ?? {}
  const parts = allOf.map((part) =>
    part.$ref === undefined
      ? { required: part.required ?? [], properties: part.properties ?? {} }
      : inherited(nameOf(part.$ref)),
  )
  return {
    required: [...parts.flatMap((part) => part.required), ...required],
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
  }
}

/** The family that an object belongs to. */
function baseOf(name: string): string | undefined {
  const reference = SCHEMAS[name]?.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref
  return reference === undefined ? undefined : nameOf(reference)
}

function kindOf(name: string): string | undefined {
  const base = baseOf(name)
  if (base === undefined) return undefined
  return Object.entries(mappingOf(base)).find(([, reference]) => nameOf(reference) === name)?.[0]
}

const mappingOf = (name: string): Readonly<Record<string, string>> =>
  SCHEMAS[name]?.discriminator?.mapping ?? {}

const nameOf = (reference = ''): string => reference.slice(REFERENCE.length)
