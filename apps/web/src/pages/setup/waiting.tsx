import { fill } from '@palanquin/domain/fill-text'
import type { Device } from '../../api/devices.ts'
import { useSetupTexts } from '../../i18n/setup/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { APP_NAMES } from './apps.ts'
import { hasArrived, problemOf } from './problem.ts'

/** An app that is set up has sent something by then. */
const PATIENCE_MS = 120_000

/** Whether the first point has come, and after two minutes what is wrong. `sinceMs`: when the app was chosen. */
export function Waiting({ device, sinceMs }: { device: Device | null; sinceMs: number | null }) {
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
