import { palanquinOf } from '@palanquin/domain/beacon-sentence'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Resource, useResource } from '../../api/resource.ts'
import type { Activity, Beacons, Density, Notice, Places, RouteLine, Trail } from '../../api/types.ts'
import type { LiveMap } from '../../map/live-map.ts'
import { StatusBanner, TIMEZONE_DEFAULT, TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Shell } from '../../parts/shell.tsx'
import { Announcer } from './announcer.tsx'
import { DistanceToPalanquin } from './distance.tsx'
import { NoticeList } from './notices.tsx'
import { type OwnPosition, useOwnPosition } from './own-position.ts'
import { MapText } from './text.tsx'

const BEACONS_EVERY_MS = 10_000
const DENSITY_EVERY_MS = 10_000
const SLOW_EVERY_MS = 60_000

/** Without WebGL2, or with Save-Data, the text is the map (web face, sections 1 and 5). */
function canShowMap(): boolean {
  const connection: { saveData?: boolean } | undefined = Reflect.get(navigator, 'connection')
  if (connection?.saveData === true) return false
  return document.createElement('canvas').getContext('webgl2') !== null
}

export function MapPage() {
  const { language, texts } = useTexts()
  const activity = useResource<Activity>('/activity', BEACONS_EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', BEACONS_EVERY_MS)
  const density = useResource<Density>('/density', DENSITY_EVERY_MS)
  const places = useResource<Places>('/places', SLOW_EVERY_MS)
  const route = useResource<RouteLine>('/route', SLOW_EVERY_MS)
  const notices = useResource<Notice[]>('/notices', SLOW_EVERY_MS)
  const palanquin = palanquinOf(beacons.data)
  const trail = useResource<Trail>(
    palanquin === null ? null : `/beacons/${palanquin.id}/trail`,
    SLOW_EVERY_MS,
  )
  const own = useOwnPosition()
  const [tab, setTab] = useState<'map' | 'text'>('text')
  const [ableToMap, setAbleToMap] = useState<boolean | null>(null)
  const [following, setFollowing] = useState(false)
  const [hasBaseMap, setHasBaseMap] = useState(false)

  useEffect(() => {
    const able = canShowMap()
    setAbleToMap(able)
    setHasBaseMap(
      document.querySelector<HTMLMetaElement>('meta[name="base-map"]')?.content.startsWith('/') === true,
    )
    if (able && location.hash !== '#places') setTab('map')
  }, [])

  const { holder, map, failed } = useLiveMap(tab === 'map', boundsOf(activity))
  const timezone = activity.data?.timezone ?? TIMEZONE_DEFAULT
  useEffect(
    () => map?.show({ beacons: beacons.data ?? [], texts, language, timezone }),
    [map, beacons.data, language],
  )
  useEffect(() => map?.showDensity(density.data), [map, density.data])
  useEffect(() => map?.showPlaces(places.data, language), [map, places.data, language])
  useEffect(() => map?.showRoute(route.data), [map, route.data])
  useEffect(() => map?.showTrail(trail.data), [map, trail.data])
  useEffect(() => map?.showOwn(own.position, texts.me), [map, own.position])
  useEffect(() => {
    if (following && palanquin) map?.moveTo(palanquin)
  }, [map, following, palanquin?.lat, palanquin?.lng])

  const noMap = ableToMap === false || failed
  return (
    <Shell page="map">
      <section class="map-head">
        <h1 class="visually-hidden">{texts.whereTitle}</h1>
        <PalanquinSentence beacons={beacons} activity={activity} />
        <DistanceToPalanquin palanquin={palanquin} own={own.position} />
      </section>
      <Announcer
        isKnown={beacons.data !== null}
        palanquin={palanquin}
        activity={activity.data}
        trouble={beacons.trouble}
      />
      <StatusBanner activity={activity} />
      <TroubleBanner
        trouble={beacons.trouble}
        atMs={beacons.atMs}
        retry={beacons.retry}
        timezone={timezone}
      />
      <NoticeList notices={notices.data} timezone={timezone} />
      <div class="tabs" role="tablist" aria-label={texts.map}>
        <Tab id="map" tab={tab} setTab={setTab} label={texts.mapTab} />
        <Tab id="text" tab={tab} setTab={setTab} label={texts.textTab} />
      </div>
      <div id="panel-map" role="tabpanel" aria-labelledby="tab-map" hidden={tab !== 'map'} class="panel-map">
        {noMap ? (
          <p class="banner">{texts.mapUnavailable}</p>
        ) : (
          <>
            <div class="map" ref={holder} role="application" aria-label={texts.mapLabel}>
              {map === null && <p class="map-loading">{texts.mapLoading}</p>}
            </div>
            <div class="map-buttons">
              <button type="button" class="round" aria-label={texts.zoomIn} onClick={() => map?.zoomBy(1)}>
                <Icon name="plus" />
              </button>
              <button type="button" class="round" aria-label={texts.zoomOut} onClick={() => map?.zoomBy(-1)}>
                <Icon name="minus" />
              </button>
              <button
                type="button"
                class="round"
                aria-label={texts.wholeRoute}
                onClick={() => map?.showAll()}
              >
                <Icon name="route" />
              </button>
            </div>
            <p class="map-credit">
              {hasBaseMap && `${texts.baseMapCredit}. `}
              {texts.mapCredit}
            </p>
          </>
        )}
      </div>
      <div id="panel-text" role="tabpanel" aria-labelledby="tab-text" hidden={tab !== 'text'}>
        <MapText
          beacons={beacons.data}
          places={places.data}
          density={density.data}
          own={own.position}
          timezone={timezone}
        />
      </div>
      <Controls
        own={own}
        following={following}
        setFollowing={setFollowing}
        hasPalanquin={palanquin !== null}
      />
    </Shell>
  )
}

/** All of Taiwan: what is shown while the service cannot say where the activity is. */
const TAIWAN = { west: 119.9, south: 21.8, east: 122.1, north: 25.4 }

const boundsOf = ({ data, trouble }: Resource<Activity>): Activity['bounds'] | undefined =>
  data?.bounds ?? (trouble === null ? undefined : TAIWAN)

/** The map's chunk comes when the first view stands: the sentence is never held up by it. */
function useLiveMap(wanted: boolean, bounds: Activity['bounds'] | undefined) {
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<LiveMap | null>(null)
  const [failed, setFailed] = useState(false)
  const started = useRef(false)
  useEffect(() => {
    if (!wanted || started.current || bounds === undefined || holder.current === null) return
    started.current = true
    const element = holder.current
    import('../../map/live-map.ts')
      .then(({ createLiveMap }) => createLiveMap(element, { bounds, onLost: () => setFailed(true) }))
      .then(setMap)
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        setFailed(true)
      })
  }, [wanted, bounds])
  return useMemo(() => ({ holder, map, failed }), [map, failed])
}

