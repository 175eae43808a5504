import { LEVEL_KM } from '@palanquin/domain/level'
import { isTimeZone } from '@palanquin/domain/time'
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import Value from 'typebox/value'
import { secretWeakness } from './secret-rules.ts'

export type Environment = Record<string, string | undefined>

/** Raised once at start with every problem of the configuration; the process refuses to run. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigurationError'
  }
}

/** A text variable; an empty value counts as left out. */
export const text = (description: string, fallback?: string) =>
  Type.String({ description, minLength: 1, ...(fallback === undefined ? {} : { default: fallback }) })

export const integer = (
  description: string,
  bounds: { minimum: number; maximum: number; default?: number },
) => Type.Integer({ description, ...bounds })

export const toggle = (description: string, fallback: 'on' | 'off') =>
  Type.Union([Type.Literal('on'), Type.Literal('off')], { description, default: fallback })

export const timeZone = (description: string, fallback: string) =>
  Type.Refine(text(description, fallback), isTimeZone, () => 'must be a time zone such as Asia/Taipei')

/** `LEVEL_KM`, of every process that computes a level. */
export const levelKm = Type.Union(
  LEVEL_KM.map((choice) => Type.Literal(choice)),
  { description: 'which kilometres a level counts: total, or walked', default: 'total' },
)

/** `PSEUDONYM_SECRET`, of every process that knows participants by erasure tokens or by pseudonyms. */
export const pseudonymSecret = Type.String({
  minLength: 1,
  description:
    'key of the pseudonyms on the public map, and of the tokens that stand for erased participants',
})

/** A variable that may be left out and then is `undefined`. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

export const listOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const COMMON_VARIABLES = {
  NODE_ENV: Type.Union([Type.Literal('development'), Type.Literal('test'), Type.Literal('production')], {
    description: 'production refuses sample secrets and fail points',
    default: 'development',
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { description: 'the least severe log line that is written', default: 'info' },
  ),
  BUILD_COMMIT: Type.Optional(
    Type.String({ minLength: 1, description: 'the commit that runs, for the metric palanquin_build_info' }),
  ),
} satisfies TProperties

/** Variables of every service behind the gateway. */
export const SERVICE_VARIABLES = {
  ...COMMON_VARIABLES,
  INTERNAL_TOKEN: text(
    'shared by the gateway and the services, a direct call without it is 401; new,old while it changes',
  ),
  REDIS_URL: text('redis:// address of the key-value buffer; several by comma are nodes of a Redis Cluster'),
  HOST: text('address that the internal port listens on', '127.0.0.1'),
  PORT: integer('internal TCP port (0: any free one)', { minimum: 0, maximum: 65535, default: 0 }),
  DRAIN_MS: integer(
    'at a stop, how long it still serves while it sends the gateway to its other copies; 0 where there are none',
    { minimum: 0, maximum: 5_000, default: 0 },
  ),
  SOCKET: optional(text('Unix socket to listen on besides the port')),
  READY_FILE: optional(text('file that is written with the addresses once the process listens')),
  PALANQUIN_FAIL_POINT: optional(
    text('for crash tests: where the process ends itself; refused in production'),
  ),
} satisfies TProperties

/** Why production refuses the secrets of these names; a missing one is reported by the schema. */
export const weakSecrets = (env: Environment, names: readonly string[]): string[] =>
  env.NODE_ENV === 'production'
    ? names.flatMap((name) => (env[name] ? secretWeakness(name, env[name]) : []))
    : []

/** Reads the variables of a schema. @throws ConfigurationError naming every missing or wrong one at once */
export function readConfig<P extends TProperties>(
  variables: P,
  env: Environment,
  besides: readonly string[] = [],
): Static<TObject<P>> {
  const schema = Type.Object(variables)
  const input: Record<string, unknown> = {}
  for (const name of Object.keys(variables))
    if (env[name] !== undefined && env[name] !== '') input[name] = env[name]
  const value = Value.Convert(schema, Value.Default(schema, input))
  const fits = Value.Check(schema, value)
  if (fits && besides.length === 0) return value
  const problems = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties)
        problems.set(name, `${name} is missing: ${describe(variables[name])}`)
      continue
    }
    const name = error.instancePath.split('/')[1] ?? '?'
    const expected = choicesOf(variables[name])
    const problem = expected ? `is none of ${expected.join(', ')}` : error.message
    if (!problems.has(name)) problems.set(name, `${name} ${problem}: ${describe(variables[name])}`)
  }
  throw new ConfigurationError([...problems.values(), ...besides])
}

function choicesOf(schema: TSchema | undefined): string[] | undefined {
  if (!schema || !('anyOf' in schema) || !Array.isArray(schema.anyOf)) return undefined
  const values: unknown[] = schema.anyOf.map((one: object) => ('const' in one ? one.const : undefined))
  return values.includes(undefined) ? undefined : values.map(String)
}

const describe = (schema: TSchema | undefined): string =>
  schema && 'description' in schema && typeof schema.description === 'string'
    ? schema.description
    : 'see .env.example'
