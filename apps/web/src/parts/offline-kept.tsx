import { useTexts } from './context.ts'
import { Icon } from './icon.tsx'
import { useOnline } from './online.ts'

/** Without a network: what is written here stays, and is sent later. */
export function OfflineKept() {
  const { texts } = useTexts()
  if (useOnline()) return null
  return (
    <section class="banner banner-offline" role="status">
      <h2>
        <Icon name="offline" /> {texts.offlineTitle}
      </h2>
      <p>{texts.offlineKept}</p>
    </section>
  )
}
