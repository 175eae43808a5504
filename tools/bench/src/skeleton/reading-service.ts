import postgres from 'postgres'

/** The least of a service that reads: one statement for the ids of a call. */
const [socket = '', databaseUrl = '', table = ''] = process.argv.slice(2)
const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} })

Bun.serve({
  unix: socket,
  fetch: async (request) => {
    const ids = (await request.text()).split('\n')
    const rows = await sql<{ user_id: string; profile: string }[]>`
      SELECT user_id, profile FROM ${sql(table)} WHERE user_id = ANY(${ids})`
    const profileOf = new Map(rows.map(({ user_id, profile }) => [user_id, profile]))
    return new Response(ids.map((id) => profileOf.get(id) ?? '').join('\n'))
  },
})
console.log('ready')
