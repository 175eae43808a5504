import { fill } from '@palanquin/domain/fill-text'
import { greatCircleKm } from '@palanquin/domain/geo'
import { inLanguage } from '@palanquin/domain/language'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { type Resource, type Trouble, useResource } from '../api/resource.ts'
import type { Activity, RouteLine } from '../api/types.ts'
import { countInWords, dateInWords } from '../i18n/format.ts'
import { useNow } from './clock.ts'
import { useTexts } from './context.ts'
import { Icon } from './icon.tsx'

const ROUTE_EVERY_MS = 300_000

/** At the end: how long the way was, and thanks. @param linksToCard false on the page that has the card */
function LookBack({ linksToCard }: { linksToCard: boolean }) {
  const { language, texts } = useTexts()
  const { data } = useResource<RouteLine>('/route', ROUTE_EVERY_MS)
  const km = (data?.features ?? []).reduce((sum, { geometry }) => sum + lengthKm(geometry.coordinates), 0)
  return (
    <>
      {km >= 1 && <p>{fill(texts.endedDistance, { km: countInWords(Math.round(km), language) })}</p>}
      <p>{texts.endedBody}</p>
      {linksToCard && (
        <a class="button" href={`/me?lang=${language}`}>
          {texts.endedCard}
        </a>
      )}
    </>
  )
}

const lengthKm = (line: readonly [number, number][]): number =>
  line.slice(1).reduce((sum, [lng, lat], index) => {
    const [fromLng, fromLat] = line[index] ?? [lng, lat]
    return sum + greatCircleKm({ from: { lat: fromLat, lng: fromLng }, to: { lat, lng } })
  }, 0)

export const TIMEZONE_DEFAULT = 'Asia/Taipei'

/** What is in the way of newer data, and what happens next. */
export function TroubleBanner({
  trouble,
  atMs,
  retry,
  timezone,
  kept,
}: {
  trouble: Trouble | null
  atMs: number | null
  retry: () => void
  timezone?: string | undefined
  /** Without a network: what becomes of what the person writes here, where they do. */
  kept?: string
}) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  if (trouble === null || trouble.kind === 'signed-out') return null
  if (trouble.kind === 'offline')
    return (
      <section class="banner banner-offline" role="status">
        <h2>
          <Icon name="offline" /> {texts.offlineTitle}
        </h2>
        <p>
          {atMs === null
            ? texts.offlineNoData
            : (kept ??
              fill(texts.offlineBody, {
                time: timeInWords(atMs, { language, timezone: timezone ?? TIMEZONE_DEFAULT, nowMs }),
              }))}
        </p>
      </section>
    )
  const seconds = Math.max(1, Math.ceil((trouble.retryAtMs - nowMs) / 1_000))
  const busy = trouble.kind === 'unavailable'
  return (
    <section class="banner banner-trouble" role="status">
      <h2>
        <Icon name="clock" /> {busy ? texts.unavailableTitle : texts.limitedTitle}
      </h2>
      <p>{fill(busy ? texts.unavailableBody : texts.limitedBody, { seconds })}</p>
      {busy && (
        <button type="button" class="button" onClick={retry}>
          {texts.retryNow}
        </button>
      )}
      {trouble.requestId !== null && <p class="small">{fill(texts.errorCode, { id: trouble.requestId })}</p>}
    </section>
  )
}

/** The status of the activity, by word and shape, with the organisers' words while it is paused. */
export function StatusBanner({
  activity,
  hasCard = false,
}: {
  activity: Resource<Activity>
  /** Whether the page itself has the card that one gets at the end. */
  hasCard?: boolean
}) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  const { data } = activity
  if (data === null || data.status === 'active') return null
  const { timezone } = data
  const title = { upcoming: texts.statusUpcoming, paused: texts.statusPaused, ended: texts.statusEnded }[
    data.status
  ]
  const time = timeInWords(Date.parse(data.since), { language, timezone, nowMs })
  return (
    <section class={`banner banner-${data.status}`} role="status">
      <h2>
        <Icon name={data.status === 'paused' ? 'pause' : data.status === 'ended' ? 'heart' : 'clock'} />{' '}
        {title}
      </h2>
      {data.status === 'upcoming' && (
        <p>
          {data.startsAt === null
            ? texts.upcomingNoDate
            : fill(texts.upcomingBody, {
                date: dateInWords(Date.parse(data.startsAt), { language, timezone }),
              })}
        </p>
      )}
      {data.status === 'paused' && (
        <>
          {data.message !== null && <p class="organisers">{inLanguage(language, data.message)}</p>}
          <p>{fill(texts.pausedSince, { time })}</p>
        </>
      )}
      {data.status === 'ended' && <LookBack linksToCard={!hasCard} />}
    </section>
  )
}
