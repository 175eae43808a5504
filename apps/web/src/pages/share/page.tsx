import { placeInWords } from '@palanquin/domain/beacon-sentence'
import { fill } from '@palanquin/domain/fill-text'
import type { SharedPosition } from '@palanquin/domain/share'
import { ageInWords, timeInWords } from '@palanquin/domain/time-in-words'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { Activity } from '../../api/types.ts'
import type { Seen, SharedMap } from '../../map/shared-map.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { MapFrame } from '../../parts/map-frame.tsx'
import { Shell } from '../../parts/shell.tsx'
import { canShowMap } from '../map/use-live-map.ts'
import { useSharedPosition } from './use-position.ts'

/** A position older than this is shown with a warning. */
const STALE_MS = 30 * 60_000
const LOW_BATTERY = 20
const ACTIVITY_EVERY_MS = 300_000
/** Until the activity has said its own. */
const TIMEZONE = 'Asia/Taipei'

/** What a family link shows: place, age, battery, until when, and the same on a map. Nothing else. */
export function SharePage() {
  const { texts } = useTexts()
  const { shared, seen, trouble } = useSharedPosition()
  const troubles = { offline: texts.shareOffline, busy: texts.shareBusy }
  return (
    <Shell page="share">
      <h1>{texts.shareTitle}</h1>
      <div aria-live="polite">
        {trouble !== null && <p class="banner banner-trouble">{troubles[trouble]}</p>}
        {shared === null ? trouble === null && <p>{texts.shareLoading}</p> : <Position shared={shared} />}
      </div>
      {seen.length > 0 && <SharedPanel seen={seen} />}
    </Shell>
  )
}

function Position({ shared: { position, battery, expiresAt } }: { shared: SharedPosition }) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  const { data: activity } = useResource<Activity>('/activity', ACTIVITY_EVERY_MS)
  const timezone = activity?.timezone ?? TIMEZONE
  const ends = timeInWords(Date.parse(expiresAt), { language, timezone, nowMs })
  if (position === null)
    return (
      <>
        <p class="share-place">{texts.shareNoPosition}</p>
        <p>{fill(texts.shareUntil, { time: ends })}</p>
      </>
    )
  const ageMs = nowMs - Date.parse(position.recordedAt)
  return (
    <>
      <p class="share-place">{placeInWords(position, language)}</p>
      <p>{fill(texts.updated, { age: ageInWords(texts, ageMs) })}</p>
      {ageMs > STALE_MS && <p class="banner banner-stale">{texts.shareStale}</p>}
      <dl class="share-facts">
        <dt>{texts.shareCoordinates}</dt>
        <dd>
          {position.lat.toFixed(5)}, {position.lng.toFixed(5)}
          {position.accuracyM !== null && ` (±${Math.round(position.accuracyM)} m)`}
        </dd>
        <dt>{texts.shareBattery}</dt>
        <dd>
          {battery === null ? texts.shareBatteryUnknown : `${battery} %`}
          {battery !== null && battery <= LOW_BATTERY && ` · ${texts.shareBatteryLow}`}
        </dd>
        <dt>{texts.shareEnds}</dt>
        <dd>{ends}</dd>
      </dl>
    </>
  )
}

/** The map under the words that say the same; its chunk comes when they stand. */
function SharedPanel({ seen }: { seen: Seen }) {
  const { texts } = useTexts()
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<SharedMap | null>(null)
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(canShowMap()), [])
  useEffect(() => {
    const element = holder.current
    if (!shown || element === null) return
    const giveUp = () => setShown(false)
    import('../../map/shared-map.ts')
      .then(({ createSharedMap }) => createSharedMap(element, { seen, onLost: giveUp }))
      .then(setMap)
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        giveUp()
      })
  }, [shown])
  useEffect(() => map?.show(seen), [map, seen])
  if (!shown) return null
  return (
    <>
      <MapFrame holder={holder} map={map} label={texts.shareMap} showAllLabel={texts.shareMapAll} />
      <p class="map-credit">{texts.mapCredit}</p>
    </>
  )
}
