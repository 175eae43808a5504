import { fill } from '@palanquin/domain/fill-text'
import { timeInWords } from '@palanquin/domain/time-in-words'
import type { Device, SetupLink } from '../../api/devices.ts'
import { useOwnResource } from '../../api/resource.ts'
import { send } from '../../api/send.ts'
import { useSetupTexts } from '../../i18n/setup/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'
import { PhoneAppItem } from './phone-app-item.tsx'

const EVERY_MS = 60_000

/** The apps that send for me, whether their points arrive, and links by which more are set up. */
export function PhoneApps({ person: { userId }, timezone }: { person: Person; timezone: string }) {
  const { language } = useTexts()
  const setup = useSetupTexts()
  const nowMs = useNow()
  const { data, retry } = useOwnResource<{ items: Device[] }>('/devices', EVERY_MS)
  const { outcome, sending, submit } = useSending(() => send<SetupLink>('/setup-links', { userId }))
  const link = outcome?.ok && Date.parse(outcome.data.expiresAt) > nowMs ? outcome.data : null
  const time = link && timeInWords(Date.parse(link.expiresAt), { language, timezone, nowMs })
  const here = link && `/setup/${link.code}?lang=${language}`
  return (
    <section class="phone-apps" id="apps">
      <h2>{useTexts().texts.setupTitle}</h2>
      <p>{setup.ownBody}</p>
      {data !== null && data.items.length === 0 && <p>{setup.ownNone}</p>}
      {data !== null && data.items.length > 0 && (
        <ul class="phone-app-list">
          {data.items.map((device) => (
            <PhoneAppItem key={device.deviceId} device={device} changed={retry} />
          ))}
        </ul>
      )}
      {link !== null && here !== null && time !== null && (
        <div class="banner" role="status">
          <p>{fill(setup.made, { time })}</p>
          <p>
            <a class="button" href={here} target="_blank" rel="noreferrer">
              {setup.openHere}
            </a>
          </p>
          <p>{setup.qrHint}</p>
          <QrCode text={new URL(link.url, location.origin).href} label={setup.linkQr} />
        </div>
      )}
      <NotSent outcome={outcome} />
      <button type="button" class="button" disabled={sending} onClick={() => void submit()}>
        {setup.make}
      </button>
    </section>
  )
}
