import type { Visibility } from '@palanquin/domain/participant'
import { type MeTexts, useMeTexts } from '../../i18n/me/texts.ts'

/** What somebody shows of themselves, as the form has it. */
export type Shown = { visibility: Visibility; name: string }

/** The levels that the page offers, the most reserved first (web face, section 3). */
const LEVELS = ['crowd', 'anonymous', 'named'] as const

export const visibilityInWords = (me: MeTexts, visibility: Visibility): string =>
  ({ hidden: me.seenHidden, crowd: me.seenCrowd, anonymous: me.seenAnonymous, named: me.seenNamed })[
    visibility
  ]

/** Who sees me on the public map, with the name that the third level needs. */
export function VisibilityField({
  shown,
  onChange,
  nameMissing,
}: {
  shown: Shown
  onChange: (shown: Shown) => void
  nameMissing: boolean
}) {
  const { me } = useMeTexts()
  const hints = { crowd: me.seenCrowdHint, anonymous: me.seenAnonymousHint, named: me.seenNamedHint }
  return (
    <>
      <fieldset>
        <legend>{me.joinSeen}</legend>
        <div class="choices">
          {LEVELS.map((visibility) => (
            <label key={visibility} class="choice">
              <input
                type="radio"
                name="visibility"
                value={visibility}
                checked={shown.visibility === visibility}
                onChange={() => onChange({ ...shown, visibility })}
              />
              <span>
                <strong>{visibilityInWords(me, visibility)}</strong>
                <br />
                {hints[visibility]}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {shown.visibility === 'named' && (
        <>
          <label class="field">
            <span class="field-name">{me.name}</span>
            <input
              type="text"
              autoComplete="nickname"
              maxLength={100}
              value={shown.name}
              aria-invalid={nameMissing}
              aria-describedby={nameMissing ? 'name-missing' : undefined}
              onInput={({ currentTarget: { value } }) => onChange({ ...shown, name: value })}
            />
          </label>
          {nameMissing && (
            <p id="name-missing" class="banner banner-trouble" role="alert">
              {me.nameMissing}
            </p>
          )}
        </>
      )}
    </>
  )
}
