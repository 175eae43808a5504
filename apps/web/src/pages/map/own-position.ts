import { useEffect, useState } from 'preact/hooks'

export type Place = { lat: number; lng: number }
export type OwnPosition = { position: Place | null; watching: boolean; denied: boolean; toggle: () => void }

/** The reader's own position, while they want it; nothing sends or stores it. */
export function useOwnPosition(): OwnPosition {
  const [watching, setWatching] = useState(false)
  const [denied, setDenied] = useState(false)
  const [position, setPosition] = useState<Place | null>(null)
  useEffect(() => {
    if (!watching) return
    const watch = navigator.geolocation.watchPosition(
      ({ coords }) => {
        setDenied(false)
        setPosition({ lat: coords.latitude, lng: coords.longitude })
      },
      () => {
        setDenied(true)
        setWatching(false)
      },
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    )
    return () => {
      navigator.geolocation.clearWatch(watch)
      setPosition(null)
    }
  }, [watching])
  return { position, watching, denied, toggle: () => setWatching(!watching) }
}
