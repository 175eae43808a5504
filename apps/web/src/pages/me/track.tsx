import { fill } from '@palanquin/domain/fill-text'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { nowMs } from '../../api/server-clock.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { Tab, type TabName } from '../../parts/map-frame.tsx'
import { type Line, type LinePoint, lineOf } from '../../recording/gaps.ts'
import type { Interruption } from '../../recording/interruption.ts'
import { keepTrack, keptTrack } from '../../recording/kept-track.ts'
import { readOwnTrack } from '../../recording/own-track.ts'
import { NOTHING_YET, type TrackSoFar } from '../../recording/track-so-far.ts'
import type { Person } from '../../session/session.ts'
import { canShowMap } from '../map/use-live-map.ts'
import { TrackPanel } from './track-panel.tsx'

/** The longest walk has some hundred parts; the latest are the ones that are looked for. */
const PARTS_SHOWN_MAX = 50

/** My track, on a map and in words, read when it comes into view. @param imports reads all of it again */
export function Track({
  person: { userId },
  interruptions,
  timezone,
  renew,
  imports,
}: {
  person: Person
  interruptions: readonly Interruption[]
  timezone: string
  renew: unknown
  imports: number
}) {
  const { texts } = useTexts()
  const { me } = useMeTexts()
  const section = useRef<HTMLElement>(null)
  const [inView, setInView] = useState(false)
  /** Undefined until it was read; null when it could not be. */
  const [track, setTrack] = useState<TrackSoFar | null>()
  const readFor = useRef({ userId, imports })
  const [tab, setTab] = useState<TabName>('text')
  useEffect(() => {
    if (section.current === null) return
    if (canShowMap()) setTab('map')
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setInView(true)
    })
    watch.observe(section.current)
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    let left = false
    const isSame = readFor.current.userId === userId && readFor.current.imports === imports
    const read = async () => {
      const before = isSame ? (track ?? (await keptTrack(userId, nowMs()))) : NOTHING_YET
      const now = await readOwnTrack(userId, before)
      if (left) return
      readFor.current = { userId, imports }
      setTrack((last) => now ?? last ?? null)
      if (now !== null) await keepTrack(userId, now, before)
    }
    if (inView) void read()
    return () => {
      left = true
    }
  }, [userId, inView, renew, imports])
  const line = useMemo(
    () => lineOf([...(track?.stored ?? []), ...(track?.own ?? [])], interruptions),
    [track, interruptions],
  )
  return (
    <section ref={section} class="my-track">
      <h2>{me.trackTitle}</h2>
      {line.parts.length === 0 ? (
        <p>{track === undefined ? texts.myWalkLoading : track === null ? me.trackUnknown : me.trackEmpty}</p>
      ) : (
        <>
          <div class="tabs" role="tablist" aria-label={me.trackTitle}>
            <Tab id="map" tab={tab} setTab={setTab} label={texts.mapTab} />
            <Tab id="text" tab={tab} setTab={setTab} label={texts.textTab} />
          </div>
          <div
            id="panel-map"
            role="tabpanel"
            aria-labelledby="tab-map"
            hidden={tab !== 'map'}
            class="panel-map"
          >
            {tab === 'map' && <TrackPanel line={line} />}
          </div>
          <div id="panel-text" role="tabpanel" aria-labelledby="tab-text" hidden={tab !== 'text'}>
            <TrackText line={line} timezone={timezone} />
          </div>
          <p class="small">{me.trackLegend}</p>
        </>
      )}
    </section>
  )
}

/** When was recorded, and when not, in words. */
function TrackText({ line: { parts, gaps }, timezone }: { line: Line; timezone: string }) {
  const { language, me } = useMeTexts()
  const nowMs = useNow()
  const time = (point: LinePoint | undefined) =>
    timeInWords(point?.recordedAt ?? nowMs, { language, timezone, nowMs })
  const rows = parts.flatMap((part, index) => {
    const gap = gaps[index - 1]
    const words = fill(part.length === 1 ? me.trackPoint : me.trackPart, {
      from: time(part[0]),
      to: time(part.at(-1)),
      n: part.length,
    })
    return [
      ...(gap
        ? [{ key: `gap-${index}`, words: fill(me.interrupted, { from: time(gap[0]), to: time(gap[1]) }) }]
        : []),
      { key: `part-${index}`, words },
    ]
  })
  return (
    <ul class="track-parts">
      {rows.slice(-PARTS_SHOWN_MAX).map(({ key, words }) => (
        <li key={key}>{words}</li>
      ))}
    </ul>
  )
}
