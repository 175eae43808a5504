import { fill } from '@palanquin/domain/fill-text'
import type { PhoneApp } from '@palanquin/domain/phone-apps'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { IssuedDevice } from '../../api/devices.ts'
import { type SetupTexts, useSetupTexts } from '../../i18n/setup/texts.ts'
import { QrCode } from '../../parts/qr-code.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { APP_NAMES, type Phone } from './apps.ts'

/** What an app needs besides its settings. */
const HINTS: Partial<Record<PhoneApp, keyof SetupTexts>> = {
  owntracks: 'allowLinks',
  gpslogger: 'onlyOnce',
  osmand: 'onlyRecording',
}

/** The switch by which it begins, as the app calls it. */
const STARTS: Partial<Record<PhoneApp, keyof SetupTexts>> = {
  overland: 'startOverland',
  traccar: 'startTraccar',
  colota: 'startColota',
  gpslogger: 'startGpslogger',
  ulogger: 'startUlogger',
}
/** Fields of apps that are translated. */
const LABELS: Partial<Record<PhoneApp, Readonly<Record<string, keyof SetupTexts>>>> = {
  traccar: { 'Server URL': 'labelServer', 'Device identifier': 'labelDevice' },
  gpslogger: { 'Custom URL': 'labelCustomUrl', 'HTTP Method': 'labelMethod' },
}

/** How the chosen app is set up: by its link, a code, a file, or field by field. */
export function Instructions({ device: { app, setup }, phone }: { device: IssuedDevice; phone: Phone }) {
  const texts = useSetupTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  // The form that was sent is gone, and with it the focus.
  useEffect(() => heading.current?.focus(), [])
  const named = { app: APP_NAMES[app] }
  const hint = HINTS[app]
  const { link, qr, file, fields } = setup
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {fill(texts.setUp, named)}
      </h2>
      <p class="banner">{texts.secret}</p>
      {hint !== undefined && <p>{texts[hint]}</p>}
      {link !== undefined && (
        <p>
          <a class="button button-main" href={link}>
            {fill(texts.openApp, named)}
          </a>
        </p>
      )}
      {file !== undefined && (
        <p>
          <button
            type="button"
            class="button"
            onClick={() => saveFile(new Blob([file.content], { type: file.type }), file.name)}
          >
            {fill(texts.saveFile, { name: file.name })}
          </button>
        </p>
      )}
      {qr !== undefined && (
        <>
          <p>{texts[app === 'traccar' ? 'scanInApp' : 'qrHint']}</p>
          <QrCode text={qr} label={fill(texts.qr, named)} />
        </>
      )}
      <p>{texts[link === undefined ? 'paste' : 'byHand']}</p>
      <dl class="setup-fields">
        {fields.map(({ label, value }) => {
          const translated = LABELS[app]?.[label]
          return <Field key={label} label={translated ? texts[translated] : label} value={value} />
        })}
      </dl>
      <h3>{texts.permissions}</h3>
      <ul>
        {PERMISSIONS[phone].map((key) => (
          <li key={key}>{fill(texts[key], named)}</li>
        ))}
      </ul>
      <p>{texts[STARTS[app] ?? 'startTracking']}</p>
    </section>
  )
}

const PERMISSIONS = {
  iphone: ['iosAlways', 'iosPrecise'],
  android: ['androidBackground', 'androidBattery'],
} as const satisfies Record<string, readonly (keyof SetupTexts)[]>

function Field({ label, value }: { label: string; value: string }) {
  const texts = useSetupTexts()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch (error) {
      // The browser may not copy: the value stands there to be copied by hand.
      if (!(error instanceof DOMException)) throw error
    }
  }
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <p class="setup-value">{value}</p>
        <button type="button" class="button" onClick={() => void copy()}>
          {fill(copied ? texts.copied : texts.copy, { label })}
        </button>
      </dd>
    </>
  )
}
