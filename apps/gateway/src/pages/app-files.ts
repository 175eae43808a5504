import { ConfigurationError } from '@palanquin/service/config'
import type { LocalRoute } from '../local-route.ts'
import { Asset } from '../prebuilt/asset.ts'
import { assetRoute } from './asset-route.ts'
import type { BuildFile } from './build-files.ts'
import { languageOf, PAGE_LANGUAGES, type PageLanguage } from './language.ts'
import { POLICY } from './policy.ts'

const HEADERS = { 'cache-control': 'no-cache', 'content-security-policy': POLICY }

/** `/sw.js` and `/manifest.webmanifest`: what makes an app of the pages. @throws ConfigurationError without them */
export function appRoutes(
  files: ReadonlyMap<string, BuildFile>,
  eventName: Readonly<Record<PageLanguage, string>>,
): LocalRoute[] {
  const fileOf = (name: string): BuildFile => {
    const file = files.get(name)
    if (!file) throw new ConfigurationError([`the build of the pages has no ${name}`])
    return file
  }
  const { entry, bytes, readyMade } = fileOf('sw.js')
  const worker = new Asset(bytes, { ...HEADERS, 'content-type': entry.type }, readyMade)
  const manifests = new Map<PageLanguage, Asset>()
  for (const language of PAGE_LANGUAGES) {
    const file = fileOf(`manifest.${language}.webmanifest`)
    const name = JSON.stringify(eventName[language]).slice(1, -1)
    const text = new TextDecoder().decode(file.bytes).replaceAll('%EVENT_NAME%', () => name)
    const headers = { ...HEADERS, 'content-type': file.entry.type, vary: 'accept-language' }
    manifests.set(language, new Asset(text, headers))
  }
  return [
    assetRoute('/sw.js', () => worker),
    assetRoute('/manifest.webmanifest', (request) => {
      const manifest = manifests.get(languageOf(request))
      if (!manifest) throw new Error('there is a manifest in every language')
      return manifest
    }),
  ]
}