function Tab({
  id,
  tab,
  setTab,
  label,
}: {
  id: 'map' | 'text'
  tab: string
  setTab: (tab: 'map' | 'text') => void
  label: string
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = id === 'map' ? 'text' : 'map'
    setTab(other)
    document.getElementById(`tab-${other}`)?.focus()
  }
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${id}`}
      aria-controls={`panel-${id}`}
      aria-selected={tab === id}
      tabIndex={tab === id ? 0 : -1}
      class="tab"
      onClick={() => setTab(id)}
      onKeyDown={onKeyDown}
    >
      {label}
    </button>
  )
}

function Controls({
  own,
  following,
  setFollowing,
  hasPalanquin,
}: {
  own: OwnPosition
  following: boolean
  setFollowing: (on: boolean) => void
  hasPalanquin: boolean
}) {
  const { texts } = useTexts()
  const [copied, setCopied] = useState(false)
  const share = async () => {
    const url = `${location.origin}/map`
    try {
      if (navigator.share) await navigator.share({ title: document.title, url })
      else {
        await navigator.clipboard.writeText(url)
        setCopied(true)
      }
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error // the person closed the sheet
    }
  }
  return (
    <section class="controls">
      {hasPalanquin && (
        <button
          type="button"
          class="button"
          aria-pressed={following}
          onClick={() => setFollowing(!following)}
        >
          <Icon name="follow" /> {following ? texts.following : texts.follow}
        </button>
      )}
      <button type="button" class="button" aria-pressed={own.watching} onClick={own.toggle}>
        <Icon name="locate" /> {own.watching ? texts.hideMe : texts.whereAmI}
      </button>
      <button type="button" class="button" onClick={() => void share()}>
        <Icon name="share" /> {copied ? texts.linkCopied : texts.share}
      </button>
      {own.denied ? (
        <p role="status">{texts.meDenied}</p>
      ) : (
        own.watching && <p class="small">{texts.mePrivate}</p>
      )}
    </section>
  )
}
