import type { messagingApi } from '@line/bot-sdk'
import { BEACON_WORDS, beaconSentence, palanquinOf } from '@palanquin/domain/beacon-sentence'
import type { Language } from '@palanquin/domain/language'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { BeaconClient } from '../service-clients/beacons.ts'
import type { Links } from './links.ts'
import { linkMessage, plain } from './messages/plain.ts'
import { TEXTS } from './texts/texts.ts'

export type WhereOptions = {
  beacons: BeaconClient
  links: Links
  timezone: string
  log: Log
  now: () => number
}

/** Where the palanquin is, with a button to the map. Never throws while the map is away. */
export async function whereMessage(
  options: WhereOptions,
  { language, eventId }: { language: Language; eventId: string },
): Promise<messagingApi.Message> {
  const { open } = TEXTS[language].links.map
  const { title, lines } = await sentence(options, language, eventId)
  const text = lines.join('\n')
  const uri = options.links.page('map')
  if (uri === null) return plain(`${title}\n${text}`)
  return linkMessage({ title, text, open }, uri, `${title}\n${text}\n${uri}`)
}

async function sentence(
  { beacons, timezone, log, now }: WhereOptions,
  language: Language,
  eventId: string,
): Promise<{ title: string; lines: string[] }> {
  const words = BEACON_WORDS[language]
  try {
    const palanquin = palanquinOf(await beacons.list(eventId))
    if (palanquin === null) return { title: words.whereUnknown, lines: [TEXTS[language].whereLater] }
    const { where, motion, age } = beaconSentence(palanquin, { language, timezone, nowMs: now() })
    return { title: where, lines: [motion, age] }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const facts = { eventId, reason: String(error.cause) }
    log.debug({ event: 'beacons.unavailable', ...facts }, 'The map is away; the user is asked to try later')
    return { title: words.whereUnavailable, lines: [TEXTS[language].whereAway] }
  }
}
