import { fill } from '@palanquin/domain/fill-text'
import { boxContains } from '@palanquin/domain/geo'
import { ageInWords } from '@palanquin/domain/time-in-words'
import { useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { People } from '../../api/types.ts'
import { countInWords } from '../../i18n/format.ts'
import { type Person, peopleOf } from '../../map/people.ts'
import { peoplePath, type View } from '../../map/view.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'

/** Consent taken back is gone within ten seconds (web face, section 3); service and network have three. */
const EVERY_MS = 7_000

/** `here`: those of `drawn` inside the view; `total`: all in the box that was asked for. */
export type PeopleInView = { drawn: readonly Person[]; here: readonly Person[]; total: number }

/** People of the view from zoom 15 on; null below it, and before they are known. */
export function usePeople(view: View | null): PeopleInView | null {
  const path = view === null ? null : peoplePath(view)
  const { data } = useResource<People>(path, EVERY_MS)
  return useMemo(() => {
    if (view === null || path === null || data === null) return null
    const drawn = peopleOf(data)
    const here = drawn.filter(({ lat, lng }) => boxContains(view.box, lat, lng))
    return { drawn, here, total: data.total }
  }, [view, path, data])
}

/** How many people are in the view: those who chose to be seen one by one. */
export function PeopleSentence({ people }: { people: PeopleInView | null }) {
  const { language, texts } = useTexts()
  if (people === null) return null
  const { drawn, here, total } = people
  const isAll = total <= drawn.length
  const n = countInWords(isAll ? here.length : total, language)
  const sentence = !isAll
    ? fill(texts.peopleSome, { n, shown: countInWords(drawn.length, language) })
    : here.length === 0
      ? texts.peopleNone
      : here.length === 1
        ? texts.personHere
        : fill(texts.peopleHere, { n })
  return <p class="map-people">{sentence}</p>
}

/** The person whose dot was tapped. */
export function PersonCard({ person, close }: { person: Person | null; close: () => void }) {
  const { texts } = useTexts()
  const nowMs = useNow()
  if (person === null) return null
  return (
    <div class="map-person" role="status">
      <p>
        <strong>{person.name ?? texts.personUnnamed}</strong>
        <span>{ageInWords(texts, nowMs - person.recordedAtMs)}</span>
      </p>
      <button type="button" class="button" onClick={close}>
        {texts.close}
      </button>
    </div>
  )
}
