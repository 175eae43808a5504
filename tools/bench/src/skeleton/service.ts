/** The least of a service: each line of a call becomes an entry of a Redis stream. */
const [socket = '', redisUrl = '', key = ''] = process.argv.slice(2)
const redis = new Bun.RedisClient(redisUrl)

/** Bounded, as the buffer is by its flush. */
const append = (body: string): Promise<string> =>
  redis.send('XADD', [key, 'MAXLEN', '~', '10000', '*', 'p', body])

Bun.serve({
  unix: socket,
  fetch: async (request) => {
    const ids = await Promise.all((await request.text()).split('\n').map(append))
    return new Response(ids.join('\n'))
  },
})
console.log('ready')

export {}
