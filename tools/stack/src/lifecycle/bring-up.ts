import PQueue from 'p-queue'
import { assertCertificate } from '../certificate/configured.ts'
import { keepCertificate } from '../certificate/keep.ts'
import { type ProgressSink, step } from '../progress.ts'
import { adoptObjects } from '../recovery/adopt-objects.ts'
import { removeUnreadable } from '../recovery/state-files.ts'
import { type Home, openHome, openSocketFolder } from '../run-state/home.ts'
import { type RunFile, writeRunFile } from '../run-state/run-file.ts'
import { withoutFrozenChanges } from '../settings/frozen.ts'
import { keepPseudonymSecret, openSecrets, pseudonymsChange } from '../settings/secrets.ts'
import {
  gatewayEnvironment,
  publicAddress,
  type StackFacts,
  serviceEnvironment,
} from '../settings/service-environment.ts'
import type { Settings } from '../settings/settings.ts'
import { copiesOf, copiesWanted, nameOfCopy, processNames } from '../units/copies.ts'
import { LINE_STUB } from '../units/entries.ts'
import { assertPortIsFree, freePort } from '../units/gateway-port.ts'
import { isSimulatedHere, openLine } from '../units/line-stub.ts'
import { untilReady } from '../units/readiness.ts'
import { endService, serviceUnit } from '../units/service-unit.ts'
import { GATEWAY, SERVICES } from '../units/services.ts'
import { openStores } from '../units/stores.ts'
import { webBuild } from '../units/web-build.ts'
import { logBytesMax, rotateRegularly } from './log-rotation.ts'
import { prepareStores } from './prepare-stores.ts'
import { serveRestartRequests } from './restart-requests.ts'
import { runFileOf } from './run-file-of.ts'
import { createSupervisor } from './supervisor.ts'

const PSEUDONYMS_CHANGE =
  'PSEUDONYM_SECRET differs from the last run of this home: every participant on the public map has another id from now on. The previous one is kept as secrets/pseudonym-secret-before.'

export type Stack = { run: RunFile; stop: () => Promise<Error[]> }

type Options = {
  home: Home
  port: number
  settings: Settings
  progress: ProgressSink
  /** Prints lines about restarts. */
  log: (line: string) => void
  /** Reads the settings again at a restart; without it they stay as they were. */
  settingsNow?: () => Settings
  signal: AbortSignal
  /** Changes the environment of a process before it starts: chaos puts fault proxies on its connections. */
  reroute?: (name: string, environment: Settings) => Promise<Settings>
}

/**
 * Starts the whole stack in order and supervises it from then on, keeping run.json up to date.
 * @throws LauncherError with what to do; nothing is left running then
 */
export async function bringUp(options: Options): Promise<Stack> {
  const { home, settings, progress, signal, reroute = async (_, environment) => environment } = options
  let writeFacts = () => {}
  const supervisor = createSupervisor({ log: options.log, changed: () => writeFacts() })
  let endRotation = () => {}
  try {
    openHome(home)
    endRotation = rotateRegularly(home.logs, logBytesMax(settings), options.log)
    const notice = (text: string) => progress({ type: 'note', text })
    for (const sentence of removeUnreadable(home, settings)) notice(sentence)
    assertCertificate(settings)
    copiesWanted(settings)
    // Services of a killed launcher hold the port and have old settings; its stores are adopted below.
    await Promise.all([...processNames(home), LINE_STUB].map((service) => endService(home, service)))
    await assertPortIsFree(options.port, publicAddress(settings))
    const needsKnownPort = options.port === 0 && isSimulatedHere(settings)
    const port = needsKnownPort ? await freePort(publicAddress(settings)) : options.port
    const stores = openStores(home, settings, notice)
    const line = openLine(home, settings, port)
    const below = [...stores.units, ...line.units]
    if (below.length > 0)
      await step(progress, stores.title || 'LINE (stub)', (detail) =>
        supervisor.add([below], { detail, signal }),
      )
    const addresses = stores.addresses()
    if ('folder' in addresses.objects) await adoptObjects(home)
    const credentials = await step(progress, 'Migrations', () => prepareStores({ home, settings, addresses }))
    if (pseudonymsChange(home, settings)) progress({ type: 'note', text: PSEUDONYMS_CHANGE })
    let facts: StackFacts = {
      home,
      settings: line.settings(settings),
      secrets: openSecrets(home, settings),
      socketFolder: openSocketFolder(home),
      certificate: await keepCertificate(home.certificates, new Date()),
      ...addresses,
      credentials,
    }

    const webDir = settings.WEB === 'off' ? undefined : await step(progress, 'Pages', () => webBuild())
    const services = SERVICES.flatMap((service) =>
      Array.from({ length: copiesOf(home, settings, service) }, (_, at) => {
        const name = nameOfCopy(service, at + 1)
        return serviceUnit(home, name, () => reroute(name, serviceEnvironment(service, facts, at + 1)))
      }),
    )
    const gateway = serviceUnit(
      home,
      GATEWAY,
      () => reroute(GATEWAY, { ...gatewayEnvironment(facts), ...(webDir ? { WEB_DIR: webDir } : {}) }),
      {
        variable: 'PUBLIC_PORT',
        first: port,
        fixed: true,
      },
    )
    // All start at the same time: the gateway needs none of them, but stops first.
    await step(progress, `Gateway, ${services.map(({ name }) => name).join(', ')}`, (detail) =>
      supervisor.add([services, [gateway]], { detail, signal }),
    )

    const now = () => runFileOf(facts, line, [gateway, ...services])
    const run = now()
    writeFacts = () => writeRunFile(home, Object.assign(run, now()))
    writeFacts()
    await step(progress, 'Ready', (detail) => untilReady(run, { detail, signal }))
    // Only now: a mistyped secret with which no service starts must not replace the one in use.
    keepPseudonymSecret(home, facts.secrets.pseudonymSecret)
    const restart = async (name: string) => {
      const before = facts
      const now = withoutFrozenChanges(settings, options.settingsNow?.() ?? settings)
      facts = { ...before, settings: line.settings(now), secrets: openSecrets(home, now) }
      try {
        await supervisor.replace(name)
        keepPseudonymSecret(home, facts.secrets.pseudonymSecret)
      } catch (error) {
        facts = before // a process that died is started with its old settings
        openSecrets(home, before.settings)
        throw error
      }
    }
    // One after another: each reads the settings at its own start.
    const queue = new PQueue({ concurrency: 1 })
    const restarts = serveRestartRequests(home, (name) => queue.add(() => restart(name)))
    const stop = async () => {
      endRotation()
      await restarts.close()
      return supervisor.stop()
    }
    return { run, stop }
  } catch (error) {
    endRotation()
    const problems = await supervisor.stop()
    for (const problem of problems) options.log(problem.message)
    throw error
  }
}
