import { fill } from '@palanquin/domain/fill-text'
import { useState } from 'preact/hooks'
import { useLostTexts } from '../../i18n/lost/texts.ts'
import { freshFix } from '../../recording/fix.ts'
import type { Draft, Kind } from './reports.ts'

/** The place of a report: the phone's own position, asked for only when the person wants it. */
export function PlaceField({
  kind,
  place,
  onChange,
}: {
  kind: Kind
  place: Draft['place']
  onChange: (place: Draft['place']) => void
}) {
  const lost = useLostTexts()
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle')
  const ask = async () => {
    setState('asking')
    const fix = await freshFix()
    setState(fix === null ? 'failed' : 'idle')
    if (fix !== null) onChange({ lat: fix.lat, lng: fix.lng, metres: Math.ceil(fix.accuracy ?? 0) })
  }
  return (
    <fieldset class="field">
      <legend>{kind === 'lost' ? lost.placeLost : lost.placeFound}</legend>
      <p class="small">
        {lost.placeHint} {kind === 'lost' && lost.placeHintLost}
      </p>
      <p role="status">
        {state === 'asking' && lost.placeAsking}
        {state === 'failed' && lost.placeFailed}
        {state === 'idle' && place !== null && fill(lost.placeAdded, { metres: place.metres })}
      </p>
      {place === null ? (
        <button type="button" class="button" disabled={state === 'asking'} onClick={() => void ask()}>
          {lost.usePlace}
        </button>
      ) : (
        <button type="button" class="button" onClick={() => onChange(null)}>
          {lost.placeRemove}
        </button>
      )}
    </fieldset>
  )
}
