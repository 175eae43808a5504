/** A busy machine may ask to come again some times. */
const COME_AGAIN_MAX = 8

/** `fetch` that asks again, as a client does, while a 503 says when to come again. */
export async function fetchPatiently(url: string, init: BunFetchRequestInit): Promise<Response> {
  for (let again = 0; ; again++) {
    const answer = await fetch(url, init)
    const waitS = Number(answer.headers.get('retry-after'))
    if (answer.status !== 503 || !(waitS > 0) || again >= COME_AGAIN_MAX) return answer
    await answer.body?.cancel()
    await Bun.sleep(waitS * 1_000)
  }
}
