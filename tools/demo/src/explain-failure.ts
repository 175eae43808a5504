import type { Api } from '@palanquin/stack/api'
import { commandFor } from '@palanquin/stack/command-text'
import { LauncherError } from '@palanquin/stack/launcher-error'
import type { Home } from '@palanquin/stack/run-state/home'

/** How `dataOf` and the senders describe an unexpected response. */
const UNEXPECTED_REPLY = /answered/

/** @throws LauncherError when the activity accepts no points: it has ended or is paused */
export async function assertTakesPoints(api: Api, home: Home): Promise<void> {
  const status = await statusOf(api)
  if (status === 'ended') throw ended(home)
  if (status === 'paused') throw paused(home)
}

/**
 * A sentence about what ended a demo: the stack went away, the activity ended or was paused, an unexpected
 * response. Any other error is a bug and is returned unchanged.
 */
export async function explainFailure(error: unknown, api: Api, home: Home): Promise<unknown> {
  if (error instanceof LauncherError || !(error instanceof Error)) return error
  const status = await statusOf(api)
  if (status === undefined)
    return new LauncherError(
      `The stack no longer answers, so the demo was stopped: ${commandFor(home, 'status')} shows what is up, ${commandFor(home, 'up')} starts it.`,
    )
  if (status === 'ended') return ended(home)
  if (status === 'paused') return paused(home)
  return UNEXPECTED_REPLY.test(error.message) || isConnectionError(error)
    ? new LauncherError(
        `The demo failed: ${error.message}. ${commandFor(home, 'logs')} shows the services' logs.`,
      )
    : error
}

const ended = (home: Home) =>
  new LauncherError(
    `The activity of this home has ended, and accepts nothing any more. A demo needs a running one: ./palanquin demo --port 0 --home DIR with a new folder; ${commandFor(home, 'down')} stops this one.`,
  )
const paused = (home: Home) =>
  new LauncherError(
    `The activity is paused and accepts no positions. PUT /api/…/admin/status {"status":"active"} with an administrator's token (${home.tokensFile}) resumes it.`,
  )

/** `active`, `paused` or `ended`; undefined without a response. */
async function statusOf(api: Api): Promise<string | undefined> {
  try {
    const { body } = await api.get('/activity')
    if (hasStatus(body)) return body.data.status
    return (await api.health()).status
  } catch {
    return undefined // no response
  }
}

const hasStatus = (body: unknown): body is { data: { status: string } } =>
  typeof body === 'object' &&
  body !== null &&
  'data' in body &&
  typeof body.data === 'object' &&
  body.data !== null &&
  'status' in body.data

/** Errors of Bun's `fetch` when a connection is refused, breaks, or times out. */
const isConnectionError = (error: Error): boolean =>
  error.name === 'TimeoutError' || ('code' in error && typeof error.code === 'string')
