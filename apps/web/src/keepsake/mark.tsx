import { dayColour, GROUND } from './colours.ts'

/** The number of a day in its colour; the title beside it says the number too. Both schemes are drawn, CSS shows one. */
export function DayMark({ index }: { index: number }) {
  return (
    <>
      {(['light', 'dark'] as const).map((scheme) => (
        <svg
          key={scheme}
          class={`day-mark day-mark-${scheme}`}
          viewBox="0 0 24 24"
          aria-hidden="true"
          focusable="false"
        >
          <circle cx="12" cy="12" r="11" fill={dayColour(index, scheme)} />
          <text x="12" y="12.5" fill={GROUND[scheme].number}>
            {index + 1}
          </text>
        </svg>
      ))}
    </>
  )
}
