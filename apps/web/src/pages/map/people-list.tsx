import { ageInWords } from '@palanquin/domain/time-in-words'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { type PeopleInView, PeopleSentence } from './people.tsx'

const NAMES_MAX = 50

/** Who is drawn one by one, with their names, for those who do not tap. */
export function PeopleList({ people }: { people: PeopleInView | null }) {
  const { texts } = useTexts()
  const nowMs = useNow()
  if (people === null) return null
  const named = people.here.filter(({ name }) => name !== null).slice(0, NAMES_MAX)
  return (
    <section>
      <h2>{texts.peopleTitle}</h2>
      <PeopleSentence people={people} />
      {named.length > 0 && (
        <ul class="list">
          {named.map(({ id, name, recordedAtMs }) => (
            <li key={id}>
              <Icon name="walk" />
              <span class="list-title">{name}</span>
              <span>{ageInWords(texts, nowMs - recordedAtMs)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
