import { fill } from '@palanquin/domain/fill-text'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { useEffect, useRef, useState } from 'preact/hooks'
import { nowMs as serverNowMs } from '../../api/server-clock.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { useNow } from '../../parts/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import type { RecordingHook } from '../../recording/use-recording.ts'
import { OutboxStatus } from './outbox-status.tsx'

const TICK_MS = 1_000

/** A dark screen with a big clock: bright enough to be read, and dark enough to save the battery. */
function Pocket({
  recording: { state },
  timezone,
  onClose,
}: {
  recording: RecordingHook
  timezone: string
  onClose: () => void
}) {
  const { language, me } = useMeTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const [nowMs, setNowMs] = useState(serverNowMs)
  useEffect(() => {
    dialog.current?.showModal()
    const timer = setInterval(() => setNowMs(serverNowMs()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const time = (ms: number) => timeInWords(ms, { language, timezone, nowMs })
  return (
    <dialog ref={dialog} class="pocket" aria-label={me.pocket} onClose={onClose}>
      <p class="pocket-clock">{time(nowMs)}</p>
      <p>{state.sinceMs === null ? me.recordOff : me.pocketRecording}</p>
      {state.lastPointMs !== null && <p>{fill(me.recordLast, { time: time(state.lastPointMs) })}</p>}
      <button type="button" class="button pocket-close" onClick={() => dialog.current?.close()}>
        {me.pocketClose}
      </button>
    </dialog>
  )
}

type Props = { recording: RecordingHook; outbox: OutboxHook; timezone: string }

/** Recording while the screen is on, with what it cannot do said before (web face, section 6). */
export function Recording({ recording, outbox, timezone }: Props) {
  const { language, me } = useMeTexts()
  const nowMs = useNow()
  const [pocket, setPocket] = useState(false)
  const { state, latest, start, stop, dismiss } = recording
  const time = (ms: number) => timeInWords(ms, { language, timezone, nowMs })
  const isOn = state.sinceMs !== null
  const section = useRef<HTMLElement>(null)
  const hasPressed = useRef(false)
  const press = (act: () => Promise<void>) => {
    hasPressed.current = true
    void act()
  }
  useEffect(() => {
    // The button that was pressed is gone: the focus goes to the one in its place.
    if (hasPressed.current) section.current?.querySelector<HTMLElement>('[data-main]')?.focus()
    hasPressed.current = false
  }, [isOn])
  return (
    <section ref={section} class="recording">
      <h2>{me.recordTitle}</h2>
      <p class="rule">
        <Icon name="clock" /> {me.recordRule}
      </p>
      <p role="status">
        {state.sinceMs === null ? me.recordOff : fill(me.recordOn, { time: time(state.sinceMs) })}
      </p>
      {latest !== null && (
        <div class="banner banner-trouble" role="status">
          <p class="list-title">
            {fill(me.interrupted, { from: time(latest.fromMs), to: time(latest.toMs) })}
          </p>
          <p>{me.interruptedHint}</p>
          <button type="button" class="button" onClick={dismiss}>
            {me.understood}
          </button>
        </div>
      )}
      <Problem recording={recording} />
      {isOn ? (
        <>
          {state.lastPointMs !== null && <p>{fill(me.recordLast, { time: time(state.lastPointMs) })}</p>}
          {state.batteryPerHour !== null && (
            <p class="small">{fill(me.recordBattery, { n: state.batteryPerHour })}</p>
          )}
          <div class="steps">
            <button type="button" class="button" data-main onClick={() => press(stop)}>
              <Icon name="pause" /> {me.recordStop}
            </button>
            <button
              type="button"
              class="button"
              aria-describedby="pocket-hint"
              onClick={() => setPocket(true)}
            >
              {me.pocket}
            </button>
          </div>
          <p id="pocket-hint" class="small">
            {me.pocketHint}
          </p>
        </>
      ) : (
        <>
          <p>{me.recordCannot}</p>
          <p>{me.recordInstead}</p>
          <p class="small">{me.recordKeep}</p>
          <button type="button" class="button" data-main onClick={() => press(start)}>
            <Icon name="walk" /> {me.recordStart}
          </button>
        </>
      )}
      <OutboxStatus state={outbox.state} time={time} />
      {pocket && <Pocket recording={recording} timezone={timezone} onClose={() => setPocket(false)} />}
    </section>
  )
}

function Problem({ recording: { state } }: Pick<Props, 'recording'>) {
  const { me } = useMeTexts()
  if (state.sinceMs === null) return null
  const sentence =
    state.problem === 'denied'
      ? me.recordDenied
      : state.problem === 'weak'
        ? fill(me.recordWeak, { m: Math.round(state.accuracyM ?? 0) })
        : state.screenStaysOn
          ? null
          : me.recordNoWakeLock
  return sentence === null ? null : (
    <p class="banner banner-trouble" role="alert">
      {sentence}
    </p>
  )
}
