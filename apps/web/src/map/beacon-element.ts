import { motionInWords, placeInWords } from '@palanquin/domain/beacon-sentence'
import { inLanguage, type Language } from '@palanquin/domain/language'
import { ageInWords } from '@palanquin/domain/time-in-words'
import type { Beacon } from '../api/types.ts'
import type { Texts } from '../i18n/zh-tw.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** What a beacon's marker says to a screen reader. */
export function labelOf(
  beacon: Beacon,
  { texts, language, timezone, nowMs }: { texts: Texts; language: Language; timezone: string; nowMs: number },
): string {
  const name = inLanguage(language, beacon.name)
  const age = ageInWords(texts, nowMs - Date.parse(beacon.recordedAt))
  return `${name}: ${placeInWords(beacon, language)}, ${motionInWords(beacon, { language, timezone, nowMs })}, ${age}`
}

/** A marker that can be reached by keyboard; its name shows when it has the focus. */
export function beaconElement(
  beacon: Beacon,
  { label, silent }: { label: string; silent: boolean },
): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = `beacon beacon-${beacon.kind}${silent ? ' beacon-silent' : ''}`
  button.setAttribute('aria-label', label)
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('class', 'icon')
  icon.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS(SVG, 'use')
  use.setAttribute('href', `#icon-${beacon.kind}`)
  icon.append(use)
  button.append(icon)
  return button
}
