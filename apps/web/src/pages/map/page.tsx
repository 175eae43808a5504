import { palanquinOf } from '@palanquin/domain/beacon-sentence'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Resource, together, useResource, useResources } from '../../api/resource.ts'
import type { Activity, Beacons, Density, Notice, Places, RouteLine, Trail } from '../../api/types.ts'
import { clearerDensity, densityPaths, mergedDensity, tierOf } from '../../map/view.ts'
import { StatusBanner, TIMEZONE_DEFAULT, TroubleBanner } from '../../parts/banners.tsx'
import { useChunk } from '../../parts/chunk.ts'
import { useTexts } from '../../parts/context.ts'
import { Tab, type TabName } from '../../parts/map-frame.tsx'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Shell } from '../../parts/shell.tsx'
import { Announcer } from './announcer.tsx'
import { Controls } from './controls.tsx'
import { DistanceToPalanquin } from './distance.tsx'
import { NoticeList } from './notices.tsx'
import { useOwnPosition } from './own-position.ts'
import { MapPanel } from './panel.tsx'
import { usePeople } from './people.tsx'
import { MapText } from './text.tsx'
import { canShowMap, useLiveMap } from './use-live-map.ts'

const BEACONS_EVERY_MS = 10_000
const DENSITY_EVERY_MS = 10_000
const SLOW_EVERY_MS = 60_000

export function MapPage() {
  const { language, texts } = useTexts()
  const activity = useResource<Activity>('/activity', BEACONS_EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', BEACONS_EVERY_MS)
  const places = useResource<Places>('/places', SLOW_EVERY_MS)
  const route = useResource<RouteLine>('/route', SLOW_EVERY_MS)
  const notices = useResource<Notice[]>('/notices', SLOW_EVERY_MS)
  const palanquin = palanquinOf(beacons.data)
  const trail = useResource<Trail>(
    palanquin === null ? null : `/beacons/${palanquin.id}/trail`,
    SLOW_EVERY_MS,
  )
  const own = useOwnPosition()
  const [tab, setTab] = useState<TabName>('text')
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

  const live = useLiveMap(tab === 'map', boundsOf(activity))
  const { map, view, failed } = live
  const hasNoMap = ableToMap === false || failed
  const sketch = useChunk(() => import('./sketch.tsx'), hasNoMap)
  const crowd = useResource<Density>('/density', DENSITY_EVERY_MS)
  const isClose = view !== null && tierOf(view.zoom) !== 'crowd'
  const closeUp = useResources<Density>(isClose ? densityPaths(view) : [], mergedDensity, DENSITY_EVERY_MS)
  const density = useMemo(
    () => (isClose ? clearerDensity(closeUp.data, crowd.data, view.box) : crowd.data),
    [isClose, closeUp.data, crowd.data, view?.box],
  )
  const people = usePeople(view)
  const timezone = activity.data?.timezone ?? TIMEZONE_DEFAULT
  useEffect(
    () => map?.show({ beacons: beacons.data ?? [], texts, language, timezone }),
    [map, beacons.data, language],
  )
  useEffect(() => map?.showDensity(density), [map, density, Math.floor(view?.zoom ?? 0)])
  useEffect(() => map?.showPeople(people?.drawn ?? null), [map, people?.drawn])
  useEffect(() => map?.showPlaces(places.data, language), [map, places.data, language])
  useEffect(() => map?.showRoute(route.data), [map, route.data])
  useEffect(() => map?.showTrail(trail.data), [map, trail.data])
  useEffect(() => map?.showOwn(own.position, texts.me), [map, own.position])
  useEffect(() => {
    if (following && palanquin) map?.moveTo(palanquin)
  }, [map, following, palanquin?.lat, palanquin?.lng])

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
      <TroubleBanner {...together(beacons, activity)} timezone={timezone} />
      <NoticeList notices={notices.data} timezone={timezone} />
      <div class="tabs" role="tablist" aria-label={texts.map}>
        <Tab id="map" tab={tab} setTab={setTab} label={texts.mapTab} />
        <Tab id="text" tab={tab} setTab={setTab} label={texts.textTab} />
      </div>
      <div id="panel-map" role="tabpanel" aria-labelledby="tab-map" hidden={tab !== 'map'} class="panel-map">
        {hasNoMap ? (
          <section class="banner">
            <p>{texts.mapUnavailable}</p>
            {sketch !== null && (
              <sketch.Sketch
                bounds={boundsOf(activity) ?? TAIWAN}
                route={route.data}
                beacons={beacons.data}
              />
            )}
            {failed && (
              <button type="button" class="button" onClick={live.tryAgain}>
                {texts.mapAgain}
              </button>
            )}
          </section>
        ) : (
          <MapPanel live={live} people={people} hasBaseMap={hasBaseMap} />
        )}
      </div>
      <div id="panel-text" role="tabpanel" aria-labelledby="tab-text" hidden={tab !== 'text'}>
        <MapText
          beacons={beacons.data}
          places={places.data}
          density={crowd.data}
          people={people}
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
