import { useEffect, useState } from 'preact/hooks'
import { useTexts } from './context.ts'
import { Icon } from './icon.tsx'

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

/** Whether the phone believes that it has a network: its "no" is right, its "yes" is not always. */
function useOnline(): boolean {
  const [online, setOnline] = useState(true)
  useEffect(() => {
    const look = () => setOnline(navigator.onLine)
    look()
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  return online
}
