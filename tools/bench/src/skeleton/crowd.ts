import { readFileSync } from 'node:fs'
import type { Figure } from '../benchmark.ts'
import { cpuUsEach, type UsedBy } from '../load/cpu.ts'
import { type CrowdResult, driveCrowd } from '../pilgrimage/drive-crowd.ts'
import { CORES, PARTICIPANTS_WANTED, participantsByDrive } from '../pilgrimage/peak.ts'
import { timetable } from '../pilgrimage/timetable.ts'

/** About as many as this machine's two cores serve at their peak. */
const PEOPLE = 90_000
const QUICK_PEOPLE = 1_000
const SECONDS = 30
const QUICK_SECONDS = 1
const ROUNDS = 3

type CrowdServer = { url: string; used: UsedBy }

/** As how many participants two cores hold of a server that does nothing for them. */
export async function crowdOn(
  name: string,
  { url, used }: CrowdServer,
  { caFile, quick, log }: { caFile: string; quick: boolean; log: (line: string) => void },
): Promise<Figure> {
  const people = quick ? QUICK_PEOPLE : PEOPLE
  const held: number[] = []
  const notes: string[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = used()
    const result = await driveCrowd(timetable(people, quick ? QUICK_SECONDS : SECONDS), {
      base: url.replace(/\/$/, ''),
      ca: readFileSync(caFile, 'utf8'),
      people,
    })
    assertAnswered(name, result)
    const requests = Object.values(result.kinds).reduce((sum, { due }) => sum + due, 0)
    const { us } = cpuUsEach(before, used(), requests)
    const busy = (us * requests) / 1_000 / result.tookMs
    if (round === 0) continue // the first warms up
    held.push(participantsByDrive({ participants: people, doneShare: 1, busy, idle: 0 }, CORES))
    notes.push(`${busy.toFixed(2)} processors busy, ${us.toFixed(0)} µs a request`)
    log(`${name}, round ${round} of ${ROUNDS}, driven as ${people}: ${notes.at(-1)}`)
  }
  return {
    name,
    better: 'more',
    unit: 'participants',
    ours: held,
    yardstick: held.map(() => PARTICIPANTS_WANTED),
    notes,
  }
}

/** A status that a real gateway would not give is an answer too. */
function assertAnswered(name: string, { kinds }: CrowdResult): void {
  for (const [kind, { due, done, refused }] of Object.entries(kinds))
    if (done + (refused['200'] ?? 0) !== due)
      throw new Error(
        `${name}: of ${due} requests (${kind}) ${done} were answered, and ${JSON.stringify(refused)}`,
      )
}
