import { fill } from '@palanquin/domain/fill-text'
import { ageInWords } from '@palanquin/domain/time-in-words'
import type { Device, IssuedDevice } from '../../api/devices.ts'
import { send } from '../../api/send.ts'
import { useSetupTexts } from '../../i18n/setup/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { APP_NAMES, phoneOf } from '../setup/apps.ts'
import { Instructions } from '../setup/instructions.tsx'
import { problemOf } from '../setup/problem.ts'

/** One app of mine: its last point, what is wrong, a new password, and its end. */
export function PhoneAppItem({ device, changed }: { device: Device; changed: () => void }) {
  const { texts } = useTexts()
  const setup = useSetupTexts()
  const nowMs = useNow()
  const path = `/devices/${device.deviceId}`
  const rotating = useSending(() => send<IssuedDevice>(`${path}/rotate`))
  const revoking = useSending(async () => {
    const revoked = await send(path, undefined, 'DELETE')
    if (revoked.ok) changed()
    return revoked
  })
  const problem = problemOf(device, nowMs)
  const app = APP_NAMES[device.app]
  const { lastPointAt, pointsToday: n, battery } = device
  const isBusy = rotating.sending || revoking.sending
  return (
    <li>
      <h3>{device.name === null ? app : `${app} · ${device.name}`}</h3>
      <p>
        {lastPointAt === null
          ? setup.ownNever
          : fill(setup.ownLast, { age: ageInWords(texts, nowMs - Date.parse(lastPointAt)), n })}
        {battery !== null && ` · ${fill(setup.ownBattery, { n: battery })}`}
      </p>
      {problem !== null && <p class="banner banner-stale">{setup[problem]}</p>}
      {rotating.outcome?.ok && (
        <Instructions device={rotating.outcome.data} phone={phoneOf(navigator.userAgent)} />
      )}
      <NotSent outcome={rotating.outcome} />
      <NotSent outcome={revoking.outcome} />
      <div class="steps">
        <Confirm
          label={setup.ownRotate}
          questions={[{ ask: setup.ownRotateAsk, yes: setup.yes }]}
          no={setup.no}
          disabled={isBusy}
          onConfirmed={() => void rotating.submit()}
        />
        <Confirm
          label={fill(setup.ownRevoke, { app })}
          questions={[{ ask: setup.ownRevokeAsk, yes: setup.yes }]}
          no={setup.no}
          disabled={isBusy}
          onConfirmed={() => void revoking.submit()}
        />
      </div>
    </li>
  )
}
