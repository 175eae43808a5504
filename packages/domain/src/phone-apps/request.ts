/** What an app sent, without its transport: the gateway takes it apart, the decoders read it. */

/** The fields of its query and form (the first of two with one name), and its JSON body. */
export type AppRequest = { readonly fields: ReadonlyMap<string, string>; readonly json: unknown }

/** A JSON object, by its keys. */
export type Json = Readonly<Record<string, unknown>>

const NO_FIELDS: Json = {}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A nested object; one without fields where there is none. */
export const inside = (object: Json, key: string): Json => {
  const value = object[key]
  return isJson(value) ? value : NO_FIELDS
}

/** The first of these fields that is there and not empty. */
export function first(object: Json, names: readonly string[]): unknown {
  for (const name of names) {
    const value = object[name]
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

/** The fields of a query or form as an object, to be read as JSON is. */
export const asJson = (fields: AppRequest['fields']): Json => Object.fromEntries(fields)

/** What an app sent as one object: its JSON body, or its query and form. */
export const asOne = ({ fields, json }: AppRequest): Json => (isJson(json) ? json : asJson(fields))
