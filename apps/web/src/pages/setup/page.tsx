import { fill } from '@palanquin/domain/fill-text'
import { useEffect, useState } from 'preact/hooks'
import type { Device, SetupStatus } from '../../api/devices.ts'
import type { Sent } from '../../api/send.ts'
import { type SetupTexts, useSetupTexts } from '../../i18n/setup/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { Shell } from '../../parts/shell.tsx'
import { APP_NAMES } from './apps.ts'
import { Choose } from './choose.tsx'
import { Instructions } from './instructions.tsx'
import { type Chosen, chosenBy, codeOf } from './kept.ts'
import { hasArrived, problemOf } from './problem.ts'
import { useSetupStatus } from './use-status.ts'

/** An app that is set up has sent something by then. */
const PATIENCE_MS = 120_000

/** Whether the first point has come, and after two minutes (from `sinceMs`) what is wrong. */
function Waiting({ device, sinceMs }: { device: Device | null; sinceMs: number | null }) {
  const texts = useSetupTexts()
  const nowMs = useNow()
  const problem = device && problemOf(device, nowMs)
  const isLate = sinceMs === null || nowMs - sinceMs >= PATIENCE_MS
  // Some apps say that they are there before their first position.
  const wrong = problem !== null && (isLate || problem !== 'notAPoint') ? problem : null
  return (
    <div aria-live="polite">
      {device !== null && hasArrived(device) ? (
        <div class="banner banner-done">
          <p>{fill(texts.arrived, { app: APP_NAMES[device.app] })}</p>
          <p>{wrong === null ? texts.arrivedHint : texts[wrong]}</p>
        </div>
      ) : wrong !== null ? (
        <p class="banner banner-trouble">{texts[wrong]}</p>
      ) : isLate ? (
        <p class="banner banner-trouble">{texts.notYet}</p>
      ) : (
        <p class="banner">
          {texts.waiting} {texts.waitingHint}
        </p>
      )}
    </div>
  )
}

/** `/setup/<code>`: choose an app, set it up, and see its first point arrive. */
export function SetupPage() {
  const { texts } = useTexts()
  const setup = useSetupTexts()
  const [code, setCode] = useState<string | null | undefined>()
  useEffect(() => setCode(codeOf(location.pathname)), [])
  return (
    <Shell page="setup">
      <h1>{texts.setupTitle}</h1>
      {code === undefined ? (
        <p aria-busy="true">{setup.loading}</p>
      ) : code === null ? (
        <Nothing sentence={setup.noCode} />
      ) : (
        <Link code={code} />
      )}
    </Shell>
  )
}

function Link({ code }: { code: string }) {
  const setup = useSetupTexts()
  const { status, retry } = useSetupStatus(code)
  const [known, setKnown] = useState<SetupStatus | null>(null)
  const [chosen, setChosen] = useState<Chosen | null>(() => chosenBy(code))
  useEffect(() => {
    if (status?.ok) setKnown(status.data)
  }, [status])
  const refused = refusalOf(status)
  if (refused !== null) return <Nothing sentence={setup[refused]} />
  const trouble =
    status?.ok === false && status.kind === 'offline' ? (
      <p class="banner banner-trouble">{setup.offline}</p>
    ) : (
      <NotSent outcome={status} />
    )
  if (known === null) return status === null ? <p aria-busy="true">{setup.loading}</p> : trouble
  if (known.state === 'revoked') return <Nothing sentence={setup.revoked} />
  const choose = (now: Chosen) => {
    setChosen(now)
    setKnown({ state: 'chosen', device: null })
    retry()
  }
  if (known.state === 'open' && chosen === null) return <Choose code={code} onChosen={choose} />
  const device = known.device?.deviceId === chosen?.device.deviceId || chosen === null ? known.device : null
  return (
    <>
      {trouble}
      {chosen === null ? (
        <p class="banner">{setup.lost}</p>
      ) : (
        <Instructions key={chosen.device.deviceId} device={chosen.device} phone={chosen.phone} />
      )}
      <Waiting device={device} sinceMs={chosen?.atMs ?? null} />
      <details class="fold">
        <summary>{setup.other}</summary>
        <p>{setup.otherHint}</p>
        <Choose code={code} onChosen={choose} />
      </details>
    </>
  )
}

/** Why a link does not work, by what the service answered; null where it does. */
function refusalOf(status: Sent<SetupStatus> | null): keyof SetupTexts | null {
  if (status === null || status.ok || status.kind !== 'refused') return null
  if (status.status === 410) return 'expired'
  return status.status === 409 ? 'used' : 'unknown'
}

function Nothing({ sentence }: { sentence: string }) {
  const setup = useSetupTexts()
  const { language } = useTexts()
  return (
    <>
      <p class="banner banner-trouble" role="status">
        {sentence}
      </p>
      <p>
        <a class="button" href={`/me?lang=${language}`}>
          {setup.toMyWalk}
        </a>
      </p>
    </>
  )
}
