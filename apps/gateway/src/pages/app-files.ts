import { LANGUAGES, type Language, type Localized } from '@palanquin/domain/language'
import { ConfigurationError } from '@palanquin/service/config'
import type { LocalRoute } from '../local-route.ts'
import { Asset } from '../prebuilt/asset.ts'
import { assetRoute } from './asset-route.ts'
import type { BuildFile } from './build-files.ts'
import { languageOf } from './language.ts'
import { POLICY } from './policy.ts'

const HEADERS = { 'cache-control': 'no-cache', 'content-security-policy': POLICY }

/** `/sw.js` and `/manifest.webmanifest`: what makes an app of the pages. @throws ConfigurationError without them */
export function appRoutes(
  files: ReadonlyMap<string, BuildFile>,
  eventName: () => Localized<string>,
): LocalRoute[] {
  const fileOf = (name: string): BuildFile => {
    const file = files.get(name)
    if (!file) throw new ConfigurationError([`the build of the pages has no ${name}`])
    return file
  }
  const { entry, bytes, readyMade } = fileOf('sw.js')
  const worker = new Asset(bytes, { ...HEADERS, 'content-type': entry.type }, readyMade)
  const manifests = new Map<Language, { name: string; asset: Asset }>()
  /** Made again when the owners have renamed the event. */
  const manifestOf = (language: Language): Asset => {
    const name = eventName()[language]
    const made = manifests.get(language)
    if (made?.name === name) return made.asset
    const file = fileOf(`manifest.${language}.webmanifest`)
    const text = new TextDecoder()
      .decode(file.bytes)
      .replaceAll('%EVENT_NAME%', () => JSON.stringify(name).slice(1, -1))
    const headers = { ...HEADERS, 'content-type': file.entry.type, vary: 'accept-language' }
    const asset = new Asset(text, headers)
    manifests.set(language, { name, asset })
    return asset
  }
  for (const language of LANGUAGES) manifestOf(language)
  return [
    assetRoute('/sw.js', () => worker),
    assetRoute('/manifest.webmanifest', (request) => manifestOf(languageOf(request))),
  ]
}
