import { useEffect, useState } from 'preact/hooks'
import type { SetupStatus } from '../../api/devices.ts'
import type { Sent } from '../../api/send.ts'
import { type SetupTexts, useSetupTexts } from '../../i18n/setup/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { Shell } from '../../parts/shell.tsx'
import { Choose } from './choose.tsx'
import { Instructions } from './instructions.tsx'
import { type Chosen, chosenBy, codeOf } from './kept.ts'
import { useSetupStatus } from './use-status.ts'
import { Waiting } from './waiting.tsx'

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
