import { useEffect, useState } from 'preact/hooks'
import { STORE_CHANGED, storeWorks } from '../store.ts'
import { useTexts } from './context.ts'

/** What it means for the person that this phone keeps nothing, as long as that is so. */
export function StoreTrouble() {
  const { texts } = useTexts()
  const [works, setWorks] = useState(true)
  useEffect(() => {
    const look = () => setWorks(storeWorks())
    look()
    addEventListener(STORE_CHANGED, look)
    return () => removeEventListener(STORE_CHANGED, look)
  }, [])
  if (works) return null
  return (
    <p class="banner banner-trouble" role="status">
      {texts.noStorage}
    </p>
  )
}
