import { fill } from '@palanquin/domain/fill-text'
import type { PhoneApp } from '@palanquin/domain/phone-apps'
import { useState } from 'preact/hooks'
import type { IssuedDevice } from '../../api/devices.ts'
import { send } from '../../api/send.ts'
import { nowMs } from '../../api/server-clock.ts'
import { useSetupTexts } from '../../i18n/setup/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { APP_NAMES, APPS_OF, type Phone, phoneOf, STORES } from './apps.ts'
import { type Chosen, keepChosen, setupKey } from './kept.ts'

const PHONES: readonly Phone[] = ['iphone', 'android']

/** Which phone, and which of its apps: the recommended one stands first. */
export function Choose({ code, onChosen }: { code: string; onChosen: (chosen: Chosen) => void }) {
  const setup = useSetupTexts()
  const [phone, setPhone] = useState<Phone>(() => phoneOf(navigator.userAgent))
  const [app, setApp] = useState<PhoneApp | null>(null)
  const apps = APPS_OF[phone]
  const selected = app !== null && apps.includes(app) ? app : (apps[0] ?? 'owntracks')
  const { outcome, sending, submit } = useSending(async () => {
    const opened = await send<IssuedDevice>('/setup-links/open', { code, key: setupKey(), app: selected })
    if (opened.ok) {
      const chosen = { code, atMs: nowMs(), phone, device: opened.data }
      keepChosen(chosen)
      onChosen(chosen)
    }
    return opened
  })
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p>{setup.intro}</p>
      <label class="field">
        <span class="field-name">{setup.yourPhone}</span>
        <select
          value={phone}
          onChange={({ currentTarget: { value } }) => setPhone(value === 'iphone' ? value : 'android')}
        >
          {PHONES.map((one) => (
            <option key={one} value={one}>
              {setup[one]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="field-name">{setup.chooseApp}</span>
        <select
          value={selected}
          onChange={({ currentTarget: { value } }) => setApp(apps.find((one) => one === value) ?? null)}
        >
          {apps.map((one, n) => (
            <option key={one} value={one}>
              {n === 0 ? fill(setup.recommended, { app: APP_NAMES[one] }) : APP_NAMES[one]}
            </option>
          ))}
        </select>
      </label>
      <p>{fill(setup.install, { store: STORES[phone], app: APP_NAMES[selected] })}</p>
      <NotSent outcome={outcome} />
      <button type="submit" class="button button-main" disabled={sending}>
        {fill(setup.choose, { app: APP_NAMES[selected] })}
      </button>
    </form>
  )
}
