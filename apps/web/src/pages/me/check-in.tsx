import { inLanguage } from '@palanquin/domain/language'
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { PlaceFeature, Places } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { SavedCheckin, StoredCheckin } from '../../outbox/checkin.ts'
import { timeOfCheckin } from '../../outbox/checkin-time.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import { Icon } from '../../parts/icon.tsx'
import { freshFix } from '../../recording/fix.ts'
import { CheckinList } from './check-in-list.tsx'

const PLACES_EVERY_MS = 60_000

/** Where no satellite is seen: the person says at which place they are. */
function PlaceList({
  onChoose,
  onCancel,
}: {
  onChoose: (place: PlaceFeature) => void
  onCancel: () => void
}) {
  const { language, me } = useMeTexts()
  const { data } = useResource<Places>('/places', PLACES_EVERY_MS)
  const places = data?.features ?? []
  return (
    <section class="banner">
      <p role="alert">{places.length === 0 ? me.checkinNoPlaces : me.checkinNoFix}</p>
      <ul class="place-choices">
        {places.map((place) => (
          <li key={place.id}>
            <button type="button" class="button" onClick={() => onChoose(place)}>
              {inLanguage(language, place.properties.name)}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onCancel}>
        {me.checkinCancel}
      </button>
    </section>
  )
}

/** The service takes two check-ins of one place within a minute for one (contract 8.16). */
const TWICE_MS = 60_000
/** Web face, section 4, less what the form around it takes. */
const PHOTO_BYTES_MAX = 10 * 1_048_576 - 4_096

/** One tap: the last fix, else a new one, else the place by name; on the phone before it is sent. */
export function CheckIn({
  outbox,
  timezone,
  hasPhotos,
  isBack,
}: {
  outbox: OutboxHook
  timezone: string
  hasPhotos: boolean
  /** Whether the person had withdrawn until a moment ago. */
  isBack: boolean
}) {
  const { language, me } = useMeTexts()
  const main = useComesIntoView<HTMLButtonElement>(isBack)
  const [step, setStep] = useState<'ready' | 'locating' | 'choosing' | 'twice'>('ready')
  const [photo, setPhoto] = useState<File | null>(null)
  const [tooLarge, setTooLarge] = useState(false)
  const isListed = async (point: SavedCheckin['point']) =>
    (await outbox.listCheckins()).some((one) => isTwice(one, point))
  const keep = async (
    place: Omit<SavedCheckin['point'], 'recordedAt'>,
    picture: File | null,
    note?: string,
  ) => {
    const { recordedAt, phoneMs } = timeOfCheckin()
    const point = { ...place, recordedAt }
    if (picture === null && (await isListed(point))) return setStep('twice')
    setStep('ready')
    setPhoto(null)
    await outbox.addCheckin({
      point,
      ...(phoneMs === undefined ? {} : { phoneMs }),
      ...(note === undefined ? {} : { note }),
      ...(picture === null ? {} : { photo: picture, hasPhoto: true }),
    })
  }
  const press = async (picture: File | null) => {
    setPhoto(picture)
    setStep('locating')
    const fix = await freshFix()
    if (fix === null) setStep('choosing')
    else await keep(fix, picture)
  }
  const choose = ({ geometry, properties }: PlaceFeature) => {
    const [lng, lat] = geometry.coordinates
    const name = inLanguage(language, properties.name)
    void keep({ lat, lng }, photo, name)
  }
  return (
    <section class="check-in">
      <button
        ref={main}
        type="button"
        class="button button-main button-large"
        disabled={step === 'locating'}
        onClick={() => void press(null)}
      >
        <Icon name="other" /> {step === 'locating' ? me.checkinLocating : me.checkin}
      </button>
      {hasPhotos && (
        <label class="button photo">
          <Icon name="camera" /> {me.checkinPhoto}
          <input
            type="file"
            class="visually-hidden"
            accept="image/jpeg,image/png,image/webp"
            capture="environment"
            disabled={step === 'locating'}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0]
              currentTarget.value = ''
              setTooLarge(file !== undefined && file.size > PHOTO_BYTES_MAX)
              if (file !== undefined && file.size <= PHOTO_BYTES_MAX) void press(file)
            }}
          />
        </label>
      )}
      {tooLarge && <p role="alert">{me.photoTooLarge}</p>}
      {step === 'twice' && <p role="status">{me.checkinTwice}</p>}
      {step === 'choosing' && <PlaceList onChoose={choose} onCancel={() => setStep('ready')} />}
      <CheckinList outbox={outbox} timezone={timezone} />
    </section>
  )
}

const isTwice = ({ point: last }: StoredCheckin, point: SavedCheckin['point']): boolean =>
  Math.abs(point.recordedAt - last.recordedAt) < TWICE_MS &&
  last.lat.toFixed(5) === point.lat.toFixed(5) &&
  last.lng.toFixed(5) === point.lng.toFixed(5)
