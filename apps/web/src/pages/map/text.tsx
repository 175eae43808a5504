import { motionInWords, palanquinOf, placeInWords } from '@palanquin/domain/beacon-sentence'
import { fill } from '@palanquin/domain/fill-text'
import { greatCircleKm } from '@palanquin/domain/geo'
import { inLanguage } from '@palanquin/domain/language'
import { ageInWords } from '@palanquin/domain/time-in-words'
import type { Beacons, Density, PlaceFeature, Places } from '../../api/types.ts'
import { countInWords, distanceInWords } from '../../i18n/format.ts'
import type { Texts } from '../../i18n/zh-tw.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Place } from './own-position.ts'
import type { PeopleInView } from './people.tsx'
import { PeopleList } from './people-list.tsx'

const PLACES_SHOWN_MAX = 30

const kindOfBeacon = (texts: Texts, kind: Beacons[number]['kind']): string =>
  ({
    palanquin: texts.kindPalanquin,
    vanguard: texts.kindVanguard,
    rear: texts.kindRear,
    medical: texts.kindMedical,
    shuttle: texts.kindShuttle,
    other: texts.kindOther,
  })[kind]

const kindOfPlace = (texts: Texts, kind: PlaceFeature['properties']['kind']): string =>
  ({
    supply: texts.placeSupply,
    toilet: texts.placeToilet,
    medical: texts.placeMedical,
    rest: texts.placeRest,
    pickup: texts.placePickup,
    other: texts.placeOther,
  })[kind]

/** The content of the map as lists: for screen readers, and where there is no map. */
export function MapText({
  beacons,
  places,
  density,
  people,
  own,
  timezone,
}: {
  beacons: Beacons | null
  places: Places | null
  density: Density | null
  people: PeopleInView | null
  own: Place | null
  timezone: string
}) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  const from = own ?? palanquinOf(beacons)
  const total = density?.n.reduce((sum, n) => sum + n, 0) ?? 0
  const away = (place: Place) => (from === null ? null : greatCircleKm({ from, to: place }))
  const sorted = (places?.features ?? [])
    .map((feature) => {
      const [lng, lat] = feature.geometry.coordinates
      return { feature, km: away({ lat, lng }) }
    })
    .sort((a, b) => (a.km ?? 0) - (b.km ?? 0))
    .slice(0, PLACES_SHOWN_MAX)
  return (
    <div class="lists">
      <section>
        <h2>{texts.beacons}</h2>
        {beacons === null || beacons.length === 0 ? (
          <p>{beacons === null ? texts.listLoading : texts.noBeacons}</p>
        ) : (
          <ul class="list">
            {beacons.map((beacon) => (
              <li key={beacon.id}>
                <Icon name={beacon.kind} />
                <span class="list-title">{inLanguage(language, beacon.name)}</span>
                <span>
                  {kindOfBeacon(texts, beacon.kind)} · {placeInWords(beacon, language)}
                </span>
                <span>
                  {motionInWords(beacon, { language, timezone, nowMs })} ·{' '}
                  {ageInWords(texts, nowMs - Date.parse(beacon.recordedAt))}
                  {own !== null &&
                    ` · ${distanceInWords(greatCircleKm({ from: own, to: beacon }), texts, language)}`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>{texts.crowd}</h2>
        <p>
          {density === null
            ? texts.listLoading
            : total === 0
              ? texts.crowdNone
              : fill(texts.crowdTotal, { n: countInWords(total, language) })}
        </p>
      </section>
      <PeopleList people={people} />
      <section id="places">
        <h2>{texts.nextPlaces}</h2>
        {sorted.length === 0 ? (
          <p>{places === null ? texts.listLoading : texts.noPlaces}</p>
        ) : (
          <ul class="list">
            {sorted.map(({ feature, km }) => (
              <li key={feature.id}>
                <Icon name={feature.properties.kind} />
                <span class="list-title">{inLanguage(language, feature.properties.name)}</span>
                <span>
                  {kindOfPlace(texts, feature.properties.kind)}
                  {km !== null && ` · ${distanceInWords(km, texts, language)}`}
                </span>
                {feature.properties.note !== null && (
                  <span>{inLanguage(language, feature.properties.note)}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}
