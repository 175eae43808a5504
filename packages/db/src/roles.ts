import { retry } from '@palanquin/service/retry'
import postgres from 'postgres'

/** What a service's role may do beside reading and writing every row of its own schema. */
type Rights = {
  schema: string
  /** Tables of others (docs/architecture.md, "Dependencies"). */
  reads: readonly string[]
  /** Reads the tables of `reads` alone, those of its own schema among them, and writes nothing. */
  readOnly?: true
  /** Columns of others that it may write: holding a row against deletion (FOR KEY SHARE) wants one. */
  writes?: Readonly<Record<string, string>>
}

/** One role for each service, which owns nothing: no DDL at run time, and no rows of another's. */
export const ROLE_RIGHTS = {
  tracking: {
    schema: 'tracking',
    reads: [
      'engagement.participants',
      'engagement.activity',
      'engagement.devices',
      'engagement.device_tokens',
      'engagement.links',
    ],
  },
  map: {
    schema: 'tracking',
    readOnly: true,
    reads: [
      'tracking.tracks',
      'tracking.points',
      'tracking.packed_points',
      'tracking.all_points',
      'tracking.cells',
      'tracking.flush_cursors',
      'tracking.erasures',
      'tracking.beacons',
      'tracking.beacon_devices',
      'tracking.carried_points',
      'engagement.participants',
      'engagement.links',
    ],
  },
  engagement: {
    schema: 'engagement',
    reads: [
      'tracking.tracks',
      'tracking.hours',
      'tracking.days',
      'tracking.flush_cursors',
      'tracking.all_points',
      'tracking.stored_checkins',
      'tracking.beacons',
      'tracking.beacon_devices',
      'tracking.carrying',
      'tracking.device_reports',
      'tracking.erasures',
      'media.cards',
      'media.photos',
      'media.screenshots',
    ],
    // Set by mistake a distance is counted again, to the same figure.
    writes: { 'tracking.tracks': 'needs_rebuild' },
  },
  media: {
    schema: 'media',
    reads: ['engagement.feedback', 'engagement.lost_cases', 'engagement.participants', 'tracking.erasures'],
  },
  'line-bot': {
    schema: 'line',
    reads: ['engagement.activity', 'engagement.participants', 'engagement.roles', 'tracking.erasures'],
  },
} as const satisfies Record<string, Rights>

export type ServiceRole = keyof typeof ROLE_RIGHTS
export const SERVICE_ROLES: readonly ServiceRole[] = ['tracking', 'map', 'engagement', 'media', 'line-bot']

const roleNameOf = (service: ServiceRole): string => `palanquin_${service.replace('-', '_')}`

/** Roles belong to the server: another launcher, or a new partition, may change the same catalog row. */
const isCatalogConflict = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === 'XX000' && /concurrently/.test(error.message)
const CATALOG_RETRIES = { minMs: 10, maxMs: 500, withinMs: 30_000, isRetryable: isCatalogConflict }

/** Any constant: two launchers that come here at once would both make a role. */
const ROLES_LOCK_ID = 7_223_002
/** The password is written into a statement, which takes no parameters there. */
const PASSWORD = /^[A-Za-z0-9_-]{24,}$/

/** Makes the services' roles with their rights and passwords; resolves with the address for each service. */
export async function grantRoles(
  url: string,
  passwords: Readonly<Record<ServiceRole, string>>,
): Promise<Record<ServiceRole, string>> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${ROLES_LOCK_ID})`
    for (const service of SERVICE_ROLES) {
      if (!PASSWORD.test(passwords[service]))
        throw new Error(`the password of ${service} is no 24 letters or digits`)
      for (const statement of statementsFor(service, passwords[service]))
        await retry(() => sql.unsafe(statement), CATALOG_RETRIES)
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
  const addressOf = (service: ServiceRole): string => {
    const address = new URL(url)
    address.username = roleNameOf(service)
    address.password = passwords[service]
    return address.href
  }
  return {
    tracking: addressOf('tracking'),
    map: addressOf('map'),
    engagement: addressOf('engagement'),
    media: addressOf('media'),
    'line-bot': addressOf('line-bot'),
  }
}

function statementsFor(service: ServiceRole, password: string): string[] {
  const role = roleNameOf(service)
  const { schema, reads, readOnly, writes = {} }: Rights = ROLE_RIGHTS[service]
  const foreign = new Set([...reads, ...Object.keys(writes)].map((table) => table.split('.')[0]))
  return [
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role}; END IF;
     END $$`,
    `ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT PASSWORD '${password}'`,
    ...[schema, ...foreign].map((name) => `GRANT USAGE ON SCHEMA ${name} TO ${role}`),
    ...(readOnly
      ? []
      : [
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
          `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
        ]),
    ...reads.map((table) => `GRANT SELECT ON ${table} TO ${role}`),
    ...Object.entries(writes).map(([table, column]) => `GRANT UPDATE (${column}) ON ${table} TO ${role}`),
  ]
}
