import { resolve } from 'node:path'
import { assertTakesPoints, explainFailure } from '@palanquin/demo/explain-failure'
import { readOutcome } from '@palanquin/demo/outcome'
import type { Time } from '@palanquin/demo/pilgrim/actions'
import { drive } from '@palanquin/demo/pilgrim/drive'
import { planPilgrim } from '@palanquin/demo/pilgrim/pilgrim'
import { carryPalanquin } from '@palanquin/demo/procession/carriers'
import { prepareProcession } from '@palanquin/demo/procession/prepare'
import { createProgressBar } from '@palanquin/demo/progress-bar'
import { replay } from '@palanquin/demo/replay'
import { reportOf } from '@palanquin/demo/report'
import { createRequestCounts } from '@palanquin/demo/request-counts'
import { createSender, createSlots } from '@palanquin/demo/send'
import { type Api, openApi } from '@palanquin/stack/api'
import { commandFor } from '@palanquin/stack/command-text'
import { awaitRunning } from '@palanquin/stack/lifecycle/await-running'
import { upDetached } from '@palanquin/stack/lifecycle/detached'
import { supervisorOf } from '@palanquin/stack/lifecycle/home-lock'
import { showProgress } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { explainFullDisk } from '@palanquin/stack/recovery/full-disk'
import { type Home, homeAt, openHome } from '@palanquin/stack/run-state/home'
import type { RunFile } from '@palanquin/stack/run-state/run-file'
import { readSettings } from '@palanquin/stack/settings/settings'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'

const FLAGS = {
  ...HOME_FLAG,
  walkers: { type: 'string' },
  speed: { type: 'string' },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  port: { type: 'string' },
  end: { type: 'boolean' },
  file: { type: 'string' },
} as const
/** Wall time of the demo, whatever the speed: the speed decides how much of a pilgrimage fits in. */
const SECONDS = { minimum: 5, maximum: 3_600, fallback: 120 }
/** At 10,000× two minutes are two weeks: points may be up to 30 days old. */
const SPEED = { minimum: 1, maximum: 10_000, fallback: 600 }
const PARTICIPANTS = { minimum: 1, maximum: 2_000, fallback: 200 }
/** Enough to keep the services busy, few enough to leave them one of two cores. */
const REQUESTS_AT_ONCE = 24

/**
 * `demo`: replays a pilgrimage or a recording through the public API of a home, which is started if needed
 * and keeps running. The activity is ended only on request: that is final, and the home may be in real use.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('demo', args, { flags: FLAGS })
  const participants = wholeNumber('demo', 'walkers', values.walkers, PARTICIPANTS)
  const speed = wholeNumber('demo', 'speed', values.speed?.replace(/[x×]$/i, ''), SPEED)
  const lastsMs = 1000 * wholeNumber('demo', 'seconds', values.seconds, SECONDS)
  const seed = wholeNumber('demo', 'seed', values.seed, { minimum: 0, maximum: 1_000_000, fallback: 1 })
  const port = wholeNumber('demo', 'port', values.port, { minimum: 0, maximum: 65_535, fallback: 8443 })
  if (values.file !== undefined && (values.walkers ?? values.speed ?? values.seed) !== undefined)
    throw usageError('demo', '--file replays one recording: it takes no --walkers, --speed or --seed.')

  const home = homeAt(homeFolder(values.home))
  const runFile = await running(home, port)
  const settings = readSettings(PROJECT_ROOT, process.env)
  const api = openApi(runFile, settings)
  const mapUrl = settings.WEB === 'off' ? null : `${runFile.url}/map`
  const userId = `demo-${Date.now().toString(36)}`
  await assertTakesPoints(api, home)
  try {
    if (values.file === undefined)
      await pilgrimage({ api, mapUrl, userId, participants, seed, lastsMs, speed })
    else await recorded(api, resolve(values.file), userId)
    if (values.end) await end(api)
  } catch (error) {
    throw await explainFailure(error, api, home)
  }
  console.log(`
Where to look
  ${api.base}/user/${values.file === undefined ? `${userId}-0001` : userId}
  ${api.base}/data     the public map's points
${mapUrl === null ? '' : `  ${mapUrl}    the map; the numbers of its crowd follow 15 minutes after the first points\n`}  ${runFile.url}/docs   every endpoint
  ${runFile.url}/health
The stack keeps running; ${commandFor(home, 'down')} stops it.${values.end ? '' : ' The activity stays open; --end would end it.'}`)
  return 0
}

async function recorded(api: Api, file: string, userId: string): Promise<void> {
  console.log(
    'The recording is shifted in time so that it ends now: points older than 30 days are rejected.\n',
  )
  console.log(await replay(api, file, userId, Date.now))
}

async function end(api: Api): Promise<void> {
  const { status } = await api.post('/admin/end-activity', {}, api.as('owner'))
  console.log(status === 200 ? '\nThe activity has ended.' : `\nThe activity could not be ended (${status}).`)
}

const running = (home: Home, port: number): Promise<RunFile> =>
  explainFullDisk(home, async () => {
    openHome(home)
    const holder = supervisorOf(home)
    return holder ? awaitRunning(home, holder) : upDetached(home, port, showProgress())
  })

type Pilgrimage = {
  api: Api
  /** Null where no pages are served. */
  mapUrl: string | null
  userId: string
  participants: number
  seed: number
  lastsMs: number
  speed: number
}

async function pilgrimage({
  api,
  mapUrl,
  userId,
  participants,
  seed,
  lastsMs,
  speed,
}: Pilgrimage): Promise<void> {
  const { carriesPalanquin, added } = await prepareProcession(api)
  const time: Time = { beginMs: Date.now(), lastsMs, speed }
  const hours = (lastsMs * speed) / 3_600_000
  console.log(
    `\n${participants} pilgrims walk ${hours.toFixed(1)} hours from Baishatun towards Beigang in ${lastsMs / 1000} s (${speed}×, seed ${seed}).`,
  )
  if (mapUrl !== null) console.log(`Watch it: ${mapUrl}`)
  if (!carriesPalanquin) console.log('This activity has a palanquin of its own: the demo carries none.')
  const pilgrims = Array.from({ length: participants }, (_, index) =>
    planPilgrim(userId, index, { seed, time }),
  )
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort())
  const counts = createRequestCounts()
  const slots = createSlots(REQUESTS_AT_ONCE)
  const sender = createSender(api, counts, slots)
  const actions = pilgrims.reduce((all, pilgrim) => all + pilgrim.actions.length, 0)
  const bar = createProgressBar(
    actions,
    () =>
      `${counts.count('check-in', 202)} check-ins, ${counts.points.buffered} points, ${counts.count('check-in', 429)} limited`,
  )
  const { beginMs } = time
  const { signal } = stopped
  try {
    const run = { sender, now: Date.now, signal }
    await Promise.all([
      ...pilgrims.map((pilgrim) => drive(pilgrim, { ...run, beginMs, moved: bar.moved })),
      ...(carriesPalanquin ? [carryPalanquin(time, run)] : []),
    ])
  } finally {
    bar.finish()
  }
  const userIds = pilgrims.map((pilgrim) => pilgrim.userId)
  const outcome = await readOutcome(api, userIds, slots)
  const km = pilgrims.reduce((all, pilgrim) => all + pilgrim.walkedKm, 0)
  console.log(`\n${reportOf({ participants, km }, outcome, counts)}`)
  if (added.length > 0)
    console.log(`\nThe demo added what was not there yet, and it stays: ${added.join(', ')}.`)
}
